//===- HostLoops.h - Loops over device memory ----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_STRUCTURED_HOSTLOOPS_H
#define ATTN_LIB_CONVERSION_GPU_STRUCTURED_HOSTLOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn {

/// Moves what writes memory outside of kernels into kernels: the host cannot
/// reach device memory. Parallel loops get a thread for each iteration; others,
/// and single stores, run on one thread, which a remark tells. What such a loop
/// gives back to the host stays where it is, and its loads wait for the device.
void moveHostLoops(mlir::func::FuncOp func);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_STRUCTURED_HOSTLOOPS_H
