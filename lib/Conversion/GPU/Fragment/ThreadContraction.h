//===- ThreadContraction.h - Products by fused multiply-adds -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For types that no matrix instruction takes as they are. A lane has the same
// accumulators as with one, and both operands lie in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_FRAGMENT_THREADCONTRACTION_H
#define ATTN_LIB_CONVERSION_GPU_FRAGMENT_THREADCONTRACTION_H

#include "FragmentLayout.h"
#include "SharedTile.h"

namespace attn {

/// The products of rows of A with rows of B: for each of `rows` (i32, in A) a
/// vector for the columns that a lane has of each block of eight rows of B.
llvm::SmallVector<mlir::Value>
emitThreadProducts(KernelBuilder &, const SharedTile &a, mlir::ValueRange rows,
                   const SharedTile &b, mlir::Value lane);

/// The address of the lane's pair of neighbours in a block of eight columns of
/// row `row`.
mlir::Value emitPairAddress(KernelBuilder &, const SharedTile &tile,
                            mlir::Value row, int64_t block, mlir::Value lane);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_FRAGMENT_THREADCONTRACTION_H
