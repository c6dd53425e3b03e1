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
/// A variance of less than this, of the mean square that it is a part of, is
/// what rounding makes of equal weights; so is one of the second where weights
/// are near 1.
static constexpr double kEqualWeights = 0x1p-18, kEqualWeightsOfF64 = 0x1p-40;
static constexpr double kLastDigits = 0x1p-40, kLastDigitsOfF64 = 0x1p-98;

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
  case Statistic::Cubes:
    return cubes;
  case Statistic::Fourths:
    return fourths;
  case Statistic::Gaps:
    return gaps;
  case Statistic::Gaps2:
    return gaps2;
  case Statistic::Gaps3:
    return gaps3;
  case Statistic::Gaps4:
    return gaps4;
  }
  llvm_unreachable("all statistics are handled");
}

SmallVector<Statistic> RowStatistics::getSums() const {
  SmallVector<Statistic> sums;
  for (Statistic kind : kSummedStatistics)
    if (get(kind))
      sums.push_back(kind);
  return sums;
}

/// A distance that a weight can be multiplied with: exp(-inf) times -inf is 0.
static Value emitFiniteDistance(LaneBuilder &lanes, Value distance) {
  // No type of scores has weights as small as this. NaN shows in the weight.
  return lanes.max(distance, lanes.constant(-2048.0));
}

/// What a weight is above the largest, 1: below 0, and 0 for that of a hidden
/// key.
static Value emitGap(LaneBuilder &lanes, Value weight, Value distance) {
  Value zero = lanes.constant(0.0), one = lanes.constant(1.0);
  Value hidden =
      lanes.cmp(arith::CmpFPredicate::OEQ, distance, lanes.constant(-infinity));
  return lanes.sub(weight, lanes.select(hidden, zero, one));
}

/// rest + a b; `rest` may be null.
static Value emitProduct(LaneBuilder &lanes, Value a, Value b, Value rest) {
  return rest ? lanes.fma(a, b, rest) : lanes.mul(a, b);
}

Value attn::emitStatistic(LaneBuilder &lanes, Statistic kind, Value weight,
                          Value distance, Value rest) {
  auto square = [&](Value x) { return lanes.mul(x, x); };
  auto gap = [&] { return emitGap(lanes, weight, distance); };
  auto product = [&](Value a, Value b) {
    return emitProduct(lanes, a, b, rest);
  };
  switch (kind) {
  case Statistic::Squares:
    return product(weight, weight);
  case Statistic::Logs:
    return product(weight, emitFiniteDistance(lanes, distance));
  case Statistic::Top:
    break;
  case Statistic::Cubes:
    return product(square(weight), weight);
  case Statistic::Fourths:
    return product(square(weight), square(weight));
  case Statistic::Gaps:
    return rest ? lanes.add(rest, gap()) : gap();
  case Statistic::Gaps2:
    return product(gap(), gap());
  case Statistic::Gaps3:
    return product(square(gap()), gap());
  case Statistic::Gaps4:
    return product(square(gap()), square(gap()));
  }
  llvm_unreachable("the largest score is no sum");
}

/// The gaps' powers when weights become f times as large: a gap g becomes
/// f g + (f - 1), whose powers' sums are those of g, of its lower powers and
/// of 1.
static void emitMovedGaps(LaneBuilder &lanes, const RowStatistics &old,
                          Value sum, Value f, RowStatistics &moved) {
  auto times = [&](double number, Value a, Value b) {
    Value product = lanes.mul(a, b);
    return number == 1.0 ? product : lanes.mul(lanes.constant(number), product);
  };
  Value rest = lanes.sub(f, lanes.constant(1.0));
  Value f2 = lanes.mul(f, f), rest2 = lanes.mul(rest, rest);
  // A gap is a weight less 1.
  Value count = lanes.sub(sum, old.gaps);
  auto add = [&](std::initializer_list<Value> terms) {
    Value total;
    for (Value term : terms)
      total = total ? lanes.add(total, term) : term;
    return total;
  };
  moved.gaps = add({times(1, f, old.gaps), times(1, rest, count)});
  moved.gaps2 =
      add({times(1, f2, old.gaps2), times(2, lanes.mul(f, rest), old.gaps),
           times(1, rest2, count)});
  moved.gaps3 = add({times(1, lanes.mul(f2, f), old.gaps3),
                     times(3, lanes.mul(f2, rest), old.gaps2),
                     times(3, lanes.mul(f, rest2), old.gaps),
                     times(1, lanes.mul(rest2, rest), count)});
  moved.gaps4 = add({times(1, lanes.mul(f2, f2), old.gaps4),
                     times(4, lanes.mul(lanes.mul(f2, f), rest), old.gaps3),
                     times(6, lanes.mul(f2, rest2), old.gaps2),
                     times(4, lanes.mul(lanes.mul(f, rest2), rest), old.gaps),
                     times(1, lanes.mul(rest2, rest2), count)});
}

