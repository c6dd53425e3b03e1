//===- ExtractedOperands.cpp - Elements at the loops' own indices ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// torch-mlir broadcasts tensors of dynamic sizes by extracting elements at
// select(size == 1, 0, i). Programs that torch.export makes have such sizes
// above 1, so that they never broadcast there.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/SimplifySizes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Sizes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace attn::raise {
namespace {

/// An operand to be: which loops index the source, and how the sizes compare.
struct Extraction {
  tensor::ExtractOp op;
  Value tensor;
  Location loc;
  SmallVector<AffineExpr> indices;
  /// Dimensions that have to be shown equal to their loop when the program
  /// runs, and those of which the loop may see a part.
  SmallVector<unsigned> asserted, sliced;
};

class OperandMaker {
public:
  OperandMaker(Sizes &sizes, linalg::GenericOp op, IRRewriter &rewriter)
      : sizes(sizes), op(op), rewriter(rewriter) {}

  void run();

private:
  AffineExpr readIndex(Value index, Value tensor, unsigned dim,
                       bool &broadcasts);
  std::optional<Extraction> read(tensor::ExtractOp extract);
  OpFoldResult getExtent(AffineExpr loop);
  void assertSizes(const Extraction &extraction);
  Value makeOperand(const Extraction &extraction);
  void rebuild(ArrayRef<Extraction> extractions);

  Sizes &sizes;
  linalg::GenericOp op;
  IRRewriter &rewriter;
};

} // namespace

/// The condition `size == 1` of a dimension of `tensor`.
static bool isUnitTest(Sizes &sizes, Value condition, Value tensor,
                       unsigned dim) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
         matchPattern(compare.getRhs(), m_One()) &&
         sizes.get(compare.getLhs()) == sizes.get(tensor, dim);
}

AffineExpr OperandMaker::readIndex(Value index, Value tensor, unsigned dim,
                                   bool &broadcasts) {
  auto type = cast<RankedTensorType>(tensor.getType());
  // The real and the imaginary part lie in a dimension of 2.
  if (auto place = getConstantIntValue(index);
      place && *place >= 0 && *place < type.getDimSize(dim))
    return getAffineConstantExpr(*place, op.getContext());
  if (auto select = index.getDefiningOp<arith::SelectOp>()) {
    if (!matchPattern(select.getTrueValue(), m_Zero()) ||
        !isUnitTest(sizes, select.getCondition(), tensor, dim))
      return {};
    broadcasts = true;
    index = select.getFalseValue();
  }
  auto loop = index.getDefiningOp<linalg::IndexOp>();
  return loop && loop->getBlock() == op.getBlock()
             ? getAffineDimExpr(loop.getDim(), op.getContext())
             : AffineExpr();
}

/// How often `loop` runs, as a size of an operand.
OpFoldResult OperandMaker::getExtent(AffineExpr loop) {
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (expr == loop)
        return tensor::getMixedSize(rewriter, op.getLoc(), operand.get(), dim);
  llvm_unreachable("each loop runs over a dimension");
}

std::optional<Extraction> OperandMaker::read(tensor::ExtractOp extract) {
  Value tensor = extract.getTensor();
  if (cast<RankedTensorType>(tensor.getType()).hasStaticShape() ||
      op.getRegion().isAncestor(tensor.getParentRegion()))
    return std::nullopt;
  Extraction result{extract, tensor, extract.getLoc(), {}, {}, {}};
  llvm::SmallBitVector seen(op.getNumLoops());
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    bool broadcasts = false;
    AffineExpr expr = readIndex(index, tensor, dim, broadcasts);
    if (!expr)
      return std::nullopt;
    result.indices.push_back(expr);
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      continue;
    if (seen.test(loop.getPosition()))
      return std::nullopt;
    seen.set(loop.getPosition());
    if (sizes.get(tensor, dim) == sizes.get(getExtent(loop)))
      continue;
    (broadcasts ? result.asserted : result.sliced).push_back(dim);
  }
  return result;
}

void OperandMaker::assertSizes(const Extraction &extraction) {
  Location loc = extraction.loc;
  for (unsigned dim : extraction.asserted) {
    Value size = tensor::DimOp::create(rewriter, loc, extraction.tensor, dim);
    Value extent = getValueOrCreateConstantIndexOp(
        rewriter, loc, getExtent(extraction.indices[dim]));
    Value equal = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                        size, extent);
    cf::AssertOp::create(rewriter, loc, equal,
                         "a dynamic dimension of size 1 is not broadcast: it "
                         "needs the static size 1");
  }
}

/// The tensor itself, or the part of it that the loops run over.
Value OperandMaker::makeOperand(const Extraction &extraction) {
  Value tensor = extraction.tensor;
  if (extraction.sliced.empty())
    return tensor;
  Location loc = extraction.loc;
  SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(rewriter, loc, tensor);
  for (unsigned dim : extraction.sliced)
    extents[dim] = getExtent(extraction.indices[dim]);
  SmallVector<OpFoldResult> zeros(extents.size(), rewriter.getIndexAttr(0)),
      ones(extents.size(), rewriter.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(rewriter, loc, tensor, zeros, extents,
                                        ones);
}

void OperandMaker::rebuild(ArrayRef<Extraction> extractions) {
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Block *body = op.getBlock();
  for (const Extraction &extraction : extractions) {
    assertSizes(extraction);
    maps.insert(maps.begin() + inputs.size(),
                AffineMap::get(op.getNumLoops(), 0, extraction.indices,
                               op.getContext()));
    tensor::ExtractOp extract = extraction.op;
    BlockArgument element =
        body->insertArgument(inputs.size(), extract.getType(), extraction.loc);
    inputs.push_back(makeOperand(extraction));
    rewriter.replaceOp(extract, element);
  }
  auto wider = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray());
  wider->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(op.getRegion(), wider.getRegion(),
                              wider.getRegion().begin());
  rewriter.replaceOp(op, wider);
}

void OperandMaker::run() {
  rewriter.setInsertionPoint(op);
  SmallVector<Extraction> extractions;
  for (auto extract : op.getBlock()->getOps<tensor::ExtractOp>())
    if (auto extraction = read(extract))
      extractions.push_back(std::move(*extraction));
  if (!extractions.empty())
    rebuild(extractions);
}

void makeExtractsOperands(func::FuncOp func) {
  Sizes sizes(func);
  IRRewriter rewriter(func.getContext());
  SmallVector<linalg::GenericOp> ops;
  func.walk([&](linalg::GenericOp op) {
    if (op.hasPureTensorSemantics())
      ops.push_back(op);
  });
  for (linalg::GenericOp op : ops)
    OperandMaker(sizes, op, rewriter).run();
}

} // namespace attn::raise
