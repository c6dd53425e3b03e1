//===- TileProduct.h - Register tiles on the tile unit ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ContractionEmitter does with vectors, for a machine whose sums stand in
// tile registers. These reach vectors through memory only, so that a product
// writes its sums there and the caller goes on with them. All tiles are whole:
// their shapes are those of one configuration.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CONTRACTION_TILEPRODUCT_H
#define ATTN_LIB_CONVERSION_CONTRACTION_TILEPRODUCT_H

#include "../Lanes/RegisterTile.h"

#include "mlir/IR/Builders.h"

namespace attn {

/// Rows of memory as the tile unit takes them.
struct TileMemory {
  /// Of a rank-2 memref whose elements of a row lie side by side.
  static TileMemory get(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value memref);
  /// An i64.
  mlir::Value getAddress(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value row, mlir::Value column) const;
  mlir::Value getPointer(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value row, mlir::Value column) const;

  /// Of the first element, and from a row to the next in bytes: i64.
  mlir::Value address, stride;
  int64_t elementBytes;
};

struct TileOperands {
  /// Rows of narrow terms, kTileTerms at a time: `mr` rows are read, and terms
  /// up to the next multiple, which are numbers where the other operand is 0.
  TileMemory lhs;
  /// Rows of steps, which are two terms each, the same number of them.
  TileMemory rhs;
  /// The first column of `rhs`; `nr` vectors of them are used.
  mlir::Value column;
  mlir::Value depth;
  /// The first term of `rhs`, a multiple of kTileTerms; null for 0.
  mlir::Value rhsBegin = {};
  /// Whether `rhs` comes from beyond the L1 cache.
  bool prefetchesRhs = false;
  /// From a part of the terms to the next.
  int64_t lhsPartBytes = 0, rhsPartBytes = 0;
  /// Whether the product of the last parts counts, too.
  bool isWhole = false;
};

/// Where the sums of a register tile go: `mr` rows of memory.
struct TileSums {
  TileMemory memory;
  mlir::Value row, column;
  /// Whether they are added to what stands there.
  bool accumulates = false;
  /// The same where it is known later; null otherwise.
  mlir::Value isFirst = {};
};

/// Work for vectors beside the unit's: called behind each kTileTerms of the
/// terms with how many came before.
using TileCompanion =
    llvm::function_ref<void(mlir::OpBuilder &, mlir::Value chunk)>;

/// The products of rows `row` to `row + mr` of the left operand.
void emitTileProduct(mlir::OpBuilder &builder, mlir::Location loc,
                     const RegisterTile &tile, const TileOperands &operands,
                     mlir::Value row, const TileSums &sums,
                     TileCompanion companion = {});

/// Whether one of the first `count` rows of `sums`, a register tile in memory,
/// is NaN somewhere.
mlir::Value emitAnyNaN(mlir::OpBuilder &builder, mlir::Location loc,
                       const RegisterTile &tile, mlir::Value sums,
                       mlir::Value count);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CONTRACTION_TILEPRODUCT_H
