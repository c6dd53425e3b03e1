//===- MatrixBlock.cpp - One block of a matrix product -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Lanes/ConvertBlock.h"
#include "BlockEmitter.h"
#include "attn/Dialect/Attn/IR/ProductParts.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// Rows of a panel that are on their way into the L1 cache.
constexpr int64_t kPanelAhead = 8;
/// Keeps the copied rows of A off each other's places in the L1 cache.
constexpr int64_t kRowPadding = 16;

RegisterTile attn::getRegisterTile(ContractionScheduleAttr schedule,
                                   FloatType compute, Value lhs, Value rhs) {
  int64_t parts = schedule.getParts();
  return {compute,
          schedule.getLanes(),
          schedule.getMr(),
          schedule.getNr(),
          schedule.getInstruction(),
          parts,
          areHalves(parts, {lhs, rhs})};
}

SmallVector<Value> BlockEmitter::getBatchIndices(Value batch) {
  Values indices(product.batchSizes.size());
  Value rest = batch;
  for (unsigned d = indices.size(); d-- > 0;) {
    Value size = index(builder, product.batchSizes[d]);
    indices[d] = rest;
    if (d == 0)
      break;
    indices[d] = arith::RemUIOp::create(builder, loc, rest, size);
    rest = arith::DivUIOp::create(builder, loc, rest, size);
  }
  return indices;
}

/// How many of `step` rows or columns from `first` on exist.
OpFoldResult BlockEmitter::getCount(Value first, int64_t step,
                                    OpFoldResult size) {
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known && *known % step == 0)
    return builder.getIndexAttr(step);
  // There is one block only.
  if (known && *known < step)
    return size;
  Value rest = arith::SubIOp::create(builder, loc, index(builder, size), first);
  return arith::MinUIOp::create(builder, loc, rest,
                                createIndex(builder, loc, step))
      .getResult();
}

void BlockEmitter::emit(Value batch, Value rowBlock, Value columnGroup) {
  Values indices = getBatchIndices(batch);
  lhs = product.lhs.createView(builder, loc, indices);
  if (!packed)
    rhs = product.rhs.createView(builder, loc, indices);
  int64_t width = tile.getColumns() * panelBound;
  row = multiply(builder, rowBlock, schedule.getRows());
  column = multiply(builder, columnGroup, width);
  rowCount = getCount(row, schedule.getRows(), product.output.rows);
  columnCount = getCount(column, width, product.output.columns);
  std::optional<int64_t> columns = getConstantIntValue(product.output.columns);
  MatrixBlock block{row,
                    column,
                    schedule.getRows(),
                    width,
                    index(builder, columnCount),
                    !columns || *columns % tile.getColumns() != 0};
  panelCount =
      arith::CeilDivUIOp::create(builder, loc, block.columnCount,
                                 createIndex(builder, loc, tile.getColumns()));
  store.emplace(loc, product, tile, block);
  areTurned = schedule.getTurned() && product.rhsTransposed;
  areDots = schedule.getDirect() && product.rhsTransposed && tile.nr == 1;
  if (areDots)
    dotScratch =
        allocate(getDotScratch(tile, product.rhs.getElement()), tile.element);
  if (areDots && schedule.getRows() == 1) {
    store->open(builder, indices, /*severalSteps=*/false);
    return emitDots();
  }
  bool isReadable =
      !product.rhsTransposed && !block.hasTail &&
      (tile.getTerms() == 1 || product.rhs.getElement() == rowType);
  firstPanel = multiply(builder, columnGroup, panelBound);
  std::optional<int64_t> depth = getConstantIntValue(product.lhs.columns);
  bool isOneStep = depth && *depth <= schedule.getDepth();
  if (tile.isOfTiles() && !packed && !product.rhsTransposed && !isOneStep &&
      schedule.getRows() <= kMostStreamedRows) {
    areStreamed = true;
    allocateStreams();
    store->open(builder, indices, /*severalSteps=*/false);
    emitSteps();
    return storeStreams();
  }
  if (!packed && !areTurned &&
      (!schedule.getDirect() || !(isReadable || areDots)))
    panels = allocate(
        {panelBound,
         tile.parts * getPanelSteps(tile, schedule.getDepth()) + kPanelAhead,
         tile.getColumns()},
        tile.element);
  int64_t terms = schedule.getDepth();
  if (tile.isOfTiles())
    terms = std::min<int64_t>(llvm::alignTo(terms, kTileTerms), partTerms);
  tileRows = allocate(
      {tile.parts * tile.mr, terms + kRowPadding * tile.getTerms()}, rowType);
  if (areTurned)
    allocateTurned();
  else if (tile.isOfTiles())
    tileSums =
        allocate({panelBound * tile.mr, tile.getColumns()}, tile.element);
  store->open(builder, indices, !isOneStep);
  emitSteps();
}

