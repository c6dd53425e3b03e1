//===- ElementKernel.h - Kernels with a thread for each point ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_STRUCTURED_ELEMENTKERNEL_H
#define ATTN_LIB_CONVERSION_GPU_STRUCTURED_ELEMENTKERNEL_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace attn {

/// Emits a gpu.launch with a thread for each point of a box with these sizes,
/// the last dimension the fastest: neighbours along it are neighbours in a
/// warp. `body` gets the indices of its thread's point. The grid is linear.
void emitElementKernel(
    mlir::OpBuilder &builder, mlir::Location loc,
    llvm::ArrayRef<mlir::OpFoldResult> sizes,
    llvm::function_ref<void(mlir::OpBuilder &, mlir::ValueRange indices)> body);

/// The indices of point `linear` of a box with these sizes, the last dimension
/// the fastest.
llvm::SmallVector<mlir::Value>
emitDelinearized(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value linear, llvm::ArrayRef<mlir::Value> sizes);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_STRUCTURED_ELEMENTKERNEL_H
