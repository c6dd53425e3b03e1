//===- OutlineKernels.h - What travels into a kernel ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_OUTLINE_OUTLINEKERNELS_H
#define ATTN_LIB_CONVERSION_GPU_OUTLINE_OUTLINEKERNELS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace attn {

/// Clones into a launch what its body uses and need not travel: constants,
/// constant tensors and views of them, and loads of numbers whose memory nobody
/// writes between them and the launch.
void sinkIntoLaunch(mlir::gpu::LaunchOp launch);

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

#endif // ATTN_LIB_CONVERSION_GPU_OUTLINE_OUTLINEKERNELS_H
