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

#include "attn/Dialect/Attn/Transforms/Raise/RaiseActivation.h"
#include "attn/Dialect/Attn/IR/GaussianMoments.h"
#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "attn/Dialect/Attn/Transforms/Raise/Evaluate.h"
#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <limits>

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

/// How far constants of `type` may be off. In narrow types they are rounded to
/// half a unit in the last place of the result.
Tolerance getTolerance(Type type) {
  double relative = type.isF64() ? 1e-12 : 1e-6;
  if (type.isF16() || type.isBF16())
    relative = type.isF16() ? 0x1p-11 : 0x1p-9;
  return {relative, /*absolute=*/0.0};
}

/// Whether digits of constants explain the difference at `x`. A function with a
/// 0 that any spelling has must have it: what follows may divide by it, or take
/// its logarithm. The others may lose what f64 loses where 1 is added and
/// subtracted again, and the gelus, which call erf or tanh, digits of their 1:
/// those of f32 at most where they have come to an end.
bool isNear(Function function, double x, double actual, double expected,
            Tolerance tolerance) {
  double digits = tolerance.relative;
  double slack = tolerance.absolute + digits * std::abs(expected);
  bool isGelu = function == Function::Gelu || function == Function::GeluTanh ||
                function == Function::QuickGelu;
  bool isExact =
      function == Function::Relu || function == Function::ReluSquared ||
      function == Function::LeakyRelu || function == Function::Relu6 ||
      function == Function::HardSwish || function == Function::Softsign;
  if (isGelu)
    slack += 0.1 * (std::abs(x) > 8.0 ? std::min(digits, 1e-6) : digits) *
             std::min(std::abs(x), 8.0);
  // x / 6 + 1/2.
  if (function == Function::HardSigmoid)
    slack += 0.1 * digits;
  if (isGelu || function == Function::Silu || function == Function::Mish)
    slack += 4e-16 * std::min(std::abs(x), 40.0);
  else if (!isExact)
    slack += 4e-16;
  return std::abs(actual - expected) <= slack;
}

/// One argument and the function's value there.
using Point = std::pair<double, double>;

/// The magnitudes of finite constants of `y`.
SmallVector<double> collectConstants(Expr y) {
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
  return constants;
}

/// Whether a number is compared for equality with something else than itself,
/// which is how NaN is found: no other argument is special to an activation.
bool singlesOut(Expr y) {
  llvm::DenseSet<Expr> seen;
  auto find = [&](auto &self, Expr x) -> bool {
    if (!seen.insert(x).second)
      return false;
    if (x->is(ExprKind::Compare) && x->getComparison() == Comparison::Equal &&
        x->operands[0] != x->operands[1])
      return true;
    return llvm::any_of(x->operands,
                        [&](Expr operand) { return self(self, operand); });
  };
  return find(find, y);
}

/// Arguments that tell functions apart: a grid where they bend, powers of 2
/// up to where only their slope is left, and the neighbourhood of each constant
/// of the expression, where a branch may be.
SmallVector<double> chooseArguments(Expr y) {
  SmallVector<double> arguments;
  for (int i = -240; i <= 240; ++i)
    arguments.push_back(i / 8.0);
  SmallVector<double> constants = collectConstants(y);
  for (int i = -20; i <= 100; i += 2)
    constants.push_back(std::ldexp(1.0, i));
  for (double c : constants)
    for (double near : {0.99 * c, 1.01 * c, 2.0 * c})
      arguments.append({near, -near});
  return arguments;
}

