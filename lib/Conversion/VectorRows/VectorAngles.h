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
  mlir::Value begin(mlir::OpBuilder &builder, const RowItem &item) override;
  void end(mlir::OpBuilder &builder) override;
  int64_t getWidth() const override {
    return angles.getWidth() * (areNeighbours ? 2 : 1);
  }

private:
  mlir::Location loc;
  mlir::FloatType type;
  PositionScheduleAttr schedule;
  bool areNeighbours;
  AngleRows angles;
  mlir::Value table;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_VECTORROWS_VECTORANGLES_H
