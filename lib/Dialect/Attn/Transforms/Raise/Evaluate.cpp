//===- Evaluate.cpp - Numbers of expressions ------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Evaluate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;

namespace attn::raise {
namespace {

class Evaluator {
public:
  Evaluator(LeafValue leaf, VariableValue variable)
      : leaf(leaf), variable(variable) {}

  std::optional<double> evaluate(Expr x) {
    auto [it, inserted] = known.try_emplace(x, std::nullopt);
    if (!inserted)
      return it->second;
    std::optional<double> result = evaluateUncached(x);
    return known[x] = result;
  }

private:
  std::optional<double> evaluateUncached(Expr x);
  std::optional<double> evaluateIndex(AffineExpr expr);
  static std::optional<double> apply(Expr x, ArrayRef<double> operands);
  static std::optional<double> applyOpaque(Operation *op,
                                           ArrayRef<double> operands);

  LeafValue leaf;
  VariableValue variable;
  llvm::DenseMap<Expr, std::optional<double>> known;
};

std::optional<double> Evaluator::evaluateIndex(AffineExpr expr) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue();
  if (std::optional<unsigned> dim = ExprGraph::asVariable(expr))
    return variable(*dim);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<double> lhs = evaluateIndex(binary.getLHS()),
                        rhs = evaluateIndex(binary.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return *lhs + *rhs;
  case AffineExprKind::Mul:
    return *lhs * *rhs;
  case AffineExprKind::FloorDiv:
    return std::floor(*lhs / *rhs);
  case AffineExprKind::Mod:
    return *lhs - *rhs * std::floor(*lhs / *rhs);
  default:
    return std::nullopt;
  }
}

/// Functions for which the normal form has no node.
std::optional<double> Evaluator::applyOpaque(Operation *op,
                                             ArrayRef<double> x) {
  using Result = std::optional<double>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<math::ErfOp>([&](auto) { return std::erf(x[0]); })
      .Case<math::ErfcOp>([&](auto) { return std::erfc(x[0]); })
      .Case<math::ExpM1Op>([&](auto) { return std::expm1(x[0]); })
      .Case<math::Log1pOp>([&](auto) { return std::log1p(x[0]); })
      .Case<math::SinOp>([&](auto) { return std::sin(x[0]); })
      .Case<math::CosOp>([&](auto) { return std::cos(x[0]); })
      .Case<math::PowFOp>([&](auto) { return std::pow(x[0], x[1]); })
      .Case<math::FPowIOp>([&](auto) { return std::pow(x[0], x[1]); })
      .Case<math::CopySignOp>([&](auto) { return std::copysign(x[0], x[1]); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<double> Evaluator::apply(Expr x, ArrayRef<double> y) {
  switch (x->kind) {
  case ExprKind::Sum:
    return std::accumulate(y.begin(), y.end(), 0.0);
  case ExprKind::Product:
    return std::accumulate(y.begin(), y.end(), 1.0, std::multiplies<double>());
  case ExprKind::Reciprocal:
    return 1.0 / y[0];
  case ExprKind::Exp:
    return std::exp(y[0]);
  case ExprKind::Log:
    return std::log(y[0]);
  case ExprKind::Tanh:
    return std::tanh(y[0]);
  case ExprKind::Sqrt:
    return std::sqrt(y[0]);
  case ExprKind::Abs:
    return std::abs(y[0]);
  case ExprKind::Max:
  case ExprKind::Or:
    return *llvm::max_element(y);
  case ExprKind::Min:
  case ExprKind::And:
    return *llvm::min_element(y);
  case ExprKind::Compare:
    switch (x->getComparison()) {
    case Comparison::Equal:
      return y[0] == y[1];
    case Comparison::Less:
      return y[0] < y[1];
    case Comparison::LessEqual:
      return y[0] <= y[1];
    }
    llvm_unreachable("all comparisons are covered");
  case ExprKind::Not:
    return y[0] == 0.0;
  case ExprKind::Opaque:
    return applyOpaque(x->opaque, y);
  default:
    return std::nullopt;
  }
}

std::optional<double> Evaluator::evaluateUncached(Expr x) {
  switch (x->kind) {
  case ExprKind::Constant:
    return x->number;
  case ExprKind::Load:
    return leaf(x);
  case ExprKind::Index:
    return evaluateIndex(x->index);
  case ExprKind::NonNegative: {
    std::optional<double> index = evaluateIndex(x->index);
    return index ? std::optional<double>(*index >= 0.0) : std::nullopt;
  }
  case ExprKind::Guard:
    return evaluate(x->operands[0]);
  case ExprKind::Product:
    // Where a guard is false, the other factors do not matter.
    for (Expr factor : x->operands)
      if (factor->is(ExprKind::Guard) && evaluate(factor) == 0.0)
        return 0.0;
    break;
  case ExprKind::Select: {
    // The other value may be infinite, or no number at all.
    std::optional<double> condition = evaluate(x->operands[0]);
    return condition ? evaluate(x->operands[*condition != 0.0 ? 1 : 2])
                     : std::nullopt;
  }
  default:
    break;
  }
  SmallVector<double> operands;
  for (Expr operand : x->operands) {
    std::optional<double> y = evaluate(operand);
    if (!y)
      return std::nullopt;
    operands.push_back(*y);
  }
  return apply(x, operands);
}

} // namespace

std::optional<double> evaluate(Expr x, LeafValue leaf, VariableValue variable) {
  return Evaluator(leaf, variable).evaluate(x);
}

} // namespace attn::raise
