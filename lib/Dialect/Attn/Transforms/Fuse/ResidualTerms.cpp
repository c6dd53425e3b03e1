//===- ResidualTerms.cpp - The two terms of a residual sum ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element of a sum is read as an expression: a term is an element of a
// tensor, perhaps times a number that all elements share. The product may stand
// in the same body as the sum or be an op of its own before it.
//
//===----------------------------------------------------------------------===//

#include "ResidualTerms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

namespace {

/// An element of `tensor` times `factor`; a factor alone has no tensor, and a
/// tensor alone no factor.
struct Term {
  Value tensor, factor;
};

} // namespace

/// Whether the value is one number, in whatever it is held.
static bool isOneNumber(Value value) {
  if (isa<FloatType>(value.getType()))
    return true;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isa<FloatType>(type.getElementType()))
    return false;
  DenseElementsAttr constant;
  return (type.hasStaticShape() && type.getNumElements() == 1) ||
         (matchPattern(value, m_Constant(&constant)) && constant.isSplat());
}

/// What is repeated along all dimensions, or null.
static Value getRepeated(Value value) {
  if (isOneNumber(value))
    return value;
  Value source;
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    source = splat.getInput();
  else if (auto fill = value.getDefiningOp<linalg::FillOp>())
    source = fill.getInputs()[0];
  else if (auto broadcast = value.getDefiningOp<linalg::BroadcastOp>())
    source = broadcast.getInput();
  else if (auto copy = value.getDefiningOp<linalg::GenericOp>();
           copy && copy.getNumDpsInputs() == 1 &&
           copy.getBody()->getTerminator()->getOperand(0) ==
               copy.getBody()->getArgument(0))
    source = copy.getInputs()[0];
  return source && isOneNumber(source) ? source : Value();
}

/// The product of two terms, of which one has no tensor.
static std::optional<Term> multiply(std::optional<Term> a,
                                    std::optional<Term> b) {
  if (!a || !b)
    return std::nullopt;
  if (!a->tensor)
    std::swap(a, b);
  if (!a->tensor || a->factor || b->tensor)
    return std::nullopt;
  return Term{a->tensor, b->factor};
}

