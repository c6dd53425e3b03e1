//===- MatrixTurned.cpp - Few rows times columns that are contiguous ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile unit takes rows of terms on its left as they lie in memory. Columns
// whose terms are neighbours are such rows: C transposed is B transposed times
// A transposed. Of few rows A is small, and turned once for all columns; so are
// sums, as they are stored. Packing B would take longer than all products.
//
//===----------------------------------------------------------------------===//

#include "../Lanes/Transpose.h"
#include "BlockEmitter.h"
#include "PackTiles.h"
#include "TileRows.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

/// The register tile with rows and columns in each other's place.
static RegisterTile turn(RegisterTile tile) {
  std::swap(tile.mr, tile.nr);
  tile.mr *= tile.lanes;
  tile.nr /= tile.lanes;
  return tile;
}

void BlockEmitter::allocateTurned() {
  RegisterTile turned = turn(tile);
  int64_t terms = llvm::alignTo(schedule.getDepth(), kTileTerms);
  rowSteps =
      allocate({terms / tile.getTerms(), schedule.getRows()}, tile.element);
  turnedSums = allocate({turned.mr, schedule.getRows()}, tile.element);
  tileSums = allocate({tile.mr, tile.getColumns()}, tile.element);
  columnCopies =
      allocate(getTileRowsShape(turned.mr, schedule.getDepth(), turned),
               tile.getNarrow());
}

void BlockEmitter::emitTurnedStep(OpBuilder &b, const Step &step) {
  emitRowSteps(b, step);
  emitLoop(b, loc, createIndex(b, loc, 0), panelCount, 1,
           [&](OpBuilder &inner, Value panel) {
             emitTurnedPanel(inner, step,
                             multiply(inner, panel, tile.getColumns()));
           });
}

/// A block of as many rows as a vector has lanes.
static void copyTurned(OpBuilder &b, Location loc, VectorType type, Value from,
                       std::array<Value, 2> position, Value to,
                       std::array<Value, 2> place) {
  SmallVector<Value> turned =
      emitTurnedBlock(b, loc, type, from, position[0], position[1]);
  for (auto [i, vector] : llvm::enumerate(turned))
    vector::StoreOp::create(
        b, loc, vector, to,
        ValueRange{addIndex(b, loc, place[0], i), place[1]});
}

/// Tiles of rows, a part of the terms after the other, through the scratch that
/// makes them whole.
void BlockEmitter::emitRowSteps(OpBuilder &outer, const Step &step) {
  Value zero = createIndex(outer, loc, 0);
  Value rows = index(outer, rowCount), depth = index(outer, step.depth);
  auto emitPart = [&](OpBuilder &b, Value first, Value begin) {
    auto getRest = [&](Value all, Value done, int64_t most) -> Value {
      return arith::MinUIOp::create(b, loc,
                                    arith::SubIOp::create(b, loc, all, done),
                                    createIndex(b, loc, most));
    };
    Value terms = getRest(depth, begin, kTilePartTerms);
    Value part = memref::SubViewOp::create(
        b, loc, lhs,
        SmallVector<OpFoldResult>{
            arith::AddIOp::create(b, loc, row, first).getResult(),
            arith::AddIOp::create(b, loc, step.begin, begin).getResult()},
        SmallVector<OpFoldResult>{getRest(rows, first, tile.mr), terms},
        SmallVector<OpFoldResult>(2, b.getIndexAttr(1)));
    emitTileRows(b, loc, tile, part, tileRows);
    emitLoop(b, loc, zero, createIndex(b, loc, tile.mr), kTileRows,
             [&](OpBuilder &middle, Value from) {
               emitLoop(middle, loc, zero, terms, kTileTerms,
                        [&](OpBuilder &inner, Value term) {
                          Value step = arith::DivUIOp::create(
                              inner, loc,
                              arith::AddIOp::create(inner, loc, begin, term),
                              createIndex(inner, loc, tile.getTerms()));
                          copyTurned(inner, loc, tile.getVectorType(), tileRows,
                                     {from, term}, rowSteps,
                                     {step, arith::AddIOp::create(
                                                inner, loc, first, from)});
                        });
             });
  };
  emitLoop(outer, loc, zero, rows, tile.mr, [&](OpBuilder &b, Value first) {
    emitLoop(
        b, loc, zero, depth, kTilePartTerms,
        [&](OpBuilder &inner, Value begin) { emitPart(inner, first, begin); });
  });
}

