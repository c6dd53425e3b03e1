//===- PositionRows.cpp - Rotations and tables of positions as kernels ----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Rows/GivenAngles.h"
#include "RowAngles.h"
#include "RowKernel.h"

using namespace mlir;
using namespace attn;

/// Sines and cosines, and their products, are f32 or f64.
static FloatType getProductType(Value output) {
  Builder b(output.getContext());
  return getElementTypeOrSelf(output).isF64() ? FloatType(b.getF64Type())
                                              : FloatType(b.getF32Type());
}

void attn::emitRows(OpBuilder &builder, RopeOp op, GPURowsAttr schedule) {
  FloatType type = getProductType(op.getOutput());
  RowKernel machine(op.getLoc(), type, schedule);
  if (op.hasTables()) {
    GivenAngles angles(op, machine);
    return emitRope(builder, op, machine, angles);
  }
  RowAngles angles(op, op.getNumRotated() / 2, type, machine);
  emitRope(builder, op, machine, angles);
}

void attn::emitRows(OpBuilder &builder, SinusoidalPositionsOp op,
                    GPURowsAttr schedule) {
  FloatType type = getProductType(op.getOutput());
  int64_t pairs =
      cast<ShapedType>(op.getOutput().getType()).getShape().back() / 2;
  RowKernel machine(op.getLoc(), type, schedule);
  RowAngles angles(op, pairs, type, machine);
  if (pairs != 0)
    emitSinusoidalRows(builder, op, machine, angles);
}
