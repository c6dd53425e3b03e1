//===- MatrixBlock.cpp - One block of a matrix product -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Lanes/ConvertBlock.h"
#include "MatrixStore.h"
#include "PackTiles.h"
#include "TileProduct.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// Rows of a panel that are on their way into the L1 cache.
constexpr int64_t kPanelAhead = 8;
/// Up to so many rows share a block's panels, packing would wait for memory as
/// long as a good part of the products takes.
constexpr int64_t kFewRows = 96;
/// Terms of rows that stay in L1 beside as many of a panel, on the tile unit.
constexpr int64_t kTilePartTerms = 256;
/// Keeps the copied rows of A off each other's places in the L1 cache.
constexpr int64_t kRowPadding = 16;

namespace {

class BlockEmitter {
public:
  BlockEmitter(OpBuilder &builder, Location loc, const MatrixProduct &product,
               Value packed, ContractionScheduleAttr schedule,
               FloatType compute)
      : builder(builder), loc(loc), product(product), schedule(schedule),
        tile{compute, schedule.getLanes(), schedule.getMr(), schedule.getNr(),
             schedule.getInstruction()},
        rowType(tile.getTerms() == 1 ? compute : product.lhs.getElement()),
        panelBound(getPanelBound(schedule)), packed(packed) {}

  void emit(Value batch, Value rowBlock, Value columnGroup);

private:
  using Values = SmallVector<Value>;
  /// One step over k.
  struct Step {
    Value begin;
    OpFoldResult depth;
    /// Null where it is the only one.
    Value isFirst, isLast;
  };

  Values getBatchIndices(Value batch);
  OpFoldResult getCount(Value first, int64_t step, OpFoldResult size);
  /// One row times columns that are contiguous: nothing of it is copied.
  void emitDots();
  void emitSteps();
  void emitStep(OpBuilder &b, const Step &step);
  /// The tile of `height` rows at `row` for all panels; `limit` of the rows
  /// exist, all if it is null.
  void emitRows(OpBuilder &b, const Step &step, Value row, int64_t height,
                Value limit);
  Value getPanel(OpBuilder &b, const Step &step, Value panel);
  void emitTile(OpBuilder &b, const Step &step, Value rows, Value panel,
                const TilePlace &place, int64_t height);
  void emitTileUnit(OpBuilder &b, const Step &step, Value rows,
                    const TilePlace &place);
  Value getTileSums(OpBuilder &b, Value panel);
  void prefetchTerms(OpBuilder &b, Value panel, Value first, Value term);
  void prefetchRows(OpBuilder &b, const Step &step, Value panel, Value row,
                    Value k, int64_t parts);
  void findNextPanels(OpBuilder &b, const Step &step);
  void prefetchPanels(OpBuilder &b, Value panel, Value row, Value part,
                      int64_t parts);
  Value multiply(OpBuilder &b, Value a, int64_t c) {
    return arith::MulIOp::create(b, loc, a, createIndex(b, loc, c));
  }
  Value allocate(ArrayRef<int64_t> shape, Type element) {
    return memref::AllocOp::create(builder, loc,
                                   MemRefType::get(shape, element),
                                   builder.getI64IntegerAttr(64));
  }
  Value index(OpBuilder &b, OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, loc, value);
  }

  OpBuilder &builder;
  Location loc;
  const MatrixProduct &product;
  ContractionScheduleAttr schedule;
  RegisterTile tile;
  /// What copied rows of A consist of: terms are widened where a step takes one
  /// of them.
  Type rowType;
  int64_t panelBound;
  /// All panels of the product, where they were packed ahead, else null.
  Value packed;
  /// Whether columns of B are read where they lie.
  bool areDots = false;
  Value dotScratch;

