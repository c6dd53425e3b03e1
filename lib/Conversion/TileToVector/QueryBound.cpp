//===- QueryBound.cpp - Similarities that stay in range -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QueryBound.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"
#include <cfloat>

using namespace mlir;
using namespace attn;

constexpr int64_t kMantissaBits = 23, kExponentBias = 127;

/// Cosines are small, products of f16 have room in f32, and sums in f64 are
/// those of the reference.
bool attn::needsQueryBound(AttentionOpInterface op) {
  return op.getSoftcapAttr() && !op.isCosine() && op.getComputeType().isF32() &&
         !getElementTypeOrSelf(op.getShapedInputs()[0]).isF16();
}

QueryBound::QueryBound(LaneBuilder &lanes, Value largest, int64_t headDim)
    : lanes(lanes) {
  OpBuilder &b = lanes.getBuilder();
  Location loc = lanes.getLoc();
  Type ints = lanes.getIntType();
  Value bits = arith::BitcastOp::create(b, loc, ints, largest);
  Value exponent =
      arith::ShRUIOp::create(b, loc, bits, lanes.integer(kMantissaBits));
  // 2^(exponent + 1) is above all elements, and one of headDim products below
  // the largest key.
  int64_t reserve =
      llvm::Log2_64_Ceil(std::max<int64_t>(1, headDim)) + 1 - kExponentBias;
  Value power =
      lanes.max(lanes.add(exponent, lanes.integer(reserve)), lanes.integer(0));
  Value half = arith::ShRUIOp::create(b, loc, power, lanes.integer(1));
  auto toPower = [&](Value n) -> Value {
    Value biased = lanes.add(n, lanes.integer(kExponentBias));
    Value shifted =
        arith::ShLIOp::create(b, loc, biased, lanes.integer(kMantissaBits));
    return arith::BitcastOp::create(b, loc, lanes.getFloatType(), shifted);
  };
  Value halves[] = {half, lanes.sub(power, half)};
  for (unsigned i : {0, 1}) {
    down[i] = toPower(lanes.sub(lanes.integer(0), halves[i]));
    up[i] = toPower(halves[i]);
  }
}

Value QueryBound::divide(LaneBuilder &inner, Value element) {
  return inner.mul(inner.mul(element, down[0]), down[1]);
}

Value QueryBound::multiply(Value factor) {
  Value limit = lanes.constant(FLT_MAX);
  Value product = lanes.mul(lanes.mul(factor, up[0]), up[1]);
  // A NaN stays one.
  return lanes.max(lanes.neg(limit), lanes.min(limit, product));
}
