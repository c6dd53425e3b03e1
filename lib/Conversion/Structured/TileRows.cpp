//===- TileRows.cpp - Steps over rows, one row after the other ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A softmax is a maximum, a sum and a quotient. Each by itself would read the
// whole tensor from memory; row by row, all but the first find it in the cache.
//
//===----------------------------------------------------------------------===//

#include "../Host/ParallelRuntime.h"
#include "RowLoops.h"

#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Support/Sizes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace attn {
#define GEN_PASS_DEF_TILEROWSPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// Every use of a step makes its own tile of it, until common subexpressions
/// are found again: long chains would be long work.
constexpr size_t kMostSteps = 12;

/// The steps of a shorter row cost more to enter than its elements to read.
constexpr int64_t kLeastElements = 64;

/// A reduction along the last loop, which is how memory lies.
bool isRowReduction(linalg::GenericOp op) {
  return op.getNumReductionLoops() != 0 &&
         op.getIteratorTypesArray().back() == utils::IteratorType::reduction &&
         !linalg::isaContractionOpInterface(op);
}

/// Whether the op reduces rows that are known to be short.
bool isShort(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !isRowReduction(generic))
    return false;
  int64_t elements = generic.getStaticLoopRanges().back();
  return !ShapedType::isDynamic(elements) && elements < kLeastElements;
}

