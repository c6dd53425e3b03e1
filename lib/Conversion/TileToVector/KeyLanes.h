//===- KeyLanes.h - The score emitter on keys in lanes ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets the score emitter up for a tile on memrefs whose rows are few: a vector
// holds consecutive keys of one row. Batch dimensions but the head have size 1.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_KEYLANES_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_KEYLANES_H

#include "attn/Dialect/Attn/Score/ScoreEmitter.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// A row of a tile: local indices, as scalars. The head is 0 where the problem
/// has none.
struct TileRow {
  mlir::Value head, row;
};

/// Whether KeyLanes can emit what this op's policies need; says why not.
mlir::LogicalResult checkKeyScores(AttentionOpInterface op,
                                   mlir::PatternRewriter &rewriter);

/// The policies of one op for one vector of keys after the other.
class KeyLanes {
public:
  using Row = ScoreEmitter::Row;

  /// Builds with `builder` wherever it stands when a method is called.
  KeyLanes(mlir::OpBuilder &builder, AttentionOpInterface op, int64_t lanes);
  KeyLanes(const KeyLanes &) = delete;

  LaneBuilder &getLanes() { return lanes; }
  bool hidesKeys() { return !op.getMasks().empty(); }

  Row prepareRow(const TileRow &row);
  /// What similarities of the row are multiplied by.
  mlir::Value emitFactor(const TileRow &row);
  /// lambda of the row.
  mlir::Value emitScale(const TileRow &row);
  /// log e0 of the row, or null when e0 is 0.
  mlir::Value emitLogExtra(const TileRow &row);
  /// The final scores in log2 units of the keys from `key` on: -inf where a key
  /// is hidden, and from the lane `count` on.
  mlir::Value apply(mlir::Value similarity, const Row &row, mlir::Value key,
                    mlir::Value count);

private:
  AttentionOpInterface op;
  LaneBuilder lanes;
  ParamSource params;
  ScoreEmitter emitter;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_KEYLANES_H
