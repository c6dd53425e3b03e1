//===- HostPhases.h - What the pipelines of all machines share --*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PIPELINES_HOSTPHASES_H
#define ATTN_LIB_PIPELINES_HOSTPHASES_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace attn {

void addCleanUp(mlir::OpPassManager &pm);

/// Functions that write their results to the caller's memory.
void addDestinations(mlir::OpPassManager &pm);

/// Tensors to memrefs. What is allocated in between is freed after its last
/// use.
void addBufferization(mlir::OpPassManager &pm);

/// Host code with loops and memrefs to the LLVM dialect, with its C entries.
/// Beside a module of kernels, which is large and done, what passes can be told
/// so look at functions only.
void addHostLLVM(mlir::OpPassManager &pm, bool besideKernels = false);

} // namespace attn

#endif // ATTN_LIB_PIPELINES_HOSTPHASES_H
