//===- ResidualSum.cpp - Sums and factors of residual blocks --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResidualSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace attn;

/// Ops between a number that a body computes and those that it reads.
constexpr unsigned kMostNumberOps = 4;

bool attn::isSqrtHalf(double number) {
  return std::fabs(number - M_SQRT1_2) < 1e-3;
}

Value attn::getRepeatedNumber(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return fill.getInputs()[0];
  if (auto splat = tensor.getDefiningOp<tensor::SplatOp>())
    return splat.getInput();
  if (auto broadcast = tensor.getDefiningOp<linalg::BroadcastOp>();
      broadcast &&
      cast<ShapedType>(broadcast.getInput().getType()).getRank() == 0)
    return broadcast.getInput();
  return {};
}

/// The constant that a number is, or all elements of a tensor are.
static std::optional<double> getConstant(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  auto elements = dyn_cast<DenseElementsAttr>(constant);
  if (elements && elements.isSplat())
    constant = elements.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(constant);
  return number ? std::optional<double>(number.getValueAsDouble())
                : std::nullopt;
}

static Value stripCasts(Value value) {
  while (Operation *cast = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(cast))
      break;
    value = cast->getOperand(0);
  }
  return value;
}

/// alpha_t is bounded by 1, a trained alpha is not.
static bool isBounded(Value factor) {
  Operation *op = stripCasts(factor).getDefiningOp();
  return isa_and_nonnull<arith::MinimumFOp, arith::MinNumFOp, arith::SelectOp>(
             op) &&
         llvm::any_of(op->getOperands(), [](Value operand) {
           return getConstant(operand) == 1.0;
         });
}

static void multiply(Scaling &scaling, Value factor) {
  std::optional<double> constant = getConstant(stripCasts(factor));
  if (constant)
    scaling.constant *= *constant;
  else
    scaling.policy = !scaling.policy && isBounded(factor)
                         ? ResidualPolicy::Scheduled
                         : ResidualPolicy::ReZero;
  scaling.hasFactor = true;
}

namespace {
/// What a body of scalars computes.
class BodyReader {
public:
  explicit BodyReader(linalg::LinalgOp op) : op(op) {}

  Value getYielded() {
    return stripCasts(op.getBlock()->getTerminator()->getOperand(0));
  }

  std::optional<ResidualSum> readSum() {
    Value root = getYielded();
    ResidualSum sum;
    while (auto product = root.getDefiningOp<arith::MulFOp>()) {
      std::optional<Value> scaled = getScaled(product, sum.resultFactor);
      if (!scaled)
        return std::nullopt;
      root = stripCasts(*scaled);
    }
    if (isSqrtHalf(sum.resultFactor))
      sum.policy = ResidualPolicy::InvSqrt2;
    auto add = root.getDefiningOp<arith::AddFOp>();
    if (!add)
      return std::nullopt;
    std::optional<Scaling> left = readScaling(add.getLhs());
    std::optional<Scaling> right = readScaling(add.getRhs());
    if (!left || !right)
      return std::nullopt;
    if (left->policy || (left->hasFactor && !right->hasFactor))
      std::swap(left, right);
    // The stream may have a constant factor, no other one.
    if (left->policy)
      return std::nullopt;
    sum.a = left->tensor;
    sum.b = right->tensor;
    sum.inputFactor = left->constant;
    sum.isScaled = right->hasFactor;
    if (!right->policy)
      sum.branchFactor = right->constant;
    if (!sum.policy)
      sum.policy = right->policy;
    return sum;
  }

