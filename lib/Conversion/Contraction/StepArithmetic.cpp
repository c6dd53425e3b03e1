//===- StepArithmetic.cpp - What one step of a tile computes --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepArithmetic.h"

#include "../Math/AVX512.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

/// Vectors of terms are of the accumulators' type, whatever their bits are: one
/// type of scratch holds them and what they were made from.
Value StepArithmetic::spread(Value element) {
  if (tile.instruction == Instruction::FMA) {
    if (element.getType() != tile.element)
      element = arith::ExtFOp::create(builder, loc, tile.element, element);
    return vector::BroadcastOp::create(builder, loc, tile.getVectorType(),
                                       element);
  }
  Type type = element.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  // The last term of an odd number of them.
  if (bits < tile.element.getIntOrFloatBitWidth()) {
    element = arith::BitcastOp::create(builder, loc,
                                       builder.getIntegerType(bits), element);
    element =
        arith::ExtUIOp::create(builder, loc, builder.getI32Type(), element);
  }
  if (element.getType() != tile.element)
    element = arith::BitcastOp::create(builder, loc, tile.element, element);
  return vector::BroadcastOp::create(builder, loc, tile.getVectorType(),
                                     element);
}

Value StepArithmetic::multiplyAdd(Value lhs, Value rhs, Value sum) {
  if (tile.instruction == Instruction::FMA)
    return vector::FMAOp::create(builder, loc, lhs, rhs, sum);
  auto terms =
      VectorType::get({tile.lanes * tile.getTerms()}, builder.getBF16Type());
  auto asTerms = [&](Value vector) -> Value {
    return vector::BitCastOp::create(builder, loc, terms, vector);
  };
  return avx512::emitDotBF16(builder, loc, sum, asTerms(lhs), asTerms(rhs));
}

Value StepArithmetic::getTerm(Value terms, int64_t term) {
  if (tile.instruction == Instruction::FMA)
    return terms;
  auto type = VectorType::get({tile.lanes}, builder.getI32Type());
  Value mask = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          type, builder.getI32IntegerAttr(term == 0 ? 0xffff : 0xffff << 16)));
  Value bits = vector::BitCastOp::create(builder, loc, type, terms);
  bits = arith::AndIOp::create(builder, loc, bits, mask);
  return vector::BitCastOp::create(builder, loc, tile.getVectorType(), bits);
}
