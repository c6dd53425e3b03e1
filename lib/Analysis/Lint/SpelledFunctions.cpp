//===- SpelledFunctions.cpp - Sigmoid, tanh, softplus in parts ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frameworks export 1 / (1 + exp(-x)) and log(1 + exp(x)) in many forms, as one
// op or several. The ops are evaluated for some numbers, by folding them, and
// what comes out is compared with the functions. Ops of half types do not fold:
// they are evaluated in f64, which differs by their rounding only.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "attn/Dialect/Attn/IR/GaussianMoments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace attn::lint_checks {

/// Elementwise ops of one function.
constexpr unsigned kMostOps = 8;

static bool isElementwise(Operation *op) {
  if (!op || op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return !op->hasTrait<OpTrait::ConstantLike>();
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && structured.getNumReductionLoops() == 0 &&
         structured.getNumDpsInputs() > 0 &&
         llvm::all_of(structured.getIndexingMapsArray(), [](AffineMap map) {
           return map.isIdentity() || map.getNumResults() == 0;
         });
}

/// `value` as a number that ops of `type` fold.
static FloatAttr makeNumber(Type type, double value) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  return FloatAttr::get(
      element.getWidth() < 32 ? Float64Type::get(type.getContext()) : element,
      value);
}

/// The same for a number of a constant or of a folded op.
static Attribute widen(Attribute number) {
  auto value = dyn_cast_or_null<FloatAttr>(number);
  return value ? makeNumber(value.getType(), value.getValueAsDouble()) : number;
}

namespace {
/// Numbers for scalars, and for elements of tensors at one place.
class Evaluator {
public:
  void set(Value value, Attribute number) { numbers[value] = number; }

  Attribute evaluate(Value value) {
    auto known = numbers.find(value);
    if (known != numbers.end())
      return known->second;
    Operation *op = value.getDefiningOp();
    Attribute constant;
    if (op && matchPattern(op, m_Constant(&constant))) {
      auto elements = dyn_cast<DenseElementsAttr>(constant);
      if (elements && elements.isSplat())
        constant = elements.getSplatValue<Attribute>();
      return widen(constant);
    }
    if (!op || op->getNumResults() != 1)
      return {};
    Attribute result = isa<linalg::LinalgOp>(op)
                           ? evaluateBody(cast<linalg::LinalgOp>(op))
                           : fold(op);
    numbers[value] = result;
    return result;
  }

private:
  Attribute evaluateBody(linalg::LinalgOp op) {
    Block *body = op.getBlock();
    for (auto [i, argument] : llvm::enumerate(body->getArguments()))
      if (i < size_t(op.getNumDpsInputs()))
        numbers[argument] = evaluate(op.getDpsInputOperand(i)->get());
    return evaluate(body->getTerminator()->getOperand(0));
  }

  Attribute fold(Operation *op) {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
      return {};
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(evaluate(operand));
      if (!operands.back())
        return {};
    }
    if (isa<arith::SelectOp>(op)) {
      auto condition = dyn_cast<IntegerAttr>(operands[0]);
      return condition ? operands[condition.getValue().isZero() ? 2 : 1]
                       : Attribute();
    }
    // The folder refuses to round.
    if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      auto number = dyn_cast<FloatAttr>(operands[0]);
      return number ? makeNumber(op->getResult(0).getType(),
                                 number.getValueAsDouble())
                    : Attribute();
    }
    // The bits are those of another type.
    if (isa<arith::BitcastOp>(op) &&
        cast<TypedAttr>(operands[0]).getType() !=
            getElementTypeOrSelf(op->getOperand(0).getType()))
      return {};
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(operands, results)) || results.size() != 1)
      return {};
    auto value = dyn_cast<Value>(results[0]);
    return value ? evaluate(value) : widen(cast<Attribute>(results[0]));
  }

  DenseMap<Value, Attribute> numbers;
};
} // namespace

/// The function that `value` is of `input`, if it is one of those that lose
/// second moment.
static std::optional<Function> compare(Value value, Value input) {
  static constexpr double kPoints[] = {-3.0, -1.2, -0.4, 0.3, 0.9, 2.5};
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(input.getType()));
  if (!type)
    return std::nullopt;
  SmallVector<Function> left = {Function::Sigmoid, Function::Tanh,
                                Function::Softplus};
  for (double point : kPoints) {
    Evaluator evaluator;
    evaluator.set(input, makeNumber(type, point));
    auto number = dyn_cast_or_null<FloatAttr>(evaluator.evaluate(value));
    if (!number)
      return std::nullopt;
    llvm::erase_if(left, [&](Function function) {
      // Constants of bf16 have three digits.
      return std::fabs(evaluateFunction(function, point) -
                       number.getValueAsDouble()) > 0.01;
    });
  }
  return left.empty() ? std::nullopt : std::optional<Function>(left.front());
}

std::optional<ElementFunction> matchSpelledFunction(Value value) {
  // The tensors that `value` is computed from, the last op taken apart first.
  SmallVector<Value> leaves{value};
  for (unsigned i = 0; i < kMostOps; ++i) {
    auto last = llvm::find_if(
        leaves, [](Value leaf) { return isElementwise(leaf.getDefiningOp()); });
    for (auto it = last; it != leaves.end(); ++it)
      if (isElementwise(it->getDefiningOp()) &&
          it->getDefiningOp()->getBlock() ==
              last->getDefiningOp()->getBlock() &&
          last->getDefiningOp()->isBeforeInBlock(it->getDefiningOp()))
        last = it;
    if (last == leaves.end())
      return std::nullopt;
    Operation *op = last->getDefiningOp();
    leaves.erase(last);
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    for (Value operand : structured
                             ? SmallVector<Value>(structured.getDpsInputs())
                             : SmallVector<Value>(op->getOperands()))
      if (isa<RankedTensorType>(operand.getType()) &&
          !matchPattern(operand, m_Constant()) &&
          !llvm::is_contained(leaves, operand))
        leaves.push_back(operand);
    if (leaves.size() != 1)
      continue;
    if (std::optional<Function> function = compare(value, leaves.front()))
      return ElementFunction{*function, leaves.front()};
  }
  return std::nullopt;
}

} // namespace attn::lint_checks