/// Arguments close enough for most branches: all exponents of f32, a fine grid,
/// and next to the constants of the expression, their differences, and their
/// quotients; then what is no finite number.
SmallVector<double> chooseManyArguments(Expr y) {
  SmallVector<double> arguments;
  for (uint32_t high = 0; high < 255u << 5; ++high) {
    // The lower bits change from one to the next.
    uint32_t bits = high << 18 | (high * 0x9E3779B1u) >> 14;
    double x = llvm::bit_cast<float>(bits);
    arguments.append({x, -x});
  }
  for (int i = -40 * 256; i <= 40 * 256; ++i)
    arguments.push_back(i / 256.0);
  SmallVector<double> constants = collectConstants(y);
  size_t count = std::min<size_t>(constants.size(), 16);
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < count; ++j)
      constants.append({constants[i] + constants[j],
                        std::abs(constants[i] - constants[j]),
                        constants[i] / constants[j]});
  auto addBothSigns = [&](double x) {
    if (std::isfinite(x))
      arguments.append({x, -x});
  };
  for (double c : constants) {
    for (double x : {c, std::nextafter(c, 0.0), std::nextafter(c, INFINITY)})
      addBothSigns(x);
    if (c > std::numeric_limits<float>::max())
      continue;
    auto single = static_cast<float>(c);
    addBothSigns(std::nextafter(single, 0.0f));
    addBothSigns(std::nextafter(single, std::numeric_limits<float>::max()));
  }
  arguments.append({NAN, INFINITY, -INFINITY});
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

/// A function, minus its mean and over what is left of it.
struct Form {
  Function function;
  bool isCentered = false, hasUnitMoment = false;
  OutputScale scale = {};

  bool isPlain() const { return !isCentered && !hasUnitMoment; }
  /// The function's own value.
  Point getPlain(Point point) const {
    return {point.first, point.second / scale.gain + scale.center};
  }
  /// Digits of the mean are digits of the difference.
  Tolerance getTolerance(Tolerance own) const {
    return {own.relative,
            own.absolute + 2.0 * own.relative * std::abs(scale.center)};
  }
  std::string getText() const {
    return stringifyFunction(function).str() + (isCentered ? " centered" : "") +
           (hasUnitMoment ? " unit_moment" : "");
  }
};

/// All of them, those of the functions themselves first. SELU has no others.
ArrayRef<Form> getForms() {
  static const SmallVector<Form> forms = [] {
    SmallVector<Form> all;
    for (auto [isCentered, hasUnitMoment] :
         {std::pair(false, false), {false, true}, {true, false}, {true, true}})
      for (unsigned i = 0; i <= getMaxEnumValForFunction(); ++i) {
        auto function = static_cast<Function>(i);
        if (function != Function::Selu || (!isCentered && !hasUnitMoment))
          all.push_back(
              {function, isCentered, hasUnitMoment,
               computeOutputScale(function, isCentered, hasUnitMoment)});
      }
    return all;
  }();
  return forms;
}

struct Nearest {
  Function function = Function::Relu;
  double distance = INFINITY; // the largest difference on [-3, 3]
  Point inner, outer;         // the largest one to 30 and beyond, and where
  bool isRounded = false;     // gelu_tanh with torch-mlir's digits
};

/// torch-mlir 2026 has 0.044708 in place of the tanh gelu's 0.044715.
double evaluateRoundedGelu(double x) {
  return 0.5 * x *
         (1.0 + std::tanh(std::sqrt(2.0 / std::acos(-1.0)) *
                          (x + 0.044708 * x * x * x)));
}

class Recogniser {
public:
  /// The function that has all the points; else `nearest` is the best.
  std::optional<Form> recognise(ArrayRef<Point> points, Tolerance tolerance,
                                Nearest &nearest) const;

  /// Whether the point is one of the function, or tells nothing about it.
  bool contains(const Form &form, Point point, Tolerance tolerance,
                bool isInfinityWritten) const;

  double evaluateAt(Function function, double x) const {
    if (function == Function::Selu)
      return selu.lambda * (x > 0.0 ? x : selu.alpha * std::expm1(x));
    return evaluateFunction(function, x);
  }

private:
  bool isAt(const Form &form, Point point, Tolerance tolerance) const {
    auto [x, value] = form.getPlain(point);
    return isNear(form.function, x, value, evaluateAt(form.function, x),
                  form.getTolerance(tolerance));
  }

