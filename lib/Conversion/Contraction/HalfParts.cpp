//===- HalfParts.cpp - Numbers of f16 as two of bf16 ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalfParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

constexpr uint32_t kUpperHalf = 0xffff0000;

Value attn::emitSecondHalf(OpBuilder &builder, Location loc, Value number) {
  Type type = number.getType(), bits = builder.getI32Type();
  auto vector = dyn_cast<VectorType>(type);
  if (vector)
    bits = vector.clone(bits);
  auto constant = [&](TypedAttr one) -> Value {
    TypedAttr all =
        vector ? DenseElementsAttr::get(vector.clone(one.getType()), one) : one;
    return arith::ConstantOp::create(builder, loc, all);
  };
  // What comparing says of NaN takes the second one: infinity less infinity.
  auto choose = [&](Value a, arith::CmpFPredicate isFirst, Value b) -> Value {
    Value takesFirst = arith::CmpFOp::create(builder, loc, isFirst, a, b);
    return arith::SelectOp::create(builder, loc, takesFirst, a, b);
  };
  Value first = arith::BitcastOp::create(builder, loc, bits, number);
  first = arith::AndIOp::create(
      builder, loc, first,
      constant(builder.getI32IntegerAttr(int32_t(kUpperHalf))));
  first = arith::BitcastOp::create(builder, loc, type, first);
  Value rest = math::AbsFOp::create(
      builder, loc, arith::SubFOp::create(builder, loc, number, first));
  Value least = choose(math::AbsFOp::create(builder, loc, number),
                       arith::CmpFPredicate::OLT,
                       constant(builder.getF32FloatAttr(kSmallest)));
  Value second = choose(rest, arith::CmpFPredicate::OGT, least);
  return math::CopySignOp::create(builder, loc, second, number);
}

float attn::getSecondHalf(float number) {
  auto first =
      llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(number) & kUpperHalf);
  float rest = std::fabs(number - first);
  float least = std::min(std::fabs(number), kSmallest);
  return std::copysign(rest > least ? rest : least, number);
}