static Value skipCasts(Value value) {
  while (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// What stands in the body of an elementwise op on whole tensors.
static std::optional<Term> readScalar(Value value, linalg::GenericOp op) {
  value = skipCasts(value);
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBody()) {
    if (argument.getArgNumber() >= op.getNumDpsInputs())
      return std::nullopt;
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    if (isOneNumber(operand.get()))
      return Term{{}, operand.get()};
    if (!op.getMatchingIndexingMap(&operand).isIdentity())
      return std::nullopt;
    return Term{operand.get(), {}};
  }
  if (auto product = value.getDefiningOp<arith::MulFOp>();
      product && product->getBlock() == op.getBody())
    return multiply(readScalar(product.getLhs(), op),
                    readScalar(product.getRhs(), op));
  // From outside, or a constant.
  bool isInside = value.getDefiningOp() &&
                  value.getDefiningOp()->getBlock() == op.getBody();
  if (isInside && !matchPattern(value, m_Constant()))
    return std::nullopt;
  return Term{{}, value};
}

/// Each element written once, from the same place of the inputs.
static bool isElementwise(linalg::GenericOp op) {
  return op.getNumDpsInits() == 1 &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         op.getBody()->getArguments().back().use_empty();
}

/// The operands of an op on tensors that is spelled in one of these ways.
template <typename ArithOp, typename NamedOp>
static std::optional<std::pair<Value, Value>> getOperands(Value value) {
  if (auto op = value.getDefiningOp<ArithOp>())
    return std::pair(op.getLhs(), op.getRhs());
  if (auto op = value.getDefiningOp<NamedOp>())
    return std::pair(op.getInputs()[0], op.getInputs()[1]);
  return std::nullopt;
}

/// A tensor, or the product of one with a number where nobody else needs it.
static Term readTensor(Value value) {
  Term whole = {value, {}};
  value = skipCasts(value);
  if (!value.hasOneUse())
    return whole;
  auto toTerm = [](Value operand) {
    Value repeated = getRepeated(operand);
    return repeated ? Term{{}, repeated} : Term{operand, {}};
  };
  if (auto operands = getOperands<arith::MulFOp, linalg::MulOp>(value))
    return multiply(toTerm(operands->first), toTerm(operands->second))
        .value_or(whole);
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (!generic || !isElementwise(generic))
    return whole;
  Value yielded = skipCasts(generic.getBody()->getTerminator()->getOperand(0));
  if (!yielded.getDefiningOp<arith::MulFOp>())
    return whole;
  return readScalar(yielded, generic).value_or(whole);
}

/// The terms of a sum in a body, or why they are none.
static std::optional<std::pair<Term, Term>> readBody(linalg::GenericOp op,
                                                     std::string &reason) {
  Value yielded = skipCasts(op.getBody()->getTerminator()->getOperand(0));
  auto hasSum = [](Value value) {
    return bool(skipCasts(value).getDefiningOp<arith::AddFOp>());
  };
  if (auto product = yielded.getDefiningOp<arith::MulFOp>();
      product && (hasSum(product.getLhs()) || hasSum(product.getRhs())))
    reason = "the sum is multiplied before the norm";
  auto add = yielded.getDefiningOp<arith::AddFOp>();
  if (!add || !isElementwise(op))
    return std::nullopt;
  std::optional<Term> a = readScalar(add.getLhs(), op),
                      b = readScalar(add.getRhs(), op);
  if (!a || !b) {
    reason = "an addend is neither a tensor of the sum's shape nor its product "
             "with a number";
    return std::nullopt;
  }
  // A product may also be an op of its own.
  for (Term *term : {&*a, &*b})
    if (term->tensor && !term->factor)
      *term = readTensor(term->tensor);
  return std::pair(*a, *b);
}

std::optional<ResidualTerms> attn::readResidualTerms(Value sum,
                                                     std::string &reason) {
  std::optional<std::pair<Term, Term>> terms;
  Value wide = skipCasts(sum);
  if (auto operands = getOperands<arith::AddFOp, linalg::AddOp>(wide))
    terms = {readTensor(operands->first), readTensor(operands->second)};
  else if (auto generic = wide.getDefiningOp<linalg::GenericOp>())
    terms = readBody(generic, reason);
  if (!terms)
    return std::nullopt;
  auto [x, branch] = *terms;
  // A tensor and a number are no residual sum.
  if (!x.tensor || !branch.tensor || getRepeated(x.tensor) ||
      getRepeated(branch.tensor))
    return std::nullopt;
  if (x.factor && branch.factor) {
    reason = "both addends have factors";
    return std::nullopt;
  }
  if (x.factor)
    std::swap(x, branch);
  // Neither of them is broadcast; what is widened for the sum alone is read as
  // it is.
  for (Value *tensor : {&x.tensor, &branch.tensor})
    if (tensor->getType() != sum.getType())
      *tensor = skipCasts(*tensor);
  if (x.tensor.getType() != sum.getType() ||
      branch.tensor.getType() != sum.getType()) {
    reason = "an addend has another type than the sum";
    return std::nullopt;
  }
  return ResidualTerms{x.tensor, branch.tensor, branch.factor};
}

Value attn::createFactor(OpBuilder &builder, Location loc, Value factor,
                         FloatType type) {
  Attribute constant;
  if (matchPattern(factor, m_Constant(&constant))) {
    if (auto elements = dyn_cast<DenseElementsAttr>(constant))
      constant = elements.getSplatValue<Attribute>();
    double number = cast<FloatAttr>(constant).getValueAsDouble();
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, number));
  }
  if (auto tensor = dyn_cast<RankedTensorType>(factor.getType())) {
    SmallVector<Value> zeros(tensor.getRank());
    for (Value &zero : zeros)
      zero = arith::ConstantIndexOp::create(builder, loc, 0);
    factor = tensor::ExtractOp::create(builder, loc, factor, zeros);
  }
  unsigned width = cast<FloatType>(factor.getType()).getWidth();
  if (width < type.getWidth())
    return arith::ExtFOp::create(builder, loc, type, factor);
  if (width > type.getWidth())
    return arith::TruncFOp::create(builder, loc, type, factor);
  return factor;
}
