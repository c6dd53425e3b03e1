//===- OnlineGroup.h - attn.online_attention, one group of rows -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_ONLINEGROUP_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_ONLINEGROUP_H

#include "../Contraction/ContractionEmitter.h"
#include "../Contraction/TileProduct.h"
#include "ScoreLanes.h"
#include "TileShape.h"
#include "attn/Dialect/Attn/Score/KeyRanges.h"
#include "attn/Dialect/Attn/Score/SoftmaxState.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include <functional>

namespace attn {

/// What is broadcast in a product: [row, term], or [term, row] if transposed;
/// where it is packed, with steps instead of terms.
struct BroadcastOperand {
  mlir::Value memref;
  bool isTransposed = false;
};

/// The operands of one op.
struct OnlineOperands {
  mlir::Value query;
  /// On the tile unit `value` is what terms are left out of, where keys are
  /// hidden.
  BroadcastOperand key;
  BroadcastOperand value;
  /// On the tile unit: rows of keys, and of the value dimension; from one of
  /// their parts to the next, and how many rows that is of values.
  TileMemory keyTiles, valueTiles;
  int64_t keyPartBytes = 0, valuePartBytes = 0, valuePartRows = 0;
  /// On the tile unit, where keys are hidden: whether no value can make a
  /// weight of 0 seen.
  mlir::Value areValuesFinite;
  mlir::OpFoldResult keyCount;
  mlir::Value acc;
  mlir::Value max;
  mlir::Value sum;
  RowStatistics statistics;
  /// A row for each key: scores, and then weights, a row for each step of the
  /// product.
  mlir::Value scratch;
  /// Where steps have several parts: weights, a row for each step of each part;
  /// else it is `scratch`.
  mlir::Value weights;
  /// Whether `sum` is that of the weights as they were rounded.
  bool sumRounded = false;
  /// 1 / norm of the keys for cosine similarity, else null.
  mlir::Value inverseNorms;
};

/// Emits the op for the `lanes * nr` rows from `column` on. Its parts lie in
/// OnlineGroup.cpp (products), OnlineSoftmax.cpp (weights and statistics),
/// OnlineTiles.cpp and OnlineHidden.cpp (products on the tile unit).
class OnlineGroupEmitter {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  OnlineGroupEmitter(mlir::OpBuilder &builder, OnlineAttentionOp op,
                     const RegisterTile &tile, const OnlineOperands &operands,
                     mlir::Value column, ScratchPool &pool,
                     const TargetDescription &target)
      : builder(builder), op(op), loc(op.getLoc()), tile(tile),
        operands(operands), column(column), pool(pool), target(target),
        keyCount(operands.keyCount), zero(createIndex(builder, loc, 0)),
        firstKey(zero), scores(builder, op, tile, operands.inverseNorms) {}

  /// `rowCount` rows of the tile exist.
  void emit(mlir::Value rowCount);

