//===- TensorSlices.h - Strided copies between tensors ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_REFERENCE_TENSORSLICES_H
#define ATTN_LIB_REFERENCE_TENSORSLICES_H

#include "attn/Reference/Tensor.h"
#include "mlir/IR/Operation.h"

namespace attn::reference::detail {

/// A box of elements: offset + index . strides for indices below sizes.
struct Box {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;

  /// The box that starts at `offsets` of a tensor, with steps per dimension.
  static Box at(const Tensor &tensor, llvm::ArrayRef<int64_t> offsets,
                llvm::ArrayRef<int64_t> steps = {});
};

/// An error of `op`, with the numbers, where indices offset + i step, i < size,
/// do not all lie within the tensor.
mlir::LogicalResult checkInside(mlir::Operation *op, const Tensor &tensor,
                                llvm::ArrayRef<int64_t> offsets,
                                llvm::ArrayRef<int64_t> sizes,
                                llvm::ArrayRef<int64_t> steps);

void copyBox(const Tensor &from, const Box &source, Tensor &to,
             const Box &target, llvm::ArrayRef<int64_t> sizes);

} // namespace attn::reference::detail

#endif // ATTN_LIB_REFERENCE_TENSORSLICES_H
