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

#include "ConvertBlock.h"
#include "ScoreLanes.h"
#include "TileShape.h"
#include "Weights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

/// The operands of one op, keys and values oriented as [key, dim].
struct OnlineOperands {
  Value query;
  Value key;
  Value value;
  Value acc;
  Value max;
  Value sum;
  Value scratch;
};

/// Emits the op for the `lanes * nr` rows from `column` on.
class GroupEmitter {
public:
  using Values = SmallVector<Value>;

  GroupEmitter(OpBuilder &builder, OnlineAttentionOp op,
               const RegisterTile &tile, const OnlineOperands &operands,
               Value column, const TargetDescription &target)
      : builder(builder), loc(op.getLoc()), tile(tile), operands(operands),
        column(column), target(target), zero(createIndex(builder, loc, 0)),
        scores(builder, op, tile) {}

  void emit();

private:
  Values loadRows(Value memref);
  void storeRows(Value memref, ArrayRef<Value> rows);
  Value constant(double value);
  /// Writes the scores to the scratch; returns the new running maximum.
  Values emitScores(ArrayRef<Value> oldMax);
  /// Replaces the scores s by 2^(s - max); returns `sum` plus their sum.
  Values emitExponentials(ArrayRef<Value> max, ArrayRef<Value> sum);
  /// acc <- acc alpha + P V.
  void emitOutput(ArrayRef<Value> alpha);
  SmallVector<Value> getColumns(OpBuilder &b, Value first);

  OpBuilder &builder;
  Location loc;
  const RegisterTile &tile;
  const OnlineOperands &operands;
  Value column;
  const TargetDescription &target;
  Value zero;
  ScoreLanes scores;
};

} // namespace

void GroupEmitter::emit() {
  Values oldMax = loadRows(operands.max);
  Values newMax = emitScores(oldMax);
  storeRows(operands.max, newMax);
  // A row that has seen no key keeps the maximum -inf; subtracting 0 instead
  // keeps -inf - -inf out.
  Value lowest = constant(-std::numeric_limits<double>::infinity());
  Values safeMax, alpha, sum;
  for (auto [before, after, oldSum] :
       llvm::zip_equal(oldMax, newMax, loadRows(operands.sum))) {
    Value unseen = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OEQ, after, lowest);
    safeMax.push_back(
        arith::SelectOp::create(builder, loc, unseen, constant(0.0), after));
    Value change = arith::SubFOp::create(builder, loc, before, safeMax.back());
    alpha.push_back(emitWeight(builder, loc, change, target));
    sum.push_back(arith::MulFOp::create(builder, loc, oldSum, alpha.back()));
  }
  storeRows(operands.sum, emitExponentials(safeMax, sum));
  emitOutput(alpha);
}

SmallVector<Value> GroupEmitter::getColumns(OpBuilder &b, Value first) {
  Values columns;
  for (int64_t c = 0; c < tile.nr; ++c)
    columns.push_back(addIndex(b, loc, first, c * tile.lanes));
  return columns;
}

SmallVector<Value> GroupEmitter::loadRows(Value memref) {
  Values rows;
  for (Value position : getColumns(builder, column))
    rows.push_back(vector::LoadOp::create(builder, loc, tile.getVectorType(),
                                          memref, ValueRange(position)));
  return rows;
}

void GroupEmitter::storeRows(Value memref, ArrayRef<Value> rows) {
  for (auto [position, row] :
       llvm::zip_equal(getColumns(builder, column), rows))
    vector::StoreOp::create(builder, loc, row, memref, ValueRange(position));
}

Value GroupEmitter::constant(double value) {
  auto type = tile.getVectorType();
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          type, Attribute(builder.getFloatAttr(tile.element, value))));
}

