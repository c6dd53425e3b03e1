//===- TileRows.h - Rows of memory for the tile unit -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CONTRACTION_TILEROWS_H
#define ATTN_LIB_CONVERSION_CONTRACTION_TILEROWS_H

#include "TileProduct.h"

namespace attn {

/// A block as rows of terms, and a memref of what they are, [row, term]: of
/// terms with several parts, what these were made of.
struct TileRows {
  TileMemory memory;
  mlir::Value memref;
};

/// Rows, [row, term], that lie as the unit takes them are read there if they
/// are whole tiles of whole terms; others are copied to `scratch`, of bf16 and
/// of the sizes that getTileRowsShape() has for them.
TileRows emitTileRowsOf(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value rows, mlir::Value scratch,
                        const RegisterTile &tile);
llvm::SmallVector<int64_t> getTileRowsShape(int64_t rowBound, int64_t termBound,
                                            const RegisterTile &tile);

/// Whether all numbers of the first `rows` rows are finite, with the zeros that
/// stand behind `terms` terms up to the next tile.
mlir::Value emitAreFinite(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::FloatType narrow, const TileMemory &memory,
                          mlir::Value rows, mlir::Value terms);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CONTRACTION_TILEROWS_H
