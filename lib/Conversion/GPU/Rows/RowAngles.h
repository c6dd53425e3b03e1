//===- RowAngles.h - Sines and cosines of positions on a GPU ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_ROWS_ROWANGLES_H
#define ATTN_LIB_CONVERSION_GPU_ROWS_ROWANGLES_H

#include "../../Rows/RowOps.h"
#include "../../Shared/PositionAngles.h"
#include "RowKernel.h"

namespace attn {

/// A thread computes the sines and cosines of its own pairs, and keeps them in
/// registers for all rows of an item, which is one position.
class RowAngles : public AngleTable {
public:
  template <typename OpTy>
  RowAngles(OpTy op, int64_t pairs, mlir::FloatType type, RowKernel &machine)
      : loc(op.getLoc()), type(type), angles(op, pairs), machine(machine) {}

  void begin(mlir::OpBuilder &builder, const RowItem &item) override;
  void end(mlir::OpBuilder &builder) override {}
  PairTurns get(const RowPiece &piece, const RowPlace &row, mlir::Value number,
                bool hasElements) override;

private:
  SineAndCosine compute(const RowPiece &piece, bool hasElements);

  mlir::Location loc;
  mlir::FloatType type;
  PositionAngles angles;
  RowKernel &machine;
  /// Of the item at hand: the scaled position, and what pieces have so far.
  mlir::Value frequencies, scaled;
  llvm::SmallDenseMap<int64_t, SineAndCosine> known;
};

/// Each emits the whole op, which stays.
void emitRows(mlir::OpBuilder &builder, RopeOp op, GPURowsAttr schedule);
void emitRows(mlir::OpBuilder &builder, SinusoidalPositionsOp op,
              GPURowsAttr schedule);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_ROWS_ROWANGLES_H