/// Several tiles of rows share what is in L1 of the panel's columns.
void BlockEmitter::emitTurnedPanel(OpBuilder &outer, const Step &step,
                                   Value first) {
  RegisterTile turned = turn(tile);
  Value zero = createIndex(outer, loc, 0), one = createIndex(outer, loc, 1);
  Value rows = index(outer, rowCount), depth = index(outer, step.depth);
  OpFoldResult count = outer.getIndexAttr(turned.mr);
  std::optional<int64_t> columns = getConstantIntValue(product.output.columns);
  if (!columns || *columns % turned.mr != 0)
    count =
        arith::MinUIOp::create(
            outer, loc, index(outer, count),
            arith::SubIOp::create(outer, loc, index(outer, columnCount), first))
            .getResult();
  Value part = memref::SubViewOp::create(
      outer, loc, rhs,
      SmallVector<OpFoldResult>{
          arith::AddIOp::create(outer, loc, column, first).getResult(),
          step.begin},
      SmallVector<OpFoldResult>{count, step.depth},
      SmallVector<OpFoldResult>(2, outer.getIndexAttr(1)));
  TileMemory lhsRows =
      emitTileRowsOf(outer, loc, part, columnCopies, turned).memory;
  TileMemory steps = TileMemory::get(outer, loc, rowSteps),
             memory = TileMemory::get(outer, loc, turnedSums);
  bool isOne = schedule.getRows() == tile.mr;
  int64_t length = isOne ? schedule.getDepth() : kTilePartTerms;
  auto emitProduct = [&](OpBuilder &b, Value begin, Value from) {
    Value rest = arith::SubIOp::create(b, loc, depth, begin);
    Value terms =
        arith::MinUIOp::create(b, loc, rest, createIndex(b, loc, length));
    TileOperands operands = {lhsRows, steps, from, terms, begin};
    operands.lhs.address = lhsRows.getAddress(b, loc, zero, begin);
    TileSums sums = {memory, zero, from};
    if (!isOne)
      sums.isFirst =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, begin, zero);
    emitTileProduct(b, loc, turned, operands, zero, sums);
  };
  // One part of no terms where there are none: sums are made in any case.
  Value end = arith::MaxUIOp::create(outer, loc, depth, one);
  emitLoop(outer, loc, zero, end, length, [&](OpBuilder &b, Value begin) {
    emitLoop(b, loc, zero, rows, tile.mr, [&](OpBuilder &inner, Value from) {
      emitProduct(inner, begin, from);
    });
  });
  emitLoop(outer, loc, zero, rows, tile.mr, [&](OpBuilder &b, Value from) {
    storeTurned(b, step, first, from);
  });
}

/// The tile of rows from `from` on, and of columns from `first` on.
void BlockEmitter::storeTurned(OpBuilder &b, const Step &step, Value first,
                               Value from) {
  Value zero = createIndex(b, loc, 0), height = createIndex(b, loc, tile.mr);
  for (int64_t r = 0; r < tile.mr; r += tile.lanes)
    for (int64_t c = 0; c < tile.getColumns(); c += tile.lanes)
      copyTurned(b, loc, tile.getVectorType(), turnedSums,
                 {createIndex(b, loc, c), addIndex(b, loc, from, r)}, tileSums,
                 {createIndex(b, loc, r), createIndex(b, loc, c)});
  Value left = arith::SubIOp::create(b, loc, index(b, rowCount), from);
  TilePlace place = {from, first, arith::MinUIOp::create(b, loc, left, height),
                     step.isFirst,
                     /*isLast=*/true};
  place.sums = tileSums;
  place.firstRow = zero;
  place.endRow = height;
  auto emit = [&](OpBuilder &at, bool isLast) {
    place.isLast = isLast;
    store->emit(at, {zero, tile.mr, {}}, place);
  };
  if (!step.isLast || !store->isLastStepDifferent())
    return emit(b, /*isLast=*/true);
  auto branch = scf::IfOp::create(b, loc, step.isLast, /*withElseRegion=*/true);
  OpBuilder last = branch.getThenBodyBuilder(),
            before = branch.getElseBodyBuilder();
  emit(last, /*isLast=*/true);
  emit(before, /*isLast=*/false);
}
