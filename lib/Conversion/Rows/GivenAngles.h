//===- GivenAngles.h - Sines and cosines from memory ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ROWS_GIVENANGLES_H
#define ATTN_LIB_CONVERSION_ROWS_GIVENANGLES_H

#include "RowOps.h"

namespace attn {

/// The tables of a rope that has them, on any machine: the rows at one position
/// find them in the caches.
class GivenAngles : public AngleTable {
public:
  GivenAngles(RopeOp op, RowMachine &machine) : op(op), machine(machine) {}

  void begin(mlir::OpBuilder &builder, const RowItem &item) override {}
  void end(mlir::OpBuilder &builder) override {}
  PairTurns get(const RowPiece &piece, const RowPlace &row, mlir::Value number,
                bool hasElements) override;

private:
  SineAndCosine load(const RowPiece &piece, const RowPlace &row,
                     mlir::Value column);

  RopeOp op;
  RowMachine &machine;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ROWS_GIVENANGLES_H
