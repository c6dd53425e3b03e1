//===- OnlineAttention.cpp - attn.online_attention as vector loops --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Queries lie in the lanes: S^T = K Q^T goes to a scratch that stays in the L1
// cache while the running maximum is taken in registers, the softmax is
// vertical, and O^T += V^T P^T. K and V are read where they lie.
//
//===----------------------------------------------------------------------===//

#include "../Contraction/ContractionEmitter.h"
#include "../Contraction/TileRows.h"
#include "../Lanes/ConvertBlock.h"
#include "../Lanes/PackPairs.h"
#include "KeyNorms.h"
#include "OnlineGroup.h"
#include "RowChanger.h"
#include "SegmentOverlap.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// The number of rows of this tile that the problem has.
static Value getRowCount(OpBuilder &builder, OnlineAttentionOp op,
                         int64_t bound) {
  Location loc = op.getLoc();
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  Value rows = op.getSizes()[attention.getRowDim()];
  if (!op.getOrigin().empty())
    rows = arith::SubIOp::create(builder, loc, rows,
                                 op.getOrigin()[attention.getRowDim()]);
  return arith::MinUIOp::create(builder, loc, rows,
                                createIndex(builder, loc, bound));
}

namespace {

struct LowerOnlineAttention : OpRewritePattern<OnlineAttentionOp> {
  LowerOnlineAttention(MLIRContext *context, ScratchPool &pool,
                       const TargetDescription &target)
      : OpRewritePattern(context), pool(pool), target(target) {}

  LogicalResult matchAndRewrite(OnlineAttentionOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<TileShape> shape = getTileShape(op, rewriter);
    if (failed(shape) || failed(checkInstruction(op, target, rewriter)))
      return failure();
    if (!op.getPacked())
      return rewriter.notifyMatchFailure(op, "the query is not packed");
    if (failed(checkScores(op, rewriter)))
      return failure();
    if (failed(checkOperands(op, *shape, rewriter)))
      return failure();
    Location loc = op.getLoc();
    if (Value overlap = emitSegmentOverlap(rewriter, op)) {
      auto branch = scf::IfOp::create(rewriter, loc, overlap,
                                      /*withElseRegion=*/false);
      rewriter.setInsertionPointToStart(branch.thenBlock());
    }
    OnlineOperands operands = getOperands(op, *shape, rewriter);
    Value rowCount = getRowCount(rewriter, op, shape->rows);
    int64_t columns = shape->tile.getColumns();
    auto emitGroup = [&](OpBuilder &b, Value column) {
      emitRows(b, op, shape->tile, operands, column, rowCount);
    };
    Value zero = createIndex(rewriter, loc, 0);
    bool areMixed = shape->tile.parts > 1 && shape->rows > columns &&
                    operands.statistics.getSums().empty() &&
                    !operands.statistics.top;
    if (areMixed)
      emitMixedGroups(rewriter, op, shape->tile, operands, rowCount, pool,
                      target);
    else if (shape->rows == columns)
      emitGroup(rewriter, zero);
    else
      emitLoop(rewriter, loc, zero, rowCount, columns, emitGroup);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The group of rows at `column`. When all of its rows fit into one vector,
  /// as in decoding, two thirds of a wide tile would be wasted.
  void emitRows(OpBuilder &builder, OnlineAttentionOp op,
                const RegisterTile &tile, const OnlineOperands &operands,
                Value column, Value rowCount) const {
    auto emitWith = [&](const RegisterTile &used) {
      OnlineGroupEmitter(builder, op, used, operands, column, pool, target)
          .emit(rowCount);
    };
    // Edge tiles are few: a second form of them costs more to compile than it
    // saves to run.
    if (tile.nr == 1 || !op.getMasks().empty())
      return emitWith(tile);
    Location loc = op.getLoc();
    Value left = arith::SubIOp::create(builder, loc, rowCount, column);
    Value isWide =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, left,
                              createIndex(builder, loc, tile.lanes));
    RegisterTile narrow = tile;
    narrow.nr = 1;
    auto emitBranch = [&](const RegisterTile &used) {
      return [&](OpBuilder &b, Location) {
        emitWith(used);
        scf::YieldOp::create(b, loc);
      };
    };
    scf::IfOp::create(builder, loc, isWide, emitBranch(tile),
                      emitBranch(narrow));
  }

