//===- CollapseContraction.cpp - Contractions of many loops ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of tensors has any number of loops: batches, which all three
// tensors have, loops that one operand shares with the output, and terms. A
// product of matrices has one loop of terms, and a last dimension of the output
// that is not a batch. What else there is becomes steps of the batch.
//
//===----------------------------------------------------------------------===//

#include "CollapseContraction.h"

#include "attn/Dialect/Attn/IR/ProductParts.h"
#include "attn/Dialect/Attn/Transforms/MatrixRoles.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

namespace {

using LoopList = SmallVector<unsigned>;

class Shaper {
public:
  Shaper(RewriterBase &rewriter, linalg::GenericOp op)
      : rewriter(rewriter), loc(op.getLoc()), op(op) {
    for (unsigned i = 0; i < 3; ++i) {
      tensors.push_back(op->getOperand(i));
      loops.emplace_back();
      for (AffineExpr result : op.getIndexingMapsArray()[i].getResults())
        loops.back().push_back(cast<AffineDimExpr>(result).getPosition());
    }
  }

  /// The product on tensors in the order it needs.
  linalg::GenericOp reorder();

private:
  bool has(unsigned tensor, unsigned loop) const {
    return llvm::is_contained(loops[tensor], loop);
  }
  bool isTerm(unsigned loop) const { return !has(output, loop); }
  bool isBatch(unsigned loop) const {
    return has(0, loop) && has(1, loop) && has(output, loop);
  }
  LoopList getTerms(unsigned tensor) const;
  bool areTermsTogether(unsigned tensor) const;
  /// Batches and free loops of a tensor as the output has them.
  LoopList getFree(unsigned tensor, bool isBatchWanted) const;
  bool isSmaller(unsigned a, unsigned b) const;
  Value transpose(Value tensor, ArrayRef<int64_t> permutation);
  void reorder(unsigned tensor, const LoopList &order);
  void reorderOutput();
  void reorderOperands();
  linalg::GenericOp build();

  static constexpr unsigned output = 2;
  RewriterBase &rewriter;
  Location loc;
  linalg::GenericOp op;
  SmallVector<Value, 3> tensors;
  SmallVector<LoopList, 3> loops;
  /// The output's dimensions as they are computed.
  SmallVector<int64_t> outputOrder;
};

} // namespace

LoopList Shaper::getTerms(unsigned tensor) const {
  LoopList terms;
  llvm::copy_if(loops[tensor], std::back_inserter(terms),
                [&](unsigned loop) { return isTerm(loop); });
  return terms;
}

bool Shaper::areTermsTogether(unsigned tensor) const {
  auto isOne = [&](unsigned loop) { return isTerm(loop); };
  auto first = llvm::find_if(loops[tensor], isOne);
  return llvm::none_of(
      llvm::make_range(std::find_if_not(first, loops[tensor].end(), isOne),
                       loops[tensor].end()),
      isOne);
}

LoopList Shaper::getFree(unsigned tensor, bool isBatchWanted) const {
  LoopList found;
  for (unsigned loop : loops[output])
    if (has(tensor, loop) && isBatch(loop) == isBatchWanted)
      found.push_back(loop);
  return found;
}

/// Whether tensor a has fewer elements than b, as far as that is known.
bool Shaper::isSmaller(unsigned a, unsigned b) const {
  auto left = cast<RankedTensorType>(tensors[a].getType());
  auto right = cast<RankedTensorType>(tensors[b].getType());
  return left.hasStaticShape() &&
         (!right.hasStaticShape() ||
          left.getNumElements() < right.getNumElements());
}

Value Shaper::transpose(Value tensor, ArrayRef<int64_t> permutation) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, tensor);
  applyPermutationToVector(sizes, permutation);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  Value init = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  // Where the whole tensor is one number, it is so in any order.
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return linalg::FillOp::create(rewriter, loc, fill.value(), init)
        .getResult(0);
  return linalg::TransposeOp::create(rewriter, loc, tensor, init, permutation)
      ->getResult(0);
}

void Shaper::reorder(unsigned tensor, const LoopList &order) {
  if (loops[tensor] == order)
    return;
  SmallVector<int64_t> permutation;
  for (unsigned loop : order)
    permutation.push_back(llvm::find(loops[tensor], loop) -
                          loops[tensor].begin());
  if (tensor == output)
    outputOrder = permutation;
  tensors[tensor] = transpose(tensors[tensor], permutation);
  loops[tensor] = order;
}

/// The last dimension of the output has the columns.
void Shaper::reorderOutput() {
  if (!isBatch(loops[output].back()))
    return;
  LoopList order, free;
  for (unsigned loop : loops[output])
    (isBatch(loop) ? order : free).push_back(loop);
  order.append(free);
  reorder(output, order);
}

