//===- ScoreProduct.cpp - What the scores of a softmax are made of --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/ScoreProduct.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "attn/Dialect/Attn/Transforms/TensorSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attn;

/// Ops between a product and its softmax.
constexpr size_t kMostOps = 64;

bool attn::isView(Operation *op) {
  return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp, linalg::TransposeOp, arith::ExtFOp,
             arith::TruncFOp>(op);
}

unsigned attn::countWideDims(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? llvm::count_if(type.getShape(),
                               [](int64_t size) { return size != 1; })
              : 0;
}

SmallVector<Operation *> attn::getReaders(Value value) {
  SetVector<Operation *> readers;
  for (OpOperand &use : value.getUses()) {
    Operation *reader = use.getOwner();
    if (!isView(reader) || use.getOperandNumber() != 0)
      readers.insert(reader);
    else
      readers.insert_range(getReaders(reader->getResult(0)));
  }
  return readers.takeVector();
}

Value attn::findSource(Value value, function_ref<bool(Operation *)> passes) {
  while (Operation *op = value.getDefiningOp()) {
    if (!passes(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

SmallVector<unsigned> attn::getReducedDims(linalg::LinalgOp op,
                                           OpOperand *operand) {
  SmallVector<unsigned> dims;
  AffineMap map = op.getMatchingIndexingMap(operand);
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && op.getIteratorTypesArray()[dim.getPosition()] ==
                   utils::IteratorType::reduction)
      dims.push_back(unsigned(i));
  return dims;
}

static std::optional<int64_t> getStaticSize(Value tensor, unsigned dim) {
  int64_t size = cast<ShapedType>(tensor.getType()).getDimSize(dim);
  return ShapedType::isDynamic(size) ? std::nullopt
                                     : std::optional<int64_t>(size);
}

/// The contraction that `op` is, without what is known of its rows.
static std::optional<ScoreProduct> matchProduct(Operation *op) {
  ScoreProduct product;
  product.op = op;
  if (auto linear = dyn_cast<LinearOp>(op)) {
    product.left = linear.getInput();
    product.right = linear.getWeight();
    product.dim = getStaticSize(linear.getWeight(), linear.getWeightInDim());
    return product;
  }
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || !linalg::isaContractionOpInterface(structured) ||
      structured.getNumDpsInputs() != 2)
    return std::nullopt;
  product.left = structured.getDpsInputs()[0];
  product.right = structured.getDpsInputs()[1];
  product.dim = 1;
  for (unsigned i :
       getReducedDims(structured, structured.getDpsInputOperand(1))) {
    std::optional<int64_t> size = getStaticSize(product.right, i);
    product.dim = size && product.dim
                      ? std::optional<int64_t>(*product.dim * *size)
                      : std::nullopt;
  }
  return product;
}

bool attn::hasLowNumber(Attribute constant, double limit) {
  auto isLow = [&](const llvm::APFloat &number) {
    double value = FloatAttr::getValueAsDouble(number);
    double largest = FloatAttr::getValueAsDouble(
        llvm::APFloat::getLargest(number.getSemantics()));
    return value < limit || value <= -0.25 * largest;
  };
  if (auto number = dyn_cast_or_null<FloatAttr>(constant))
    return isLow(number.getValue());
  auto numbers = dyn_cast_or_null<DenseFPElementsAttr>(constant);
  if (numbers && numbers.isSplat())
    return isLow(numbers.getSplatValue<llvm::APFloat>());
  return numbers && llvm::any_of(numbers.getValues<llvm::APFloat>(), isLow);
}

/// Whether `value`, a number of a body or a tensor, is a mask that is added.
static bool isMask(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto structured =
        dyn_cast_or_null<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    return structured &&
           argument.getArgNumber() < structured.getNumDpsInputs() &&
           isMask(structured.getDpsInputs()[argument.getArgNumber()]);
  }
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return hasLowNumber(constant, /*limit=*/-1e8);
  Operation *op = value.getDefiningOp();
  if (isView(op) || isa<linalg::BroadcastOp>(op))
    return isMask(op->getOperand(0));
  if (isa<arith::SelectOp>(op))
    return isMask(op->getOperand(1)) || isMask(op->getOperand(2));
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && structured.getNumReductionLoops() == 0 &&
         structured.getBlock()->mightHaveTerminator() &&
         isMask(structured.getBlock()->getTerminator()->getOperand(0));
}

/// The number that a constant of a body is, or a tensor repeats.
static std::optional<double> getConstant(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto structured =
        dyn_cast_or_null<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    if (!structured || argument.getArgNumber() >= structured.getNumDpsInputs())
      return std::nullopt;
    value = structured.getDpsInputs()[argument.getArgNumber()];
  }
  Value number = getRepeatedNumber(value);
  return getConstantNumber(number ? number : value);
}

