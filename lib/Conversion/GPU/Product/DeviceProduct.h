//===- DeviceProduct.h - A matrix product as kernels get it -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host reads sizes, strides and addresses of a product once; a kernel gets
// numbers and addresses of first elements, nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_PRODUCT_DEVICEPRODUCT_H
#define ATTN_LIB_CONVERSION_GPU_PRODUCT_DEVICEPRODUCT_H

#include "../../Shared/ReadContraction.h"
#include "../Fragment/TileCopy.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace attn {

/// Matrices of one memref.
class DeviceMatrix {
public:
  DeviceMatrix() = default;
  /// For the host.
  DeviceMatrix(mlir::OpBuilder &, mlir::Location, const MatrixOperand &matrix);

  mlir::Type getElement() const { return mlir::getElementTypeOrSelf(first); }
  /// Whether columns, or rows, are known to be neighbours in memory.
  bool hasUnitColumns() const { return isConstantIntValue(columnStride, 1); }
  bool hasUnitRows() const { return isConstantIntValue(rowStride, 1); }
  /// Whether a row is one number.
  bool repeatsColumn() const { return isConstantIntValue(columnStride, 0); }

  /// The matrix at these indices of the batch (i32), in a kernel; its rows, or,
  /// with `transposed`, its columns, as rows of `columns` elements.
  GlobalRows emitRows(KernelBuilder &, llvm::ArrayRef<mlir::Value> batch,
                      int64_t columns, bool transposed = false) const;

private:
  /// A memref of its first element.
  mlir::Value first;
  mlir::OpFoldResult rowStride, columnStride;
  llvm::SmallVector<mlir::OpFoldResult> batchStrides;
};

struct DeviceProduct {
  /// For the host, before the op that is read.
  DeviceProduct(mlir::OpBuilder &, mlir::Location, const FoundProduct &found);

  /// What the epilogue reads: a number, or a matrix.
  struct Extra {
    mlir::Value number;
    DeviceMatrix matrix;
  };

  MatrixProduct product;
  mlir::FloatType compute;
  DeviceMatrix lhs, rhs, output;
  std::optional<DeviceMatrix> bias;
  llvm::SmallVector<Extra> extras;
  /// Numbers of rows, columns, terms and matrices, and those of the batch.
  mlir::Value rows, columns, depth, batchCount;
  llvm::SmallVector<mlir::Value> batchSizes;
};

/// Whether all rows, or all columns, of an operand lie at multiples of 16
/// bytes: an i1 for the host, null where they never do.
mlir::Value emitIsAligned(KernelBuilder &, const MatrixProduct &product,
                          const MatrixOperand &matrix);

/// What a block computes, all i32: which matrix, and its part of the results.
struct ProductPlace {
  llvm::SmallVector<mlir::Value> batch;
  mlir::Value firstRow, firstColumn;
  /// Sizes of the whole product.
  mlir::Value rows, columns, depth;
  /// Threads: number in the block, warp, and number in the warp.
  mlir::Value thread, warp, lane;
  /// The block's shared memory, and its number in the cluster.
  mlir::Value shared, inCluster;
};

/// What the blocks of a kernel have, and how it is launched.
struct ProductBlock {
  int64_t rows, columns, threads, sharedBytes;
  /// Blocks of neighbouring rows that run together.
  int64_t cluster = 1;

  /// Tiles of rows, those of whole clusters.
  mlir::Value emitRowTiles(KernelBuilder &, mlir::Value rows) const;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_PRODUCT_DEVICEPRODUCT_H