SmallVector<Value> GroupEmitter::emitScores(ArrayRef<Value> oldMax) {
  ContractionOperands contraction;
  contraction.lhs = operands.key;
  contraction.rhs = operands.query;
  contraction.column = column;
  contraction.rows = memref::getMixedSize(builder, loc, operands.key, 0);
  contraction.depth = memref::getMixedSize(builder, loc, operands.query, 0);
  Values firstRows = getColumns(builder, column);
  SmallVector<ScoreLanes::Row> rows;
  for (Value firstRow : firstRows)
    rows.push_back(scores.prepareRow(firstRow));
  ContractionHooks hooks;
  hooks.epilogue = [&](OpBuilder &b, Location, const AccumulatorTile &result,
                       ValueRange max) {
    Values columns = getColumns(b, zero), newMax(max);
    for (int64_t r = 0; r < result.height; ++r) {
      Value key = addIndex(b, loc, result.row, r);
      ScoreLanes::Column keyColumn = scores.prepareColumn(key);
      for (int64_t c = 0; c < tile.nr; ++c) {
        Value score = scores.apply(result.vectors[r * tile.nr + c],
                                   firstRows[c], rows[c], key, keyColumn);
        vector::StoreOp::create(b, loc, score, operands.scratch,
                                ValueRange{key, columns[c]});
        // NaN loses here and comes back from the exponential.
        Value greater = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                              score, newMax[c]);
        newMax[c] = arith::SelectOp::create(b, loc, greater, score, newMax[c]);
      }
    }
    return newMax;
  };
  return ContractionEmitter(tile, contraction, hooks)
      .emit(builder, loc, oldMax);
}

SmallVector<Value> GroupEmitter::emitExponentials(ArrayRef<Value> max,
                                                  ArrayRef<Value> sum) {
  Value keys = getValueOrCreateConstantIndexOp(
      builder, loc, memref::getMixedSize(builder, loc, operands.key, 0));
  auto loop = scf::ForOp::create(
      builder, loc, zero, keys, createIndex(builder, loc, 1), sum,
      [&](OpBuilder &b, Location, Value key, ValueRange sums) {
        Values newSums;
        for (auto [c, position] : llvm::enumerate(getColumns(b, zero))) {
          Value score = vector::LoadOp::create(b, loc, tile.getVectorType(),
                                               operands.scratch,
                                               ValueRange{key, position});
          Value distance = arith::SubFOp::create(b, loc, score, max[c]);
          Value weight = emitWeight(b, loc, distance, target);
          vector::StoreOp::create(b, loc, weight, operands.scratch,
                                  ValueRange{key, position});
          newSums.push_back(arith::AddFOp::create(b, loc, sums[c], weight));
        }
        scf::YieldOp::create(b, loc, newSums);
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

void GroupEmitter::emitOutput(ArrayRef<Value> alpha) {
  ContractionOperands contraction;
  contraction.lhs = operands.value;
  contraction.lhsTransposed = true;
  contraction.rhs = operands.scratch;
  contraction.column = zero;
  contraction.rows = memref::getMixedSize(builder, loc, operands.acc, 0);
  contraction.depth = memref::getMixedSize(builder, loc, operands.value, 0);
  contraction.prefetchAhead = tile.lanes;
  ContractionHooks hooks;
  hooks.epilogue = [&](OpBuilder &b, Location, const AccumulatorTile &result,
                       ValueRange) {
    Values columns = getColumns(b, column);
    for (auto [i, product] : llvm::enumerate(result.vectors)) {
      Value row = addIndex(b, loc, result.row, i / tile.nr);
      std::array<Value, 2> position = {row, columns[i % tile.nr]};
      Value old = vector::LoadOp::create(b, loc, tile.getVectorType(),
                                         operands.acc, ValueRange(position));
      Value sum =
          vector::FMAOp::create(b, loc, old, alpha[i % tile.nr], product);
      vector::StoreOp::create(b, loc, sum, operands.acc, ValueRange(position));
    }
    return Values();
  };
  // A hidden key has weight 0, but its value may be NaN.
  if (scores.hidesKeys())
    hooks.activeLanes = [&](OpBuilder &b, Location, ValueRange weights) {
      Values active;
      for (Value weight : weights)
        active.push_back(arith::CmpFOp::create(
            b, loc, arith::CmpFPredicate::UNE, weight, constant(0.0)));
      return active;
    };
  ContractionEmitter(tile, contraction, hooks).emit(builder, loc, ValueRange());
}

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
    if (failed(shape))
      return failure();
    if (!op.getPacked())
      return rewriter.notifyMatchFailure(op, "the query is not packed");
    if (failed(checkScores(op, rewriter)))
      return failure();
    if (cast<AttentionOpInterface>(op.getOperation()).isCosine())
      return rewriter.notifyMatchFailure(op, "keys need to be normalised");
    FailureOr<OnlineOperands> operands = getOperands(op, *shape, rewriter);
    if (failed(operands))
      return failure();
    Location loc = op.getLoc();
    Value rowCount = getRowCount(rewriter, op, shape->rows);
    int64_t columns = shape->tile.getColumns();
    auto emitGroup = [&](OpBuilder &b, Value column) {
      emitRows(b, op, shape->tile, *operands, column, rowCount);
    };
    Value zero = createIndex(rewriter, loc, 0);
    if (shape->rows == columns)
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
      GroupEmitter(builder, op, used, operands, column, target).emit();
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
    RegisterTile narrow = {tile.element, tile.lanes, tile.mr, 1};
    auto emitBranch = [&](const RegisterTile &used) {
      return [&](OpBuilder &b, Location) {
        emitWith(used);
        scf::YieldOp::create(b, loc);
      };
    };
    scf::IfOp::create(builder, loc, isWide, emitBranch(tile),
                      emitBranch(narrow));
  }

  FailureOr<OnlineOperands> getOperands(OnlineAttentionOp op,
                                        const TileShape &shape,
                                        PatternRewriter &rewriter) const;
  Value getBlock(OpBuilder &builder, OnlineAttentionOp op,
                 const TileShape &shape, unsigned input) const;

  ScratchPool &pool;
  const TargetDescription &target;
};

} // namespace

