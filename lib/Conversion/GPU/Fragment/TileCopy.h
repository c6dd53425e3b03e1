//===- TileCopy.h - Rows of global memory into a shared tile ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All threads of a block copy the rows of a matrix into shared memory, 16 bytes
// at a time, which nobody waits for, or, where rows are not aligned to that, by
// element. Columns that pad a row are 0, and rows at a limit and after it.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_GPU_FRAGMENT_TILECOPY_H
#define ATTN_LIB_CONVERSION_GPU_FRAGMENT_TILECOPY_H

#include "SharedTile.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace attn {

/// Sizes and strides of a memref for use in a kernel.
mlir::memref::ExtractStridedMetadataOp emitDeviceMetadata(KernelBuilder &,
                                                          mlir::Value memref);
/// The address of its first element, in a kernel.
mlir::Value emitDevicePointer(KernelBuilder &, mlir::Value memref);

/// Rows of elements in global memory. Elements of another type than the tile's
/// are widened, which copies of 16 bytes cannot.
struct GlobalRows {
  /// The first element; distances of rows and of columns in bytes, i64.
  mlir::Value base, rowStride, columnStride;
  /// Elements of a row.
  int64_t columns;
  mlir::Type element;
  /// Where rows come in groups, as those of several heads do: rows of a group
  /// (i32), and the distance of groups; null for one group.
  mlir::Value groupRows, groupStride;

  /// The distance of row `row` (i32) from the first one in bytes.
  mlir::Value emitRowOffset(KernelBuilder &, mlir::Value row) const;
  /// Its address, and that of element `column` of the row that is there.
  mlir::Value emitRow(KernelBuilder &kernel, mlir::Value row) const {
    return kernel.offset(base, emitRowOffset(kernel, row));
  }
  mlir::Value emitElement(KernelBuilder &kernel, mlir::Value ofRow,
                          mlir::Value column) const {
    return kernel.offset(ofRow, kernel.mul64(column, columnStride));
  }
};

/// The part of a matrix that a tile takes (i32). A limit is null where all of
/// the tile's rows, or columns, are below it.
struct TileWindow {
  mlir::Value firstRow, rowLimit;
  /// Null for 0.
  mlir::Value firstColumn, columnLimit;
  /// By how many bytes the copy lies behind the tile; null for none.
  mlir::Value shift;
};

class TileCopy {
public:
  /// `thread` is one of `threads`. `aligned` promises that rows lie at
  /// multiples of 16 bytes, and that their elements are neighbours.
  TileCopy(const GlobalRows &source, const SharedTile &tile, mlir::Value thread,
           int64_t threads, bool aligned)
      : source(source), tile(tile), thread(thread), threads(threads),
        aligned(aligned) {}

  /// Starts to copy; what is not below the limits becomes 0.
  void emit(KernelBuilder &, const TileWindow &window) const;
  /// The same for the rows from `first` (i32) on, those below `limit`.
  /// `bounded` says that some may not be.
  void emit(KernelBuilder &kernel, mlir::Value first, mlir::Value limit,
            bool bounded) const {
    emit(kernel, {first, bounded ? limit : mlir::Value(), {}, {}, {}});
  }
  /// The same; without tests where no row is at the limit.
  void emitChoice(KernelBuilder &, mlir::Value first, mlir::Value limit) const;

  /// Goes over the chunks that this thread copies, with their addresses in
  /// shared memory: `combine` takes one more into the sum of those before. The
  /// thread sees them once it has waited for its own copies.
  mlir::Value foldChunks(
      KernelBuilder &, mlir::Value init,
      llvm::function_ref<mlir::Value(mlir::Value address, mlir::Value sum)>
          combine) const;

private:
  struct Piece {
    mlir::Value row, chunk, address;
    /// Whether the thread has one; null where each has.
    mlir::Value exists;
  };
  bool isRegular() const;
  int64_t countPieces() const;
  Piece getPiece(KernelBuilder &, int64_t number) const;
  bool usesLoop() const;
  KernelBuilder::Values emitLoop(
      KernelBuilder &, mlir::ValueRange inits,
      llvm::function_ref<KernelBuilder::Values(const Piece &, mlir::ValueRange)>
          body) const;
  mlir::Value emitColumnLimit(KernelBuilder &, const TileWindow &window) const;
  mlir::Value emitBytes(KernelBuilder &, const Piece &piece,
                        const TileWindow &window) const;
  mlir::Value emitStart(KernelBuilder &, const TileWindow &window) const;
  mlir::Value emitSource(KernelBuilder &, const Piece &piece,
                         const TileWindow &window, mlir::Value ofTile) const;
  void emitCopy(KernelBuilder &, const Piece &piece, mlir::Value address,
                const TileWindow &window) const;
  void copyElements(KernelBuilder &, const Piece &piece,
                    const TileWindow &window) const;

  GlobalRows source;
  SharedTile tile;
  mlir::Value thread;
  int64_t threads;
  bool aligned;
};

/// Closes the group of copies that this thread has started; waits until at most
/// `pending` groups are under way.
void emitCopyCommit(KernelBuilder &kernel);
void emitCopyWait(KernelBuilder &kernel, int64_t pending);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_FRAGMENT_TILECOPY_H
