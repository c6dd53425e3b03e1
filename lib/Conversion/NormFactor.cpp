//===- NormFactor.cpp - What a norm multiplies with -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormFactor.h"

using namespace mlir;
using namespace attn;

Value attn::emitNormFactor(LaneBuilder &lanes, NormOp op, Value variance) {
  return emitNormFactor(lanes, op.getEps().convertToDouble(), op.getEpsMode(),
                        variance);
}

Value attn::emitNormFactor(LaneBuilder &lanes, double eps, EpsMode mode,
                           Value variance) {
  Value bound = lanes.constant(eps);
  // The maximum returns its second argument where that is NaN.
  Value root = mode == EpsMode::RsqrtSum
                   ? lanes.sqrt(lanes.add(variance, bound))
                   : lanes.max(bound, lanes.sqrt(variance));
  Value zero = lanes.constant(0.0);
  Value isZero = lanes.cmp(arith::CmpFPredicate::OEQ, root, zero);
  return lanes.select(isZero, zero, lanes.div(lanes.constant(1.0), root));
}

Value attn::emitNormalised(LaneBuilder &lanes, Value x, Value mean,
                           Value factor, Value gamma, Value beta) {
  Value result = lanes.mul(mean ? lanes.sub(x, mean) : x, factor);
  if (gamma && beta)
    return lanes.fma(result, gamma, beta);
  if (gamma)
    return lanes.mul(result, gamma);
  return beta ? lanes.add(result, beta) : result;
}
