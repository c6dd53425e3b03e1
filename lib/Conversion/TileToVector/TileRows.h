//===- TileRows.h - Keys and values for the tile unit -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_TILEROWS_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_TILEROWS_H

#include "../Contraction/TileProduct.h"
#include "TileShape.h"

namespace attn {

/// A block of keys or values of which the rows are those of a product, and the
/// bounds of its size.
struct TileRowsSource {
  /// [row, term].
  mlir::Value rows;
  int64_t rowBound, termBound;
  unsigned slot;
};

/// A block as rows of terms, and a memref of what they are, [row, term].
struct TileRows {
  TileMemory memory;
  mlir::Value memref;
};

/// Rows that lie as the unit takes them are read there if they are whole tiles
/// of whole terms; others are copied.
TileRows emitTileRowsOf(mlir::OpBuilder &builder, mlir::Operation *op,
                        const TileRowsSource &source, const RegisterTile &tile,
                        ScratchPool &pool);

/// Whether all numbers of the first `rows` rows are finite, with the zeros that
/// stand behind `terms` terms up to the next tile.
mlir::Value emitAreFinite(mlir::OpBuilder &builder, mlir::Location loc,
                          const TileMemory &memory, mlir::Value rows,
                          mlir::Value terms);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_TILEROWS_H
