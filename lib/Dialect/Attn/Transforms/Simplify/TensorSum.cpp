//===- TensorSum.cpp - Sums and products of tensors and numbers -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/TensorSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

/// Ops between a number that a body computes and those that it reads.
constexpr unsigned kMostNumberOps = 4;

Value attn::skipFloatCasts(Value value) {
  while (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

std::optional<double> attn::getConstantNumber(Value value) {
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

/// Whether the value is one number, in whatever it is held.
static bool isOneNumber(Value value) {
  if (isa<FloatType>(value.getType()))
    return true;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType()) &&
         ((type.hasStaticShape() && type.getNumElements() == 1) ||
          getConstantNumber(value));
}

/// Whether the op hands on the elements of its one input.
static bool isCopy(linalg::GenericOp op) {
  return op.getNumDpsInputs() == 1 && op->getNumResults() == 1 &&
         op.getBody()->getTerminator()->getOperand(0) ==
             op.getBody()->getArgument(0);
}

Value attn::getSharedNumber(Value value) {
  return isOneNumber(value) ? value : getRepeatedNumber(value);
}

Value attn::getRepeatedNumber(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  auto copy = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!isa_and_nonnull<tensor::SplatOp, linalg::FillOp, linalg::BroadcastOp>(
          op) &&
      !(copy && isCopy(copy)))
    return {};
  Value source = op->getOperand(0);
  return isOneNumber(source) ? source : Value();
}

namespace {
/// What the body of an elementwise op computes.
class BodyReader {
public:
  explicit BodyReader(linalg::LinalgOp op) : op(op) {}

  Value getYielded() {
    return skipFloatCasts(op.getBlock()->getTerminator()->getOperand(0));
  }
  std::optional<TensorSum> readSum();
  /// A tensor times any number of factors, which may be none.
  ScaledTensor readProduct(Value value);

private:
  OpOperand *getOperand(Value value);
  Value getTensor(Value value);
  Value getNumber(Value value, unsigned depth = 0);
  /// Appends the factor of a product that is a number and returns the other.
  Value splitProduct(arith::MulFOp product, SmallVectorImpl<Value> &factors);

  linalg::LinalgOp op;
};
} // namespace

/// The operand that an argument of the body is an element of.
OpOperand *BodyReader::getOperand(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return nullptr;
  return op.getDpsInputOperand(argument.getArgNumber());
}

/// The tensor whose element at the same place `value` is.
Value BodyReader::getTensor(Value value) {
  OpOperand *operand = getOperand(value);
  if (!operand || !op.getMatchingIndexingMap(operand).isIdentity())
    return {};
  return operand->get();
}

/// The number outside, or computed from such, that `value` is everywhere.
Value BodyReader::getNumber(Value value, unsigned depth) {
  value = skipFloatCasts(value);
  if (OpOperand *operand = getOperand(value))
    return op.getMatchingIndexingMap(operand).getNumResults() == 0
               ? operand->get()
               : getSharedNumber(operand->get());
  if (value.getParentBlock() != op.getBlock() || getConstantNumber(value))
    return value;
  Operation *inner = value.getDefiningOp();
  if (!inner || depth == kMostNumberOps || inner->getNumOperands() == 0 ||
      !llvm::all_of(inner->getOperands(), [&](Value operand) {
        return bool(getNumber(operand, depth + 1));
      }))
    return {};
  return value;
}

Value BodyReader::splitProduct(arith::MulFOp product,
                               SmallVectorImpl<Value> &factors) {
  for (unsigned i : {1, 0})
    if (Value number = getNumber(product->getOperand(i))) {
      factors.push_back(number);
      return skipFloatCasts(product->getOperand(1 - i));
    }
  return {};
}

ScaledTensor BodyReader::readProduct(Value value) {
  ScaledTensor scaled;
  value = skipFloatCasts(value);
  while (auto product = value.getDefiningOp<arith::MulFOp>()) {
    value = splitProduct(product, scaled.factors);
    if (!value)
      return {};
  }
  scaled.tensor = getTensor(value);
  return scaled;
}

std::optional<TensorSum> BodyReader::readSum() {
  Value root = getYielded();
  TensorSum sum;
  while (auto product = root.getDefiningOp<arith::MulFOp>()) {
    root = splitProduct(product, sum.factors);
    if (root)
      continue;
    for (Value operand : product->getOperands())
      if (skipFloatCasts(operand).getDefiningOp<arith::AddFOp>())
        root = skipFloatCasts(operand);
    if (!root)
      return std::nullopt;
    sum.factors.push_back(Value());
  }
  auto add = root.getDefiningOp<arith::AddFOp>();
  // A tensor and a number are another sum.
  if (!add || add->getBlock() != op.getBlock() || getNumber(add.getLhs()) ||
      getNumber(add.getRhs()))
    return std::nullopt;
  sum.a = readProduct(add.getLhs());
  sum.b = readProduct(add.getRhs());
  return sum;
}

static bool makesTensor(Operation *op) {
  return op && op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

/// The body of an op that computes each element of one tensor on its own.
static std::optional<BodyReader> getBody(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured.getNumReductionLoops() > 0 ||
      structured.getNumDpsInits() != 1 ||
      !structured.getMatchingIndexingMap(structured.getDpsInitOperand(0))
           .isIdentity())
    return std::nullopt;
  return BodyReader(structured);
}

std::optional<TensorSum> attn::matchTensorSum(Operation *op) {
  if (!makesTensor(op))
    return std::nullopt;
  if (auto add = dyn_cast<arith::AddFOp>(op))
    return TensorSum{{add.getLhs(), {}}, {add.getRhs(), {}}, {}};
  std::optional<BodyReader> body = getBody(op);
  return body ? body->readSum() : std::nullopt;
}

std::optional<ScaledTensor> attn::matchScaledTensor(Operation *op) {
  if (!makesTensor(op))
    return std::nullopt;
  if (auto product = dyn_cast<arith::MulFOp>(op)) {
    for (unsigned i : {1, 0})
      if (Value number = getSharedNumber(product->getOperand(i)))
        return ScaledTensor{product->getOperand(1 - i), {number}};
    return std::nullopt;
  }
  std::optional<BodyReader> body = getBody(op);
  if (!body)
    return std::nullopt;
  ScaledTensor scaled = body->readProduct(body->getYielded());
  return scaled.tensor && !scaled.factors.empty()
             ? std::optional<ScaledTensor>(scaled)
             : std::nullopt;
}
