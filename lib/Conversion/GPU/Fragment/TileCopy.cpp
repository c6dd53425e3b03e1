//===- TileCopy.cpp - Rows of global memory into a shared tile ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCopy.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

Value GlobalRows::emitRowOffset(KernelBuilder &kernel, Value row) const {
  OpBuilder &b = kernel.getBuilder();
  auto times = [&](Value count, Value stride) {
    return b.createOrFold<arith::MulIOp>(kernel.getLoc(), kernel.toI64(count),
                                         stride);
  };
  if (!groupRows)
    return times(row, rowStride);
  Value group = kernel.div(row, groupRows);
  Value inGroup = kernel.sub(row, kernel.mul(group, groupRows));
  return b.createOrFold<arith::AddIOp>(
      kernel.getLoc(), times(group, groupStride), times(inGroup, rowStride));
}

TileCopy::TileCopy(KernelBuilder &, const GlobalRows &source,
                   const SharedTile &tile, Value thread, int64_t threads,
                   bool aligned)
    : source(source), tile(tile), thread(thread), threads(threads),
      aligned(aligned) {}

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
  Value linear = kernel.add(thread, kernel.constant(number * threads));
  int64_t apart = isRegular() ? threads / chunks : 1;
  if (isRegular()) {
    piece.row =
        kernel.add(kernel.div(thread, chunks), kernel.constant(number * apart));
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
    piece.exists = kernel.less(linear, kernel.constant(all));
  return piece;
}

/// Elements one by one are slow anyway, and many of them.
bool TileCopy::usesLoop() const {
  int64_t pieces = countPieces();
  return pieces > (aligned ? kMostUnrolledPieces : 1);
}

/// The thread's pieces in a loop; `body` takes what goes from one to the next.
ValueRange TileCopy::emitLoop(
    KernelBuilder &kernel, ValueRange inits,
    function_ref<SmallVector<Value>(const Piece &, ValueRange)> body) const {
  OpBuilder &b = kernel.getBuilder();
  int64_t chunks = tile.getChunks();
  // Over rows, or over all chunks.
  int64_t unit = isRegular() ? chunks : 1;
  auto loop = scf::ForOp::create(b, kernel.getLoc(), kernel.div(thread, unit),
                                 kernel.constant(tile.rows * chunks / unit),
                                 kernel.constant(threads / unit), inits);
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(loop.getBody());
  Value at = loop.getInductionVar();
  Piece piece;
  piece.row = isRegular() ? at : kernel.div(at, chunks);
  piece.chunk = kernel.rem(isRegular() ? thread : at, chunks);
  piece.address = tile.emitAddress(kernel, piece.row, piece.chunk);
  SmallVector<Value> next = body(piece, loop.getRegionIterArgs());
  if (!inits.empty())
    scf::YieldOp::create(b, kernel.getLoc(), next);
  return loop.getResults();
}

void TileCopy::guard(KernelBuilder &kernel, const Piece &piece,
                     function_ref<void()> body) const {
  if (piece.exists)
    return kernel.emitIf(piece.exists, body);
  body();
}

Value TileCopy::foldChunks(
    KernelBuilder &kernel, Value init,
    function_ref<Value(Value address, Value sum)> combine) const {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  if (usesLoop())
    return emitLoop(kernel, init, [&](const Piece &piece, ValueRange sum) {
      return SmallVector<Value>{combine(piece.address, sum[0])};
    })[0];
  Value sum = init;
  for (int64_t i = 0, e = countPieces(); i < e; ++i) {
    Piece piece = getPiece(kernel, i);
    if (!piece.exists) {
      sum = combine(piece.address, sum);
      continue;
    }
    auto branch =
        scf::IfOp::create(b, loc, TypeRange{sum.getType()}, piece.exists, true);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, combine(piece.address, sum));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, sum);
    sum = branch.getResult(0);
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
    Value before = kernel.mul(piece.chunk, kernel.constant(elements));
    Value left = kernel.sub(limit, before);
    left = kernel.min(kernel.max(left, kernel.constant(0)),
                      kernel.constant(elements));
    bytes = kernel.mul(left, kernel.constant(tile.getElementBytes()));
  }
  if (window.rowLimit) {
    Value row = kernel.add(window.firstRow, piece.row);
    bytes = kernel.select(kernel.less(row, window.rowLimit),
                          bytes ? bytes : kernel.constant(kChunkBytes),
                          kernel.constant(0));
  }
  return bytes;
}

/// Where a piece goes.
static Value emitTarget(KernelBuilder &kernel, Value address,
                        const TileWindow &window) {
  return window.shift ? kernel.offset(address, window.shift) : address;
}

