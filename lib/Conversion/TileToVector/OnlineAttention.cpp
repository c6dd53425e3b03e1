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
#include "KeyNorms.h"
#include "ProbeResults.h"
#include "ScoreLanes.h"
#include "SegmentOverlap.h"
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
  RowStatistics statistics;
  Value scratch;
  /// 1 / norm of the keys for cosine similarity, else null.
  Value inverseNorms;
};

/// Weights are 2^(s - reference). The reference is a maximum that the row had
/// at some time; it moves only when the maximum has left it by this much, in
/// log2 units. Output and sum share it, so the quotient is exact in it, and 2^8
/// is far from overflow; what it saves is a pass over the output for each tile.
constexpr double maxGrowth = 8.0;

/// Emits the op for the `lanes * nr` rows from `column` on.
class GroupEmitter {
public:
  using Values = SmallVector<Value>;

  GroupEmitter(OpBuilder &builder, OnlineAttentionOp op,
               const RegisterTile &tile, const OnlineOperands &operands,
               Value column, ScratchPool &pool, const TargetDescription &target)
      : builder(builder), loc(op.getLoc()), tile(tile), operands(operands),
        column(column), pool(pool), target(target),
        zero(createIndex(builder, loc, 0)),
        scores(builder, op, tile, operands.inverseNorms) {}

  void emit();

private:
  Values loadRows(Value memref);
  void storeRows(Value memref, ArrayRef<Value> rows);
  Value constant(double value);
  void prepareRows();
  /// Writes the scores to the scratch; returns the new running maximum.
  Values emitScores(ArrayRef<Value> oldMax);
  /// Replaces the scores s by 2^(s - max) and adds them to sum and statistics.
  void emitExponentials(ArrayRef<Value> max);
  /// Scales the statistics that are relative to the reference.
  void emitRescaledStatistics(ArrayRef<Value> change, ArrayRef<Value> alpha,
                              ArrayRef<Value> oldSum);
  void emitTop(ArrayRef<Value> highest);
  /// Lanes that have seen no key yet.
  Value isUnseen(Value reference);
  /// Moves the reference to `highest` and scales sum and acc to it, if some
  /// row's maximum has outgrown the reference.
  void emitRescale(ArrayRef<Value> reference, ArrayRef<Value> highest);
  Value loadAcc(OpBuilder &b, Value row, Value position);
  void storeAcc(OpBuilder &b, Value row, Value position, Value vector);
  /// acc <- acc + P V.
  void emitOutput();
  SmallVector<Value> getColumns(OpBuilder &b, Value first);

  OpBuilder &builder;
  Location loc;
  const RegisterTile &tile;
  const OnlineOperands &operands;
  Value column;
  ScratchPool &pool;
  const TargetDescription &target;
  Value zero;
  ScoreLanes scores;
  SmallVector<ScoreLanes::Row, 0> rows;
};

} // namespace

void GroupEmitter::emit() {
  prepareRows();
  Values reference = loadRows(operands.max);
  Values highest = emitScores(reference);
  if (operands.statistics.top)
    emitTop(highest);
  emitRescale(reference, highest);
  reference = loadRows(operands.max);
  // A row that has seen no key keeps the reference -inf; subtracting 0 instead
  // keeps -inf - -inf out.
  for (Value &row : reference)
    row = arith::SelectOp::create(builder, loc, isUnseen(row), constant(0.0),
                                  row);
  emitExponentials(reference);
  emitOutput();
}

Value GroupEmitter::isUnseen(Value reference) {
  Value lowest = constant(-std::numeric_limits<double>::infinity());
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                               reference, lowest);
}

void GroupEmitter::emitRescale(ArrayRef<Value> reference,
                               ArrayRef<Value> highest) {
  Value outgrown;
  for (auto [before, now] : llvm::zip_equal(reference, highest)) {
    Value bound =
        arith::AddFOp::create(builder, loc, before, constant(maxGrowth));
    Value left = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                       now, bound);
    outgrown =
        outgrown ? arith::OrIOp::create(builder, loc, outgrown, left) : left;
  }
  Value any = vector::ReductionOp::create(builder, loc,
                                          vector::CombiningKind::OR, outgrown);
  auto branch = scf::IfOp::create(builder, loc, any, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Values alpha, sum, changes, oldSums = loadRows(operands.sum);
  for (auto [before, now, oldSum] :
       llvm::zip_equal(reference, highest, oldSums)) {
    Value change = arith::SubFOp::create(builder, loc, before, now);
    changes.push_back(change);
    Value factor = emitWeight(builder, loc, change, target);
    alpha.push_back(arith::SelectOp::create(builder, loc, isUnseen(before),
                                            constant(0.0), factor));
    sum.push_back(arith::MulFOp::create(builder, loc, oldSum, alpha.back()));
  }
  storeRows(operands.max, highest);
  storeRows(operands.sum, sum);
  emitRescaledStatistics(changes, alpha, oldSums);
  Value rows = getValueOrCreateConstantIndexOp(
      builder, loc, memref::getMixedSize(builder, loc, operands.acc, 0));
  emitLoop(builder, loc, zero, rows, 1, [&](OpBuilder &b, Value row) {
    for (auto [c, position] : llvm::enumerate(getColumns(b, column)))
      storeAcc(
          b, row, position,
          arith::MulFOp::create(b, loc, loadAcc(b, row, position), alpha[c]));
  });
}