  LogicalResult checkOperands(OnlineAttentionOp op, const TileShape &shape,
                              PatternRewriter &rewriter) const;
  OnlineOperands getOperands(OnlineAttentionOp op, const TileShape &shape,
                             PatternRewriter &rewriter) const;
  Value getBlock(OpBuilder &builder, OnlineAttentionOp op,
                 const TileShape &shape, unsigned input) const;
  Value getChangedKeys(OpBuilder &builder, OnlineAttentionOp op,
                       const TileShape &shape) const;
  BroadcastOperand getPairs(OpBuilder &builder, OnlineAttentionOp op,
                            const TileShape &shape, unsigned input) const;
  TileRows getTileRows(OpBuilder &builder, OnlineAttentionOp op,
                       const TileShape &shape, unsigned input) const;
  void addParts(OpBuilder &builder, OnlineAttentionOp op,
                const TileShape &shape, OnlineOperands &operands) const;

  ScratchPool &pool;
  const TargetDescription &target;
};

} // namespace

/// A block's keys as the op changes them, [key, dim], in the compute type.
Value LowerOnlineAttention::getChangedKeys(OpBuilder &builder,
                                           OnlineAttentionOp op,
                                           const TileShape &shape) const {
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  Value block = getOriented(builder, op.getLoc(), op.getKey(),
                            attention.getInputMap(1), attention.getKeyDim());
  int64_t headDim = cast<MemRefType>(block.getType()).getDimSize(1);
  Value scratch = pool.get(builder, op, {shape.keys, headDim},
                           shape.tile.element, /*slot=*/1);
  return RowChanger(attention, LoadedRows::Key, shape.tile.lanes, headDim)
      .emitBlock(builder, block, scratch);
}

/// Keys or values as [key, dim], in the type the schedule wants them in.
Value LowerOnlineAttention::getBlock(OpBuilder &builder, OnlineAttentionOp op,
                                     const TileShape &shape,
                                     unsigned input) const {
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  Value block = attention.getShapedInputs()[input];
  auto type = cast<MemRefType>(block.getType());
  AffineMap map = attention.getInputMap(input);
  unsigned keyDim = attention.getKeyDim();
  if (input == 1 && !attention.getRowChanges(LoadedRows::Key).empty())
    return getChangedKeys(builder, op, shape);
  if (shape.operands && type.getElementType() != shape.operands) {
    SmallVector<int64_t> bounds(type.getShape());
    bounds[map.getResult(0).isFunctionOfDim(keyDim) ? 0 : 1] = shape.keys;
    Value scratch =
        pool.get(builder, op, bounds, shape.operands, /*slot=*/input);
    block = emitConvertedBlock(builder, op.getLoc(), block, scratch,
                               shape.tile.lanes);
  }
  return getOriented(builder, op.getLoc(), block, map, keyDim);
}

