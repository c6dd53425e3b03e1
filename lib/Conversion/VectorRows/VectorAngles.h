//===- VectorAngles.h - Sines and cosines of a CPU's rope -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_VECTORROWS_VECTORANGLES_H
#define ATTN_LIB_CONVERSION_VECTORROWS_VECTORANGLES_H

#include "../Rows/RowOps.h"
#include "AngleRows.h"

namespace attn {

class VectorAngles : public AngleTable {
public:
  VectorAngles(RopeOp op, mlir::FloatType type);
  void begin(mlir::OpBuilder &builder, const RowItem &item) override;
  void end(mlir::OpBuilder &builder) override;
  PairTurns get(const RowPiece &piece, const RowPlace &row, mlir::Value number,
                bool hasElements) override;

private:
  /// Elements before the cosines.
  int64_t getWidth() const {
    return angles.getWidth() * (areNeighbours ? 2 : 1);
  }

  mlir::Location loc;
  mlir::FloatType type;
  PositionScheduleAttr schedule;
  bool areNeighbours;
  AngleRows angles;
  /// [position, sines and cosines], in whole vectors of pairs.
  mlir::Value table;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_VECTORROWS_VECTORANGLES_H
