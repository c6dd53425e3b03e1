//===- MatrixProduct.h - What a matrix product computes ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C[i, j] = sum_k A[i, k] B[k, j] for matrices in memory, and what is stored of
// the sums: what linear layers and structured ops are read as, and every
// machine has its own loops for.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_SHARED_MATRIXPRODUCT_H
#define ATTN_LIB_CONVERSION_SHARED_MATRIXPRODUCT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>

namespace attn {

/// Matrices of one memref: one for each index of the batch.
struct MatrixOperand {
  mlir::Value memref;
  mlir::OpFoldResult rows, columns;
  mlir::OpFoldResult rowStride, columnStride;
  /// For each dimension of the batch, 0 where the matrix is the same.
  llvm::SmallVector<mlir::OpFoldResult> batchStrides;

  mlir::Type getElement() const {
    return mlir::getElementTypeOrSelf(memref.getType());
  }
  /// The matrix at these batch indices as a rank-2 memref.
  mlir::Value createView(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::ValueRange batch) const;
};

/// Something the epilogue reads beside each sum: a number, or a matrix of the
/// output's size, with strides of 0 where it repeats.
struct MatrixExtra {
  mlir::Value number;
  MatrixOperand matrix;
};

struct MatrixProduct {
  MatrixOperand lhs;
  /// [k, j], or [j, k] if transposed.
  MatrixOperand rhs;
  bool rhsTransposed = false;
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
  /// What is stored for a vector of these sums and those of the extras, all of
  /// the type of the sums; null where it is the sums.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value sum,
                            mlir::ValueRange extras)>
      epilogue;
  /// Whether it is a few ops, which all vectors of a tile may do at once.
  bool isShortEpilogue = false;
  llvm::SmallVector<MatrixExtra> extras;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_SHARED_MATRIXPRODUCT_H
