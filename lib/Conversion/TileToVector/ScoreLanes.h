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

#include "TileShape.h"
#include "attn/Dialect/Attn/Score/ScoreEmitter.h"

namespace attn {

/// Whether ScoreLanes can emit what this op's policies need; says why not.
mlir::LogicalResult checkScores(AttentionOpInterface op,
                                mlir::PatternRewriter &rewriter);

/// The policies of one op for one vector of rows after the other.
class ScoreLanes {
public:
  using Row = ScoreEmitter::Row;
  using Column = ScoreEmitter::Column;

  /// Builds with `builder` wherever it stands when a method is called.
  ScoreLanes(mlir::OpBuilder &builder, AttentionOpInterface op,
             const RegisterTile &tile);
  ScoreLanes(const ScoreLanes &) = delete;

  bool hidesKeys() { return !op.getMasks().empty(); }

  /// The rows [firstRow, firstRow + lanes) of the tile, with their factor.
  Row prepareRow(mlir::Value firstRow);
  Column prepareColumn(mlir::Value key);
  /// The final score in log2 units: -inf where the key is hidden.
  mlir::Value apply(mlir::Value score, mlir::Value firstRow, const Row &row,
                    mlir::Value key, const Column &column);

  /// lambda of the rows.
  mlir::Value emitScale(mlir::Value firstRow);
  /// log2 e0 of the rows, or null when e0 is 0.
  mlir::Value emitLog2Extra(mlir::Value firstRow);

private:
  Row getRow(mlir::Value firstRow);
  mlir::Value loadParam(unsigned index);
  mlir::Value loadRowParam(unsigned index, mlir::AffineMap map);
  mlir::Value loadElement(LaneBuilder &target, unsigned index,
                          llvm::ArrayRef<mlir::Value> position);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  AttentionOpInterface op;
  LaneBuilder lanes;
  /// The rows and the key whose params are loaded.
  mlir::Value currentRow;
  mlir::Value currentKey;
  ScoreEmitter emitter;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_SCORELANES_H
