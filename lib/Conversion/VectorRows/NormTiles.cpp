//===- NormTiles.cpp - attn.norm over columns and batches -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Norms whose statistics are not those of rows: of columns, of channels, of a
// dimension in the middle. Where all that belongs to some statistics fits a
// cache, a tile holds it: it is read from memory once, and again from the cache
// for the output, while the next tile is asked for. Otherwise the tensor is
// read in chunks, each of which leaves statistics of its own; these are merged,
// and the tensor is read again for the output, from its end, which a cache may
// still hold. Chunks depend on sizes alone, so that threads do not change a
// bit.
//
//===----------------------------------------------------------------------===//

#include "NormTiles.h"
#include "../Shared/MergeNormDims.h"
#include "RowPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

constexpr int64_t kCacheLine = 64;

NormTilesEmitter::NormTilesEmitter(OpBuilder &builder, NormOp op)
    : builder(builder), op(op), loc(op.getLoc()),
      schedule(cast<NormScheduleAttr>(op.getScheduleAttr())), panel(op),
      panelDim(panel.kept.back()), chunkDim(op.getAxes().front()) {
  // The last of the first normalised dimensions, in which they are merged.
  while (op.isNormalised(chunkDim + 1))
    ++chunkDim;
  for (int64_t dim = 0; dim <= panel.last; ++dim)
    sizes.push_back(builder.createOrFold<memref::DimOp>(
        loc, op.getInput(), createIndex(builder, loc, dim)));
  for (int64_t dim : panel.kept)
    if (dim < chunkDim && dim != panelDim)
      outer.push_back(dim);
  groupSize = index(builder, 1);
  for (int64_t axis : op.getAxes())
    groupSize =
        builder.createOrFold<arith::MulIOp>(loc, groupSize, sizes[axis]);
  count = LaneBuilder(builder, loc, panel.type).toFloatLanes(groupSize);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Tiles are numbered with the panels innermost, then the chunks.
Value NormTilesEmitter::countTiles(OpBuilder &b, bool areChunks) {
  Value total = ceilDiv(b, sizes[panelDim], schedule.getPanel());
  if (areChunks)
    total = b.createOrFold<arith::MulIOp>(
        loc, total, ceilDiv(b, sizes[chunkDim], schedule.getChunk()));
  for (int64_t dim : outer)
    total = b.createOrFold<arith::MulIOp>(loc, total, sizes[dim]);
  return total;
}

NormTile NormTilesEmitter::createTile(OpBuilder &b, Value number, bool isChunk,
                                      Value *chunk) {
  NormTile tile;
  for (Value size : sizes) {
    tile.begin.push_back(index(b, 0));
    tile.end.push_back(size);
  }
  auto split = [&](Value by) {
    Value rest = arith::RemUIOp::create(b, loc, number, by);
    number = arith::DivUIOp::create(b, loc, number, by);
    return rest;
  };
  auto cut = [&](int64_t dim, int64_t step) {
    Value at = split(ceilDiv(b, sizes[dim], step));
    Value begin = arith::MulIOp::create(b, loc, at, index(b, step));
    tile.begin[dim] = begin;
    tile.end[dim] = arith::MinUIOp::create(
        b, loc, addIndex(b, loc, begin, step), sizes[dim]);
    return at;
  };
  cut(panelDim, schedule.getPanel());
  if (isChunk) {
    Value at = cut(chunkDim, schedule.getChunk());
    if (chunk)
      *chunk = at;
  }
  for (int64_t dim : llvm::reverse(outer)) {
    tile.begin[dim] = split(sizes[dim]);
    tile.end[dim] = addIndex(b, loc, tile.begin[dim], 1);
  }
  return tile;
}

void NormTilesEmitter::emitForall(
    Value count, llvm::function_ref<void(OpBuilder &, Value)> body) {
  auto forall =
      scf::ForallOp::create(builder, loc, SmallVector<OpFoldResult>{count},
                            ValueRange(), std::nullopt);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forall.getBody());
  body(builder, forall.getInductionVars().front());
}

