//===- SinkIntoLaunch.h - What a kernel computes by itself ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_OUTLINE_SINKINTOLAUNCH_H
#define ATTN_LIB_CONVERSION_GPU_OUTLINE_SINKINTOLAUNCH_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace attn {

/// Clones into a launch what its body uses and need not travel: constants,
/// constant tensors and views of them, and loads of numbers whose memory nobody
/// writes between them and the launch.
void sinkIntoLaunch(mlir::gpu::LaunchOp launch);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_OUTLINE_SINKINTOLAUNCH_H
