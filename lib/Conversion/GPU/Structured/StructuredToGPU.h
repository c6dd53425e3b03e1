//===- StructuredToGPU.h - Functions around kernels -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_STRUCTURED_STRUCTUREDTOGPU_H
#define ATTN_LIB_CONVERSION_GPU_STRUCTURED_STRUCTUREDTOGPU_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn {

/// Moves what writes memory outside of kernels into kernels: the host cannot
/// reach device memory. Parallel loops get a thread for each iteration; others,
/// and single stores, run on one thread, which a remark tells. What such a loop
/// gives back to the host stays where it is, and its loads wait for the device.
void moveHostLoops(mlir::func::FuncOp func);

/// A kernel cannot leave its function. Where an assertion in a launch of `func`
/// fails, its thread skips the rest of the block and notes which one it was in
/// device memory; the function reads the note before it returns, and fails
/// there. The first assertion of the function that failed anywhere is reported.
/// Fails with a diagnostic where the skipped rest would have to give a value
/// that has no zero.
mlir::LogicalResult guardKernelAssertions(mlir::func::FuncOp func);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_STRUCTURED_STRUCTUREDTOGPU_H
