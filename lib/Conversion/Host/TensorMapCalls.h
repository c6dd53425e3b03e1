//===- TensorMapCalls.h - What the context is told of a tensor --*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_HOST_TENSORMAPCALLS_H
#define ATTN_LIB_CONVERSION_HOST_TENSORMAPCALLS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

namespace attn {

/// attn_gpu_tensor.
mlir::Type getTensorDescriptionType(mlir::MLIRContext *context);

/// Writes to the attn_gpu_tensor at `address` what a map is to be made of.
void emitTensorDescription(mlir::OpBuilder &builder,
                           mlir::nvgpu::TmaCreateDescriptorOp create,
                           mlir::Value address);

/// Erases the op, which nobody uses any more, and what only it has used.
void eraseTensorMap(mlir::nvgpu::TmaCreateDescriptorOp create);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_HOST_TENSORMAPCALLS_H
