//===- TileCopy.cpp - Rows of global memory into a shared tile ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCopy.h"
#include "../../Shared/MemRefMemory.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

// Not what the host looks at, with which they would be merged: a kernel gets
// memrefs as they are, and nothing else of them.
memref::ExtractStridedMetadataOp attn::emitDeviceMetadata(KernelBuilder &kernel,
                                                          Value memref) {
  auto metadata = memref::ExtractStridedMetadataOp::create(
      kernel.getBuilder(), kernel.getLoc(), memref);
  metadata->setAttr("device", kernel.getBuilder().getUnitAttr());
  return metadata;
}

Value attn::emitDevicePointer(KernelBuilder &kernel, Value memref) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  auto metadata = emitDeviceMetadata(kernel, memref);
  auto address = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  address->setAttr("device", b.getUnitAttr());
  Value bytes =
      kernel.constant64(getElementBytes(getElementTypeOrSelf(memref)));
  return kernel.offset(kernel.toPointer(MemorySpace::Global, address),
                       kernel.mul64(metadata.getOffset(), bytes));
}

Value GlobalRows::emitRowOffset(KernelBuilder &kernel, Value row) const {
  if (!groupRows)
    return kernel.mul64(row, rowStride);
  Value group = kernel.div(row, groupRows);
  Value inGroup = kernel.sub(row, kernel.mul(group, groupRows));
  return kernel.add(kernel.mul64(group, groupStride),
                    kernel.mul64(inGroup, rowStride));
}

/// Pieces of a thread that are copied one after the other without a loop, whose
/// addresses then are computed once, and stay in registers.
static constexpr int64_t kMostUnrolledPieces = 8;

/// Whether threads side by side fill whole rows, so that a thread's chunks are
/// below each other.
bool TileCopy::isRegular() const { return threads % tile.getChunks() == 0; }

int64_t TileCopy::countPieces() const {
  return llvm::divideCeil(tile.rows * tile.getChunks(), threads);
}

/// Threads side by side take chunks of one row.
TileCopy::Piece TileCopy::getPiece(KernelBuilder &kernel,
                                   int64_t number) const {
  int64_t chunks = tile.getChunks(), all = tile.rows * chunks;
  Piece piece;
  Value linear = kernel.add(thread, number * threads);
  int64_t apart = isRegular() ? threads / chunks : 1;
  if (isRegular()) {
    piece.row = kernel.add(kernel.div(thread, chunks), number * apart);
    piece.chunk = kernel.rem(thread, chunks);
  } else {
    piece.row = kernel.div(linear, chunks);
    piece.chunk = kernel.rem(linear, chunks);
  }
  // Rows a multiple of 8 apart are swizzled alike.
  if (apart % 8 == 0) {
    Value first =
        tile.emitAddress(kernel, kernel.div(thread, chunks), piece.chunk);
    piece.address = kernel.offset(first, number * apart * tile.getRowBytes());
  } else {
    piece.address = tile.emitAddress(kernel, piece.row, piece.chunk);
  }
  if ((number + 1) * threads > all)
    piece.exists = kernel.less(linear, all);
  return piece;
}

/// Elements one by one are slow anyway, and many of them.
bool TileCopy::usesLoop() const {
  int64_t pieces = countPieces();
  return pieces > (aligned ? kMostUnrolledPieces : 1);
}

/// The thread's pieces in a loop; `body` takes what goes from one to the next.
SmallVector<Value> TileCopy::emitLoop(
    KernelBuilder &kernel, ValueRange inits,
    function_ref<SmallVector<Value>(const Piece &, ValueRange)> body) const {
  int64_t chunks = tile.getChunks();
  // Over rows, or over all chunks.
  int64_t unit = isRegular() ? chunks : 1;
  return kernel.emitLoop(
      kernel.div(thread, unit), kernel.constant(tile.rows * chunks / unit),
      threads / unit, inits, [&](Value at, ValueRange carried) {
        Piece piece;
        piece.row = isRegular() ? at : kernel.div(at, chunks);
        piece.chunk = kernel.rem(isRegular() ? thread : at, chunks);
        piece.address = tile.emitAddress(kernel, piece.row, piece.chunk);
        return body(piece, carried);
      });
}

Value TileCopy::foldChunks(
    KernelBuilder &kernel, Value init,
    function_ref<Value(Value address, Value sum)> combine) const {
  using Values = KernelBuilder::Values;
  if (usesLoop())
    return emitLoop(kernel, init, [&](const Piece &piece, ValueRange sum) {
      return Values{combine(piece.address, sum[0])};
    })[0];
  Value sum = init;
  for (int64_t i = 0, e = countPieces(); i < e; ++i) {
    Piece piece = getPiece(kernel, i);
    auto take = [&] { return Values{combine(piece.address, sum)}; };
    sum = piece.exists ? kernel.emitChoice(piece.exists, take,
                                           [&] { return Values{sum}; })[0]
                       : take()[0];
  }
  return sum;
}

/// The column at which nothing is any more, counted in the tile; null where it
/// has none.
Value TileCopy::emitColumnLimit(KernelBuilder &kernel,
                                const TileWindow &window) const {
  if (window.columnLimit)
    return window.firstColumn
               ? kernel.sub(window.columnLimit, window.firstColumn)
               : window.columnLimit;
  return source.columns != tile.columns ? kernel.constant(source.columns)
                                        : Value();
}