  // The same in parts, for groups that are mixed (OnlineMixed.cpp).
  void emitScoresOf(mlir::Value rowCount, mlir::Value isThere,
                    mlir::Value factors, mlir::Value turn);
  void emitWeightsBeside(OnlineGroupEmitter &before, mlir::Value counter);
  /// Goes on with the outputs of a group that had this range.
  void resume(mlir::Value first, mlir::Value keys, mlir::Value factors,
              mlir::Value turn);
  std::pair<mlir::Value, mlir::Value> getRange() {
    return {firstKey,
            mlir::getValueOrCreateConstantIndexOp(builder, loc, keyCount)};
  }

private:
  /// The keys that the group sees.
  void prepareRange(mlir::Value rowCount);
  void emitNextWeights(mlir::Value counter, mlir::Value count);
  /// What weights are relative to, once the state has moved.
  Values prepareWeights();
  /// The block's keys, or those that the group sees.
  void emitKeys();
  Values loadRows(mlir::Value memref);
  void storeRows(mlir::Value memref, llvm::ArrayRef<mlir::Value> rows);
  mlir::Value constant(double value);
  void prepareRows();
  /// Writes the scores to the scratch; returns the new running maximum.
  Values emitHighest(llvm::ArrayRef<mlir::Value> oldMax);
  mlir::Value emitLarger(mlir::OpBuilder &b, mlir::Value score,
                         mlir::Value max);
  /// The same, the maximum of what is kept where that is in order.
  Values emitScores(llvm::ArrayRef<mlir::Value> oldMax);
  /// What becomes of scores; those of `isStored` stand in the scratch, and of
  /// those of `isSeen` none is hidden. The next of the maxima `max`.
  Values emitScoreTile(mlir::OpBuilder &b, const AccumulatorTile &result,
                       bool isStored, bool isSeen, mlir::ValueRange max);
  /// The same on the tile unit.
  Values emitScoresOfTiles(llvm::ArrayRef<mlir::Value> oldMax);
  mlir::Value emitIsSeen(mlir::OpBuilder &b, mlir::Value begin,
                         mlir::Value end);
  /// Multiplies kept scores by their factors, which are 1 then, if the maximum
  /// of some row is huge.
  void emitRoundedScores(llvm::ArrayRef<mlir::Value> max);
  /// Replaces the scores s by 2^(s - max) and adds them to sum and statistics.
  void emitExponentials(llvm::ArrayRef<mlir::Value> max);
  /// The same for `count` keys, those of one step, and the next sums.
  Values emitStepWeights(mlir::OpBuilder &b, mlir::Value step, int64_t count,
                         llvm::ArrayRef<mlir::Value> max,
                         mlir::ValueRange sums);
  /// Scales the statistics that are relative to the reference.
  void emitRescaledStatistics(llvm::ArrayRef<Rescale> changes,
                              llvm::ArrayRef<mlir::Value> oldSum);
  void emitTop(llvm::ArrayRef<mlir::Value> highest);
  /// Moves the reference to `highest` and scales sum and acc to it: if some
  /// row's maximum has outgrown the reference, or always, acc in the product.
  void emitRescale(llvm::ArrayRef<mlir::Value> reference,
                   llvm::ArrayRef<mlir::Value> highest);
  /// Moves all of the state but acc; returns the factors of the rows.
  Values emitMovedState(llvm::ArrayRef<mlir::Value> reference,
                        llvm::ArrayRef<mlir::Value> highest);
  /// Multiplies rows of acc with the factors of the lanes.
  void emitScaledAcc(mlir::OpBuilder &outer, mlir::Value begin, mlir::Value end,
                     llvm::ArrayRef<mlir::Value> factors);
  void emitMovedRows(mlir::OpBuilder &b, mlir::Value begin, mlir::Value end);
  mlir::Value loadAcc(mlir::OpBuilder &b, mlir::Value row,
                      mlir::Value position);
  void storeAcc(mlir::OpBuilder &b, mlir::Value row, mlir::Value position,
                mlir::Value vector);
  /// acc <- acc + P V.
  void emitOutput();
  /// The same on the tile unit, for the whole register tiles of acc's rows and
  /// for the others, which are all where hidden values are not finite.
  void emitOutputOfTiles();
  mlir::Value emitAllInPlace(int64_t rows);
  void emitTilesInPlace(const RegisterTile &used, int64_t begin, int64_t end);
  void emitTileAside(mlir::Value row, mlir::Value count);
  TileOperands getOutputOperands();
  /// The packed query's columns of the group, as steps of each part.
  TileOperands getQueryOperands();
  int64_t countSteps();
  /// A row without the terms of weight 0.
  void emitRowOfPairs(mlir::Value row);
  void addPairs(mlir::Value row, int64_t valuePart, int64_t weightPart);
  /// Weights that a tile takes with the last of them are 0.
  void emitZeroWeights();
  llvm::SmallVector<mlir::Value> getColumns(mlir::OpBuilder &b,
                                            mlir::Value first);

  mlir::OpBuilder &builder;
  OnlineAttentionOp op;
  mlir::Location loc;
  const RegisterTile &tile;
  const OnlineOperands &operands;
  mlir::Value column;
  ScratchPool &pool;
  const TargetDescription &target;
  /// The keys of the block that are looked at: they end at `keyCount`.
  mlir::OpFoldResult keyCount;
  mlir::Value zero, firstKey;
  /// Of these, the ones that no mask hides from any row; null where that is not
  /// known.
  KeyRange seenByAll;
  ScoreLanes scores;
  llvm::SmallVector<ScoreLanes::Row, 0> rows;
  /// What acc is still to be multiplied with; empty for nothing.
  Values accFactors;
  /// On the tile unit: whether one of the factors is not 1.
  mlir::Value isAccMoved;
  /// What weights are relative to, where groups are mixed, and what happens
  /// behind each chunk of outputs.
  Values weightMax;
  std::function<void()> beside;
};

/// Emits the op on the tile unit for all groups of rows, the weights of each
/// beside the products of the one before. Operands have no statistics, and
/// weights of their own.
void emitMixedGroups(mlir::OpBuilder &builder, OnlineAttentionOp op,
                     const RegisterTile &tile, const OnlineOperands &operands,
                     mlir::Value rowCount, ScratchPool &pool,
                     const TargetDescription &target);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_ONLINEGROUP_H
