//===- DecodeTiles.cpp - Few rows on the tile unit ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile has 16 rows, of which the queries of a group fill some: the unit is
// fast enough to multiply the others for nothing. Keys are its left operand as
// they lie in memory, and queries, turned once, its right one. A block's values
// become pairs of rows once for all queries.
//
//===----------------------------------------------------------------------===//

#include "../Contraction/TileRows.h"
#include "../Lanes/Transpose.h"
#include "DecodeEmitter.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

void DecodeEmitter::allocateTiles() {
  int64_t lanes = shape.lanes;
  auto scratch = [&](ArrayRef<int64_t> sizes, unsigned slot) {
    return pool.get(builder, op, sizes, shape.element, slot);
  };
  valueSteps = scratch({shape.schedule.getKeys() / tile.getTerms(),
                        valueVectors.getCount() * lanes},
                       5);
  outputSums = scratch({tile.mr, tile.getColumns()}, 6);
  if (!takesKeyTiles())
    return;
  queryTiles = scratch({headPairs.getCount() * lanes, getPaddedRows()}, 7);
  dots = scratch({kTileTerms, lanes}, 8);
}

/// Rows behind the last query are columns of sums that nobody reads.
void DecodeEmitter::emitQueryTiles(OpBuilder &outer) {
  int64_t lanes = shape.lanes;
  emitLoop(outer, loc, zero, index(outer, getPaddedRows()), lanes,
           [&](OpBuilder &b, Value row) {
             for (int64_t c = 0; c < headPairs.getCount(); ++c) {
               Values turned = emitTurnedBlock(b, loc, shape.getVectorType(),
                                               query, row, index(b, c * lanes));
               for (auto [step, pairs] : llvm::enumerate(turned))
                 vector::StoreOp::create(
                     b, loc, pairs, queryTiles,
                     ValueRange{index(b, c * lanes + step), row});
             }
           });
}

void DecodeEmitter::emitTileDots(OpBuilder &outer, Value block,
                                 Value blockKeys) {
  int64_t lanes = shape.lanes;
  RegisterTile keyTile = {shape.element, lanes, kTileTerms, /*nr=*/1,
                          tile.instruction};
  SmallVector<OpFoldResult> ones(2, outer.getIndexAttr(1));
  Value keys = memref::SubViewOp::create(
      outer, loc, operands.key,
      SmallVector<OpFoldResult>{block, outer.getIndexAttr(0)},
      SmallVector<OpFoldResult>{blockKeys, outer.getIndexAttr(headDim)}, ones);
  Value copies = pool.get(
      outer, op, getTileRowsShape(shape.schedule.getKeys(), headDim, keyTile),
      tile.getNarrow(), /*slot=*/9);
  TileMemory keyRows = emitTileRowsOf(outer, loc, keys, copies, keyTile).memory;
  TileOperands product = {keyRows, TileMemory::get(outer, loc, queryTiles),
                          zero, index(outer, headDim)};
  TileSums sums = {TileMemory::get(outer, loc, dots), zero, zero};
  emitLoop(
      outer, loc, zero, blockKeys, kTileTerms, [&](OpBuilder &b, Value column) {
        emitLoop(b, loc, zero, index(b, getPaddedRows()), lanes,
                 [&](OpBuilder &inner, Value row) {
                   product.column = row;
                   emitTileProduct(inner, loc, keyTile, product, column, sums);
                   for (int64_t half = 0; half < kTileTerms; half += lanes) {
                     Values turned =
                         emitTurnedBlock(inner, loc, shape.getVectorType(),
                                         dots, index(inner, half), zero);
                     turned.truncate(std::min(lanes, shape.getCount()));
                     for (auto [r, vector] : llvm::enumerate(turned))
                       vector::StoreOp::create(
                           inner, loc, vector, weights,
                           ValueRange{addIndex(inner, loc, row, r),
                                      addIndex(inner, loc, column, half)});
                   }
                 });
      });
}