/// How many bytes of a chunk exist; null where all do.
Value TileCopy::emitBytes(KernelBuilder &kernel, const Piece &piece,
                          const TileWindow &window) const {
  Value bytes;
  if (Value limit = emitColumnLimit(kernel, window)) {
    int64_t elements = tile.getChunkElements();
    Value before = kernel.mul(piece.chunk, elements);
    Value left = kernel.sub(limit, before);
    left = kernel.min(kernel.max(left, 0), elements);
    bytes = kernel.mul(left, tile.getElementBytes());
  }
  if (window.rowLimit) {
    Value row = kernel.add(window.firstRow, piece.row);
    bytes = kernel.select(kernel.less(row, window.rowLimit),
                          bytes ? bytes : kernel.constant(kChunkBytes),
                          kernel.constant(0));
  }
  return bytes;
}

/// Elements one by one, the missing ones 0: loads stay inside of the matrix.
void TileCopy::copyElements(KernelBuilder &kernel, const Piece &piece,
                            const TileWindow &window) const {
  int64_t count = tile.getChunkElements();
  Value zero = kernel.zero(tile.element);
  Value row = kernel.add(window.firstRow, piece.row), below;
  if (window.rowLimit) {
    below = kernel.less(row, window.rowLimit);
    row = kernel.min(row, kernel.sub(window.rowLimit, 1));
  }
  Value start = source.emitRow(kernel, row);
  Value limit = emitColumnLimit(kernel, window);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i) {
    Value column = kernel.add(kernel.mul(piece.chunk, count), i);
    Value exists = below;
    if (limit) {
      Value inRow = kernel.less(column, limit);
      exists = exists ? kernel.both(exists, inRow) : inRow;
      column = kernel.min(column, kernel.sub(limit, 1));
    }
    if (window.firstColumn)
      column = kernel.add(column, window.firstColumn);
    Value element =
        kernel.load(source.element, source.emitElement(kernel, start, column),
                    source.element.getIntOrFloatBitWidth() / 8);
    element = kernel.convertFloat(element, tile.element);
    elements.push_back(exists ? kernel.select(exists, element, zero) : element);
  }
  kernel.store(kernel.pack(elements),
               kernel.offset(piece.address, window.shift), kChunkBytes);
}

/// How many bytes the window's start lies behind the matrix's.
Value TileCopy::emitStart(KernelBuilder &kernel,
                          const TileWindow &window) const {
  Value start = source.emitRowOffset(kernel, window.firstRow);
  if (!window.firstColumn)
    return start;
  Value bytes = kernel.constant64(tile.getElementBytes());
  return kernel.add(start, kernel.mul64(window.firstColumn, bytes));
}

/// Where a piece lies in global memory; `ofTile` is the window's start, null
/// where rows come in groups.
Value TileCopy::emitSource(KernelBuilder &kernel, const Piece &piece,
                           const TileWindow &window, Value ofTile) const {
  Value row = ofTile ? piece.row : kernel.add(window.firstRow, piece.row);
  Value ofRow = source.emitRowOffset(kernel, row);
  Value inRow = kernel.mul(piece.chunk, kChunkBytes);
  Value address = kernel.offset(kernel.offset(source.base, ofRow), inRow);
  return kernel.offset(address, ofTile);
}

void TileCopy::emitCopy(KernelBuilder &kernel, const Piece &piece,
                        Value address, const TileWindow &window) const {
  NVVM::CpAsyncOp::create(kernel.getBuilder(), kernel.getLoc(),
                          kernel.offset(piece.address, window.shift), address,
                          kChunkBytes, NVVM::LoadCacheModifierKind::CG,
                          emitBytes(kernel, piece, window));
}

void TileCopy::emit(KernelBuilder &kernel, const TileWindow &window) const {
  // What holds for all tiles comes first, so that it is computed once.
  Value ofTile;
  if (aligned && !source.groupRows)
    ofTile = emitStart(kernel, window);
  if (usesLoop()) {
    emitLoop(kernel, {}, [&](const Piece &piece, ValueRange) {
      if (aligned)
        emitCopy(kernel, piece, emitSource(kernel, piece, window, ofTile),
                 window);
      else
        copyElements(kernel, piece, window);
      return KernelBuilder::Values();
    });
    return;
  }
  Value address;
  for (int64_t i = 0, e = countPieces(); i < e; ++i) {
    Piece piece = getPiece(kernel, i);
    if (aligned && address && ofTile && isRegular()) {
      Value apart = kernel.constant64(threads / tile.getChunks());
      address = kernel.offset(address, kernel.mul(apart, source.rowStride));
    } else if (aligned) {
      address = emitSource(kernel, piece, window, ofTile);
    }
    kernel.emitIf(piece.exists, [&] {
      if (aligned)
        emitCopy(kernel, piece, address, window);
      else
        copyElements(kernel, piece, window);
    });
  }
}

void TileCopy::emitChoice(KernelBuilder &kernel, Value first,
                          Value limit) const {
  Value isWhole = kernel.getBuilder().createOrFold<arith::CmpIOp>(
      kernel.getLoc(), arith::CmpIPredicate::sle, kernel.add(first, tile.rows),
      limit);
  kernel.emitIf(
      isWhole, [&] { emit(kernel, first, limit, /*bounded=*/false); },
      [&] {
        // Past the last tile nothing is there to be read.
        kernel.emitIf(kernel.less(first, limit),
                      [&] { emit(kernel, first, limit, /*bounded=*/true); });
      });
}

void attn::emitCopyCommit(KernelBuilder &kernel) {
  NVVM::CpAsyncCommitGroupOp::create(kernel.getBuilder(), kernel.getLoc());
}

void attn::emitCopyWait(KernelBuilder &kernel, int64_t pending) {
  NVVM::CpAsyncWaitGroupOp::create(kernel.getBuilder(), kernel.getLoc(),
                                   pending);
}
