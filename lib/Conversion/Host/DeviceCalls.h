//===- DeviceCalls.h - What is said of kernels ------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_HOST_DEVICECALLS_H
#define ATTN_LIB_CONVERSION_HOST_DEVICECALLS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace attn {

/// Bytes of a tensor map.
constexpr unsigned kTensorMapBytes = 128;

/// The address of the attn_gpu_kernel that a launch names, which is made where
/// it is missing.
mlir::Value getKernelDescription(mlir::OpBuilder &builder,
                                 mlir::ModuleOp module,
                                 mlir::gpu::LaunchFuncOp launch);

/// The blocks of a cluster of a launch's kernel, 1, 1, 1 where they are alone.
llvm::SmallVector<int32_t> getCluster(mlir::gpu::LaunchFuncOp launch);

/// Writes what a launch says of its kernel to the GPU module, where
/// getLaunchRecords finds it when the launches are calls.
void recordLaunch(mlir::gpu::LaunchFuncOp launch);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_HOST_DEVICECALLS_H
