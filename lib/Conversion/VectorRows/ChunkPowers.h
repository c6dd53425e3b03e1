//===- ChunkPowers.h - Sums of powers of a chunk of a tensor ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_VECTORROWS_CHUNKPOWERS_H
#define ATTN_LIB_CONVERSION_VECTORROWS_CHUNKPOWERS_H

#include "RowLoop.h"

namespace attn {

/// How a chunk is read: in the type of the sums, 0 where the mask, which may be
/// null, is off.
using ChunkLoad = llvm::function_ref<mlir::Value(
    LaneBuilder &, mlir::ValueRange position, mlir::Value mask)>;
/// Asks for the elements at this position of the next chunk.
using ChunkAsk =
    llvm::function_ref<void(LaneBuilder &, mlir::ValueRange position)>;

/// Of numbers x with the mean m: the sum of x, and those of (x - m)^2,
/// (x - m)^3 and (x - m)^4.
struct ChunkPowers {
  mlir::Value sum;
  llvm::SmallVector<mlir::Value> powers;
};

/// Of `count` numbers, at least one. They are read twice and should fit a
/// cache, unless `hasSpareDigits` says that the sums have many more digits than
/// the numbers.
ChunkPowers emitChunkPowers(mlir::OpBuilder &builder, mlir::Location loc,
                            const RowShape &chunk, mlir::Value count,
                            ChunkLoad load, ChunkAsk askForNext,
                            bool hasSpareDigits);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_VECTORROWS_CHUNKPOWERS_H