namespace {
/// Goes from a softmax back to the products.
class PathReader {
public:
  explicit PathReader(Operation *softmax) : softmax(softmax) {}

  std::optional<ScoreProduct> read() {
    if (isa<SoftmaxOp, linalg::SoftmaxOp>(softmax))
      visitValue(softmax->getOperand(0));
    else
      visitOp(softmax);
    for (size_t next = 0; next < open.size() && !isForeign; ++next)
      visitOp(open[next]);
    if (isForeign || products.size() != 1)
      return std::nullopt;
    std::optional<ScoreProduct> product = matchProduct(products.front());
    product->isChanged = isChanged;
    product->factor = factor;
    product->path.insert(softmax);
    product->path.insert_range(open);
    return product;
  }

private:
  void visitValue(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !isa<RankedTensorType>(value.getType()) ||
        !isa<FloatType>(getElementTypeOrSelf(value.getType())))
      return;
    if (matchProduct(op))
      products.insert(op);
    else
      open.insert(op);
    isForeign |= open.size() > kMostOps;
  }

  void visitOp(Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() ||
        isa<tensor::EmptyOp, tensor::SplatOp, linalg::FillOp>(op))
      return;
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (structured) {
      for (Operation &inner : structured.getBlock()->without_terminator())
        visitNumber(&inner);
      for (Value input : structured.getDpsInputs())
        visitValue(input);
      return;
    }
    if (isView(op))
      return visitValue(op->getOperand(0));
    visitNumber(op);
    if (!isForeign)
      llvm::for_each(op->getOperands(), [&](Value one) { visitValue(one); });
  }

  /// An op on elements, of a body or of whole tensors.
  void visitNumber(Operation *op) {
    if (isa<arith::MulFOp, arith::DivFOp>(op)) {
      bool isQuotient = isa<arith::DivFOp>(op);
      if (std::optional<double> right = getConstant(op->getOperand(1)))
        factor *= isQuotient ? 1.0 / *right : *right;
      else if (std::optional<double> left = getConstant(op->getOperand(0));
               left && !isQuotient)
        factor *= *left;
    } else if (isa<arith::AddFOp>(op))
      isChanged |= llvm::none_of(op->getOperands(), isMask);
    else if (isa<arith::SubFOp, arith::MaximumFOp, arith::MaxNumFOp,
                 arith::MinimumFOp, arith::MinNumFOp, math::TanhOp, math::ExpOp,
                 math::Exp2Op>(op))
      isChanged = true;
    else if (!isa<arith::NegFOp, arith::SelectOp, arith::ExtFOp,
                  arith::TruncFOp, arith::ConstantOp, linalg::IndexOp>(op) &&
             op->getNumResults() == 1 &&
             isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
      isForeign = true;
  }

  Operation *softmax;
  llvm::SetVector<Operation *> open, products;
  bool isChanged = false, isForeign = false;
  double factor = 1.0;
};
} // namespace

/// Whether rows come out of an l2 norm, as they are or with factors.
static bool hasUnitRows(Value rows) {
  auto norm = findSource(rows, isView).getDefiningOp<NormOp>();
  return norm && !norm.usesMean() && !norm.getGamma();
}

std::optional<ScoreProduct> attn::findScoreProduct(Operation *softmax) {
  std::optional<ScoreProduct> product = PathReader(softmax).read();
  if (product)
    product->isCosine =
        hasUnitRows(product->left) && hasUnitRows(product->right);
  return product;
}

ScoreSubject attn::describeScores(Operation *op) {
  ScoreSubject subject{op};
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    subject.scale = attention.getScale();
    subject.isCosine = attention.isCosine();
    subject.isAligned = attention.getAlign().has_value();
    subject.query = attention.getQuery();
    subject.key = attention.getKey();
    std::optional<unsigned> at = attention.getInputMap(0).getResultPosition(
        getAffineDimExpr(attention.getHeadDimDim(), attention.getContext()));
    if (at)
      subject.headDim = getStaticSize(subject.query, *at);
    return subject;
  }
  if (auto heads = dyn_cast<MultiHeadAttentionOp>(op)) {
    subject.scale = heads.getScale();
    subject.isCosine = heads.isCosine();
    subject.headDim = int64_t(heads.getHeadDim());
    return subject;
  }
  if ((subject.product = findScoreProduct(op))) {
    subject.isCosine = subject.product->isCosine;
    subject.query = subject.product->left;
    subject.key = subject.product->right;
    subject.headDim = subject.product->dim;
  }
  if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
    subject.scale = softmax.getScale();
    subject.isCosine |= softmax.getScale().isForCosines();
    subject.isAligned = softmax.getAlign().has_value();
    if (std::optional<uint64_t> dim = softmax.getHeadDim())
      subject.headDim = int64_t(*dim);
  }
  return subject;
}
