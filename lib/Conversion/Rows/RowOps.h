//===- RowOps.h - Ops that are computed row by row --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each emits a whole op on memrefs, on any machine; the op itself stays.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ROWS_ROWOPS_H
#define ATTN_LIB_CONVERSION_ROWS_ROWOPS_H

#include "RowMachine.h"
#include "attn/Conversion/Math/ExpandMath.h"
#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// A norm; machines of rows along the last dimensions take one whose groups are
/// these.
void emitNormRows(mlir::OpBuilder &builder, NormOp op, RowMachine &machine);

/// A softmax, as far as the machine takes such rows; the other one is along the
/// last dimension, and cuts rows into segments of `length` elements, which are
/// the rows of its machine.
void emitSoftmaxRows(mlir::OpBuilder &builder, SoftmaxOp op,
                     RowMachine &machine);
void emitSoftmaxSegments(mlir::OpBuilder &builder, SoftmaxOp op,
                         RowMachine &machine, int64_t length);

/// Statistics of chunks of `lines` times `columns` elements, put together.
void emitStatistics(mlir::OpBuilder &builder, StatisticsOp op,
                    RowMachine &machine, int64_t lines, int64_t columns);

/// The same with a row for each result, which may be over any dimensions.
void emitStatisticsRows(mlir::OpBuilder &builder, StatisticsOp op,
                        RowMachine &machine);

/// What the elements of a pair, or of pairs, turn by.
struct PairTurns {
  SineAndCosine first, second;
};

/// Sines and cosines of the positions of a work item, as a target makes and
/// keeps them.
class AngleTable {
public:
  virtual ~AngleTable() = default;
  /// Makes those of an item.
  virtual void begin(mlir::OpBuilder &builder, const RowItem &item) = 0;
  virtual void end(mlir::OpBuilder &builder) = 0;
  /// Those of the pairs from the piece's position on, at the item's position
  /// with this number, which is that of the row. Where the piece has the
  /// elements of pairs that are neighbours, `first` is for each element, the
  /// first sine of a pair negated.
  virtual PairTurns get(const RowPiece &piece, const RowPlace &row,
                        mlir::Value number, bool hasElements) = 0;
};
void emitRope(mlir::OpBuilder &builder, RopeOp op, RowMachine &machine,
              AngleTable &angles);
void emitSinusoidalRows(mlir::OpBuilder &builder, SinusoidalPositionsOp op,
                        RowMachine &machine, AngleTable &angles);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ROWS_ROWOPS_H
