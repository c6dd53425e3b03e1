//===- DecodeEmitter.h - attn.online_attention for few rows -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_DECODEEMITTER_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_DECODEEMITTER_H

#include "../Contraction/StepArithmetic.h"
#include "../Contraction/TileProduct.h"
#include "DecodeShape.h"
#include "RowChanger.h"
#include "attn/Dialect/Attn/Score/SoftmaxState.h"

namespace attn {

/// The operands of one op; keys and values as [key, dim], states as [row] or
/// [row, dim].
struct DecodeOperands {
  mlir::Value key, value, acc, max, sum;
  RowStatistics statistics;
};

/// Emits one op. Its parts lie in DecodeAttention.cpp (scores),
/// DecodeSoftmax.cpp (weights and statistics), DecodeOutput.cpp (values),
/// DecodeTiles.cpp (both products on the tile unit) and DecodeAhead.cpp (what
/// is asked for ahead).
class DecodeEmitter {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  DecodeEmitter(mlir::OpBuilder &builder, OnlineAttentionOp op,
                const DecodeShape &shape, const DecodeOperands &operands,
                ScratchPool &pool, const TargetDescription &target);

  void emit();

private:
  mlir::Value emitBoundedRow(mlir::OpBuilder &b, LaneBuilder &lanes,
                             mlir::Value number, mlir::Value largest,
                             mlir::Value factor);
  void emitRowPreparation(mlir::OpBuilder &b);
  /// Rounds a row of the query for pairs, in place.
  void emitPairedRow(mlir::OpBuilder &b, mlir::Value number);
  void emitBlock(mlir::OpBuilder &b, mlir::Value block);
  /// Changes a block's keys into a scratch, once for all rows.
  void emitChangedKeys(mlir::OpBuilder &b, mlir::Value block,
                       mlir::Value blockKeys);
  /// Scores of `lanes` keys from `first` on, into the scratch at `column`.
  void emitScores(mlir::OpBuilder &b, mlir::Value block, mlir::Value column,
                  mlir::Value left);
  mlir::Value emitDots(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Value> keyRows,
                       mlir::Value row);
  mlir::Value emitKeyNorms(mlir::OpBuilder &b,
                           llvm::ArrayRef<mlir::Value> keyRows);
  mlir::Value emitNormFactor(mlir::OpBuilder &b, mlir::Value squares);
  mlir::Value loadKey(mlir::OpBuilder &b, mlir::Value row, int64_t chunk);
  /// Turns a row's scores of the block into weights.
  void emitSoftmax(mlir::OpBuilder &b, mlir::Value row, mlir::Value blockKeys);
  /// Rounds a row's weights for pairs, in place; returns their sums.
  mlir::Value emitPairedWeights(mlir::OpBuilder &b, mlir::Value row,
                                mlir::Value blockKeys);
  /// Moves a row's statistics and adds those of a block.
  void emitStatistics(mlir::OpBuilder &b, mlir::Value row, RowStatistics block,
                      const Rescale &rescale);
  void emitOutput(mlir::OpBuilder &b, mlir::Value block, mlir::Value blockKeys,
                  mlir::Value firstRow, int64_t rowCount, int64_t firstChunk,
                  int64_t chunkCount);
  /// The sums of P V with those of the keys that step `step` takes.
  Values emitOutputStep(mlir::OpBuilder &b, mlir::Value keyRow,
                        mlir::Value step, llvm::ArrayRef<mlir::Value> rows,
                        int64_t firstChunk, int64_t chunkCount,
                        mlir::ValueRange sums);
  /// The vectors of values that a step multiplies.
  Values loadValues(mlir::OpBuilder &b, mlir::Value keyRow, int64_t firstChunk,
                    int64_t chunkCount);
  void emitRowOutputs(mlir::OpBuilder &b, mlir::Value block,
                      mlir::Value blockKeys, mlir::Value firstRow,
                      int64_t rowCount);
  void prefetch(mlir::OpBuilder &b, mlir::Value memref, mlir::Value row,
                mlir::Value part, int64_t parts);
  /// The key that the next block has where this one has `keyRow` + `term`.
  void prefetchKeys(mlir::OpBuilder &b, mlir::Value keyRow, int64_t term,
                    mlir::Value part, int64_t parts);
  /// Asks for part number `part` of `parts` of the rows from `firstRow` on.
  void prefetchPart(mlir::OpBuilder &b, mlir::Value memref,
                    mlir::Value firstRow, int64_t rows, mlir::Value part,
                    int64_t parts);
  /// The same of a half of the block's values.
  void prefetchValues(mlir::OpBuilder &b, mlir::Value block, int64_t half,
                      mlir::Value part, int64_t parts) {
    int64_t keys = shape.schedule.getKeys() / 2;
    prefetchPart(b, operands.value, addIndex(b, loc, block, half * keys), keys,
                 part, parts);
  }
  void allocateTiles();
  void emitQueryTiles(mlir::OpBuilder &b);
  /// Products of a block's keys and all rows, to where their weights will be.
  void emitTileDots(mlir::OpBuilder &b, mlir::Value block,
                    mlir::Value blockKeys);
  void emitValueSteps(mlir::OpBuilder &b, mlir::Value block,
                      mlir::Value blockKeys);
  void emitTileOutputs(mlir::OpBuilder &b, mlir::Value block,
                       mlir::Value blockKeys);
  void emitTileSums(mlir::OpBuilder &b, mlir::Value block,
                    mlir::Value blockKeys, mlir::Value first,
                    int64_t firstChunk, const RegisterTile &used);
  void
  forEachRow(mlir::OpBuilder &b,
             llvm::function_ref<void(mlir::OpBuilder &, mlir::Value)> body);
  mlir::Value splatLoad(mlir::OpBuilder &b, mlir::Value memref,
                        llvm::ArrayRef<mlir::Value> position);
  void storeLane(mlir::OpBuilder &b, mlir::Value vector, mlir::Value memref,
                 mlir::Value row);
  bool takesPairs() const { return tile.getTerms() > 1; }
  /// Of keys as they lie; those that the op changes are f32.
  bool takesKeyPairs() { return takesPairs() && !keyChanger.changes(); }
  bool takesKeyTiles() { return tile.isOfTiles() && takesKeyPairs(); }
  /// Rows of scratch: the tile unit has whole tiles of them.
  int64_t getPaddedRows() const {
    return tile.isOfTiles() ? llvm::alignTo(shape.getCount(), tile.mr)
                            : shape.getCount();
  }
  mlir::Value index(mlir::OpBuilder &b, int64_t value) {
    return createIndex(b, loc, value);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  OnlineAttentionOp op;
  AttentionOpInterface self;
  const DecodeShape &shape;
  const DecodeOperands &operands;
  ScratchPool &pool;
  const TargetDescription &target;
  RegisterTile tile;
  int64_t headDim, valueDim;
  RowVectors headVectors, valueVectors;
  /// Rows of keys and values as they lie, for pairs.
  RowVectors headPairs, valuePairs;
  RowChanger queryChanger, keyChanger;
  /// Queries in the compute type or as pairs, padded with zeros to whole
  /// vectors; factors of their scores; scores and weights of a block; rescaling
  /// factors.
  mlir::Value query, factors, weights, rescales;
  mlir::Value zero, count, lastKey;
  /// Where the op changes keys: those of the block that starts at `firstKey`.
  mlir::Value changedKeys, firstKey;
  /// On the tile unit: queries, steps by rows; products, keys by queries; a
  /// block's values, steps by columns; sums of a register tile of the output.
  mlir::Value queryTiles, dots, valueSteps, outputSums;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_DECODEEMITTER_H