/// Memory for means and squares: of one tile, or of all groups, `parts` times
/// where that is given.
NormNumbers NormTilesEmitter::allocate(OpBuilder &b, bool isLocal,
                                       bool isMeasured, Value parts) {
  NormNumbers numbers;
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  auto type = cast<MemRefType>(op.getInput().getType());
  if (parts) {
    shape.push_back(ShapedType::kDynamic);
    dynamic.push_back(parts);
  }
  for (int64_t dim : panel.kept) {
    if (isLocal && llvm::is_contained(outer, dim))
      continue;
    numbers.dims.push_back(dim);
    shape.push_back(isLocal && dim == panelDim ? schedule.getPanel()
                                               : type.getDimSize(dim));
    if (ShapedType::isDynamic(shape.back()))
      dynamic.push_back(sizes[dim]);
  }
  numbers.origin.resize(numbers.dims.size());
  auto allocate = [&] {
    return memref::AllocOp::create(b, loc, MemRefType::get(shape, panel.type),
                                   dynamic, b.getI64IntegerAttr(kCacheLine));
  };
  numbers.spread = allocate();
  if (op.isCentered())
    numbers.mean = allocate();
  if (op.isCentered() && isMeasured)
    numbers.sum = allocate();
  return numbers;
}

void NormTilesEmitter::release(OpBuilder &b, const NormNumbers &numbers) {
  for (Value memref : {numbers.spread, numbers.mean, numbers.sum})
    if (memref)
      memref::DeallocOp::create(b, loc, memref);
}

void NormTilesEmitter::emit() {
  emitUnbiasedCheck(builder, op, groupSize);
  if (panel.inVectors)
    streams = emitStreams();
  if (schedule.getChunk() == 0)
    emitWholeGroups();
  else
    emitChunks();
}

void NormTilesEmitter::emitWholeGroups() {
  Value total = countTiles(builder, /*areChunks=*/false);
  Value last =
      builder.createOrFold<arith::SubIOp>(loc, total, index(builder, 1));
  emitForall(ceilDiv(builder, total, schedule.getRows()), [&](OpBuilder &b,
                                                              Value item) {
    NormNumbers numbers = allocate(b, /*isLocal=*/true, /*isMeasured=*/true);
    Value begin =
        arith::MulIOp::create(b, loc, item, index(b, schedule.getRows()));
    Value end = arith::MinUIOp::create(
        b, loc, addIndex(b, loc, begin, schedule.getRows()), total);
    emitLoop(b, loc, begin, end, 1, [&](OpBuilder &nested, Value number) {
      NormTile tile = createTile(nested, number, /*isChunk=*/false);
      Value after = arith::MinUIOp::create(
          nested, loc, addIndex(nested, loc, number, 1), last);
      NormTile next = createTile(nested, after, /*isChunk=*/false);
      NormNumbers local = numbers;
      local.origin = NormPanel::select(tile.begin, local.dims);
      measure(nested, tile, local);
      finish(nested, tile, local, nullptr);
      output(nested, tile, local, &next);
    });
    release(b, numbers);
    emitEndOfWrites(b, loc, streams);
  });
}

void NormTilesEmitter::emitChunks() {
  Value chunks = ceilDiv(builder, sizes[chunkDim], schedule.getChunk());
  Value total = countTiles(builder, /*areChunks=*/true);
  NormNumbers all = allocate(builder, /*isLocal=*/false, /*isMeasured=*/false),
              parts;
  bool isMeasured = !op.hasGivenStatistics();
  if (isMeasured) {
    parts = allocate(builder, /*isLocal=*/false, /*isMeasured=*/true, chunks);
    emitForall(total, [&](OpBuilder &b, Value number) {
      NormNumbers own = parts;
      NormTile tile = createTile(b, number, /*isChunk=*/true, &own.part);
      measure(b, tile, own);
    });
  }
  emitForall(countTiles(builder, /*areChunks=*/false),
             [&](OpBuilder &b, Value number) {
               NormTile tile = createTile(b, number, /*isChunk=*/false);
               finish(b, tile, all, isMeasured ? &parts : nullptr);
             });
  emitForall(total, [&](OpBuilder &b, Value number) {
    Value fromEnd = arith::SubIOp::create(
        b, loc, arith::SubIOp::create(b, loc, total, number), index(b, 1));
    output(b, createTile(b, fromEnd, /*isChunk=*/true), all, nullptr);
    emitEndOfWrites(b, loc, streams);
  });
  if (isMeasured)
    release(builder, parts);
  release(builder, all);
}

void attn::emitNormTiles(OpBuilder &builder, NormOp op) {
  mergeNormDims(builder, op);
  NormTilesEmitter(builder, op).emit();
}