/// Whether the op could be a step before the last.
bool isStep(Operation *op) {
  if (isa<linalg::FillOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.hasPureTensorSemantics() &&
         (generic.getNumReductionLoops() == 0 || isRowReduction(generic)) &&
         llvm::all_of(generic.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

/// Whether the loops of `last` may compute `producer`, and who else needs its
/// result finds it there.
bool canJoin(Operation *producer, linalg::GenericOp last,
             const llvm::SetVector<Operation *> &steps) {
  if (!producer || producer->getBlock() != last->getBlock() ||
      !isStep(producer))
    return false;
  auto generic = dyn_cast<linalg::GenericOp>(producer);
  bool isSmall = generic && isRowReduction(generic);
  return llvm::all_of(producer->getUsers(), [&](Operation *user) {
    if (steps.contains(user))
      return true;
    // What there is one of for each row may leave the loops.
    Operation *there = last->getBlock()->findAncestorOpInBlock(*user);
    return isSmall && there && last->isBeforeInBlock(there);
  });
}

/// The steps that end with `last`, which is the first of them; users go before
/// what they use.
llvm::SetVector<Operation *> collectSteps(linalg::GenericOp last) {
  llvm::SetVector<Operation *> steps;
  steps.insert(last);
  // A user that joins later lets its producers be looked at again.
  for (size_t i = 0; i < steps.size(); ++i)
    for (Value operand : steps[i]->getOperands())
      if (canJoin(operand.getDefiningOp(), last, steps))
        steps.insert(operand.getDefiningOp());
  return steps;
}

/// Whether the step gives a number for each row: a reduction of it, or what
/// follows from one, as the factor of a norm does.
bool isOfRows(linalg::GenericOp step,
              const llvm::SetVector<Operation *> &steps) {
  if (!step || !steps.contains(step))
    return false;
  if (isRowReduction(step))
    return true;
  return step.getNumReductionLoops() == 0 &&
         llvm::any_of(step.getDpsInputOperands(), [&](OpOperand *input) {
           return step.getMatchingIndexingMap(input).isIdentity() &&
                  isOfRows(input->get().getDefiningOp<linalg::GenericOp>(),
                           steps);
         });
}

/// How many leading loops of `last` go over rows; 0 where it is not the last
/// of several steps over the same rows.
unsigned countRowLoops(linalg::GenericOp last,
                       const llvm::SetVector<Operation *> &steps) {
  unsigned count = 0;
  bool readsReduction = false;
  for (OpOperand &operand : last->getOpOperands()) {
    if (!isOfRows(operand.get().getDefiningOp<linalg::GenericOp>(), steps))
      continue;
    AffineMap map = last.getMatchingIndexingMap(&operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (expr != getAffineDimExpr(i, map.getContext()))
        return 0;
    if (readsReduction && count != map.getNumResults())
      return 0;
    readsReduction = true;
    count = map.getNumResults();
  }
  SmallVector<utils::IteratorType> loops = last.getIteratorTypesArray();
  return llvm::is_contained(ArrayRef(loops).take_front(count),
                            utils::IteratorType::reduction)
             ? 0
             : count;
}

/// Bytes of the largest tensor of static shape that the steps read or write;
/// none where one is not static.
std::optional<int64_t> getBytes(const llvm::SetVector<Operation *> &steps) {
  int64_t bytes = 0;
  for (Operation *step : steps)
    for (Type type : step->getOperandTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        continue;
      if (!tensor.hasStaticShape())
        return std::nullopt;
      Type element = tensor.getElementType();
      int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
      bytes = std::max(
          bytes, countBytes(tensor.getShape(), llvm::divideCeil(bits, 8)));
    }
  return bytes;
}

/// Replaces the results of the steps for all other users.
LogicalResult tileRows(RewriterBase &rewriter, linalg::GenericOp last,
                       const llvm::SetVector<Operation *> &steps,
                       int64_t cacheBytes) {
  unsigned rows = countRowLoops(last, steps);
  if (rows == 0)
    return rewriter.notifyMatchFailure(last, "it does not end steps over rows");
  if (llvm::any_of(steps, isShort))
    return rewriter.notifyMatchFailure(last, "the rows are short");
  if (steps.size() > kMostSteps)
    return rewriter.notifyMatchFailure(last, "there are too many steps");
  // Upstream's tiling takes a size of 0 for that of a loop that is not tiled.
  if (llvm::any_of(steps, [](Operation *step) {
        return llvm::is_contained(
            cast<linalg::LinalgOp>(step).getStaticLoopRanges(), 0);
      }))
    return rewriter.notifyMatchFailure(last, "there is nothing to compute");
  std::optional<int64_t> bytes = getBytes(steps);
  if (bytes && *bytes <= cacheBytes)
    return rewriter.notifyMatchFailure(last, "the cache holds all of it");
  SmallVector<OpFoldResult> sizes(rows, rewriter.getIndexAttr(1));
  sizes.resize(last.getNumLoops(), rewriter.getIndexAttr(0));
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setTileSizes(sizes);
  bool isItem = canRunTasks(last);
  if (isItem)
    options.tilingOptions.setLoopType(
        scf::SCFTilingOptions::LoopType::ForallOp);
  // Who else reads a step; tiling adds readers of its own.
  SmallVector<OpOperand *> otherUses;
  llvm::DenseSet<Value> leaving;
  for (Operation *step : steps)
    for (OpOperand &use : step->getUses())
      if (!steps.contains(use.getOwner())) {
        otherUses.push_back(&use);
        leaving.insert(use.get());
      }
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult producer,
          bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (!steps.contains(producer.getOwner()))
          return std::nullopt;
        return scf::SCFTileAndFuseOptions::ControlFnResult{
            leaving.contains(producer)};
      });
  rewriter.setInsertionPoint(last);
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(last.getOperation()), options);
  if (failed(tiled))
    return failure();
  for (OpOperand *use : otherUses)
    if (Value replacement = tiled->replacements.lookup(use->get()))
      use->set(replacement);
  if (isItem)
    tiled->loops.front()->setAttr(kRowLoopAttr, rewriter.getUnitAttr());
  return success();
}

struct TileRowsPass : impl::TileRowsPassBase<TileRowsPass> {
  using TileRowsPassBase::TileRowsPassBase;

  void runOnOperation() override {
    TargetDescription target = readTarget(getOperation());
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    // From the end, so that a step of a longer chain is not taken for its end.
    llvm::DenseSet<Operation *> erased;
    for (linalg::GenericOp op : llvm::reverse(ops)) {
      if (erased.contains(op) || !isStep(op))
        continue;
      llvm::SetVector<Operation *> steps = collectSteps(op);
      if (failed(tileRows(rewriter, op, steps, target.l2Bytes)))
        continue;
      // In this order, users go before what they use.
      for (Operation *step : steps)
        if (step->use_empty()) {
          erased.insert(step);
          rewriter.eraseOp(step);
        }
    }
    // Rows of empty tensors are empty tensors.
    RewritePatternSet patterns(&getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace attn