/// A block's values as pairs of rows, and zeros up to the next whole tile. Half
/// of the next block's keys are asked for here, the others where sums are
/// added.
void DecodeEmitter::emitValueSteps(OpBuilder &b, Value block, Value blockKeys) {
  int64_t terms = tile.getTerms();
  auto divideUp = [&](int64_t divisor) -> Value {
    return arith::CeilDivUIOp::create(b, loc, blockKeys, index(b, divisor));
  };
  auto store = [&](OpBuilder &inner, Value step, ArrayRef<Value> vectors) {
    for (auto [c, pairs] : llvm::enumerate(vectors))
      vector::StoreOp::create(inner, loc, pairs, valueSteps,
                              ValueRange{step, index(inner, c * shape.lanes)});
  };
  Value steps = divideUp(terms);
  emitLoop(b, loc, zero, steps, 1, [&](OpBuilder &inner, Value step) {
    Value key = arith::MulIOp::create(inner, loc, step, index(inner, terms));
    Value row = arith::AddIOp::create(inner, loc, block, key);
    int64_t keys = shape.schedule.getKeys();
    store(inner, step, loadValues(inner, row, 0, valueVectors.getCount()));
    prefetchPart(inner, operands.key, addIndex(inner, loc, block, keys),
                 keys / 2, step, keys / terms);
  });
  Value end = arith::MulIOp::create(b, loc, divideUp(kTileTerms),
                                    index(b, kTileTerms / terms));
  Value none =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(shape.getVectorType()));
  emitLoop(b, loc, steps, end, 1, [&](OpBuilder &inner, Value step) {
    store(inner, step, Values(valueVectors.getCount(), none));
  });
}

void DecodeEmitter::emitTileOutputs(OpBuilder &outer, Value block,
                                    Value blockKeys) {
  emitValueSteps(outer, block, blockKeys);
  TileMemory rows = TileMemory::get(outer, loc, weights),
             values = TileMemory::get(outer, loc, valueSteps),
             sums = TileMemory::get(outer, loc, outputSums);
  for (int64_t first = 0; first < valueVectors.getCount(); first += tile.nr) {
    RegisterTile used = tile;
    used.nr = std::min(tile.nr, valueVectors.getCount() - first);
    emitLoop(outer, loc, zero, index(outer, getPaddedRows()), tile.mr,
             [&](OpBuilder &b, Value row) {
               Value column = index(b, first * shape.lanes);
               emitTileProduct(b, loc, used, {rows, values, column, blockKeys},
                               row, {sums, zero, zero});
               emitTileSums(b, block, blockKeys, row, first, used);
             });
  }
}

/// Adds the sums of the rows from `first` on to the output's. The tile unit
/// cannot leave out a hidden key's value, which may be NaN, and vectors can.
void DecodeEmitter::emitTileSums(OpBuilder &b, Value block, Value blockKeys,
                                 Value first, int64_t firstChunk,
                                 const RegisterTile &used) {
  Value left = arith::SubIOp::create(b, loc, index(b, shape.getCount()), first);
  Value count = arith::MinUIOp::create(b, loc, left, index(b, used.mr));
  int64_t keys = shape.schedule.getKeys();
  auto add = [&](OpBuilder &inner, Value r) {
    Value row = arith::AddIOp::create(inner, loc, first, r);
    prefetchPart(
        inner, operands.key, addIndex(inner, loc, block, keys + keys / 2),
        keys / 2,
        addIndex(inner, loc, row, firstChunk / tile.nr * shape.getCount()),
        llvm::divideCeil(valueVectors.getCount(), tile.nr) * shape.getCount());
    Value rescale = vector::LoadOp::create(inner, loc, shape.getVectorType(),
                                           rescales, ValueRange{row, zero});
    for (int64_t c = 0; c < used.nr; ++c) {
      Value old = valueVectors.load(inner, operands.acc, {row, zero}, 1,
                                    firstChunk + c);
      Value sum =
          vector::LoadOp::create(inner, loc, shape.getVectorType(), outputSums,
                                 ValueRange{r, index(inner, c * shape.lanes)});
      valueVectors.store(inner,
                         vector::FMAOp::create(inner, loc, old, rescale, sum),
                         operands.acc, {row, zero}, 1, firstChunk + c);
    }
  };
  if (op.getMasks().empty())
    return emitLoop(b, loc, zero, count, 1, add);
  auto branch =
      scf::IfOp::create(b, loc, emitAnyNaN(b, loc, used, outputSums, count),
                        /*withElseRegion=*/true);
  OpBuilder again = branch.getThenBodyBuilder(),
            sound = branch.getElseBodyBuilder();
  emitLoop(again, loc, zero, count, 1, [&](OpBuilder &inner, Value r) {
    emitOutput(inner, block, blockKeys,
               arith::AddIOp::create(inner, loc, first, r), /*rowCount=*/1,
               firstChunk, used.nr);
  });
  emitLoop(sound, loc, zero, count, 1, add);
}
