//===- MatrixStreams.cpp - Few rows and all columns on the tile unit ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few rows take hardly longer than reading the right operand. It is read along
// its rows, a few of them in all columns before the next ones, as only so many
// pages are at hand at a time. The sums of all columns wait in memory between
// these steps, as the unit makes them.
//
//===----------------------------------------------------------------------===//

#include "BlockEmitter.h"
#include "PackTiles.h"
#include "TileProduct.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

using namespace mlir;
using namespace attn;

/// Panels that are multiplied while they are in the L1 cache.
constexpr int64_t kStreamPanels = 4;
/// Keeps the copied rows of A off each other's places in the L1 cache.
constexpr int64_t kRowPadding = 32;

void BlockEmitter::allocateStreams() {
  int64_t steps = tile.parts * getPanelSteps(tile, schedule.getDepth());
  panels =
      allocate({std::min(kStreamPanels, panelBound), steps, tile.getColumns()},
               tile.element);
  int64_t terms = llvm::alignTo(schedule.getDepth(), kTileTerms);
  tileRows =
      allocate({tile.parts * schedule.getRows(), terms + kRowPadding}, rowType);
  tileSums = allocate({panelBound * schedule.getRows(), tile.getColumns()},
                      tile.element);
}

/// The rows of A, one tile of them after the other.
void BlockEmitter::copyStreamRows(OpBuilder &b, const Step &step) {
  int64_t width = cast<MemRefType>(tileRows.getType()).getDimSize(1);
  SmallVector<OpFoldResult> ones(2, b.getIndexAttr(1));
  emitLoop(
      b, loc, createIndex(b, loc, 0), index(b, rowCount), tile.mr,
      [&](OpBuilder &at, Value first) {
        Value count = arith::MinUIOp::create(
            at, loc, createIndex(at, loc, tile.mr),
            arith::SubIOp::create(at, loc, index(at, rowCount), first));
        Value from = arith::AddIOp::create(at, loc, row, first);
        Value part = memref::SubViewOp::create(
            at, loc, lhs, SmallVector<OpFoldResult>{from, step.begin},
            SmallVector<OpFoldResult>{count, step.depth}, ones);
        Value copies = memref::SubViewOp::create(
            at, loc, tileRows,
            SmallVector<OpFoldResult>{multiply(at, first, tile.parts),
                                      at.getIndexAttr(0)},
            SmallVector<OpFoldResult>{at.getIndexAttr(tile.parts * tile.mr),
                                      at.getIndexAttr(width)},
            ones);
        emitTileRows(at, loc, tile, part, copies);
      });
}

/// Some panels are packed, and multiplied with all rows, before the next ones.
void BlockEmitter::emitStreamedStep(OpBuilder &b, const Step &step) {
  copyStreamRows(b, step);
  Value zero = createIndex(b, loc, 0), depth = index(b, step.depth);
  int64_t most = std::min(kStreamPanels, panelBound);
  // Zeros stand where there are no terms at all.
  Value terms = arith::MaxUIOp::create(b, loc, depth, createIndex(b, loc, 1));
  TileMemory rows = TileMemory::get(b, loc, tileRows),
             memory = TileMemory::get(b, loc, tileSums);
  int64_t rowBytes =
      cast<MemRefType>(tileRows.getType()).getDimSize(1) * rows.elementBytes;
  auto emitGroup = [&](OpBuilder &at, Value first) {
    Value begin = multiply(at, first, tile.getColumns());
    Value count = arith::MinUIOp::create(
        at, loc, createIndex(at, loc, most * tile.getColumns()),
        arith::SubIOp::create(at, loc, index(at, columnCount), begin));
    emitPanels(at, loc,
               {rhs, /*transposed=*/false, step.begin, depth,
                arith::AddIOp::create(at, loc, column, begin), count,
                getPanelSteps(tile, schedule.getDepth())},
               panels, tile);
    Value end = arith::MinUIOp::create(at, loc, panelCount,
                                       addIndex(at, loc, first, most));
    emitLoop(at, loc, first, end, 1, [&](OpBuilder &outer, Value panel) {
      Value slot = arith::SubIOp::create(outer, loc, panel, first);
      TileMemory steps =
          TileMemory::get(outer, loc, getPanel(outer, step, slot));
      emitLoop(outer, loc, zero, index(outer, rowCount), tile.mr,
               [&](OpBuilder &inner, Value tileRow) {
                 TileOperands operands{rows, steps, zero, terms};
                 operands.lhsPartBytes = tile.mr * rowBytes;
                 operands.rhsPartBytes =
                     getPanelSteps(tile, schedule.getDepth()) *
                     tile.getColumns() * tile.element.getWidth() / 8;
                 operands.isWhole = tile.areHalves;
                 TileSums sums{memory, getStreamSums(inner, panel, tileRow),
                               zero};
                 sums.isFirst = step.isFirst;
                 emitTileProduct(inner, loc, tile, operands,
                                 multiply(inner, tileRow, tile.parts), sums);
               });
    });
  };
  emitLoop(b, loc, zero, panelCount, most, emitGroup);
}

/// The first row of a register tile's sums.
Value BlockEmitter::getStreamSums(OpBuilder &b, Value panel, Value tileRow) {
  return arith::AddIOp::create(b, loc, multiply(b, panel, schedule.getRows()),
                               tileRow);
}

/// All sums are complete.
void BlockEmitter::storeStreams() {
  Value zero = createIndex(builder, loc, 0);
  emitLoop(
      builder, loc, zero, index(builder, rowCount), tile.mr,
      [&](OpBuilder &outer, Value first) {
        Value rest =
            arith::SubIOp::create(outer, loc, index(outer, rowCount), first);
        Value height = arith::MinUIOp::create(outer, loc, rest,
                                              createIndex(outer, loc, tile.mr));
        emitLoop(
            outer, loc, zero, panelCount, 1, [&](OpBuilder &b, Value panel) {
              TilePlace place{first,
                              multiply(b, panel, tile.getColumns()),
                              height,
                              {},
                              /*isLast=*/true};
              place.sums = memref::SubViewOp::create(
                  b, loc, tileSums,
                  SmallVector<OpFoldResult>{getStreamSums(b, panel, first),
                                            b.getIndexAttr(0)},
                  SmallVector<OpFoldResult>{b.getIndexAttr(tile.mr),
                                            b.getIndexAttr(tile.getColumns())},
                  SmallVector<OpFoldResult>(2, b.getIndexAttr(1)));
              store->emit(b, {zero, tile.mr, {}}, place);
            });
      });
}
