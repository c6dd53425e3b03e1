//===- SoftmaxState.cpp - What a row has seen of its keys -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Score/SoftmaxState.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attn;

static constexpr double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

SmallVector<double> attn::getStateIdentity(AttentionOpInterface op) {
  SmallVector<double> identity = {0.0, -infinity, 0.0};
  for (Statistic kind : op.getStatisticKinds())
    identity.push_back(kind == Statistic::Top ? -infinity : 0.0);
  return identity;
}

Value attn::emitReference(LaneBuilder &lanes, Value max) {
  Value unseen =
      lanes.cmp(arith::CmpFPredicate::OEQ, max, lanes.constant(-infinity));
  return lanes.select(unseen, lanes.constant(0.0), max);
}

Rescale attn::emitRescale(LaneBuilder &lanes, Value max, Value reference,
                          Exponential exp) {
  Value distance = lanes.sub(max, reference);
  return {distance, exp(lanes, distance)};
}

Value attn::emitMoved(LaneBuilder &lanes, Value part, Value factor,
                      Value rest) {
  return rest ? lanes.fma(part, factor, rest) : lanes.mul(part, factor);
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

Value &RowStatistics::get(Statistic kind) {
  switch (kind) {
  case Statistic::Squares:
    return squares;
  case Statistic::Logs:
    return logs;
  case Statistic::Top:
    return top;
  }
  llvm_unreachable("all statistics are handled");
}

SmallVector<Statistic> RowStatistics::getSums() const {
  SmallVector<Statistic> sums;
  for (Statistic kind : {Statistic::Squares, Statistic::Logs})
    if (get(kind))
      sums.push_back(kind);
  return sums;
}

/// A distance that a weight can be multiplied with: exp(-inf) times -inf is 0.
static Value emitFiniteDistance(LaneBuilder &lanes, Value distance) {
  // No type of scores has weights as small as this. NaN shows in the weight.
  return lanes.max(distance, lanes.constant(-2048.0));
}

Value attn::emitStatisticTerm(LaneBuilder &lanes, Statistic kind, Value weight,
                              Value distance) {
  assert(kind != Statistic::Top && "the largest score is no sum");
  return kind == Statistic::Squares ? weight
                                    : emitFiniteDistance(lanes, distance);
}

Value attn::emitMovedStatistic(LaneBuilder &lanes, Statistic kind,
                               Value statistic, Value sum,
                               const Rescale &rescale, Value rest) {
  assert(kind != Statistic::Top && "the largest score does not move");
  // Each of the logarithms that a weight was multiplied by changes alike.
  statistic = kind == Statistic::Squares
                  ? lanes.mul(statistic, rescale.factor)
                  : lanes.fma(emitFiniteDistance(lanes, rescale.distance), sum,
                              statistic);
  return emitMoved(lanes, statistic, rescale.factor, rest);
}

//===----------------------------------------------------------------------===//
// Ends of rows
//===----------------------------------------------------------------------===//

/// lse = log total + max, which is in `units`. With log2 of the total and one
/// product at the end there would be two roundings more, and the same ones in
/// each row where the totals are alike.
static Value emitLogSumExp(LaneBuilder &lanes, Units units, Value max,
                           Value total) {
  Value logTotal = lanes.log(total);
  if (units == Units::Natural)
    return lanes.add(max, logTotal);
  // ln 2 in two parts: where max is large, its product must not lose more
  // than one rounding.
  double high = static_cast<float>(llvm::numbers::ln2);
  Value low =
      lanes.fma(max, lanes.constant(llvm::numbers::ln2 - high), logTotal);
  Value log = lanes.fma(max, lanes.constant(high), low);
  // A score that has no log2 stayed as it was: the lowest number, with which
  // masks are filled (LaneBuilder::mulFinite).
  Value isNatural =
      lanes.cmp(arith::CmpFPredicate::OEQ,
                lanes.mul(max, lanes.constant(llvm::numbers::log2e)),
                lanes.constant(-infinity));
  log = lanes.select(isNatural, lanes.add(max, logTotal), log);
  // The parts have different signs, which an infinite sink does not survive.
  // The product keeps the NaN that an infinite score makes of the total.
  Value isHighest =
      lanes.cmp(arith::CmpFPredicate::OEQ, max, lanes.constant(infinity));
  return lanes.select(isHighest, lanes.mul(max, total), log);
}

RowEnd attn::emitRowEnd(LaneBuilder &lanes, Units units, Value max, Value sum,
                        Value logExtra, bool wantsLse, Exponential exp) {
  Value zero = lanes.constant(0.0), total = sum;
  Value factor = lanes.constant(1.0);
  if (logExtra) {
    Value extra = logExtra;
    if (units == Units::Log2)
      extra = lanes.mul(extra, lanes.constant(llvm::numbers::log2e));
    // The maximum takes e0 into account, so that it neither overflows nor
    // leaves 0 / 0 where every score is very negative.
    Value newMax = lanes.max(extra, max);
    Value reference = emitReference(lanes, newMax);
    factor = emitRescale(lanes, max, reference, exp).factor;
    // An extra term of infinity is its own maximum: inf - inf is 0 there.
    Value isMax = lanes.cmp(arith::CmpFPredicate::OEQ, extra, reference);
    Value distance = lanes.select(isMax, zero, lanes.sub(extra, reference));
    total = emitMoved(lanes, sum, factor, exp(lanes, distance));
    max = newMax;
  }
  Value isEmpty = lanes.cmp(arith::CmpFPredicate::OEQ, total, zero);
  RowEnd end;
  end.factor = lanes.select(isEmpty, zero, lanes.div(factor, total));
  if (!wantsLse)
    return end;
  end.lse = lanes.select(isEmpty, lanes.constant(-infinity),
                         emitLogSumExp(lanes, units, max, total));
  // With the extra term alone its logarithm is known exactly; the way through
  // log2 units and back would move it by a unit, the same for all such rows.
  if (logExtra && units == Units::Log2)
    end.lse = lanes.select(lanes.cmp(arith::CmpFPredicate::OEQ, sum, zero),
                           logExtra, end.lse);
  return end;
}

Value attn::emitLogitSlope(LaneBuilder &lanes, AttentionOpInterface op,
                           Value headDim, Value scale) {
  if (op.isCosine())
    return scale;
  Value dims = lanes.intToFloat(lanes.toIntLanes(headDim));
  return lanes.mul(scale, lanes.sqrt(dims));
}

SmallVector<Value> attn::emitProbes(LaneBuilder &lanes, AttentionOpInterface op,
                                    Units units, Value sum, Value factor,
                                    RowStatistics statistics,
                                    llvm::function_ref<Value()> emitSlope) {
  bool isLog2 = units == Units::Log2;
  Value zero = lanes.constant(0.0);
  auto toNatural = [&](Value log) {
    return isLog2 ? lanes.mul(log, lanes.constant(llvm::numbers::ln2)) : log;
  };
  Value total = lanes.mul(sum, factor), squares;
  if (statistics.squares)
    squares = lanes.mul(lanes.mul(statistics.squares, factor), factor);
  auto emit = [&](Probe probe) -> Value {
    switch (probe) {
    case Probe::SumP:
      return total;
    case Probe::SumP2:
      return squares;
    case Probe::MaxLogit:
      return toNatural(statistics.top);
    case Probe::Entropy: {
      // log p = (s - max) + log factor.
      Value logs =
          lanes.fma(total, isLog2 ? lanes.log2(factor) : lanes.log(factor),
                    lanes.mul(statistics.logs, factor));
      Value isEmpty = lanes.cmp(arith::CmpFPredicate::OEQ, total, zero);
      return lanes.select(isEmpty, zero, toNatural(lanes.neg(logs)));
    }
    case Probe::HalfGradientNorm: {
      Value slope = emitSlope();
      Value half =
          lanes.mul(lanes.fma(total, total, total), lanes.constant(0.5));
      return lanes.mul(slope, lanes.sub(half, squares));
    }
    }
    llvm_unreachable("all probes are handled");
  };
  return llvm::map_to_vector(op.getProbeKinds(), emit);
}
