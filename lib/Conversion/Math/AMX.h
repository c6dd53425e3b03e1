//===- AMX.h - Instructions of the tile unit --------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of LLVM's intrinsics on tile registers that are named by number. LLVM
// keeps their order, and neither chooses registers nor configures the unit: its
// form with tiles as values configures it anew after each call, and spills.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_MATH_AMX_H
#define ATTN_LIB_CONVERSION_MATH_AMX_H

#include "mlir/IR/Builders.h"

namespace attn::amx {

/// Takes the shapes of all tiles from the 64 bytes at `address`, and clears
/// the tiles.
void emitConfigure(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value address);
/// Tiles are in no use any more.
void emitRelease(mlir::OpBuilder &builder, mlir::Location loc);
/// What emitConfigure takes: each tile has kTileRows rows of kTileBytes.
llvm::SmallVector<char> getConfiguration();

void emitZero(mlir::OpBuilder &builder, mlir::Location loc, int64_t tile);
/// Rows of memory that are `stride` bytes apart, an i64.
void emitLoad(mlir::OpBuilder &builder, mlir::Location loc, int64_t tile,
              mlir::Value address, mlir::Value stride);
void emitStore(mlir::OpBuilder &builder, mlir::Location loc, int64_t tile,
               mlir::Value address, mlir::Value stride);
/// sums[i, j] += sum over k of lhs[i, k] rhs[k / 2, 2 j + k % 2], of `narrow`,
/// which is bf16 or f16, with sums of f32. Denormal numbers of bf16 and of sums
/// count as 0.
void emitDot(mlir::OpBuilder &builder, mlir::Location loc,
             mlir::FloatType narrow, int64_t sums, int64_t lhs, int64_t rhs);

/// Whether this is one of the last four, which need a configuration.
bool usesTiles(mlir::Operation *op);

} // namespace attn::amx

#endif // ATTN_LIB_CONVERSION_MATH_AMX_H
