//===- SharedTile.h - Rows of a matrix in shared memory ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix instructions read eight rows at once, 16 bytes of each. Rows lie one
// after the other, and the 16-byte chunks of a row change places with the row's
// number, so that those eight pieces lie in different banks. For rows of a
// multiple of 128 bytes this is the 128-byte swizzle of the PTX ISA.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_FRAGMENT_SHAREDTILE_H
#define ATTN_LIB_CONVERSION_GPU_FRAGMENT_SHAREDTILE_H

#include "KernelBuilder.h"

namespace attn {

constexpr int64_t kChunkBytes = 16;

struct SharedTile {
  /// Where it starts, at a multiple of 128 bytes. Rows are whole chunks.
  mlir::Value base;
  int64_t rows, columns;
  mlir::Type element;

  int64_t getElementBytes() const {
    return element.getIntOrFloatBitWidth() / 8;
  }
  int64_t getChunkElements() const { return kChunkBytes / getElementBytes(); }
  int64_t getChunks() const { return columns / getChunkElements(); }
  int64_t getRowBytes() const { return columns * getElementBytes(); }
  int64_t getBytes() const { return rows * getRowBytes(); }
  /// How many of the lowest bits of a chunk's number change: that many as keep
  /// a chunk within its row.
  unsigned getSwizzleBits() const;

  /// The byte, from the start, of chunk `chunk` of row `row` (i32).
  mlir::Value emitOffset(KernelBuilder &, mlir::Value row,
                         mlir::Value chunk) const;
  mlir::Value emitAddress(KernelBuilder &kernel, mlir::Value row,
                          mlir::Value chunk) const {
    return kernel.offset(base, emitOffset(kernel, row, chunk));
  }
};

/// Loads 8x8 matrices of a tile into the registers of a warp, four at once: two
/// blocks of eight rows by two chunks. Lanes' addresses are computed once; what
/// differs between loads is a constant.
class MatrixLoader {
public:
  /// `lane` is the thread's number in its warp, `firstRow` and `firstChunk` are
  /// where the warp's part starts, multiples of 8 and 2, or null for 0.
  /// Matrices come in the order rows, then chunks, or with `chunksFirst` the
  /// other way round. With `transposed` each is transposed.
  MatrixLoader(KernelBuilder &, const SharedTile &tile, mlir::Value lane,
               mlir::Value firstRow, bool chunksFirst, bool transposed,
               mlir::Value firstChunk = {});

  /// The same for a tile that lies `bytes` (i32) after this one.
  MatrixLoader shifted(KernelBuilder &, mlir::Value bytes) const;

  /// The four registers, an i32 each, of the 16 rows from `row` on and the two
  /// chunks from `chunk` on: constants, multiples of 8 and 2.
  llvm::SmallVector<mlir::Value> load(KernelBuilder &, int64_t row,
                                      int64_t chunk) const;

private:
  SharedTile tile;
  bool transposed;
  /// The lane's address, for each pair of chunks that swizzling tells apart.
  llvm::SmallVector<mlir::Value> addresses;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_FRAGMENT_SHAREDTILE_H
