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
#include <limits>

using namespace mlir;

constexpr uint32_t kUpperHalf = 0xffff0000;
constexpr float kLargest = std::numeric_limits<float>::max();

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
  auto real = [&](float value) {
    return constant(builder.getF32FloatAttr(value));
  };
  // Infinity less infinity is no number. What comparing says of NaN does not
  // matter: the first part is one.
  auto clamp = [&](Value x, arith::CmpFPredicate isInside, float bound) {
    Value limit = real(bound);
    Value inside = arith::CmpFOp::create(builder, loc, isInside, x, limit);
    return Value(arith::SelectOp::create(builder, loc, inside, x, limit));
  };
  number = clamp(number, arith::CmpFPredicate::OLT, kLargest);
  number = clamp(number, arith::CmpFPredicate::OGT, -kLargest);
  Value first = arith::BitcastOp::create(builder, loc, bits, number);
  first = arith::AndIOp::create(
      builder, loc, first,
      constant(builder.getI32IntegerAttr(int32_t(kUpperHalf))));
  first = arith::BitcastOp::create(builder, loc, type, first);
  Value rest = arith::SubFOp::create(builder, loc, number, first);
  return math::FmaOp::create(builder, loc, first, real(kTraceOfFirst), rest);
}

float attn::getSecondHalf(float number) {
  number = std::clamp(number, -kLargest, kLargest);
  auto first =
      llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(number) & kUpperHalf);
  return std::fma(first, kTraceOfFirst, number - first);
}