  /// A tensor times any number of factors, which may be none.
  std::optional<Scaling> readScaling(Value value) {
    Scaling scaling;
    value = stripCasts(value);
    while (auto product = value.getDefiningOp<arith::MulFOp>()) {
      Value tensor = product.getLhs();
      Value number = getNumber(product.getRhs());
      if (!number) {
        number = getNumber(tensor);
        tensor = product.getRhs();
      }
      if (!number)
        return std::nullopt;
      multiply(scaling, number);
      value = stripCasts(tensor);
    }
    scaling.tensor = getTensor(value);
    return scaling.tensor ? std::optional<Scaling>(scaling) : std::nullopt;
  }

private:
  /// The operand that an argument of the body is an element of.
  OpOperand *getOperand(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != op.getBlock() ||
        argument.getArgNumber() >= op.getNumDpsInputs())
      return nullptr;
    return op.getDpsInputOperand(argument.getArgNumber());
  }

  /// The tensor whose element at the same place `value` is.
  Value getTensor(Value value) {
    OpOperand *operand = getOperand(value);
    if (!operand || !op.getMatchingIndexingMap(operand).isIdentity())
      return {};
    return operand->get();
  }

  /// The number outside, or computed from such, that `value` is everywhere.
  Value getNumber(Value value, unsigned depth = 0) {
    value = stripCasts(value);
    if (OpOperand *operand = getOperand(value)) {
      if (op.getMatchingIndexingMap(operand).getNumResults() == 0)
        return operand->get();
      return getConstant(operand->get()) ? operand->get()
                                         : getRepeatedNumber(operand->get());
    }
    if (value.getParentBlock() != op.getBlock() || getConstant(value))
      return value;
    Operation *inner = value.getDefiningOp();
    if (!inner || depth == kMostNumberOps || inner->getNumOperands() == 0 ||
        !llvm::all_of(inner->getOperands(), [&](Value operand) {
          return bool(getNumber(operand, depth + 1));
        }))
      return {};
    return value;
  }

  /// The other factor of a product by a constant, which `factor` takes in.
  std::optional<Value> getScaled(arith::MulFOp product, double &factor) {
    for (unsigned i : {1, 0}) {
      Value number = getNumber(product->getOperand(i));
      std::optional<double> constant =
          number ? getConstant(stripCasts(number)) : std::nullopt;
      if (!constant)
        continue;
      factor *= *constant;
      return product->getOperand(1 - i);
    }
    return std::nullopt;
  }

  linalg::LinalgOp op;
};
} // namespace

/// The body of an op that computes each element of one tensor on its own.
static std::optional<BodyReader> getBody(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured.getNumReductionLoops() > 0 ||
      structured.getNumDpsInits() != 1 || op->getNumResults() != 1 ||
      !structured.getMatchingIndexingMap(structured.getDpsInitOperand(0))
           .isIdentity())
    return std::nullopt;
  return BodyReader(structured);
}

std::optional<ResidualSum> attn::matchResidualSum(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  if (auto add = dyn_cast<arith::AddFOp>(op)) {
    ResidualSum sum;
    sum.a = add.getLhs();
    sum.b = add.getRhs();
    sum.branchFactor = 1.0;
    return sum;
  }
  std::optional<BodyReader> body = getBody(op);
  std::optional<ResidualSum> sum = body ? body->readSum() : std::nullopt;
  if (!sum || sum->a.getType() != op->getResult(0).getType())
    return std::nullopt;
  return sum;
}

std::optional<Scaling> attn::matchScaling(Operation *op) {
  if (!op || op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  Scaling scaling;
  if (auto product = dyn_cast<arith::MulFOp>(op)) {
    for (unsigned i : {1, 0}) {
      Value factor = product->getOperand(i);
      Value number = getConstant(factor) ? factor : getRepeatedNumber(factor);
      if (!number)
        continue;
      multiply(scaling, number);
      scaling.tensor = product->getOperand(1 - i);
      return scaling;
    }
    return std::nullopt;
  }
  std::optional<BodyReader> body = getBody(op);
  if (!body)
    return std::nullopt;
  std::optional<Scaling> found = body->readScaling(body->getYielded());
  return found && found->hasFactor ? found : std::nullopt;
}