  SeluConstants selu = solveSelu(); // once, not at every point
};

bool Recogniser::contains(const Form &form, Point point, Tolerance tolerance,
                          bool isInfinityWritten) const {
  auto [x, value] = form.getPlain(point);
  if (std::isnan(x))
    return std::isnan(value);
  double expected = evaluateAt(form.function, x);
  if (std::isinf(x)) {
    if (std::isnan(value) || value == expected)
      return true;
    // The limit, where the formula has an infinity times 0.
    if (std::isnan(expected))
      return std::abs(value) <= form.getTolerance(tolerance).absolute;
    return std::isfinite(expected) && isAt(form, point, tolerance);
  }
  // An overflow of the source far out says nothing, if it is one.
  if (!std::isfinite(value))
    return std::abs(x) > 30.0 && !isInfinityWritten;
  return isAt(form, point, tolerance);
}

std::optional<Form> Recogniser::recognise(ArrayRef<Point> points,
                                          Tolerance tolerance,
                                          Nearest &nearest) const {
  // The digits of narrow types fit several.
  std::optional<Form> found;
  double best = INFINITY;
  for (const Form &form : getForms()) {
    if (!form.isPlain() && found && found->isPlain())
      break;
    bool isSame = true;
    Nearest worst{form.function, 0.0, {}, {}};
    for (Point point : points) {
      double argument = point.first;
      bool isSameHere = isAt(form, point, tolerance);
      isSame &= isSameHere;
      // Nothing is near only to what it is to be multiplied by.
      if (!isSame && !form.isPlain())
        break;
      double difference = std::abs(form.getPlain(point).second -
                                   evaluateAt(form.function, argument));
      if (std::abs(argument) <= 3.0)
        worst.distance = std::max(worst.distance, difference);
      Point &largest = std::abs(argument) <= 30.0 ? worst.inner : worst.outer;
      if (!isSameHere && difference > largest.second)
        largest = {argument, difference};
    }
    if (isSame && worst.distance < best) {
      found = form;
      best = worst.distance;
    }
    if (form.isPlain() && worst.distance < nearest.distance)
      nearest = worst;
  }
  nearest.isRounded = llvm::all_of(points, [&](Point point) {
    return isNear(Function::GeluTanh, point.first, point.second,
                  evaluateRoundedGelu(point.first), tolerance);
  });
  return found;
}

class ActivationRaiser {
public:
  explicit ActivationRaiser(std::optional<Tolerance> tolerance)
      : tolerance(tolerance) {}

  void run(Operation *root) {
    visitFromLast(root, [&](Operation *op) {
      if (isElementwise(op) && !partsOfOthers.contains(op->getResult(0)))
        raise(op->getResult(0));
    });
  }

private:
  void raise(Value result);
  bool raise(Value result, Value input, Nearest &nearest);
  bool isConfirmed(const Form &form, Value result, Value input, Expr y,
                   Nearest &nearest) const;
  Tolerance getToleranceOf(Value result) const {
    return tolerance ? *tolerance
                     : getTolerance(getElementTypeOrSelf(result.getType()));
  }

  std::optional<Tolerance> tolerance;
  Recogniser recogniser;
  llvm::DenseSet<Value> partsOfOthers; // of what is nearly an activation
};

/// Whether elements are only made wider: a function in a narrow type ends
/// before that.
bool isWidened(Value result) {
  Operation *yield =
      result.getDefiningOp()->getRegion(0).front().getTerminator();
  auto extension = yield->getOperand(0).getDefiningOp<arith::ExtFOp>();
  return extension && isa<BlockArgument>(extension.getIn());
}

