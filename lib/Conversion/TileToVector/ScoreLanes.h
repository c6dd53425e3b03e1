//===- ScoreLanes.h - The score emitter on rows in lanes --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets the score emitter up for a tile on memrefs: rows stand in the lanes, the
// key is the same for all of them, and batch dimensions have size 1.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_SCORELANES_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_SCORELANES_H

#include "ParamTiles.h"
#include "TileShape.h"
#include "attn/Dialect/Attn/Score/ScoreEmitter.h"

namespace attn {

/// Whether ScoreLanes can emit what this op's policies need; says why not.
mlir::LogicalResult checkScores(AttentionOpInterface op,
                                mlir::PatternRewriter &rewriter);

/// The policies of one op for one vector of rows after the other.
class ScoreLanes {
public:
  /// One vector of rows: what holds for all keys.
  struct Row {
    ScoreEmitter::Row emitted;
    /// Where the vector starts in the tile, and in its group of vectors.
    mlir::Value first;
    int64_t column;
    /// The op's params; null where they vary with keys.
    llvm::SmallVector<mlir::Value> params;
    /// What a hidden score is kept as.
    mlir::Value hidden;
  };
  /// One key: what holds for all rows.
  struct Column {
    ScoreEmitter::Column emitted;
    mlir::Value key;
    /// Params that vary with keys only, as far as they are loaded.
    llvm::SmallVector<mlir::Value> params;
    /// 1 / norm of the key for cosine similarity.
    mlir::Value inverseNorm;
  };

  /// Builds with `builder` wherever it stands when a method is called.
  /// `inverseNorms` holds 1 / norm of the tile's keys for cosine similarity.
  ScoreLanes(mlir::OpBuilder &builder, AttentionOpInterface op,
             const RegisterTile &tile, mlir::Value inverseNorms = {});
  ScoreLanes(const ScoreLanes &) = delete;

  bool hidesKeys() { return !op.getMasks().empty(); }
  /// Whether scores are kept without their factor.
  bool keepsSimilarities() { return op.isScoreLinear(); }

  /// Brings params that vary with rows and keys into lanes, for the group of
  /// `tile.nr` vectors of rows from `firstRow` on.
  void prepareGroup(mlir::Value firstRow, int64_t keyBound, ScratchPool &pool);
  /// The vector of rows that starts `column` rows into the group.
  Row prepareRow(mlir::Value firstRow, int64_t column);
  Column prepareColumn(mlir::Value key);

  /// What is kept of a score between the two products, and what it stands for
  /// in log2 units. A score that is a plain multiple of the similarity is kept
  /// without its factor, which then rounds the distance to the maximum only.
  struct Score {
    mlir::Value kept, log2;
  };
  Score apply(mlir::Value similarity, const Row &row, Column &column);
  /// A kept score in log2 units, minus `max`.
  mlir::Value emitDistance(mlir::Value kept, const Row &row, mlir::Value max);

  /// lambda of the rows.
  mlir::Value emitScale(mlir::Value firstRow);
  /// log e0 of the rows, or null when e0 is 0.
  mlir::Value emitLogExtra(mlir::Value firstRow);

private:
  Row getRow(mlir::Value firstRow, int64_t column);
  mlir::Value emitSegmentStart(const Row &row, unsigned segments);
  mlir::Value loadParam(unsigned index);
  mlir::Value loadUniform(unsigned index, mlir::Value key);
  mlir::Value loadRowParam(unsigned index);
  mlir::Value loadElement(LaneBuilder &target, unsigned index,
                          llvm::ArrayRef<mlir::Value> position);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  AttentionOpInterface op;
  LaneBuilder lanes;
  ParamTiles tiles;
  mlir::Value inverseNorms;
  /// Where params are loaded; the column is null in prepareRow.
  const Row *currentRow = nullptr;
  Column *currentColumn = nullptr;
  ScoreEmitter emitter;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_SCORELANES_H