/// Keys or values as [key, dim], in the type the schedule wants them in.
Value LowerOnlineAttention::getBlock(OpBuilder &builder, OnlineAttentionOp op,
                                     const TileShape &shape,
                                     unsigned input) const {
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  Value block = attention.getShapedInputs()[input];
  auto type = cast<MemRefType>(block.getType());
  AffineMap map = attention.getInputMap(input);
  unsigned keyDim = attention.getKeyDim();
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

FailureOr<OnlineOperands>
LowerOnlineAttention::getOperands(OnlineAttentionOp op, const TileShape &shape,
                                  PatternRewriter &rewriter) const {
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  unsigned m = attention.getRowDim(), n = attention.getKeyDim(),
           d = attention.getHeadDimDim(), dv = attention.getValueDim();
  AffineMap keyMap = attention.getInputMap(1);
  AffineMap valueMap = attention.getInputMap(2);
  if (!isTileMap(attention.getInputMap(0), d, m, /*anyOrder=*/false) ||
      !isTileMap(keyMap, n, d, /*anyOrder=*/true) ||
      !isTileMap(valueMap, n, dv, /*anyOrder=*/true) ||
      !isTileMap(attention.getOutputMap(0), dv, m, /*anyOrder=*/false))
    return rewriter.notifyMatchFailure(op, "operands are not 2-D tiles");
  OnlineOperands operands;
  operands.query = op.getQuery();
  operands.acc = op.getAcc();
  operands.max = op.getMax();
  operands.sum = op.getSum();
  for (Value state : {operands.query, operands.acc, operands.max, operands.sum})
    if (!isStateTile(state, shape))
      return rewriter.notifyMatchFailure(
          op, "query and state are not contiguous in the schedule's rows");
  if (shape.operands && shape.operands != shape.tile.element)
    return rewriter.notifyMatchFailure(op, [&](Diagnostic &reason) {
      reason << "no product of operands of type " << shape.operands;
    });
  operands.key = getBlock(rewriter, op, shape, 1);
  operands.value = getBlock(rewriter, op, shape, 2);
  operands.scratch = pool.get(
      rewriter, op, {shape.keys, shape.tile.getColumns()}, shape.tile.element);
  return operands;
}

void attn::populateOnlineAttentionPattern(RewritePatternSet &patterns,
                                          ScratchPool &scratch,
                                          const TargetDescription &target) {
  patterns.add<LowerOnlineAttention>(patterns.getContext(), scratch, target);
}