/// Whether something other than sums and products makes `result`.
bool mayBeActivation(Value result, ArrayRef<Value> sources) {
  auto hasFunction = [](Value value) {
    Operation *op = value.getDefiningOp();
    return op &&
           hasInBody<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::TanhOp,
                     math::ErfOp, math::ErfcOp, math::AbsFOp, arith::MaximumFOp,
                     arith::MaxNumFOp, arith::SelectOp>(op);
  };
  return hasFunction(result) || llvm::any_of(sources, hasFunction);
}

/// Whether the ops compute the function at many arguments, too, after `y`,
/// which the simplified expression computes at a few.
bool ActivationRaiser::isConfirmed(const Form &form, Value result, Value input,
                                   Expr y, Nearest &nearest) const {
  SmallVector<double> arguments = chooseManyArguments(y);
  bool isInfinityWritten = false;
  std::optional<SmallVector<double>> values =
      evaluateOps(result, input, arguments, isInfinityWritten);
  if (!values)
    return false;
  Tolerance allowed = getToleranceOf(result);
  for (auto [argument, value] : llvm::zip_equal(arguments, *values)) {
    if (recogniser.contains(form, {argument, value}, allowed,
                            isInfinityWritten))
      continue;
    double difference =
        std::abs(form.getPlain({argument, value}).second -
                 recogniser.evaluateAt(form.function, argument));
    nearest = {
        form.function, 0.0, {argument, difference}, {argument, difference}};
    return false;
  }
  return !singlesOut(y);
}

/// Replaces `result` where it is an activation of `input`.
bool ActivationRaiser::raise(Value result, Value input, Nearest &nearest) {
  ExprGraph graph(result.getContext());
  PullThrough pull(graph, nodeBudget);
  pull.stopAt(input);
  SmallVector<AffineExpr> indices = addIndices(graph, result);
  Expr x = graph.load(input, indices), y = pull.pull(result, indices);
  std::optional<SmallVector<Point>> points = sample(y, x);
  if (!points)
    return false;
  std::optional<Form> form =
      recogniser.recognise(*points, getToleranceOf(result), nearest);
  if (!form || !isConfirmed(*form, result, input, y, nearest))
    return false;
  OpBuilder builder(result.getDefiningOp());
  Value activation = ActivationOp::create(
      builder, result.getLoc(), result.getType(), input, form->function,
      form->isCentered, form->hasUnitMoment);
  Remark(RemarkId::RaisedToActivation, {{"function", form->getText()}})
      .emit(result.getLoc());
  result.replaceAllUsesWith(activation);
  result.getDefiningOp()->erase();
  return true;
}

void ActivationRaiser::raise(Value result) {
  Type type = result.getType();
  SmallVector<Value> sources = findSources(result, maxSources);
  if (!hasBlockElements(result) || isWidened(result) ||
      !mayBeActivation(result, sources))
    return;
  Nearest nearest;
  for (Value input : sources)
    if (input.getType() == type && raise(result, input, nearest))
      return;
  if (nearest.distance > 0.1)
    return;
  // A difference far out is large, but tells less.
  auto [argument, difference] =
      nearest.inner.second > std::min(1e-6, nearest.outer.second)
          ? nearest.inner
          : nearest.outer;
  std::string where = llvm::formatv("{0:e2}", argument).str();
  if (std::isnan(argument))
    where = "nan, which the source makes a number";
  else if (nearest.isRounded)
    where += ": the source has 0.044708 for its 0.044715";
  explain(result.getDefiningOp(),
          Remark(RemarkId::ActivationNotRaised,
                 {{"function", stringifyFunction(nearest.function).str()},
                  {"difference", llvm::formatv("{0:e2}", difference).str()},
                  {"argument", where}}));
  partsOfOthers.insert_range(sources);
}

struct RaiseActivationPass
    : impl::RaiseActivationPassBase<RaiseActivationPass> {
  void runOnOperation() override { raiseActivations(getOperation()); }
};

} // namespace

void raiseActivations(Operation *root, std::optional<Tolerance> tolerance) {
  ActivationRaiser(tolerance).run(root);
}

} // namespace attn::raise
