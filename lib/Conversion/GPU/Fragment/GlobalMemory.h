//===- GlobalMemory.h - Operands of kernels in global memory ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_FRAGMENT_GLOBALMEMORY_H
#define ATTN_LIB_CONVERSION_GPU_FRAGMENT_GLOBALMEMORY_H

#include "KernelBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace attn {

/// Sizes and strides of a memref for use in a kernel.
mlir::memref::ExtractStridedMetadataOp emitDeviceMetadata(KernelBuilder &,
                                                          mlir::Value memref);
/// The address of its first element, in a kernel.
mlir::Value emitDevicePointer(KernelBuilder &, mlir::Value memref);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_FRAGMENT_GLOBALMEMORY_H