RowStatistics attn::emitMovedStatistics(LaneBuilder &lanes,
                                        const RowStatistics &statistics,
                                        Value sum, const Rescale &rescale,
                                        const RowStatistics &rest) {
  RowStatistics moved;
  Value f = rescale.factor;
  if (statistics.gaps4)
    emitMovedGaps(lanes, statistics, sum, f, moved);
  for (Statistic kind : statistics.getSums()) {
    Value old = statistics.get(kind), &now = moved.get(kind);
    Value power = lanes.mul(old, f);
    switch (kind) {
    case Statistic::Squares:
      now = emitMoved(lanes, power, f, rest.get(kind));
      continue;
    case Statistic::Logs:
      // Each of the logarithms that a weight was multiplied by changes alike.
      now = lanes.fma(emitFiniteDistance(lanes, rescale.distance), sum, old);
      now = emitMoved(lanes, now, f, rest.get(kind));
      continue;
    case Statistic::Cubes:
      now = emitMoved(lanes, lanes.mul(power, f), f, rest.get(kind));
      continue;
    case Statistic::Fourths:
      now = emitMoved(lanes, power, lanes.mul(lanes.mul(f, f), f),
                      rest.get(kind));
      continue;
    case Statistic::Top:
      llvm_unreachable("the largest score does not move");
    case Statistic::Gaps:
    case Statistic::Gaps2:
    case Statistic::Gaps3:
    case Statistic::Gaps4:
      break;
    }
    if (Value other = rest.get(kind))
      now = lanes.add(now, other);
  }
  return moved;
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

/// The fourth moment over the square of the second, both around the mean: of
/// weights, which e0 and the sum scale alike. Powers are those of the weights
/// or, where these are mostly near the largest, of what they lack to it: the
/// mean is not far from 0 then, in units of the deviation.
static Value emitKurtosis(LaneBuilder &lanes, Value sum,
                          const RowStatistics &statistics) {
  Value one = lanes.constant(1.0);
  Value share = lanes.div(one, lanes.sub(sum, statistics.gaps));
  Value mean = lanes.mul(sum, share);
  Value isNear = lanes.bitAnd(
      lanes.cmp(arith::CmpFPredicate::OGT, mean, lanes.constant(0.5)),
      lanes.cmp(arith::CmpFPredicate::OLT, mean, lanes.constant(2.0)));
  auto choose = [&](Value gaps, Value powers) {
    return lanes.mul(lanes.select(isNear, gaps, powers), share);
  };
  Value first = choose(statistics.gaps, sum);
  Value second = choose(statistics.gaps2, statistics.squares);
  Value third = choose(statistics.gaps3, statistics.cubes);
  Value fourth = choose(statistics.gaps4, statistics.fourths);
  Value square = lanes.mul(first, first);
  Value variance = lanes.sub(second, square);
  // fourth - 4 first third + 6 first^2 second - 3 first^4
  Value inner =
      lanes.fma(lanes.constant(-4.0), third,
                lanes.mul(first, lanes.mul(second, lanes.constant(6.0))));
  Value moment = lanes.fma(first, inner, fourth);
  moment = lanes.fma(lanes.mul(square, square), lanes.constant(-3.0), moment);
  // What is left of equal weights is rounding.
  bool isF64 = lanes.getElementType().isF64();
  Value least = lanes.mul(
      second, lanes.constant(isF64 ? kEqualWeightsOfF64 : kEqualWeights));
  Value digits = lanes.select(
      isNear, lanes.constant(isF64 ? kLastDigitsOfF64 : kLastDigits),
      lanes.constant(0.0));
  Value isEqual =
      lanes.cmp(arith::CmpFPredicate::OLE, variance, lanes.max(least, digits));
  Value kurtosis = lanes.div(moment, lanes.mul(variance, variance));
  return lanes.select(isEqual,
                      lanes.constant(std::numeric_limits<double>::quiet_NaN()),
                      kurtosis);
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
    case Probe::Kurtosis:
      return emitKurtosis(lanes, sum, statistics);
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