/// Elements one by one, the missing ones 0: loads stay inside of the matrix.
void TileCopy::copyElements(KernelBuilder &kernel, const Piece &piece,
                            const TileWindow &window) const {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  int64_t count = tile.getChunkElements();
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(tile.element));
  Value row = kernel.add(window.firstRow, piece.row), below;
  if (window.rowLimit) {
    below = kernel.less(row, window.rowLimit);
    row = kernel.min(row, kernel.sub(window.rowLimit, kernel.constant(1)));
  }
  Value start = kernel.offset(source.base, source.emitRowOffset(kernel, row));
  Value limit = emitColumnLimit(kernel, window);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i) {
    Value column = kernel.add(kernel.mul(piece.chunk, kernel.constant(count)),
                              kernel.constant(i));
    Value exists = below;
    if (limit) {
      Value inRow = kernel.less(column, limit);
      exists = exists ? kernel.both(exists, inRow) : inRow;
      column = kernel.min(column, kernel.sub(limit, kernel.constant(1)));
    }
    if (window.firstColumn)
      column = kernel.add(column, window.firstColumn);
    Value distance = b.createOrFold<arith::MulIOp>(loc, kernel.toI64(column),
                                                   source.columnStride);
    Value element = kernel.load(source.element, kernel.offset(start, distance),
                                source.element.getIntOrFloatBitWidth() / 8);
    element = kernel.convertFloat(element, tile.element);
    elements.push_back(exists ? kernel.select(exists, element, zero) : element);
  }
  kernel.store(kernel.pack(elements), emitTarget(kernel, piece.address, window),
               kChunkBytes);
}

/// How many bytes the window's start lies behind the matrix's.
Value TileCopy::emitStart(KernelBuilder &kernel,
                          const TileWindow &window) const {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  Value start = source.emitRowOffset(kernel, window.firstRow);
  if (!window.firstColumn)
    return start;
  Value inRow =
      b.createOrFold<arith::MulIOp>(loc, kernel.toI64(window.firstColumn),
                                    kernel.constant64(tile.getElementBytes()));
  return b.createOrFold<arith::AddIOp>(loc, start, inRow);
}

/// Where a piece lies in global memory; `ofTile` is the window's start, null
/// where rows come in groups.
Value TileCopy::emitSource(KernelBuilder &kernel, const Piece &piece,
                           const TileWindow &window, Value ofTile) const {
  Value row = ofTile ? piece.row : kernel.add(window.firstRow, piece.row);
  Value ofRow = source.emitRowOffset(kernel, row);
  Value inRow = kernel.mul(piece.chunk, kernel.constant(kChunkBytes));
  Value address = kernel.offset(kernel.offset(source.base, ofRow), inRow);
  return ofTile ? kernel.offset(address, ofTile) : address;
}

void TileCopy::emitCopy(KernelBuilder &kernel, const Piece &piece,
                        Value address, const TileWindow &window) const {
  NVVM::CpAsyncOp::create(kernel.getBuilder(), kernel.getLoc(),
                          emitTarget(kernel, piece.address, window), address,
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
      return SmallVector<Value>();
    });
    return;
  }
  Value address;
  for (int64_t i = 0, e = countPieces(); i < e; ++i) {
    Piece piece = getPiece(kernel, i);
    if (!aligned) {
      guard(kernel, piece, [&] { copyElements(kernel, piece, window); });
      continue;
    }
    if (address && ofTile && isRegular()) {
      Value apart = kernel.constant64(threads / tile.getChunks());
      address = kernel.offset(address,
                              kernel.getBuilder().createOrFold<arith::MulIOp>(
                                  kernel.getLoc(), apart, source.rowStride));
    } else {
      address = emitSource(kernel, piece, window, ofTile);
    }
    guard(kernel, piece, [&] { emitCopy(kernel, piece, address, window); });
  }
}

void TileCopy::emitChoice(KernelBuilder &kernel, Value first,
                          Value limit) const {
  OpBuilder &b = kernel.getBuilder();
  auto choose = [&](Value condition, function_ref<void()> then,
                    function_ref<void()> otherwise) {
    auto branch = scf::IfOp::create(b, kernel.getLoc(), condition,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(branch.thenBlock());
    then();
    b.setInsertionPointToStart(branch.elseBlock());
    otherwise();
  };
  Value end = kernel.add(first, kernel.constant(tile.rows));
  Value isWhole = b.createOrFold<arith::CmpIOp>(
      kernel.getLoc(), arith::CmpIPredicate::sle, end, limit);
  choose(
      isWhole, [&] { emit(kernel, first, limit, /*bounded=*/false); },
      [&] {
        // Past the last tile nothing is there to be read.
        choose(
            kernel.less(first, limit),
            [&] { emit(kernel, first, limit, /*bounded=*/true); }, [] {});
      });
}

void attn::emitCopyCommit(KernelBuilder &kernel) {
  NVVM::CpAsyncCommitGroupOp::create(kernel.getBuilder(), kernel.getLoc());
}

void attn::emitCopyWait(KernelBuilder &kernel, int64_t pending) {
  NVVM::CpAsyncWaitGroupOp::create(kernel.getBuilder(), kernel.getLoc(),
                                   pending);
}
