//===- NormPanel.h - Loops over a tile of a norm, in memory order *- C++ -*===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What norms need whose statistics are not those of rows. The lanes are indices
// of the last dimension: where that is kept, each lane has a mean and a
// variance of its own; where it is normalised, lanes are summed.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_VECTORROWS_NORMPANEL_H
#define ATTN_LIB_CONVERSION_VECTORROWS_NORMPANEL_H

#include "RowLoop.h"
#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// A part of the input: a range of each dimension.
struct NormTile {
  llvm::SmallVector<mlir::Value> begin, end;
};

/// Numbers by kept dimension: while elements are measured their sum, their mean
/// as a distance from the shift, and the sum of squares around it; then mean
/// and factor. Sum and mean are null where the norm is not centred.
struct NormNumbers {
  mlir::Value mean, spread, sum;
  /// The dimensions they have, and where they begin (null: at 0).
  llvm::SmallVector<int64_t> dims;
  llvm::SmallVector<mlir::Value> origin;
  /// An index before all others, or null.
  mlir::Value part;

  /// The indices for those of the input at hand.
  llvm::SmallVector<mlir::Value> locate(mlir::OpBuilder &builder,
                                        mlir::Location loc,
                                        llvm::ArrayRef<mlir::Value> at) const;
};

/// What the loops have in common.
struct NormPanel {
  explicit NormPanel(NormOp op);

  using Visit = llvm::function_ref<void(mlir::OpBuilder &,
                                        llvm::SmallVector<mlir::Value> &at)>;
  using VisitRows = llvm::function_ref<void(
      mlir::OpBuilder &, llvm::SmallVector<mlir::Value> &at, int64_t rows)>;
  /// A vector of lanes from `column` on; without a mask all of them.
  using VisitLanes = llvm::function_ref<void(LaneBuilder &, mlir::Value column,
                                             mlir::Value mask)>;

  /// Goes over `dims` of the tile; `at` gets their indices.
  void visit(mlir::OpBuilder &b, const NormTile &tile,
             llvm::ArrayRef<int64_t> dims, llvm::SmallVector<mlir::Value> &at,
             Visit body) const;
  /// Goes over all dimensions but the last one, `rows` indices of the one
  /// before at a time where that is normalised and has so many, else one at a
  /// time.
  void visitLines(mlir::OpBuilder &b, const NormTile &tile, int64_t rows,
                  VisitRows body) const;
  /// A part of the last dimension.
  RowShape getLine(mlir::OpBuilder &b, mlir::Value begin, mlir::Value end,
                   bool inVectors, int64_t unroll) const;
  void visitLanes(mlir::OpBuilder &b, mlir::Value begin, mlir::Value end,
                  bool inVectors, VisitLanes body) const;

  /// What the elements of a group are measured from: its first one, or 0 where
  /// that is infinite.
  mlir::Value loadShift(LaneBuilder &lanes, llvm::ArrayRef<mlir::Value> at,
                        mlir::Value mask) const;
  /// Those of `at` that an operand of these dimensions has.
  static llvm::SmallVector<mlir::Value> select(llvm::ArrayRef<mlir::Value> at,
                                               llvm::ArrayRef<int64_t> dims);
  /// How many elements of each group come before the index `at` of the tile.
  mlir::Value countBefore(mlir::OpBuilder &b, const NormTile &tile,
                          llvm::ArrayRef<mlir::Value> at) const;

  mlir::Location loc;
  mlir::FloatType type;
  int64_t numLanes;
  int64_t last;
  mlir::Value input;
  llvm::SmallVector<int64_t> axes, kept;
  /// Whether the last dimension is kept.
  bool isColumns;
  /// Whether all that has the last dimension has its elements side by side; the
  /// same for the last one that is kept.
  bool inVectors, keptInVectors;
};

/// Adds the elements of the tile to its statistics.
class NormMeasure {
public:
  /// `read` returns elements of x. Positions are indices of the input.
  using Read = llvm::function_ref<mlir::Value(
      LaneBuilder &, llvm::ArrayRef<mlir::Value> at, mlir::Value mask)>;

  NormMeasure(const NormPanel &panel, const NormTile &tile,
              const NormNumbers &numbers, Read read)
      : panel(panel), loc(panel.loc), tile(tile), numbers(numbers), read(read) {
  }
  void emit(mlir::OpBuilder &b);

private:
  void emitZeros(mlir::OpBuilder &b);
  void emitColumns(mlir::OpBuilder &b, llvm::SmallVector<mlir::Value> &at,
                   int64_t rows);
  void emitRun(mlir::OpBuilder &b, llvm::SmallVector<mlir::Value> &at);
  /// The sum over the lanes and elements from `begin` to `end`.
  mlir::Value
  emitSum(mlir::OpBuilder &b, llvm::SmallVector<mlir::Value> &at,
          mlir::Value begin, mlir::Value end,
          llvm::function_ref<mlir::Value(LaneBuilder &, mlir::Value)> term);

  const NormPanel &panel;
  mlir::Location loc;
  const NormTile &tile;
  const NormNumbers &numbers;
  Read read;
};

/// The statistics of `count` elements take in those of `more` others (Chan):
/// the variance is never a difference of large numbers. Counts are scalars.
void mergeNormNumbers(LaneBuilder &lanes, mlir::Value &mean,
                      mlir::Value &spread, mlir::Value count,
                      mlir::Value otherMean, mlir::Value otherSpread,
                      mlir::Value more);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_VECTORROWS_NORMPANEL_H
