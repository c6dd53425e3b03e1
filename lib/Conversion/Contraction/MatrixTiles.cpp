//===- MatrixTiles.cpp - Rows of a block on the tile unit -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockEmitter.h"
#include "PackTiles.h"
#include "TileProduct.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

using namespace mlir;
using namespace attn;

/// The panel's share of the rows and terms of the next part.
void BlockEmitter::prefetchTerms(OpBuilder &b, Value panel, Value first,
                                 Value term) {
  if (!hasUnitInnerStride(lhs))
    return;
  int64_t rows = llvm::divideCeil(tile.mr, panelBound);
  int64_t line =
      512 / getElementTypeOrSelf(lhs.getType()).getIntOrFloatBitWidth();
  Value from = arith::AddIOp::create(b, loc, first, multiply(b, panel, rows));
  for (int64_t c = 0; c < partTerms; c += line)
    emitPrefetch(b, loc, lhs, from, rows, addIndex(b, loc, term, c),
                 /*isWrite=*/false);
}

/// The sums of a panel, a register tile.
Value BlockEmitter::getTileSums(OpBuilder &b, Value panel) {
  SmallVector<OpFoldResult> ones(2, b.getIndexAttr(1));
  return memref::SubViewOp::create(
      b, loc, tileSums,
      SmallVector<OpFoldResult>{multiply(b, panel, tile.mr), b.getIndexAttr(0)},
      SmallVector<OpFoldResult>{b.getIndexAttr(tile.mr),
                                b.getIndexAttr(tile.getColumns())},
      ones);
}

/// A register tile of each panel, a part of the terms after the other: the part
/// of the rows stays in L1 beside a panel's. Sums wait in memory of their own,
/// and go on from there row by row, as 64 vectors at once would not stay in
/// registers: beside the products of the next panel, which leave the vector
/// units idle.
void BlockEmitter::emitTileUnit(OpBuilder &b, const Step &step, Value rows,
                                const TilePlace &place) {
  Value zero = createIndex(b, loc, 0), one = createIndex(b, loc, 1),
        height = createIndex(b, loc, tile.mr);
  Value depth = index(b, step.depth);
  Value length = createIndex(b, loc, partTerms);
  std::optional<int64_t> known = getConstantIntValue(step.depth);
  bool isOne = known && *known <= partTerms;
  TileMemory memory = TileMemory::get(b, loc, tileRows);
  int64_t lhsPartBytes = tile.mr *
                         cast<MemRefType>(tileRows.getType()).getDimSize(1) *
                         memory.elementBytes;
  int64_t rhsPartBytes = getPanelSteps(tile, schedule.getDepth()) *
                         tile.getColumns() * tile.element.getWidth() / 8;
  Value count = memref::DimOp::create(b, loc, rows, zero);
  // Rows of sums from `begin` to `end`, of the panel.
  auto storeRows = [&](OpBuilder &at, Value panel, Value begin, Value end) {
    TilePlace part = place;
    part.column = multiply(at, panel, tile.getColumns());
    part.rowLimit = place.rowLimit ? place.rowLimit : height;
    part.sums = getTileSums(at, panel);
    part.firstRow = begin;
    part.endRow = end;
    store->emit(at, {zero, tile.mr, {}}, part);
  };
  auto emitPart = [&](OpBuilder &outer, Value begin, Value isFirst,
                      bool isLast) {
    Value rest = arith::SubIOp::create(outer, loc, depth, begin);
    Value copied = arith::MinUIOp::create(outer, loc, rest, length);
    // Zeros stand where there are no terms at all.
    Value terms = known && *known > 0
                      ? copied
                      : arith::MaxUIOp::create(outer, loc, copied, one);
    Value chunks = arith::CeilDivUIOp::create(
        outer, loc, terms, createIndex(outer, loc, kTileTerms));
    Value each = arith::CeilDivUIOp::create(outer, loc, height, chunks);
    Value part = memref::SubViewOp::create(
        outer, loc, rows,
        SmallVector<OpFoldResult>{outer.getIndexAttr(0), begin},
        SmallVector<OpFoldResult>{count, copied},
        SmallVector<OpFoldResult>(2, outer.getIndexAttr(1)));
    emitTileRows(outer, loc, tile, part, tileRows);
    Value next = arith::AddIOp::create(outer, loc, begin, terms);
    Value isBehind = arith::CmpIOp::create(
        outer, loc, arith::CmpIPredicate::uge, next, depth);
    Value nextRow = arith::SelectOp::create(
        outer, loc, isBehind, addIndex(outer, loc, place.row, tile.mr),
        place.row);
    nextRow = arith::AddIOp::create(outer, loc, row, nextRow);
    next = arith::SelectOp::create(outer, loc, isBehind, zero, next);
    next = arith::AddIOp::create(outer, loc, step.begin, next);
    emitLoop(outer, loc, zero, panelCount, 1, [&](OpBuilder &at, Value panel) {
      prefetchTerms(at, panel, nextRow, next);
      TileOperands operands{memory,
                            TileMemory::get(at, loc, getPanel(at, step, panel)),
                            zero, terms};
      operands.rhsBegin = begin;
      operands.prefetchesRhs = true;
      operands.lhsPartBytes = lhsPartBytes;
      operands.rhsPartBytes = rhsPartBytes;
      operands.isWhole = tile.areHalves;
      TileSums sums{TileMemory::get(at, loc, getTileSums(at, panel)), zero,
                    zero};
      sums.accumulates = !isOne;
      sums.isFirst = isFirst;
      if (!isLast)
        return emitTileProduct(at, loc, tile, operands, zero, sums);
      // Nothing comes before the first panel: no rows are left to store.
      Value isSecond =
          arith::CmpIOp::create(at, loc, arith::CmpIPredicate::ne, panel, zero);
      Value some = arith::SelectOp::create(at, loc, isSecond, each, zero);
      Value before = arith::SelectOp::create(
          at, loc, isSecond, arith::SubIOp::create(at, loc, panel, one), zero);
      emitTileProduct(
          at, loc, tile, operands, zero, sums,
          [&](OpBuilder &inner, Value chunk) {
            Value from = arith::MulIOp::create(inner, loc, chunk, some);
            storeRows(inner, before, from,
                      arith::AddIOp::create(inner, loc, from, some));
          });
    });
    if (isLast)
      storeRows(outer, arith::SubIOp::create(outer, loc, panelCount, one), zero,
                height);
  };
  if (isOne)
    return emitPart(b, zero, Value(), /*isLast=*/true);
  Value parts = arith::CeilDivUIOp::create(b, loc, depth, length);
  if (!known)
    parts = arith::MaxUIOp::create(b, loc, parts, one);
  Value last = arith::MulIOp::create(
      b, loc, arith::SubIOp::create(b, loc, parts, one), length);
  auto isStart = [&](OpBuilder &at, Value begin) -> Value {
    return arith::CmpIOp::create(at, loc, arith::CmpIPredicate::eq, begin,
                                 zero);
  };
  emitLoop(b, loc, zero, last, partTerms, [&](OpBuilder &outer, Value begin) {
    emitPart(outer, begin, isStart(outer, begin), /*isLast=*/false);
  });
  emitPart(b, last, known ? Value() : isStart(b, last), /*isLast=*/true);
}