void BlockEmitter::emitDots() {
  Value zero = createIndex(builder, loc, 0);
  Value end =
      arith::AddIOp::create(builder, loc, column, index(builder, columnCount));
  emitLoop(builder, loc, zero, panelCount, 1, [&](OpBuilder &b, Value panel) {
    Value first = multiply(b, panel, tile.getColumns());
    DotSource source{lhs,
                     rhs,
                     row,
                     /*height=*/1,
                     arith::AddIOp::create(b, loc, column, first),
                     end,
                     zero,
                     product.lhs.columns,
                     dotScratch};
    store->emit(b, {zero, 1, emitDotProducts(b, loc, source, tile)},
                {zero, first, {}, {}, /*isLast=*/true});
  });
}

/// Goes over k.
void BlockEmitter::emitSteps() {
  OpFoldResult size = product.lhs.columns;
  Value zero = createIndex(builder, loc, 0);
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known && *known <= schedule.getDepth())
    return emitStep(builder, {zero, size, {}, {}});
  Value depth = index(builder, size);
  Value length = createIndex(builder, loc, schedule.getDepth());
  // One step of no terms where there are none: the output is written in any
  // case.
  Value end =
      arith::MaxUIOp::create(builder, loc, depth, createIndex(builder, loc, 1));
  emitLoop(builder, loc, zero, end, schedule.getDepth(),
           [&](OpBuilder &b, Value begin) {
             Value rest = arith::SubIOp::create(b, loc, depth, begin);
             Value isFirst = arith::CmpIOp::create(
                 b, loc, arith::CmpIPredicate::eq, begin, zero);
             Value isLast = arith::CmpIOp::create(
                 b, loc, arith::CmpIPredicate::ule, rest, length);
             OpFoldResult terms = b.getIndexAttr(schedule.getDepth());
             if (!known || *known % schedule.getDepth() != 0)
               terms = arith::MinUIOp::create(b, loc, rest, length).getResult();
             emitStep(b, {begin, terms, isFirst, isLast});
           });
}

void BlockEmitter::emitStep(OpBuilder &b, const Step &step) {
  if (areTurned)
    return emitTurnedStep(b, step);
  if (areStreamed)
    return emitStreamedStep(b, step);
  if (panels)
    emitPanels(b, loc,
               {rhs, product.rhsTransposed, step.begin, index(b, step.depth),
                column, index(b, columnCount),
                getPanelSteps(tile, schedule.getDepth())},
               panels, tile);
  findNextPanels(b, step);
  auto emitFull = [&](Value end) {
    emitLoop(b, loc, createIndex(b, loc, 0), end, tile.mr,
             [&](OpBuilder &nested, Value first) {
               emitRows(nested, step, first, tile.mr, {});
             });
  };
  if (std::optional<int64_t> rows = getConstantIntValue(rowCount)) {
    int64_t full = *rows / tile.mr * tile.mr;
    emitFull(createIndex(b, loc, full));
    int64_t height = *rows - full;
    if (height == 0)
      return;
    Value first = createIndex(b, loc, full);
    // Tiles are whole.
    if (tile.isOfTiles())
      return emitRows(b, step, first, tile.mr, createIndex(b, loc, height));
    emitRows(b, step, first, height, {});
    return;
  }
  Value rows = index(b, rowCount);
  Value rest =
      arith::RemUIOp::create(b, loc, rows, createIndex(b, loc, tile.mr));
  Value full = arith::SubIOp::create(b, loc, rows, rest);
  emitFull(full);
  Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, rest,
                                     createIndex(b, loc, 0));
  auto ifOp = scf::IfOp::create(b, loc, some, /*withElseRegion=*/false);
  OpBuilder last = ifOp.getThenBodyBuilder();
  emitRows(last, step, full, tile.mr, rest);
}

void BlockEmitter::emitRows(OpBuilder &b, const Step &step, Value first,
                            int64_t height, Value limit) {
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  OpFoldResult copied = b.getIndexAttr(height);
  if (limit)
    copied = limit;
  Value from = arith::AddIOp::create(b, loc, row, first);
  Value part = memref::SubViewOp::create(
      b, loc, lhs, SmallVector<OpFoldResult>{from, step.begin},
      SmallVector<OpFoldResult>{copied, step.depth}, strides);
  Value rows = part;
  if (!tile.isOfTiles())
    rows = emitConvertedBlock(b, loc, part, tileRows,
                              tile.lanes * tile.getTerms());
  if (limit && !tile.isOfTiles())
    rows = memref::SubViewOp::create(
        b, loc, tileRows, SmallVector<OpFoldResult>(2, b.getIndexAttr(0)),
        SmallVector<OpFoldResult>{b.getIndexAttr(height), step.depth}, strides);
  auto emitTiles = [&](OpBuilder &nested, bool isLast) {
    if (tile.isOfTiles())
      return emitTileUnit(nested, step, rows,
                          {first, {}, limit, step.isFirst, isLast});
    emitLoop(nested, loc, createIndex(nested, loc, 0), panelCount, 1,
             [&](OpBuilder &inner, Value panel) {
               TilePlace place{first, multiply(inner, panel, tile.getColumns()),
                               limit, step.isFirst, isLast};
               emitTile(inner, step, rows, panel, place, height);
             });
  };
  if (!step.isLast || !store->isLastStepDifferent())
    return emitTiles(b, /*isLast=*/true);
  // A choice within the loops would be one for each part of each tile.
  auto ifOp = scf::IfOp::create(b, loc, step.isLast, /*withElseRegion=*/true);
  OpBuilder last = ifOp.getThenBodyBuilder();
  emitTiles(last, /*isLast=*/true);
  OpBuilder before = ifOp.getElseBodyBuilder();
  emitTiles(before, /*isLast=*/false);
}

