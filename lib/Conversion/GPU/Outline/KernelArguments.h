//===- KernelArguments.h - What travels into a kernel -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_OUTLINE_KERNELARGUMENTS_H
#define ATTN_LIB_CONVERSION_GPU_OUTLINE_KERNELARGUMENTS_H

#include "mlir/IR/Builders.h"

namespace attn {

/// Appends what a kernel gets of `value`: a number as it is; of a memref the
/// address of its first element, and the sizes and strides that its type leaves
/// open.
void appendKernelArguments(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value,
                           llvm::SmallVectorImpl<mlir::Value> &arguments);

/// The types of what is appended for a value of this type.
void appendKernelTypes(mlir::Type type,
                       llvm::SmallVectorImpl<mlir::Type> &types);

/// In the kernel, a value of `type` from its arguments, of which it takes those
/// that it needs.
mlir::Value rebuildValue(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Type type, mlir::ValueRange &arguments);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_OUTLINE_KERNELARGUMENTS_H
