//===- LaunchRecords.h - What kernels are launched with ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_HOST_LAUNCHRECORDS_H
#define ATTN_LIB_CONVERSION_HOST_LAUNCHRECORDS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace attn {

/// Writes what a launch says of its kernel to the GPU module, where
/// getLaunchRecords finds it when the launches are calls.
void recordLaunch(mlir::gpu::LaunchFuncOp launch);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_HOST_LAUNCHRECORDS_H
