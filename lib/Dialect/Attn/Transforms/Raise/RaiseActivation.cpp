//===- RaiseActivation.cpp - Spelled-out activations ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of one number has countless spellings (silu through tanh, softplus
// through log1p of an absolute value), but few constants and few branches. So
// the expression is not matched, it is evaluated.
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/GaussianMoments.h"
#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "attn/Dialect/Attn/Transforms/Raise/Evaluate.h"
#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_RAISEACTIVATIONPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

namespace attn::raise {
namespace {

/// Bounds the work on one pair of tensors. An activation takes about twenty
/// nodes, with a polynomial for erf in ops of their own two hundred.
constexpr unsigned nodeBudget = 2000;
constexpr unsigned maxSources = 128;

/// A difference that constants rounded to f32 explain.
bool isNear(double actual, double expected) {
  return std::abs(actual - expected) <= 1e-6 * std::abs(expected) + 1e-7;
}

/// One argument and the function's value there.
using Point = std::pair<double, double>;

/// Arguments that tell functions apart: a grid where they bend, powers of 2
/// up to where only their slope is left, and the neighbourhood of each constant
/// of the expression, where a branch may be.
SmallVector<double> chooseArguments(Expr y) {
  SmallVector<double> arguments;
  for (int i = -240; i <= 240; ++i)
    arguments.push_back(i / 8.0);
  SmallVector<double> constants;
  llvm::DenseSet<Expr> seen;
  auto collect = [&](auto &self, Expr x) -> void {
    if (!seen.insert(x).second)
      return;
    if (x->is(ExprKind::Constant) && std::isfinite(x->number))
      constants.push_back(std::abs(x->number));
    for (Expr operand : x->operands)
      self(self, operand);
  };
  collect(collect, y);
  for (int i = -20; i <= 100; i += 2)
    constants.push_back(std::ldexp(1.0, i));
  for (double c : constants)
    for (double near : {0.99 * c, 1.01 * c, 2.0 * c})
      arguments.append({near, -near});
  return arguments;
}

/// The values of `y` as a function of `x`; nothing where it depends on
/// something else, or is not finite on the grid.
std::optional<SmallVector<Point>> sample(Expr y, Expr x) {
  SmallVector<Point> points;
  for (double argument : chooseArguments(y)) {
    std::optional<double> value = evaluate(
        y,
        [&](Expr leaf) {
          return leaf == x ? std::optional<double>(argument) : std::nullopt;
        },
        [](unsigned) { return std::nullopt; });
    if (!value || (!std::isfinite(*value) && std::abs(argument) <= 30.0))
      return std::nullopt;
    // An overflow of the source far out says nothing.
    if (std::isfinite(*value))
      points.push_back({argument, *value});
  }
  return points;
}

struct Nearest {
  Function function = Function::Relu;
  double distance = INFINITY; // the largest difference on [-3, 3]
  Point inner, outer;         // the largest one to 30 and beyond, and where
};

class Recogniser {
public:
  /// The function that has all the points; else `nearest` is the best.
  std::optional<Function> recognise(ArrayRef<Point> points,
                                    Nearest &nearest) const;

private:
  double evaluateAt(Function function, double x) const {
    if (function == Function::Selu)
      return selu.lambda * (x > 0.0 ? x : selu.alpha * std::expm1(x));
    return evaluateFunction(function, x);
  }

  SeluConstants selu = solveSelu(); // once, not at every point
};

std::optional<Function> Recogniser::recognise(ArrayRef<Point> points,
                                              Nearest &nearest) const {
  for (unsigned i = 0; i <= getMaxEnumValForFunction(); ++i) {
    auto function = static_cast<Function>(i);
    bool isSame = true;
    Nearest worst{function, 0.0, {}, {}};
    for (auto [argument, value] : points) {
      double expected = evaluateAt(function, argument);
      double difference = std::abs(value - expected);
      isSame &= isNear(value, expected);
      if (std::abs(argument) <= 3.0)
        worst.distance = std::max(worst.distance, difference);
      Point &largest = std::abs(argument) <= 30.0 ? worst.inner : worst.outer;
      if (difference > largest.second)
        largest = {argument, difference};
    }
    if (isSame)
      return function;
    if (worst.distance < nearest.distance)
      nearest = worst;
  }
  return std::nullopt;
}

class RaiseActivationPass
    : public impl::RaiseActivationPassBase<RaiseActivationPass> {
public:
  void runOnOperation() override {
    visitFromLast(getOperation(), [&](Operation *op) {
      if (isElementwise(op) && !partsOfOthers.contains(op->getResult(0)))
        raise(op->getResult(0));
    });
  }

private:
  void raise(Value result);
  bool raise(Value result, Value input, Nearest &nearest);

  Recogniser recogniser;
  llvm::DenseSet<Value> partsOfOthers; // of what is nearly an activation
};

/// Whether something other than sums and products makes `result`.
bool mayBeActivation(Value result, ArrayRef<Value> sources) {
  auto hasFunction = [](Value value) {
    Operation *op = value.getDefiningOp();
    return op &&
           hasInBody<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::TanhOp,
                     math::ErfOp, math::ErfcOp, arith::MaximumFOp,
                     arith::MaxNumFOp, arith::SelectOp>(op);
  };
  return hasFunction(result) || llvm::any_of(sources, hasFunction);
}

/// Replaces `result` where it is an activation of `input`.
bool RaiseActivationPass::raise(Value result, Value input, Nearest &nearest) {
  ExprGraph graph(result.getContext());
  PullThrough pull(graph, nodeBudget);
  pull.stopAt(input);
  SmallVector<AffineExpr> indices = addIndices(graph, result);
  Expr x = graph.load(input, indices), y = pull.pull(result, indices);
  std::optional<SmallVector<Point>> points = sample(y, x);
  if (!points)
    return false;
  std::optional<Function> function = recogniser.recognise(*points, nearest);
  if (!function)
    return false;
  OpBuilder builder(result.getDefiningOp());
  Value activation =
      ActivationOp::create(builder, result.getLoc(), result.getType(), input,
                           *function, /*centered=*/false,
                           /*unit_moment=*/false);
  Remark(RemarkId::RaisedToActivation,
         {{"function", stringifyFunction(*function).str()}})
      .emit(result.getLoc());
  result.replaceAllUsesWith(activation);
  result.getDefiningOp()->erase();
  return true;
}

void RaiseActivationPass::raise(Value result) {
  Type type = result.getType();
  SmallVector<Value> sources = findSources(result, maxSources);
  if (!hasBlockElements(result) || !mayBeActivation(result, sources))
    return;
  Nearest nearest;
  for (Value input : sources)
    if (input.getType() == type && raise(result, input, nearest))
      return;
  if (nearest.distance > 0.1)
    return;
  // A difference far out is large, but tells less.
  auto [argument, difference] =
      nearest.inner.second > 1e-6 ? nearest.inner : nearest.outer;
  Remark(RemarkId::ActivationNotRaised,
         {{"function", stringifyFunction(nearest.function).str()},
          {"difference", llvm::formatv("{0:e2}", difference).str()},
          {"argument", llvm::formatv("{0:e2}", argument).str()}})
      .emit(result.getLoc());
  partsOfOthers.insert_range(sources);
}

} // namespace
} // namespace attn::raise
