//===- MatrixAhead.cpp - What a block of a product asks for ahead ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockEmitter.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

/// Rows of panels that one part asks for at most.
constexpr int64_t kMostAsked = 32;

/// The rows of the next tile from term `k` on, divided among the panels.
void BlockEmitter::prefetchRows(OpBuilder &b, const Step &step, Value panel,
                                Value first, Value k, int64_t parts) {
  if (!hasUnitInnerStride(lhs))
    return;
  int64_t bytes =
      getElementTypeOrSelf(lhs.getType()).getIntOrFloatBitWidth() / 8;
  int64_t line = 64 / bytes;
  int64_t rows = llvm::divideCeil(tile.mr, panelBound);
  int64_t terms = llvm::divideCeil(schedule.getDepth(), parts);
  Value next = arith::AddIOp::create(b, loc, row, first);
  next = arith::AddIOp::create(b, loc, addIndex(b, loc, next, tile.mr),
                               multiply(b, panel, rows));
  Value term = arith::AddIOp::create(b, loc, step.begin, k);
  for (int64_t c = 0; c < terms; c += line)
    emitPrefetch(b, loc, lhs, next, rows, addIndex(b, loc, term, c),
                 /*isWrite=*/false);
}

/// Behind the last step comes the first one of the next group of columns.
void BlockEmitter::findNextPanels(OpBuilder &b, const Step &step) {
  if (!panels || product.rhsTransposed || schedule.getRows() > kFewPanelRows ||
      !tile.fillsLine())
    return;
  Value depth = index(b, product.lhs.columns);
  Value end = addIndex(b, loc, step.begin, schedule.getDepth());
  Value isBehind =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, end, depth);
  nextRow =
      arith::SelectOp::create(b, loc, isBehind, createIndex(b, loc, 0), end);
  nextColumn = arith::SelectOp::create(
      b, loc, isBehind,
      addIndex(b, loc, column, tile.getColumns() * panelBound), column);
}

/// Tiles of rows share what each panel's successor has: else memory would wait
/// while all but the first one multiply. The same panels come in the next step,
/// or those behind them in the first one.
std::optional<BlockEmitter::NextPanel>
BlockEmitter::findNextPanel(OpBuilder &b, const Step &step, Value panel,
                            Value first) {
  if (!packed || tile.isOfTiles() || schedule.getRows() > kFewPanelRows)
    return std::nullopt;
  ArrayRef<int64_t> shape = cast<MemRefType>(packed.getType()).getShape();
  Value number = arith::DivUIOp::create(
      b, loc, step.begin, createIndex(b, loc, schedule.getDepth()));
  number = addIndex(b, loc, number, 1);
  Value isBehind = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                         number, createIndex(b, loc, shape[0]));
  number =
      arith::SelectOp::create(b, loc, isBehind, createIndex(b, loc, 0), number);
  Value same = arith::AddIOp::create(b, loc, firstPanel, panel);
  Value behind =
      arith::MinUIOp::create(b, loc, addIndex(b, loc, same, panelBound),
                             createIndex(b, loc, shape[1] - 1));
  NextPanel next;
  Value found = getPackedPanel(
      b, number, arith::SelectOp::create(b, loc, isBehind, behind, same));
  next.panel = memref::CollapseShapeOp::create(
      b, loc, found, SmallVector<ReassociationIndices>{{0, 1}});
  int64_t tiles = llvm::divideCeil(schedule.getRows(), tile.mr);
  int64_t steps = cast<MemRefType>(found.getType()).getDimSize(0);
  next.vectors = llvm::divideCeil(tile.nr, tiles);
  Value tileNumber =
      arith::DivUIOp::create(b, loc, first, createIndex(b, loc, tile.mr));
  // The last tiles may ask for what others did.
  int64_t share = steps * next.vectors * tile.lanes;
  next.begin = arith::MinUIOp::create(
      b, loc, multiply(b, tileNumber, share),
      createIndex(b, loc, steps * tile.getColumns() - share));
  return next;
}

/// Where B is read as it lies, the next columns of the step's rows come behind
/// a panel, and behind the last one the first columns of the next step. One
/// tile of more rows than kReadRows has time to ask for the next rows of its
/// own columns.
bool BlockEmitter::findNextColumns(OpBuilder &b, const Step &step,
                                   Value panel) {
  int64_t rows = schedule.getRows();
  bool isOneTile = rows <= tile.mr && rows > kReadRows;
  if (panels || packed || isOneTile || !tile.fillsLine())
    return false;
  Value next = addIndex(b, loc, panel, 1);
  Value isBehind = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                         next, panelCount);
  nextRow = arith::SelectOp::create(
      b, loc, isBehind, addIndex(b, loc, step.begin, schedule.getDepth()),
      step.begin);
  next =
      arith::SelectOp::create(b, loc, isBehind, createIndex(b, loc, 0), next);
  nextColumn = arith::AddIOp::create(b, loc, column,
                                     multiply(b, next, tile.getColumns()));
  return true;
}

/// Part `part` of those rows, divided among the parts of all full tiles.
void BlockEmitter::prefetchPanels(OpBuilder &b, Value panel, Value first,
                                  Value part, int64_t parts) {
  int64_t rows = schedule.getRows();
  if (std::optional<int64_t> known = getConstantIntValue(rowCount))
    rows = std::min(rows, *known);
  int64_t tiles = std::max<int64_t>(rows / tile.mr, 1);
  int64_t each = llvm::divideCeil(schedule.getDepth(), tiles * parts);
  Value number =
      arith::DivUIOp::create(b, loc, first, createIndex(b, loc, tile.mr));
  number = arith::AddIOp::create(b, loc, multiply(b, number, parts), part);
  Value from =
      arith::AddIOp::create(b, loc, nextRow, multiply(b, number, each));
  Value at = nextColumn;
  if (panels)
    at = arith::AddIOp::create(b, loc, at,
                               multiply(b, panel, tile.getColumns()));
  int64_t line = 512 / product.rhs.getElement().getIntOrFloatBitWidth();
  // A schedule that is written by hand may have terms without end.
  each = std::min(each, kMostAsked);
  for (int64_t c = 0; c < tile.getColumns(); c += line)
    for (int64_t r = 0; r < each; ++r)
      // Into L2: rows may be a power of two apart.
      memref::PrefetchOp::create(
          b, loc, rhs,
          ValueRange{addIndex(b, loc, from, r), addIndex(b, loc, at, c)},
          /*isWrite=*/false, /*localityHint=*/panels ? 2 : 3,
          /*isDataCache=*/true);
}
