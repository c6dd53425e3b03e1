//===- FuseRope.cpp - Rotation of queries and keys while they are loaded --===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadedRows.h"

#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

namespace attn {
#define GEN_PASS_DEF_FUSEROPEPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

/// The sines and cosines of all rows, as wide as the rows are. They are a new
/// op, so they choose their schedule here.
static Value createTable(OpBuilder &builder, RopeOp op, FloatType type) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes;
  if (op.hasPositionsByFirst())
    sizes.push_back(tensor::getMixedSize(builder, loc, op.getOutput(), 0));
  sizes.push_back(
      tensor::getMixedSize(builder, loc, op.getOutput(), op.getRowDimension()));
  sizes.push_back(builder.getIndexAttr(op.getNumRotated()));
  Value init = tensor::EmptyOp::create(builder, loc, sizes, type);
  auto positions = SinusoidalPositionsOp::create(
      builder, loc, init.getType(), op.getOffset(), op.getPositions(), init,
      PairLayoutAttr::get(builder.getContext(), PairLayout::HalfSplit),
      op.getBaseAttr(), op.getPositionScaleAttr(),
      /*schedule=*/ScheduleAttrInterface());
  for (const Remark &remark : scheduleOp(positions, readTarget(op)).remarks)
    remark.emit(loc);
  Value table = positions.getResult();
  int64_t size = cast<ShapedType>(op.getInput().getType()).getShape().back();
  if (op.getNumRotated() == size)
    return table;
  SmallVector<OpFoldResult> inserted(sizes),
      offsets(sizes.size(), builder.getIndexAttr(0)),
      strides(sizes.size(), builder.getIndexAttr(1));
  sizes.back() = builder.getIndexAttr(size);
  Value wide = tensor::EmptyOp::create(builder, loc, sizes, type);
  // Nothing can be inserted into a tensor that is known to be empty.
  if (llvm::any_of(
          sizes, [](OpFoldResult size) { return isConstantIntValue(size, 0); }))
    return wide;
  return tensor::InsertSliceOp::create(builder, loc, table, wide, offsets,
                                       inserted, strides);
}

bool attn::fuseRope(RewriterBase &rewriter, AttentionOp op, LoadedRows rows) {
  LoadedOperand operand(op, rows);
  auto rope = operand.get().getDefiningOp<RopeOp>();
  if (!rope)
    return false;
  operand.forwardSizes(rewriter, rope.getOutput());
  std::optional<Remark> obstacle = operand.findObstacle(rope);
  AffineMap map = operand.getMap();
  AffineExpr row = map.getResult(rope.getRowDimension());
  if (!obstacle && rope.hasTables())
    obstacle = operand.createMissed(
        rope, "its cosines and sines are given element by element");
  if (!obstacle &&
      (row != getAffineDimExpr(operand.getRowDim(), op.getContext()) ||
       rope.getNumRotated() == 0))
    obstacle =
        operand.createMissed(rope, "its rows are not those of the attention");
  if (obstacle) {
    obstacle->emit(rope.getLoc());
    return false;
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(rope);
  auto self = cast<AttentionOpInterface>(op.getOperation());
  Value table = createTable(rewriter, rope, self.getComputeType());
  SmallVector<AffineExpr> results = {row, map.getResults().back()};
  if (rope.hasPositionsByFirst())
    results.insert(results.begin(), map.getResult(0));
  auto change =
      RotateAttr::get(op.getContext(), rope.getPairs(), rope.getNumRotated());
  operand.takeChange(
      rewriter, rope, rope.getInput(), change, table,
      AffineMap::get(op.getNumDims(), 0, results, op.getContext()));
  return true;
}

namespace {

struct FuseRopePass : attn::impl::FuseRopePassBase<FuseRopePass> {
  void runOnOperation() override { fuseLoadedRows(getOperation(), fuseRope); }
};

} // namespace
