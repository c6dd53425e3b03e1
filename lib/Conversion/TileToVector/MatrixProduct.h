//===- MatrixProduct.h - Blocked matrix products on memrefs --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C[i, j] = sum_k A[i, k] B[k, j] for matrices of any size in memory. Blocks of
// rows by one register tile's columns are independent and run in parallel. A
// block goes over k in steps: it copies its part of B into a panel that stays
// in the cache, in the type of the sums, and lets the ContractionEmitter run
// down its rows of A. Nothing here knows about attention.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_MATRIXPRODUCT_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_MATRIXPRODUCT_H

#include "TileShape.h"

namespace attn {

/// Matrices of one memref: one for each index of the batch.
struct MatrixOperand {
  mlir::Value memref;
  mlir::OpFoldResult rows, columns;
  mlir::OpFoldResult rowStride, columnStride;
  /// For each dimension of the batch, 0 where the matrix is the same.
  llvm::SmallVector<mlir::OpFoldResult> batchStrides;

  /// The matrix at these batch indices as a rank-2 memref.
  mlir::Value createView(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::ValueRange batch) const;
};

struct MatrixProduct {
  MatrixOperand lhs;
  /// [k, j], or [j, k] if transposed; with unit inner stride.
  MatrixOperand rhs;
  bool rhsTransposed = false;
  /// With unit inner stride.
  MatrixOperand output;
  /// The sizes of the batch's dimensions; `batchCount` matrices are computed,
  /// with indices in row-major order.
  llvm::SmallVector<mlir::OpFoldResult> batchSizes;
  mlir::OpFoldResult batchCount;
  /// Adds to what the output holds.
  bool accumulates = false;
  /// A number each sum is multiplied by, and a rank-1 memref of numbers then
  /// added to the columns; null for none.
  mlir::Value factor;
  mlir::Value bias;
};

/// Emits the loops of one product before `user`.
void emitMatrixProduct(mlir::OpBuilder &builder, mlir::Operation *user,
                       const MatrixProduct &product,
                       ContractionScheduleAttr schedule,
                       mlir::FloatType compute);

/// Copies rhs[k0 .. k0 + depth, column .. column + panel width] into `panel`,
/// one row for each k. Columns from `count` on are filled with numbers that
/// do not matter.
struct PanelSource {
  mlir::Value rhs;
  bool transposed;
  mlir::Value begin, depth;
  mlir::Value column, count;
};
void emitPanel(mlir::OpBuilder &builder, mlir::Location loc,
               const PanelSource &source, mlir::Value panel,
               const RegisterTile &tile);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_MATRIXPRODUCT_H