/// The last dimension of the operand with the columns has columns or terms, and
/// the terms of both are one run in the same order.
void Shaper::reorderOperands() {
  unsigned column = loops[output].back();
  unsigned rhs = has(1, column) ? 1 : 0, lhs = 1 - rhs;
  unsigned inner = loops[rhs].back();
  bool movesRhs = inner != column && !isTerm(inner);
  bool movesLhs = false;
  LoopList terms = getTerms(movesRhs ? lhs : rhs);
  bool isLhsRun = areTermsTogether(lhs), isRhsRun = areTermsTogether(rhs);
  if (terms.size() > 1 && movesRhs) {
    movesLhs = !isLhsRun;
  } else if (!isLhsRun || !isRhsRun || getTerms(lhs) != terms) {
    movesRhs = !isRhsRun || (isLhsRun && isSmaller(rhs, lhs));
    movesLhs = !isLhsRun || !movesRhs;
    if (!movesLhs)
      terms = getTerms(lhs);
  }
  auto getOrder = [&](unsigned tensor, bool areTermsFirst) {
    LoopList order = getFree(tensor, /*isBatchWanted=*/true);
    LoopList free = getFree(tensor, /*isBatchWanted=*/false);
    order.append(areTermsFirst ? terms : free);
    order.append(areTermsFirst ? free : terms);
    return order;
  };
  if (movesLhs)
    reorder(lhs, getOrder(lhs, /*areTermsFirst=*/false));
  if (movesRhs)
    reorder(rhs, getOrder(rhs, /*areTermsFirst=*/true));
}

linalg::GenericOp Shaper::build() {
  SmallVector<AffineMap> maps;
  for (const LoopList &dims : loops) {
    SmallVector<AffineExpr> results;
    for (unsigned loop : dims)
      results.push_back(rewriter.getAffineDimExpr(loop));
    maps.push_back(
        AffineMap::get(op.getNumLoops(), 0, results, rewriter.getContext()));
  }
  auto built = linalg::GenericOp::create(
      rewriter, loc, tensors[output].getType(), ArrayRef(tensors).drop_back(),
      tensors[output], maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), built.getRegion(),
                              built.getRegion().begin());
  Value result = built.getResult(0);
  if (!outputOrder.empty())
    result = transpose(result, invertPermutationVector(outputOrder));
  rewriter.replaceOp(op, result);
  return built;
}

linalg::GenericOp Shaper::reorder() {
  rewriter.setInsertionPoint(op);
  reorderOutput();
  reorderOperands();
  if (llvm::equal(tensors, op->getOperands()))
    return op;
  return build();
}

/// Whether tensors are indexed by loops alone, each loop is one of a batch, of
/// terms, or of one operand and the output, and there is one of the latter.
static bool isProductOfTensors(linalg::LinalgOp op) {
  // Heads that share a head of keys are `d1 floordiv 4`.
  if (llvm::any_of(op.getIndexingMapsArray(),
                   [](AffineMap map) { return !map.isProjectedPermutation(); }))
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return succeeded(dims) && dims->m.size() + dims->n.size() != 0 &&
         dims->batch.size() + dims->m.size() + dims->n.size() +
                 dims->k.size() ==
             op.getNumLoops();
}

/// Loops that follow each other wherever one of them occurs, where no tensor
/// has a batch. The output's are taken apart again, which upstream can do for
/// one unknown size in a run.
static SmallVector<ReassociationIndices> findRuns(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto isJoined = [&](int64_t first, int64_t second) {
    unsigned found = 0;
    for (AffineMap map : maps) {
      auto at = map.getResultPosition(getAffineDimExpr(first, op.getContext()));
      auto next =
          map.getResultPosition(getAffineDimExpr(second, op.getContext()));
      if (!at && !next)
        continue;
      if (!at || !next || *next != *at + 1)
        return false;
      ++found;
    }
    return found < maps.size();
  };
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto isUnknownOfOutput = [&](int64_t loop) {
    return ShapedType::isDynamic(sizes[loop]) &&
           maps.back().isFunctionOfDim(loop);
  };
  SmallVector<ReassociationIndices> runs;
  for (AffineMap map : maps)
    for (AffineExpr result : map.getResults()) {
      int64_t loop = cast<AffineDimExpr>(result).getPosition();
      if (llvm::any_of(runs, [&](const ReassociationIndices &run) {
            return llvm::is_contained(run, loop);
          }))
        continue;
      bool mayJoin =
          !runs.empty() && !(isUnknownOfOutput(loop) &&
                             llvm::any_of(runs.back(), isUnknownOfOutput));
      if (mayJoin && isJoined(runs.back().back(), loop))
        runs.back().push_back(loop);
      else
        runs.push_back({loop});
    }
  llvm::erase_if(
      runs, [](const ReassociationIndices &run) { return run.size() == 1; });
  return runs;
}

static linalg::LinalgOp collapse(RewriterBase &rewriter, linalg::LinalgOp op) {
  if (!isProductOfTensors(op))
    return op;
  rewriter.setInsertionPoint(op);
  if (isa<linalg::ContractOp>(op))
    op = *linalg::generalizeNamedOp(rewriter, op);
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    op = Shaper(rewriter, generic).reorder();
  SmallVector<ReassociationIndices> runs = findRuns(op);
  if (runs.empty())
    return op;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(op, runs, rewriter);
  if (failed(collapsed))
    return op;
  rewriter.replaceOp(op, collapsed->results);
  return collapsed->collapsedOp;
}

linalg::LinalgOp attn::collapseContraction(RewriterBase &rewriter,
                                           linalg::LinalgOp op) {
  Attribute products = op->getAttr(kProductsAttrName);
  op = collapse(rewriter, op);
  if (products)
    op->setAttr(kProductsAttrName, products);
  return op;
}
