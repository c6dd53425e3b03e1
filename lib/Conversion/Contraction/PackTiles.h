//===- PackTiles.h - Rows of terms for the tile unit ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile unit takes rows of kTileTerms narrow terms, whole ones. Here they
// are copied from memory of any layout, with zeros behind the last term: 0
// times what stands there by chance may be NaN.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CONTRACTION_PACKTILES_H
#define ATTN_LIB_CONVERSION_CONTRACTION_PACKTILES_H

#include "../Lanes/RegisterTile.h"

#include "mlir/IR/Builders.h"

namespace attn {

/// Copies `rows`, [row, term] of floats, into as many rows of `scratch`, which
/// has narrow numbers and unit inner stride; its rows have room for a multiple
/// of kTileTerms. If terms are sums of several parts, all rows of the first
/// part come before those of the next.
void emitTileRows(mlir::OpBuilder &builder, mlir::Location loc,
                  const RegisterTile &tile, mlir::Value rows,
                  mlir::Value scratch);

/// The same of `terms`, [term, row] with unit inner stride, narrow or of what
/// has the tile's parts. Scratch has room for a multiple of `tile.lanes` rows.
void emitTransposedTileRows(mlir::OpBuilder &builder, mlir::Location loc,
                            const RegisterTile &tile, mlir::Value terms,
                            mlir::Value scratch);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CONTRACTION_PACKTILES_H
