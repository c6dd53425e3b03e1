//===- DecodePattern.cpp - Which ops are lowered as few rows --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecodeEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

/// A state [head, row, ...] as [head * row, ...], or null where its rows are
/// not evenly spaced.
static Value flattenRows(OpBuilder &builder, Location loc, Value state,
                         const DecodeShape &shape) {
  if (!shape.hasHead)
    return state;
  auto type = cast<MemRefType>(state.getType());
  SmallVector<ReassociationIndices> groups = {{0, 1}};
  for (int64_t i = 2; i < type.getRank(); ++i)
    groups.push_back({i});
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
    return {};
  return memref::CollapseShapeOp::create(builder, loc, state, groups);
}

namespace {

struct LowerDecodeAttention : OpRewritePattern<OnlineAttentionOp> {
  LowerDecodeAttention(MLIRContext *context, ScratchPool &pool,
                       const TargetDescription &target)
      : OpRewritePattern(context, /*benefit=*/2), pool(pool), target(target) {}

  LogicalResult matchAndRewrite(OnlineAttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto self = cast<AttentionOpInterface>(op.getOperation());
    FailureOr<DecodeShape> shape =
        getDecodeShape(self, op.getAcc(), self.getOutputMap(0), rewriter);
    if (failed(shape) || failed(checkInstruction(self, target, rewriter)) ||
        failed(checkKeyScores(self, rewriter)))
      return failure();
    FailureOr<DecodeOperands> operands = getOperands(op, *shape, rewriter);
    if (failed(operands))
      return failure();
    DecodeEmitter(rewriter, op, *shape, *operands, pool, target).emit();
    rewriter.eraseOp(op);
    return success();
  }

private:
  FailureOr<DecodeOperands> getOperands(OnlineAttentionOp op,
                                        const DecodeShape &shape,
                                        PatternRewriter &rewriter) const;

  ScratchPool &pool;
  const TargetDescription &target;
};

} // namespace

FailureOr<DecodeOperands>
LowerDecodeAttention::getOperands(OnlineAttentionOp op,
                                  const DecodeShape &shape,
                                  PatternRewriter &rewriter) const {
  auto self = cast<AttentionOpInterface>(op.getOperation());
  unsigned n = self.getKeyDim(), d = self.getHeadDimDim(),
           dv = self.getValueDim();
  if (op.getPacked())
    return rewriter.notifyMatchFailure(op, "few rows are read as they lie");
  if (!isTileMap(self.getInputMap(1), n, d, /*anyOrder=*/true) ||
      !isTileMap(self.getInputMap(2), n, dv, /*anyOrder=*/true))
    return rewriter.notifyMatchFailure(op, "keys or values are not 2-D tiles");
  Location loc = op.getLoc();
  DecodeOperands operands;
  operands.key =
      getOriented(rewriter, loc, op.getKey(), self.getInputMap(1), n);
  operands.value =
      getOriented(rewriter, loc, op.getValue(), self.getInputMap(2), n);
  auto isDynamic = [](Value rows) {
    return cast<MemRefType>(rows.getType()).isDynamicDim(1);
  };
  if (isDynamic(operands.key) || isDynamic(operands.value))
    return rewriter.notifyMatchFailure(op, "the head dimension is dynamic");
  // Rows of states are in the order head, row, value dimension.
  SmallVector<unsigned> order;
  if (shape.hasHead)
    order.push_back(self.getNumBatchDims() - 1);
  order.push_back(self.getRowDim());
  for (unsigned i = op.getOutputs().size(); i-- > 0;) {
    if (i == 0)
      order.push_back(dv);
    AffineMap expected = AffineMap::getMultiDimMapWithTargets(
        self.getNumDims(), order, op.getContext());
    if (self.getOutputMap(i) != expected)
      return rewriter.notifyMatchFailure(
          op, "a state is not indexed by head, row and value dimension");
  }
  operands.acc = flattenRows(rewriter, loc, op.getAcc(), shape);
  operands.max = flattenRows(rewriter, loc, op.getMax(), shape);
  operands.sum = flattenRows(rewriter, loc, op.getSum(), shape);
  bool isContiguous = operands.acc && operands.max && operands.sum;
  for (auto [kind, statistic] : llvm::zip_equal(
           self.getStatisticKinds(), op.getOutputs().drop_front(3))) {
    Value rows = flattenRows(rewriter, loc, statistic, shape);
    isContiguous &= rows != nullptr;
    operands.statistics.get(kind) = rows;
  }
  if (!isContiguous)
    return rewriter.notifyMatchFailure(op, "a state's rows are not contiguous");
  return operands;
}

void attn::populateDecodePatterns(RewritePatternSet &patterns,
                                  ScratchPool &scratch,
                                  const TargetDescription &target) {
  patterns.add<LowerDecodeAttention>(patterns.getContext(), scratch, target);
  populateMergePattern(patterns, target);
}
