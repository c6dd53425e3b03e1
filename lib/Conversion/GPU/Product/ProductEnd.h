//===- ProductEnd.h - What is stored of the sums ----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTEND_H
#define ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTEND_H

#include "DeviceProduct.h"

namespace attn {

/// The end of a block's sums, for one matrix of the batch: factor, bias,
/// epilogue, what the output held, and the store.
class ProductEnd {
public:
  ProductEnd(KernelBuilder &, const DeviceProduct &product,
             const ProductPlace &place);

  /// Whether all that is read and written beside the sums comes in pieces of
  /// `width` elements, and begins at multiples of 16 bytes: an i1 that is the
  /// same for all threads, null where it never does.
  mlir::Value emitTakesVectors(int64_t width);

  /// Stores what becomes of `sums`, a vector of neighbours in `row` from
  /// `column` on.
  void store(mlir::Value row, mlir::Value column, mlir::Value sums);

private:
  /// A matrix that is read or written, and whether a row of it is one number.
  struct Beside {
    GlobalRows rows;
    bool repeats = false, isDense = false;
  };
  Beside getBeside(const DeviceMatrix &matrix);
  mlir::Value getAddress(const Beside &from, mlir::Value row,
                         mlir::Value column);
  mlir::Value load(const Beside &from, mlir::Value row, mlir::Value column,
                   int64_t width);

  KernelBuilder &kernel;
  const DeviceProduct &product;
  const ProductPlace &place;
  Beside output;
  std::optional<Beside> bias;
  /// In the order of the extras, empty for numbers.
  llvm::SmallVector<std::optional<Beside>> extras;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_PRODUCT_PRODUCTEND_H