  Value lhs, rhs;
  Value row, column;
  OpFoldResult rowCount, columnCount;
  /// The packed panels of a step; null where B is read where it lies, or all
  /// of it was packed ahead: then the block's first panel there.
  Value panels;
  Value firstPanel;
  /// Where in B the panels of the next step come from; null where nobody asks
  /// for them ahead.
  Value nextRow, nextColumn;
  Value panelCount, tileRows;
  /// On the tile unit: a register tile for each panel.
  Value tileSums;
  std::optional<MatrixStore> store;
};

} // namespace

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
  areDots = schedule.getPanels() == 0 && product.rhsTransposed && tile.nr == 1;
  if (areDots)
    dotScratch = allocate(getDotScratch(tile), tile.element);
  if (areDots && schedule.getRows() == 1) {
    store->open(builder, indices, /*severalSteps=*/false);
    return emitDots();
  }
  bool isReadable =
      !product.rhsTransposed && !block.hasTail &&
      (tile.getTerms() == 1 || product.rhs.getElement() == rowType);
  firstPanel = multiply(builder, columnGroup, panelBound);
  if (!packed && (schedule.getPanels() != 0 || !(isReadable || areDots)))
    panels = allocate({panelBound,
                       getPanelSteps(tile, schedule.getDepth()) + kPanelAhead,
                       tile.getColumns()},
                      tile.element);
  int64_t terms = schedule.getDepth();
  if (tile.isOfTiles())
    terms = std::min<int64_t>(llvm::alignTo(terms, kTileTerms), kTilePartTerms);
  tileRows =
      allocate({tile.mr, terms + kRowPadding * tile.getTerms()}, rowType);
  if (tile.isOfTiles())
    tileSums =
        allocate({panelBound * tile.mr, tile.getColumns()}, tile.element);
  std::optional<int64_t> depth = getConstantIntValue(product.lhs.columns);
  store->open(builder, indices, !depth || *depth > schedule.getDepth());
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
  if (panels)
    emitPanels(b, loc,
               {rhs, product.rhsTransposed, step.begin, index(b, step.depth),
                column, index(b, columnCount)},
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
  Value source = panels;
  SmallVector<OpFoldResult> offsets = {panel};
  if (packed) {
    source = packed;
    Value depth = createIndex(b, loc, schedule.getDepth());
    offsets = {arith::DivUIOp::create(b, loc, step.begin, depth).getResult(),
               arith::AddIOp::create(b, loc, firstPanel, panel).getResult()};
  }
  auto panelsType = cast<MemRefType>(source.getType());
  ArrayRef<int64_t> shape = panelsType.getShape().take_back(2);
  SmallVector<OpFoldResult> sizes(offsets.size(), b.getIndexAttr(1));
  for (int64_t size : shape) {
    offsets.push_back(b.getIndexAttr(0));
    sizes.push_back(b.getIndexAttr(size));
  }
  strides.assign(offsets.size(), b.getIndexAttr(1));
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      shape, panelsType, offsets, sizes, strides));
  return memref::SubViewOp::create(b, loc, type, source, offsets, sizes,
                                   strides);
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
  operands.prefetchRhs = kPanelAhead;
  bool isPacked = panels || packed;
  operands.prefetchLocality = isPacked ? 3 : 2;
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

/// The panel's share of the rows and terms of the next part.
void BlockEmitter::prefetchTerms(OpBuilder &b, Value panel, Value first,
                                 Value term) {
  if (!hasUnitInnerStride(lhs))
    return;
  int64_t rows = llvm::divideCeil(tile.mr, panelBound);
  int64_t line =
      512 / getElementTypeOrSelf(lhs.getType()).getIntOrFloatBitWidth();
  Value from = arith::AddIOp::create(b, loc, first, multiply(b, panel, rows));
  for (int64_t c = 0; c < kTilePartTerms; c += line)
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
  Value length = createIndex(b, loc, kTilePartTerms);
  std::optional<int64_t> known = getConstantIntValue(step.depth);
  bool isOne = known && *known <= kTilePartTerms;
  TileMemory memory = TileMemory::get(b, loc, tileRows);
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
    Value terms =
        known ? copied : arith::MaxUIOp::create(outer, loc, copied, one);
    Value chunks = arith::CeilDivUIOp::create(
        outer, loc, terms, createIndex(outer, loc, kTileTerms));
    Value each = arith::CeilDivUIOp::create(outer, loc, height, chunks);
    Value part = memref::SubViewOp::create(
        outer, loc, rows,
        SmallVector<OpFoldResult>{outer.getIndexAttr(0), begin},
        SmallVector<OpFoldResult>{count, copied},
        SmallVector<OpFoldResult>(2, outer.getIndexAttr(1)));
    emitTileRows(outer, loc, part, tileRows);
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
  emitLoop(b, loc, zero, last, kTilePartTerms,
           [&](OpBuilder &outer, Value begin) {
             emitPart(outer, begin, isStart(outer, begin), /*isLast=*/false);
           });
  emitPart(b, last, known ? Value() : isStart(b, last), /*isLast=*/true);
}

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
  if (!panels || product.rhsTransposed || schedule.getRows() > kFewRows ||
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
  Value at = arith::AddIOp::create(b, loc, nextColumn,
                                   multiply(b, panel, tile.getColumns()));
  int64_t line = 512 / product.rhs.getElement().getIntOrFloatBitWidth();
  for (int64_t c = 0; c < tile.getColumns(); c += line)
    for (int64_t r = 0; r < each; ++r)
      // Into L2: rows may be a power of two apart.
      memref::PrefetchOp::create(
          b, loc, rhs,
          ValueRange{addIndex(b, loc, from, r), addIndex(b, loc, at, c)},
          /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
}

void attn::emitMatrixBlock(OpBuilder &builder, Location loc,
                           const MatrixProduct &product, Value packed,
                           ContractionScheduleAttr schedule, FloatType compute,
                           Value batch, Value rowBlock, Value columnGroup) {
  BlockEmitter(builder, loc, product, packed, schedule, compute)
      .emit(batch, rowBlock, columnGroup);
}