/// Keys or values whose neighbouring terms lie side by side: where they do in
/// memory, as they lie.
BroadcastOperand LowerOnlineAttention::getPairs(OpBuilder &builder,
                                                OnlineAttentionOp op,
                                                const TileShape &shape,
                                                unsigned input) const {
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  Location loc = op.getLoc();
  Value block = attention.getShapedInputs()[input];
  AffineMap map = attention.getInputMap(input);
  bool isKey = input == 1;
  unsigned keyDim = attention.getKeyDim();
  int64_t dims =
      cast<MemRefType>((isKey ? op.getQuery() : op.getAcc()).getType())
          .getDimSize(0);
  bool isChanged = isKey && !attention.getRowChanges(LoadedRows::Key).empty();
  Value rows = isChanged
                   ? getChangedKeys(builder, op, shape)
                   : getOriented(builder, loc, block, map,
                                 isKey ? keyDim : attention.getValueDim());
  if (hasUnitInnerStride(rows) && !isChanged)
    return {rows, /*isTransposed=*/false};
  Value terms = getOriented(builder, loc, block, map,
                            isKey ? attention.getHeadDimDim() : keyDim);
  if (hasUnitInnerStride(terms) && !isChanged) {
    int64_t termBound = isKey ? dims : shape.keys,
            rowBound = isKey ? shape.keys : dims;
    Value scratch = pool.get(builder, op, {(termBound + 1) / 2, rowBound},
                             shape.tile.element, /*slot=*/input);
    return {emitPackedPairs(builder, loc, terms, scratch, shape.tile.lanes),
            /*isTransposed=*/true};
  }
  SmallVector<int64_t> bounds = {shape.keys, dims};
  if (!isKey)
    std::swap(bounds[0], bounds[1]);
  Value scratch =
      pool.get(builder, op, bounds, shape.tile.getNarrow(), /*slot=*/input);
  return {emitConvertedBlock(builder, loc, rows, scratch, shape.tile.lanes),
          /*isTransposed=*/false};
}

/// Keys as [key, dim], or values as [dim, key], for the tile unit.
TileRows LowerOnlineAttention::getTileRows(OpBuilder &builder,
                                           OnlineAttentionOp op,
                                           const TileShape &shape,
                                           unsigned input) const {
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  bool isKey = input == 1;
  auto getDims = [](Value state) {
    return cast<MemRefType>(state.getType()).getDimSize(0);
  };
  int64_t rowBound = shape.keys, termBound = getDims(op.getQuery());
  if (!isKey) {
    rowBound = getDims(op.getAcc());
    termBound = shape.keys;
  }
  Value rows = isKey && !attention.getRowChanges(LoadedRows::Key).empty()
                   ? getChangedKeys(builder, op, shape)
                   : getOriented(builder, op.getLoc(),
                                 attention.getShapedInputs()[input],
                                 attention.getInputMap(input),
                                 isKey ? attention.getKeyDim()
                                       : attention.getValueDim());
  Value scratch =
      pool.get(builder, op, getTileRowsShape(rowBound, termBound, shape.tile),
               shape.tile.getNarrow(), /*slot=*/input);
  return emitTileRowsOf(builder, op.getLoc(), rows, scratch, shape.tile);
}

/// Where the parts of keys, values and weights stand.
void LowerOnlineAttention::addParts(OpBuilder &builder, OnlineAttentionOp op,
                                    const TileShape &shape,
                                    OnlineOperands &operands) const {
  auto getShape = [&](int64_t rows, int64_t terms) {
    return getTileRowsShape(rows, terms, shape.tile);
  };
  auto getDims = [](Value state) {
    return cast<MemRefType>(state.getType()).getDimSize(0);
  };
  SmallVector<int64_t> keys = getShape(shape.keys, getDims(op.getQuery())),
                       values = getShape(getDims(op.getAcc()), shape.keys);
  int64_t parts = shape.tile.parts, bytes = kTileBytes / kTileTerms;
  operands.keyPartBytes = keys[0] / parts * keys[1] * bytes;
  operands.valuePartRows = values[0] / parts;
  operands.valuePartBytes = operands.valuePartRows * values[1] * bytes;
  operands.value.memref =
      pool.get(builder, op, values, shape.tile.getNarrow(), /*slot=*/2);
  operands.weights = pool.get(
      builder, op,
      {parts * shape.keys / shape.tile.getTerms(), shape.tile.getColumns()},
      shape.tile.element, /*slot=*/7);
}

