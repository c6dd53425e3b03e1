//===- ScoreFragments.h - Scores on the fragments of a warp -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The score emitter on accumulators: a lane has some keys of some rows. A row
// is a scalar, its keys are a vector. No policy is named here.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_ATTENTION_SCOREFRAGMENTS_H
#define ATTN_LIB_CONVERSION_GPU_ATTENTION_SCOREFRAGMENTS_H

#include "../Fragment/FragmentLayout.h"
#include "../Fragment/KernelBuilder.h"
#include "attn/Dialect/Attn/Score/KeyRanges.h"
#include "attn/Dialect/Attn/Score/ScoreEmitter.h"

namespace attn {

/// Whether a mask of the op hides keys before those that rows see.
bool hidesEarlyKeys(AttentionOpInterface op);

class ScoreFragments {
public:
  /// `sizes` are the op's, one index for each iteration dimension, `lane` is
  /// the thread's number in its warp (i32). With `aligned` the params that
  /// getPairedParam gives are loaded in pairs. With `startsAtLane` keys are
  /// counted from the lane's first one: the others are constants apart, and
  /// need no registers.
  ScoreFragments(KernelBuilder &, AttentionOpInterface op, int64_t lanes,
                 llvm::ArrayRef<mlir::Value> sizes, mlir::Value lane,
                 bool aligned, bool startsAtLane);

  LaneBuilder &getRowLanes() { return rowLanes; }
  LaneBuilder &getElementLanes() { return elementLanes; }

  /// Whether the kernel keeps similarities and multiplies by the row's factor
  /// in the exponent only.
  bool isLinear() const { return linear; }
  /// Whether scores are in natural units: where what is added to them is loaded
  /// for each, which would have to be multiplied without an overflow.
  bool isNatural() const { return natural; }

  /// Adds a row of the lane, a number that exists (i32), of a batch (indices of
  /// type index). Gives whether its factor is below 0, null where it is known
  /// not to be: then its similarities have to change their signs, as the factor
  /// does.
  mlir::Value addRow(llvm::ArrayRef<mlir::Value> batch, mlir::Value row);
  /// Multiplies the similarities of a row by `factor` from now on.
  void scaleRow(unsigned row, mlir::Value factor);
  const ScoreEmitter::Row &getRow(unsigned number) const {
    return rows[number];
  }
  unsigned getNumRows() const { return rows.size(); }

  KeyRanges getKeyRanges(llvm::ArrayRef<mlir::Value> batch,
                         mlir::Value firstRow, mlir::Value lastRow);
  mlir::Value emitLogExtra(unsigned row) {
    return emitter.emitLogExtra(rows[row]);
  }

  /// The keys of a tile: `columns` are those of the lane within it. Params are
  /// loaded for keys below `limit`, which may be null.
  ScoreEmitter::Column getColumn(mlir::Value first, mlir::Value columns,
                                 mlir::Value limit);
  /// Whether a row sees the lane's keys; null if it sees all. At an edge the
  /// row's bounds count, too.
  mlir::Value emitVisible(unsigned row, const ScoreEmitter::Column &column,
                          bool edge);
  /// Scores of a row, or similarities, -inf where hidden. Keys at `limit` and
  /// after it are hidden; a null limit says that the tile is within the ranges
  /// of all of its rows. `visible` becomes null where none can be hidden.
  mlir::Value emitScores(mlir::Value similarities, unsigned row,
                         const ScoreEmitter::Column &column, mlir::Value limit,
                         mlir::Value &visible);

private:
  mlir::Value keepAboveZero(mlir::Value factor);
  mlir::Value loadParam(unsigned index, const ScoreIndices &where);
  mlir::Value loadScalar(unsigned index, const ScoreIndices &where,
                         mlir::Value key);
  mlir::Value loadPairs(unsigned index, const ScoreIndices &where);
  llvm::SmallVector<mlir::Value>
  getPosition(unsigned index, const ScoreIndices &where, mlir::Value key);
  mlir::Value emitSegmentStart(const ScoreEmitter::Row &row, unsigned segments);
  LaneIndex toLaneIndex(mlir::Value row);
  llvm::SmallVector<mlir::Value> emitBitsFrom(mlir::Value bound);
  mlir::Value emitBetween(const ScoreEmitter::Row &row, mlir::Value start);

  KernelBuilder &kernel;
  AttentionOpInterface op;
  LaneBuilder rowLanes, elementLanes;
  mlir::Value lane;
  bool startsAtLane;
  llvm::SmallVector<mlir::Value> sizes;
  ScoreEmitter emitter;
  llvm::SmallVector<ScoreEmitter::Row, 0> rows;
  bool linear, natural = false;
  /// Whether similarities are more than products: what is added to scores is
  /// added to them.
  bool addsTerms = false;
  /// By number of a param, whether pairs of neighbours along keys are loaded.
  llvm::SmallVector<bool> pairs;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_ATTENTION_SCOREFRAGMENTS_H