/// The panel at these leading indices.
static Value takePanel(OpBuilder &b, Location loc, Value panels,
                       ArrayRef<OpFoldResult> indices) {
  auto panelsType = cast<MemRefType>(panels.getType());
  SmallVector<OpFoldResult> offsets = llvm::to_vector(indices);
  ArrayRef<int64_t> shape = panelsType.getShape().take_back(2);
  SmallVector<OpFoldResult> sizes(offsets.size(), b.getIndexAttr(1));
  for (int64_t size : shape) {
    offsets.push_back(b.getIndexAttr(0));
    sizes.push_back(b.getIndexAttr(size));
  }
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      shape, panelsType, offsets, sizes, strides));
  return memref::SubViewOp::create(b, loc, type, panels, offsets, sizes,
                                   strides);
}

/// B for one tile: a panel, or a part of the matrix.
Value BlockEmitter::getPanel(OpBuilder &b, const Step &step, Value panel) {
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  OpFoldResult width = b.getIndexAttr(tile.getColumns());
  if (!panels && !packed) {
    Value first = arith::AddIOp::create(b, loc, column,
                                        multiply(b, panel, tile.getColumns()));
    return memref::SubViewOp::create(
        b, loc, rhs, SmallVector<OpFoldResult>{step.begin, first},
        SmallVector<OpFoldResult>{step.depth, width}, strides);
  }
  if (packed) {
    Value depth = createIndex(b, loc, schedule.getDepth());
    return getPackedPanel(b, arith::DivUIOp::create(b, loc, step.begin, depth),
                          arith::AddIOp::create(b, loc, firstPanel, panel));
  }
  return takePanel(b, loc, panels, OpFoldResult(panel));
}

Value BlockEmitter::getPackedPanel(OpBuilder &b, Value step, Value number) {
  return takePanel(b, loc, packed, {step, number});
}

void BlockEmitter::emitTile(OpBuilder &b, const Step &step, Value rows,
                            Value panel, const TilePlace &place,
                            int64_t height) {
  if (areDots) {
    Value first = arith::AddIOp::create(b, loc, column, place.column);
    Value end = arith::AddIOp::create(b, loc, column, index(b, columnCount));
    Value zero = createIndex(b, loc, 0);
    DotSource source{rows, rhs,        zero,       height,    first,
                     end,  step.begin, step.depth, dotScratch};
    return store->emit(b, {zero, height, emitDotProducts(b, loc, source, tile)},
                       place);
  }
  ContractionOperands operands;
  operands.lhs = rows;
  operands.rhs = getPanel(b, step, panel);
  operands.column = createIndex(b, loc, 0);
  operands.rows = b.getIndexAttr(height);
  operands.depth = step.depth;
  operands.prefetchRhs = findNextColumns(b, step, panel) ? 0 : kPanelAhead;
  bool isPacked = panels || packed;
  operands.prefetchLocality = isPacked ? 3 : 2;
  if (auto next = findNextPanel(b, step, panel, place.row)) {
    operands.next = next->panel;
    operands.nextBegin = next->begin;
    operands.nextVectors = next->vectors;
  }
  ContractionHooks hooks;
  hooks.epilogue = [&](OpBuilder &at, Location, const AccumulatorTile &sums,
                       ValueRange) {
    store->emit(at, sums, place);
    return Values();
  };
  if (height == tile.mr && !place.rowLimit) {
    hooks.parts = tile.mr * store->countMatrices(place.isLast);
    hooks.beforePart = [&](OpBuilder &at, Location, Value, Value part,
                           Value k) {
      store->prefetch(at, place, part);
      prefetchRows(at, step, panel, place.row, k, hooks.parts);
      if (nextRow)
        prefetchPanels(at, panel, place.row, part, hooks.parts);
    };
  }
  ContractionEmitter(tile, operands, hooks).emit(b, loc, ValueRange());
}

void attn::emitMatrixBlock(OpBuilder &builder, Location loc,
                           const MatrixProduct &product, Value packed,
                           ContractionScheduleAttr schedule, FloatType compute,
                           Value batch, Value rowBlock, Value columnGroup) {
  BlockEmitter(builder, loc, product, packed, schedule, compute)
      .emit(batch, rowBlock, columnGroup);
}