Value GroupEmitter::loadAcc(OpBuilder &b, Value row, Value position) {
  return vector::LoadOp::create(b, loc, tile.getVectorType(), operands.acc,
                                ValueRange({row, position}));
}

void GroupEmitter::storeAcc(OpBuilder &b, Value row, Value position,
                            Value vector) {
  vector::StoreOp::create(b, loc, vector, operands.acc,
                          ValueRange({row, position}));
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

void GroupEmitter::prepareRows() {
  int64_t keys = cast<MemRefType>(operands.scratch.getType()).getDimSize(0);
  scores.prepareGroup(column, keys, pool);
  for (auto [c, firstRow] : llvm::enumerate(getColumns(builder, column)))
    rows.push_back(scores.prepareRow(firstRow, c * tile.lanes));
}

SmallVector<Value> GroupEmitter::emitScores(ArrayRef<Value> oldMax) {
  ContractionOperands contraction;
  contraction.lhs = operands.key;
  contraction.rhs = operands.query;
  contraction.column = column;
  contraction.rows = memref::getMixedSize(builder, loc, operands.key, 0);
  contraction.depth = memref::getMixedSize(builder, loc, operands.query, 0);
  ContractionHooks hooks;
  hooks.epilogue = [&](OpBuilder &b, Location, const AccumulatorTile &result,
                       ValueRange max) {
    Values columns = getColumns(b, zero), newMax(max);
    for (int64_t r = 0; r < result.height; ++r) {
      Value key = addIndex(b, loc, result.row, r);
      ScoreLanes::Column keyColumn = scores.prepareColumn(key);
      for (int64_t c = 0; c < tile.nr; ++c) {
        auto [kept, score] =
            scores.apply(result.vectors[r * tile.nr + c], rows[c], keyColumn);
        vector::StoreOp::create(b, loc, kept, operands.scratch,
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

void GroupEmitter::emitExponentials(ArrayRef<Value> max) {
  Value keys = getValueOrCreateConstantIndexOp(
      builder, loc, memref::getMixedSize(builder, loc, operands.key, 0));
  Values init = loadRows(operands.sum);
  Value squares = operands.statistics.squares, logs = operands.statistics.logs;
  // The sums of a block are added up before they meet those of all blocks.
  size_t statistics = (squares ? 1 : 0) + (logs ? 1 : 0);
  init.append(statistics * tile.nr, constant(0.0));
  auto loop = scf::ForOp::create(
      builder, loc, zero, keys, createIndex(builder, loc, 1), init,
      [&](OpBuilder &b, Location, Value key, ValueRange sums) {
        LaneBuilder lanes(b, loc, tile.element, tile.lanes);
        Values next(sums);
        for (auto [c, position] : llvm::enumerate(getColumns(b, zero))) {
          Value score = vector::LoadOp::create(b, loc, tile.getVectorType(),
                                               operands.scratch,
                                               ValueRange{key, position});
          Value distance = scores.emitDistance(score, rows[c], max[c]);
          Value weight = emitWeight(b, loc, distance, target);
          vector::StoreOp::create(b, loc, weight, operands.scratch,
                                  ValueRange{key, position});
          next[c] = arith::AddFOp::create(b, loc, sums[c], weight);
          size_t at = tile.nr + c;
          if (squares) {
            next[at] = lanes.fma(weight, weight, sums[at]);
            at += tile.nr;
          }
          if (logs)
            next[at] = lanes.fma(weight, emitFiniteDistance(lanes, distance),
                                 sums[at]);
        }
        scf::YieldOp::create(b, loc, next);
      });
  ValueRange results = loop.getResults();
  storeRows(operands.sum, Values(results.take_front(tile.nr)));
  results = results.drop_front(tile.nr);
  for (Value statistic : {squares, logs}) {
    if (!statistic)
      continue;
    Values total = loadRows(statistic);
    for (auto [row, part] : llvm::zip(total, results))
      row = arith::AddFOp::create(builder, loc, row, part);
    storeRows(statistic, total);
    results = results.drop_front(tile.nr);
  }
}

void GroupEmitter::emitRescaledStatistics(ArrayRef<Value> change,
                                          ArrayRef<Value> alpha,
                                          ArrayRef<Value> oldSum) {
  LaneBuilder lanes(builder, loc, tile.element, tile.lanes);
  if (Value memref = operands.statistics.squares) {
    Values squares = loadRows(memref);
    for (auto [row, factor] : llvm::zip_equal(squares, alpha))
      row = lanes.mul(lanes.mul(row, factor), factor);
    storeRows(memref, squares);
  }
  if (Value memref = operands.statistics.logs) {
    // Each of the logarithms that a weight was multiplied by changes alike.
    Values logs = loadRows(memref);
    for (auto [row, by, factor, sum] :
         llvm::zip_equal(logs, change, alpha, oldSum))
      row =
          lanes.mul(lanes.fma(emitFiniteDistance(lanes, by), sum, row), factor);
    storeRows(memref, logs);
  }
}

/// The reference may be less than the maximum, which is what a probe reports.
void GroupEmitter::emitTop(ArrayRef<Value> highest) {
  LaneBuilder lanes(builder, loc, tile.element, tile.lanes);
  Values top = loadRows(operands.statistics.top);
  for (auto [row, now] : llvm::zip_equal(top, highest))
    row = lanes.max(now, row);
  storeRows(operands.statistics.top, top);
}

void GroupEmitter::emitOutput() {
  ContractionOperands contraction;
  contraction.lhs = operands.value;
  contraction.lhsTransposed = true;
  contraction.rhs = operands.scratch;
  contraction.column = zero;
  contraction.rows = memref::getMixedSize(builder, loc, operands.acc, 0);
  contraction.depth = memref::getMixedSize(builder, loc, operands.value, 0);
  contraction.prefetchAhead = tile.lanes;
  ContractionHooks hooks;
  hooks.initial = [&](OpBuilder &b, Location, Value row, int64_t height) {
    Values columns = getColumns(b, column), initial;
    for (int64_t i = 0; i < height * tile.nr; ++i)
      initial.push_back(
          loadAcc(b, addIndex(b, loc, row, i / tile.nr), columns[i % tile.nr]));
    return initial;
  };
  hooks.epilogue = [&](OpBuilder &b, Location, const AccumulatorTile &result,
                       ValueRange) {
    Values columns = getColumns(b, column);
    for (auto [i, sum] : llvm::enumerate(result.vectors))
      storeAcc(b, addIndex(b, loc, result.row, i / tile.nr),
               columns[i % tile.nr], sum);
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
      GroupEmitter(builder, op, used, operands, column, pool, target).emit();
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

  LogicalResult checkOperands(OnlineAttentionOp op, const TileShape &shape,
                              PatternRewriter &rewriter) const;
  OnlineOperands getOperands(OnlineAttentionOp op, const TileShape &shape,
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
  for (Value state : states)
    if (!isStateTile(state, shape))
      return rewriter.notifyMatchFailure(
          op, "query and state are not contiguous in the schedule's rows");
  if (shape.operands && shape.operands != shape.tile.element)
    return rewriter.notifyMatchFailure(op, [&](Diagnostic &reason) {
      reason << "no product of operands of type " << shape.operands;
    });
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
  operands.key = getBlock(rewriter, op, shape, 1);
  operands.value = getBlock(rewriter, op, shape, 2);
  operands.scratch = pool.get(
      rewriter, op, {shape.keys, shape.tile.getColumns()}, shape.tile.element);
  if (auto cosine = dyn_cast<CosineAttr>(op.getSimilarity())) {
    int64_t room = llvm::alignTo(shape.keys, shape.tile.lanes);
    operands.inverseNorms =
        pool.get(rewriter, op, {room}, shape.tile.element, /*slot=*/3);
    emitKeyNorms(rewriter, op.getLoc(), operands.key, operands.inverseNorms,
                 shape.tile, cosine);
  }
  return operands;
}

void attn::populateOnlineAttentionPattern(RewritePatternSet &patterns,
                                          ScratchPool &scratch,
                                          const TargetDescription &target) {
  patterns.add<LowerOnlineAttention>(patterns.getContext(), scratch, target);
}
