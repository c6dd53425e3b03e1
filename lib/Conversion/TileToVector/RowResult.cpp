//===- RowResult.cpp - From a finished state to output and lse ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowResult.h"

#include "attn/Conversion/Math/ExpandMath.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attn;

/// lse = max ln 2 + ln total. Not log2 of the total times ln 2: two roundings
/// more, and the same ones in each row where the totals are alike.
static Value emitLogSumExp(LaneBuilder &lanes, Value max, Value total) {
  // ln 2 in two parts: where max is large, its product must not lose more
  // than one rounding.
  double high = static_cast<float>(llvm::numbers::ln2);
  Value logTotal = lanes.log(total);
  Value low =
      lanes.fma(max, lanes.constant(llvm::numbers::ln2 - high), logTotal);
  Value log = lanes.fma(max, lanes.constant(high), low);
  // The parts have different signs, which an infinite sink does not survive.
  Value highest = lanes.constant(std::numeric_limits<double>::infinity());
  return lanes.select(lanes.cmp(arith::CmpFPredicate::OEQ, max, highest), max,
                      log);
}

RowResult attn::emitRowResult(LaneBuilder &lanes, Value max, Value total,
                              Value logExtra, bool wantsLse) {
  OpBuilder &builder = lanes.getBuilder();
  Location loc = lanes.getLoc();
  Value zero = lanes.constant(0.0);
  Value lowest = lanes.constant(-std::numeric_limits<double>::infinity());
  Value factor = lanes.constant(1.0);
  Value sawNothing = lanes.cmp(arith::CmpFPredicate::OEQ, max, lowest);
  if (logExtra) {
    Value extra = lanes.mul(logExtra, lanes.constant(llvm::numbers::log2e));
    // Outputs may be as small as the type allows, unlike products p * v.
    Exp2Options options;
    options.flushBelow = lanes.getElementType().isF64() ? -1022.0 : -126.0;
    Value newMax = lanes.max(extra, max);
    Value unseen = lanes.cmp(arith::CmpFPredicate::OEQ, newMax, lowest);
    Value safeMax = lanes.select(unseen, zero, newMax);
    factor = emitExp2(builder, loc, lanes.sub(max, safeMax), options);
    // An extra term of infinity is its own maximum: inf - inf is 0 there.
    Value isMax = lanes.cmp(arith::CmpFPredicate::OEQ, extra, safeMax);
    Value distance = lanes.select(isMax, zero, lanes.sub(extra, safeMax));
    total = lanes.fma(total, factor, emitExp2(builder, loc, distance, options));
    max = newMax;
  }
  Value isEmpty = lanes.cmp(arith::CmpFPredicate::OEQ, total, zero);
  RowResult result;
  result.factor = lanes.select(isEmpty, zero, lanes.div(factor, total));
  if (!wantsLse)
    return result;
  result.lse = lanes.select(isEmpty, lowest, emitLogSumExp(lanes, max, total));
  // With the extra term alone its logarithm is known exactly; the way through
  // log2 units and back would move it by a unit, the same for all such rows.
  if (logExtra)
    result.lse = lanes.select(sawNothing, logExtra, result.lse);
  return result;
}
