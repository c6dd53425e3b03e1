//===- AngleRows.h - Sines and cosines by position --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_VECTORROWS_ANGLEROWS_H
#define ATTN_LIB_CONVERSION_VECTORROWS_ANGLEROWS_H

#include "../Shared/PositionAngles.h"

namespace attn {

/// Computes the sines and cosines that rope and sinusoidal positions take for a
/// block of rows, in vectors of pairs of a row.
class AngleRows {
public:
  /// `op` is a RopeOp or a SinusoidalPositionsOp on memrefs with a schedule;
  /// sines and cosines have the type `type` in the end.
  template <typename OpTy>
  AngleRows(OpTy op, int64_t pairs, mlir::FloatType type)
      : loc(op.getLoc()), angles(op, pairs), pairs(pairs),
        lanes(
            llvm::cast<PositionScheduleAttr>(op.getScheduleAttr()).getLanes()),
        type(type) {}

  /// The number of pairs, in whole vectors.
  int64_t getWidth() const { return (pairs + lanes - 1) / lanes * lanes; }

  /// Creates what all blocks of one work item share, at its start, and what
  /// goes at its end.
  void begin(mlir::OpBuilder &builder);
  void end(mlir::OpBuilder &builder);

  /// Sines and cosines of `lanes` pairs from `pair` on, and the end of a row.
  using Visit = llvm::function_ref<void(mlir::OpBuilder &, mlir::Value row,
                                        mlir::Value pair, mlir::Value sine,
                                        mlir::Value cosine)>;
  using VisitRow = llvm::function_ref<void(mlir::OpBuilder &, mlir::Value row)>;
  /// For the rows from `low` to below `high`, of index `first` along the first
  /// dimension.
  void emit(mlir::OpBuilder &builder, mlir::Value first, mlir::Value low,
            mlir::Value high, Visit visit, VisitRow finish);

private:
  mlir::Value emitAngles(mlir::OpBuilder &builder, mlir::Value position,
                         mlir::Value pair);
  void emitPairs(mlir::OpBuilder &builder,
                 llvm::function_ref<void(mlir::OpBuilder &, mlir::Value)> body);
  void emitEach(mlir::OpBuilder &builder, mlir::Value first, mlir::Value low,
                mlir::Value high, Visit visit, VisitRow finish);
  void emitSteps(mlir::OpBuilder &builder, mlir::Value position,
                 mlir::Value low, mlir::Value high, Visit visit,
                 VisitRow finish);
  bool maySteps() const { return !angles.areGiven() && !type.isF64(); }
  int64_t getNearPositions() const;

  mlir::Location loc;
  PositionAngles angles;
  int64_t pairs, lanes;
  mlir::FloatType type;
  mlir::Value frequencies;
  /// Rows [sines, cosines] of the last position, and of the angles between two
  /// positions.
  mlir::Value state, step;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_VECTORROWS_ANGLEROWS_H
