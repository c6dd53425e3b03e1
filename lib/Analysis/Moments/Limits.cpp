//===- Limits.cpp - Values that leave their limits ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Follower.h"

#include "attn/Analysis/ScoreProduct.h"
#include <cmath>

using namespace mlir;

namespace attn::moments {

static double getLargest(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  if (!element)
    return INFINITY;
  return FloatAttr::getValueAsDouble(
      llvm::APFloat::getLargest(element.getFloatSemantics()));
}

double getLargestSecond(Type type) {
  double largest = getLargest(type);
  return largest * largest;
}

/// Whether a constant has elements that nothing but a mask has.
static bool hasLowest(Value value) {
  Attribute constant;
  return matchPattern(value, m_Constant(&constant)) &&
         hasLowNumber(constant, /*limit=*/-INFINITY);
}

bool Follower::hasUsualSize(Operation *op) const {
  if (auto norm = dyn_cast<NormOp>(op))
    return norm.usesMean();
  if (isLayer(op) || isa<ActivationOp, ResidualOp>(op))
    return true;
  // Of a post block it is the norm that goes on.
  auto sum = sums.find(op);
  return sum != sums.end() && sum->second &&
         sum->second->policy != ResidualPolicy::Post;
}

bool Follower::isOutside(double second) const {
  return second != 0.0 && !std::isnan(second) &&
         (second < options.vanishBelow || second > options.explodeAbove);
}

double Follower::getSecond(Value value) {
  Expr expr = lookupFloat(value);
  if (!expr)
    return NAN;
  // Behind an overflow there are no numbers.
  double second = engine.getSecond(expr);
  return std::isnan(second) ? INFINITY : second;
}

bool Follower::isToBlame(Operation *op,
                         function_ref<double(Value)> getSecondOf) {
  // The first op of a chain is to blame. What enters a branch or a loop enters
  // the op around it.
  for (; !isa<func::FuncOp>(op); op = op->getParentOp())
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp<InitOp>() &&
          !parameters.contains(lookup(operand)) &&
          isOutside(getSecondOf(operand)))
        return false;
  return true;
}

bool Follower::overflows(Value value) {
  Expr expr = lookupFloat(value);
  if (!expr)
    return false;
  Summary summary = engine.summarise(expr);
  // Masks are meant.
  if (summary.finite == 0.0 || masks.contains(expr))
    return false;
  return summary.second > getLargestSecond(value.getType()) ||
         std::isinf(summary.second) ||
         (std::isnan(summary.second) && overflowed.contains(expr));
}

StringRef Follower::getMissingMoments(Value value) {
  Expr expr = lookupFloat(value);
  if (!expr || isMask(value) || overflows(value))
    return "";
  Summary summary = engine.summarise(expr);
  if (summary.hasNaN)
    return "NaN for some values that its operands may have";
  // Hidden scores only.
  if (summary.finite == 0.0 && !expr->isConstant())
    return "";
  if (std::isfinite(summary.mean) && std::isfinite(summary.second))
    return "";
  return "its moments are not finite";
}

bool Follower::isMask(Value value) {
  Expr expr = lookup(value);
  if (!expr)
    return hasLowest(value);
  if (masks.contains(expr) || !parameters.contains(expr) || !lookupFloat(value))
    return masks.contains(expr);
  Summary summary = engine.summarise(expr);
  return summary.mean < 0.0 &&
         std::sqrt(summary.second) > 0.25 * getLargest(value.getType());
}

static bool readsAny(Operation *op, function_ref<bool(Value)> is) {
  return hasInside(
      op, [&](Operation *one) { return llvm::any_of(one->getOperands(), is); });
}

void Follower::noteMask(Operation *op) {
  if (!hasLowest(op->getResult(0)) &&
      !readsAny(op, [&](Value operand) { return isMask(operand); }))
    return;
  // Weights and norms of masked scores are usual numbers again.
  for (Value result : op->getResults())
    if (Expr expr = lookupFloat(result);
        expr && engine.getMean(expr) < -1e-3 * getLargest(result.getType()))
      masks.insert(expr);
}

void Follower::noteOverflow(Operation *op) {
  noteMask(op);
  bool isBehind =
      readsAny(op, [&](Value operand) { return overflows(operand); });
  for (Value result : op->getResults()) {
    Expr expr = lookup(result);
    // Infinity by infinity is no number, and not the 0 that a variance makes.
    if (expr && isBehind && isNormLike(op))
      values[result] = expr = drawTensor(result, NAN, NAN);
    if (expr && isBehind && std::isnan(engine.getSecond(expr)))
      overflowed.insert(expr);
    if (!overflows(result))
      continue;
    // Loops and calls have it from within.
    if (!isBehind && !isa<scf::ForOp, func::CallOp>(op))
      overflowing.try_emplace(op, result, 0.0);
    auto known = overflowing.find(op);
    if (known != overflowing.end() && known->second.first == result)
      known->second.second = std::max(known->second.second, getSecond(result));
  }
}

void Follower::noteGrowth(Operation *op) {
  if (callStack.size() < 2 || op->getNumResults() == 0 || !hasUsualSize(op))
    return;
  double second = getSecond(op->getResult(0));
  if (!isOutside(second))
    return;
  auto known = crossings.find(op);
  if (known != crossings.end()) {
    bool isSmall = known->second < options.vanishBelow;
    known->second = isSmall ? std::min(known->second, second)
                            : std::max(known->second, second);
  } else if (isToBlame(op, [&](Value value) { return getSecond(value); })) {
    crossings[op] = second;
  }
}

} // namespace attn::moments