LogicalResult
LowerOnlineAttention::checkOperands(OnlineAttentionOp op,
                                    const TileShape &shape,
                                    PatternRewriter &rewriter) const {
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  unsigned m = attention.getRowDim(), n = attention.getKeyDim(),
           d = attention.getHeadDimDim(), dv = attention.getValueDim();
  if (!isTileMap(attention.getInputMap(0), d, m, /*anyOrder=*/false) ||
      !isTileMap(attention.getInputMap(1), n, d, /*anyOrder=*/true) ||
      !isTileMap(attention.getInputMap(2), n, dv, /*anyOrder=*/true) ||
      !isTileMap(attention.getOutputMap(0), dv, m, /*anyOrder=*/false))
    return rewriter.notifyMatchFailure(op, "operands are not 2-D tiles");
  SmallVector<Value> states(op.getOutputs());
  states.push_back(op.getQuery());
  for (Value state : {Value(op.getQuery()), Value(op.getAcc())})
    if (failed(checkTileDims(op, shape, state, rewriter)))
      return failure();
  for (Value state : states)
    if (!isStateTile(state, shape))
      return rewriter.notifyMatchFailure(
          op, "query and state are not contiguous in the schedule's rows");
  unsigned headDim =
      attention.getInputMap(1).getResult(1).isFunctionOfDim(d) ? 1 : 0;
  if (!attention.getRowChanges(LoadedRows::Key).empty() &&
      cast<MemRefType>(op.getKey().getType()).isDynamicDim(headDim))
    return rewriter.notifyMatchFailure(op, "the head dimension is dynamic");
  return success();
}

OnlineOperands
LowerOnlineAttention::getOperands(OnlineAttentionOp op, const TileShape &shape,
                                  PatternRewriter &rewriter) const {
  OnlineOperands operands;
  operands.query = op.getQuery();
  operands.acc = op.getAcc();
  operands.max = op.getMax();
  operands.sum = op.getSum();
  for (auto [kind, statistic] : llvm::zip_equal(
           cast<AttentionOpInterface>(op.getOperation()).getStatisticKinds(),
           op.getOutputs().drop_front(3)))
    operands.statistics.get(kind) = statistic;
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  Value keys = getOriented(rewriter, op.getLoc(), op.getKey(),
                           attention.getInputMap(1), attention.getKeyDim());
  operands.keyCount = memref::getMixedSize(rewriter, op.getLoc(), keys, 0);
  operands.sumRounded = shape.sumRounded;
  if (shape.tile.instruction == Instruction::FMA) {
    operands.key = {keys = getBlock(rewriter, op, shape, 1),
                    /*isTransposed=*/false};
    operands.value = {getBlock(rewriter, op, shape, 2), /*isTransposed=*/true};
  } else if (shape.tile.isOfTiles()) {
    TileRows keyRows = getTileRows(rewriter, op, shape, 1);
    operands.keyTiles = keyRows.memory;
    keys = keyRows.memref;
    TileRows values = getTileRows(rewriter, op, shape, 2);
    operands.valueTiles = values.memory;
    operands.value = {values.memref, /*isTransposed=*/false};
    if (!op.getMasks().empty())
      operands.areValuesFinite = emitAreFinite(
          rewriter, op.getLoc(), shape.tile.getNarrow(), values.memory,
          memref::DimOp::create(rewriter, op.getLoc(), values.memref, 0),
          getValueOrCreateConstantIndexOp(rewriter, op.getLoc(),
                                          operands.keyCount));
  } else {
    operands.key = getPairs(rewriter, op, shape, 1);
    operands.value = getPairs(rewriter, op, shape, 2);
    if (!operands.key.isTransposed)
      keys = operands.key.memref;
  }
  operands.scratch = pool.get(
      rewriter, op, {shape.keys, shape.tile.getColumns()}, shape.tile.element);
  operands.weights = operands.scratch;
  if (shape.tile.parts > 1)
    addParts(rewriter, op, shape, operands);
  if (CosineAttr cosine = op.getCosine()) {
    int64_t room = llvm::alignTo(shape.keys, shape.tile.lanes);
    operands.inverseNorms =
        pool.get(rewriter, op, {room}, shape.tile.element, /*slot=*/3);
    emitKeyNorms(rewriter, op.getLoc(), keys, operands.inverseNorms, shape.tile,
                 cosine);
  }
  return operands;
}

void attn::populateOnlineAttentionPattern(RewritePatternSet &patterns,
                                          ScratchPool &scratch,
                                          const TargetDescription &target) {
  patterns.add<LowerOnlineAttention>(patterns.getContext(), scratch, target);
}
