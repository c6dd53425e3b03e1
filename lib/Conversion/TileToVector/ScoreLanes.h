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
    /// What a hidden score is kept as.
    mlir::Value hidden;
  };
  /// One key: what holds for all rows.
  struct Column {
    ScoreEmitter::Column emitted;
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

  /// Whether what is kept of scores is in their order, as factors are not
  /// negative: then only its maximum needs the factor.
  bool keepsOrder() {
    return keepsSimilarities() && op.getScale().isNonNegative();
  }

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
  Score apply(mlir::Value similarity, const Row &row, const Column &column);
  /// The same where no mask hides the key from any of the rows.
  Score applySeen(mlir::Value similarity, const Row &row, const Column &column);
  /// A kept score in log2 units, minus `max`.
  mlir::Value emitDistance(mlir::Value kept, const Row &row, mlir::Value max);

  /// lambda of the rows.
  mlir::Value emitScale(mlir::Value firstRow);
  /// log e0 of the rows, or null when e0 is 0.
  mlir::Value emitLogExtra(mlir::Value firstRow);

private:
  /// Batch dimensions have size 1.
  llvm::SmallVector<mlir::Value> getBatch() {
    return llvm::SmallVector<mlir::Value>(op.getNumBatchDims(), lanes.index(0));
  }
  /// The vector of rows with their params.
  ScoreEmitter::Row getRow(mlir::Value firstRow, int64_t column);
  mlir::Value emitSegmentStart(const ScoreEmitter::Row &row, unsigned segments);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  AttentionOpInterface op;
  LaneBuilder lanes;
  ParamTiles tiles;
  ParamSource params;
  mlir::Value inverseNorms;
  ScoreEmitter emitter;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_SCORELANES_H
