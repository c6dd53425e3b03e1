//===- SpelledFunctions.cpp - Sigmoid, tanh, softplus in parts ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frameworks export 1 / (1 + exp(-x)) and log(1 + exp(x)) in many forms, as one
// op or several. The ops are evaluated for some numbers, in f64, and what comes
// out is compared with the functions.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "attn/Dialect/Attn/IR/GaussianMoments.h"
#include "attn/Dialect/Attn/Transforms/Raise/Evaluate.h"
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

/// The function that `value` is of `input`, if it is one of those that lose
/// second moment.
static std::optional<Function> compare(Value value, Value input) {
  static constexpr double kPoints[] = {-3.0, -1.2, -0.4, 0.3, 0.9, 2.5};
  bool isInfinityWritten = false;
  std::optional<SmallVector<double>> numbers =
      raise::evaluateOps(value, input, kPoints, isInfinityWritten);
  if (!numbers)
    return std::nullopt;
  SmallVector<Function> left = {Function::Sigmoid, Function::Tanh,
                                Function::Softplus};
  for (auto [point, number] : llvm::zip_equal(kPoints, *numbers))
    llvm::erase_if(left, [&, point = point,
                          number = number](Function function) {
      // Constants of bf16 have three digits.
      return !(std::fabs(evaluateFunction(function, point) - number) <= 0.01);
    });
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
