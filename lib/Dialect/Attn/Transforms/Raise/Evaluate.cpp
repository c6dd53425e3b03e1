//===- Evaluate.cpp - Numbers of expressions ------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Evaluate.h"
#include "attn/Dialect/Attn/IR/ScalarFunctions.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>
#include <unordered_map>

using namespace mlir;

namespace attn::raise {
namespace {

/// The function that `op` computes. Arithmetic on integers may wrap, on
/// booleans it does.
std::optional<ScalarFunction> getFunction(Operation *op) {
  std::optional<ScalarFunction> function = getScalarFunction(op);
  if (!function || !getElementTypeOrSelf(op->getOperand(0)).isIntOrIndex())
    return function;
  if (!getElementTypeOrSelf(op->getOperand(0)).isInteger(1))
    return std::nullopt;
  auto compare = dyn_cast<arith::CmpIOp>(op);
  bool isLogic =
      isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MulIOp,
          arith::SelectOp, arith::UIToFPOp, arith::SIToFPOp, arith::ExtUIOp,
          arith::ExtSIOp>(op) ||
      (compare && (compare.getPredicate() == arith::CmpIPredicate::eq ||
                   compare.getPredicate() == arith::CmpIPredicate::ne));
  return isLogic ? function : std::nullopt;
}

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
  case ExprKind::Opaque: // a function for which the normal form has no node
    if (std::optional<ScalarFunction> function = getFunction(x->opaque))
      return attn::evaluate(*function, y);
    return std::nullopt;
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

//===----------------------------------------------------------------------===//
// Ops as they are
//===----------------------------------------------------------------------===//

/// One number for each argument, or one for all of them.
using Column = SmallVector<double>;

class OpEvaluator {
public:
  OpEvaluator(Value input, ArrayRef<double> arguments) {
    known[input.getAsOpaquePointer()] = Column(arguments);
  }

  /// Null where the value is not a function of the input alone.
  const std::optional<Column> &evaluate(Value value) {
    auto it = known.find(value.getAsOpaquePointer());
    if (it != known.end())
      return it->second;
    std::optional<Column> result = evaluateUncached(value);
    return known[value.getAsOpaquePointer()] = std::move(result);
  }

  bool isInfinityWritten = false;

private:
  std::optional<Column> evaluateUncached(Value value);
  std::optional<Column> evaluateConstant(Attribute attribute);
  std::optional<Column> evaluateOp(Operation *op);

  std::unordered_map<void *, std::optional<Column>> known; // stable addresses
};

std::optional<Column> OpEvaluator::evaluateConstant(Attribute attribute) {
  if (auto elements = dyn_cast<DenseElementsAttr>(attribute)) {
    if (!elements.isSplat())
      return std::nullopt;
    attribute = elements.getSplatValue<Attribute>();
  }
  double number = 0.0;
  if (auto real = dyn_cast<FloatAttr>(attribute))
    number = real.getValueAsDouble();
  else if (auto integer = dyn_cast<IntegerAttr>(attribute))
    number = integer.getType().isInteger(1)
                 ? static_cast<double>(!integer.getValue().isZero())
                 : static_cast<double>(integer.getValue().getSExtValue());
  else
    return std::nullopt;
  isInfinityWritten |= !std::isfinite(number);
  return Column{number};
}

std::optional<Column> OpEvaluator::evaluateUncached(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto structured =
        dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    if (!structured)
      return std::nullopt;
    OpOperand *operand = structured.getMatchingOpOperand(argument);
    if (!structured.isDpsInput(operand))
      return std::nullopt;
    return evaluate(operand->get());
  }
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return evaluateConstant(constant.getValue());
  if (isElementwise(op))
    return evaluate(op->getRegion(0).front().getTerminator()->getOperand(0));
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp,
          tensor::CastOp, tensor::ExtractSliceOp, tensor::ExtractOp,
          tensor::SplatOp>(op))
    return evaluate(op->getOperand(0));
  return evaluateOp(op);
}

std::optional<Column> OpEvaluator::evaluateOp(Operation *op) {
  std::optional<ScalarFunction> function = getFunction(op);
  if (!function)
    return std::nullopt;
  SmallVector<const Column *> operands;
  size_t length = 1;
  for (Value operand : op->getOperands()) {
    const std::optional<Column> &column = evaluate(operand);
    if (!column)
      return std::nullopt;
    operands.push_back(&*column);
    length = std::max(length, column->size());
  }
  Column result(length);
  SmallVector<double, 4> x(operands.size());
  for (size_t i = 0; i < length; ++i) {
    for (auto [number, column] : llvm::zip(x, operands))
      number = (*column)[column->size() == 1 ? 0 : i];
    result[i] = attn::evaluate(*function, x);
  }
  return result;
}

} // namespace

std::optional<double> evaluate(Expr x, LeafValue leaf, VariableValue variable) {
  return Evaluator(leaf, variable).evaluate(x);
}

std::optional<SmallVector<double>> evaluateOps(Value result, Value input,
                                               ArrayRef<double> arguments,
                                               bool &isInfinityWritten) {
  OpEvaluator evaluator(input, arguments);
  std::optional<SmallVector<double>> values = evaluator.evaluate(result);
  isInfinityWritten = evaluator.isInfinityWritten;
  if (!values || values->size() != arguments.size())
    return std::nullopt;
  return values;
}

} // namespace attn::raise
