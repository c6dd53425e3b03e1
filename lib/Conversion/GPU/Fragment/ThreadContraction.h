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

/// A tile that has a row of A, or a column of B, in each of its rows, or, with
/// `rowsAreTerms`, a term.
struct ThreadOperand {
  SharedTile tile;
  bool rowsAreTerms = false;
};

/// Adds products to `sums`, which have a vector for each of `rows` (i32, in A),
/// with the columns that a lane has of each block of eight. The blocks begin at
/// column `first` of B, a multiple of 8, or null for 0.
llvm::SmallVector<mlir::Value>
emitThreadProducts(KernelBuilder &, const ThreadOperand &a,
                   mlir::ValueRange rows, const ThreadOperand &b,
                   mlir::Value lane, mlir::ValueRange sums,
                   mlir::Value first = {});

/// The address of the lane's pair of neighbours in a block of eight columns of
/// row `row`, counted from column `first`, a multiple of 8, or null for 0.
mlir::Value emitPairAddress(KernelBuilder &, const SharedTile &tile,
                            mlir::Value row, int64_t block, mlir::Value lane,
                            mlir::Value first = {});

/// Stores a row's numbers, pairs of neighbours of blocks of eight columns.
void emitStorePairs(KernelBuilder &, const SharedTile &tile, mlir::Value row,
                    mlir::Value lane, mlir::Value numbers);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_FRAGMENT_THREADCONTRACTION_H
