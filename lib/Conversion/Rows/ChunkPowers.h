//===- ChunkPowers.h - Sums of powers of a chunk of a tensor ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ROWS_CHUNKPOWERS_H
#define ATTN_LIB_CONVERSION_ROWS_CHUNKPOWERS_H

#include "RowMachine.h"

namespace attn {

/// How a piece of the chunk is read.
using ChunkLoad = llvm::function_ref<mlir::Value(const RowPiece &)>;

/// Of numbers x with the mean m: the sum of x, and those of (x - m)^2,
/// (x - m)^3 and (x - m)^4.
struct ChunkPowers {
  mlir::Value sum;
  llvm::SmallVector<mlir::Value> powers;
};

/// Of `count` numbers, at least one. They are read twice and should fit a
/// cache, unless `hasSpareDigits` says that the sums have many more digits than
/// the numbers.
ChunkPowers emitChunkPowers(RowMachine &machine, LaneBuilder &scalars,
                            const RowPlace &chunk, mlir::Value count,
                            ChunkLoad load, bool hasSpareDigits);

/// Of two that are not negative: as integers, NaN is larger than all numbers.
mlir::Value emitLarger(LaneBuilder &lanes, mlir::Value a, mlir::Value b);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ROWS_CHUNKPOWERS_H
