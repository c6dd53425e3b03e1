//===- OnlineTiles.cpp - The two products of a tile, on the tile unit -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scores go to the scratch where weights are made of them. The output's sums
// are those in memory, which were scaled there before.
//
//===----------------------------------------------------------------------===//

#include "../Contraction/StepArithmetic.h"
#include "OnlineGroup.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace attn;

/// A register tile of scores, and then its rows two by two. Those behind the
/// last key are not looked at. Rows take turns with two maxima: one of all
/// would be waited for at each row.
SmallVector<Value>
OnlineGroupEmitter::emitScoresOfTiles(ArrayRef<Value> oldMax) {
  constexpr int64_t turns = 2;
  Value keys = getValueOrCreateConstantIndexOp(builder, loc, keyCount);
  TileOperands product = getQueryOperands();
  TileMemory memory = TileMemory::get(builder, loc, operands.scratch);
  auto emitRow = [&](OpBuilder &b, Value key, bool isSeen, ValueRange max) {
    AccumulatorTile result{key, /*height=*/1, {}};
    for (Value position : getColumns(b, zero))
      result.vectors.push_back(
          vector::LoadOp::create(b, loc, tile.getVectorType(), operands.scratch,
                                 ValueRange{key, position}));
    return emitScoreTile(b, result, /*isStored=*/true, isSeen, max);
  };
  auto emitRows = [&](OpBuilder &outer, Value begin, Value end, int64_t count,
                      bool isSeen, ValueRange from) {
    return scf::ForOp::create(
        outer, loc, begin, end, createIndex(outer, loc, count), from,
        [&](OpBuilder &b, Location, Value key, ValueRange maxima) {
          Values next(maxima);
          for (int64_t i = 0; i < count; ++i) {
            Values max = emitRow(b, addIndex(b, loc, key, i), isSeen,
                                 maxima.slice(i * tile.nr, tile.nr));
            llvm::copy(max, next.begin() + i * tile.nr);
          }
          scf::YieldOp::create(b, loc, next);
        });
  };
  Values init(oldMax);
  init.append((turns - 1) * tile.nr,
              constant(-std::numeric_limits<double>::infinity()));
  auto emitTile = [&](OpBuilder &b, Value key, Value end, bool isSeen,
                      ValueRange maxima) -> Values {
    // A tile begins at an even key.
    Value even =
        arith::AndIOp::create(b, loc, end, createIndex(b, loc, -turns));
    scf::ForOp pairs = emitRows(b, key, even, turns, isSeen, maxima);
    return emitRows(b, even, end, 1, isSeen, pairs.getResults()).getResults();
  };
  auto loop = scf::ForOp::create(
      builder, loc, firstKey, keys, createIndex(builder, loc, tile.mr), init,
      [&](OpBuilder &b, Location, Value key, ValueRange maxima) {
        emitTileProduct(b, loc, tile, product, key, {memory, key, zero});
        Value end = arith::MinUIOp::create(
            b, loc, addIndex(b, loc, key, tile.mr), keys);
        if (!seenByAll.lower) {
          scf::YieldOp::create(b, loc, emitTile(b, key, end, false, maxima));
          return;
        }
        auto branch = scf::IfOp::create(b, loc, maxima.getTypes(),
                                        emitIsSeen(b, key, end), true, true);
        for (bool isSeen : {true, false}) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToEnd(isSeen ? branch.thenBlock()
                                          : branch.elseBlock());
          scf::YieldOp::create(b, loc, emitTile(b, key, end, isSeen, maxima));
        }
        scf::YieldOp::create(b, loc, branch.getResults());
      });
  LaneBuilder lanes(builder, loc, tile.element, tile.lanes);
  Values highest;
  ValueRange maxima = loop.getResults();
  for (auto [a, b] :
       llvm::zip_equal(maxima.take_front(tile.nr), maxima.drop_front(tile.nr)))
    highest.push_back(lanes.max(a, b));
  return highest;
}

/// Steps of weights, of one part.
int64_t OnlineGroupEmitter::countSteps() {
  return cast<MemRefType>(operands.weights.getType()).getDimSize(0) /
         tile.parts;
}

TileOperands OnlineGroupEmitter::getQueryOperands() {
  int64_t depth = cast<MemRefType>(operands.query.getType()).getDimSize(0);
  TileOperands product{operands.keyTiles,
                       TileMemory::get(builder, loc, operands.query), column,
                       createIndex(builder, loc, depth)};
  if (tile.parts == 1)
    return product;
  int64_t steps = llvm::alignTo(depth, kTileTerms) / tile.getTerms();
  Value cut = pool.get(builder, op, {tile.parts * steps, tile.getColumns()},
                       tile.element, /*slot=*/6);
  auto emitStep = [&](OpBuilder &b, Value step, int64_t count) {
    Value first = arith::MulIOp::create(b, loc, step,
                                        createIndex(b, loc, tile.getTerms()));
    for (int64_t c = 0; c < tile.nr; ++c) {
      Values terms;
      for (int64_t term = 0; term < count; ++term)
        terms.push_back(vector::LoadOp::create(
            b, loc, tile.getVectorType(), operands.query,
            ValueRange{addIndex(b, loc, first, term),
                       addIndex(b, loc, column, c * tile.lanes)}));
      terms.resize(tile.getTerms(), constant(0.0));
      for (auto [part, merged] :
           llvm::enumerate(StepArithmetic(b, loc, tile).mergeParts(terms)))
        vector::StoreOp::create(
            b, loc, merged, cut,
            ValueRange{addIndex(b, loc, step, part * steps),
                       createIndex(b, loc, c * tile.lanes)});
    }
  };
  int64_t full = depth / tile.getTerms();
  emitLoop(
      builder, loc, zero, createIndex(builder, loc, full), 1,
      [&](OpBuilder &b, Value step) { emitStep(b, step, tile.getTerms()); });
  for (int64_t step = full; step < steps; ++step)
    emitStep(builder, createIndex(builder, loc, step),
             std::max<int64_t>(depth - step * tile.getTerms(), 0));
  product.rhs = TileMemory::get(builder, loc, cut);
  product.column = zero;
  product.lhsPartBytes = operands.keyPartBytes;
  product.rhsPartBytes = steps * tile.getColumns() * product.rhs.elementBytes;
  product.isWhole = tile.areHalves;
  return product;
}

/// Whether every row of the group sees all keys from `begin` to `end`.
Value OnlineGroupEmitter::emitIsSeen(OpBuilder &b, Value begin, Value end) {
  Value isBehind = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                         begin, seenByAll.lower);
  Value isBefore = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, end,
                                         seenByAll.upper);
  return arith::AndIOp::create(b, loc, isBehind, isBefore);
}

void OnlineGroupEmitter::emitZeroWeights() {
  auto divideUp = [&](Value a, int64_t b) -> Value {
    return arith::CeilDivUIOp::create(builder, loc, a,
                                      createIndex(builder, loc, b));
  };
  Value keys = getValueOrCreateConstantIndexOp(builder, loc, keyCount);
  Value end = arith::MulIOp::create(
      builder, loc, divideUp(keys, kTileTerms),
      createIndex(builder, loc, kTileTerms / tile.getTerms()));
  emitLoop(builder, loc, divideUp(keys, tile.getTerms()), end, 1,
           [&](OpBuilder &b, Value step) {
             for (int64_t part = 0; part < tile.parts; ++part)
               for (Value position : getColumns(b, zero))
                 vector::StoreOp::create(
                     b, loc, constant(0.0), operands.weights,
                     ValueRange{addIndex(b, loc, step, part * countSteps()),
                                position});
           });
}

void OnlineGroupEmitter::emitOutputOfTiles() {
  Value moved;
  for (Value factor : accFactors) {
    Value differs = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::UNE, factor, constant(1.0));
    moved =
        moved ? arith::OrIOp::create(builder, loc, moved, differs) : differs;
  }
  isAccMoved = vector::ReductionOp::create(builder, loc,
                                           vector::CombiningKind::OR, moved);
  int64_t rows = cast<MemRefType>(operands.acc.getType()).getDimSize(0);
  Value end = createIndex(builder, loc, rows), done = zero;
  if (operands.areValuesFinite) {
    auto branch = scf::IfOp::create(builder, loc, builder.getIndexType(),
                                    operands.areValuesFinite,
                                    /*withElseRegion=*/true);
    done = branch.getResult(0);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, zero);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, emitAllInPlace(rows));
  } else {
    done = emitAllInPlace(rows);
  }
  emitLoop(builder, loc, done, end, kTileRows, [&](OpBuilder &b, Value row) {
    Value left = arith::SubIOp::create(b, loc, end, row);
    emitTileAside(row, arith::MinUIOp::create(b, loc, left,
                                              createIndex(b, loc, kTileRows)));
  });
}

/// The register tiles of acc that are whole; returns how many rows they have.
Value OnlineGroupEmitter::emitAllInPlace(int64_t rows) {
  int64_t full = rows / tile.mr * tile.mr;
  emitTilesInPlace(tile, 0, full);
  RegisterTile lower = tile;
  lower.mr = kTileRows;
  if (full > 0 && rows - full >= lower.mr) {
    emitTilesInPlace(lower, full, full + lower.mr);
    full += lower.mr;
  }
  return createIndex(builder, loc, full);
}

/// Multiplies the rows of acc from `begin` to `end` by their factors, unless
/// all of these are 1.
void OnlineGroupEmitter::emitMovedRows(OpBuilder &b, Value begin, Value end) {
  auto branch = scf::IfOp::create(b, loc, isAccMoved, /*withElseRegion=*/false);
  OpBuilder inner = branch.getThenBodyBuilder();
  emitScaledAcc(inner, begin, end, accFactors);
}

/// The weights, and rows of values, from the first key on.
TileOperands OnlineGroupEmitter::getOutputOperands() {
  TileMemory values = operands.valueTiles;
  values.address = values.getAddress(builder, loc, zero, firstKey);
  Value end = getValueOrCreateConstantIndexOp(builder, loc, keyCount);
  TileOperands product = {
      values, TileMemory::get(builder, loc, operands.weights), zero,
      arith::SubIOp::create(builder, loc, end, firstKey), firstKey};
  product.lhsPartBytes = operands.valuePartBytes;
  // A narrow tile has more columns of scratch than its own.
  int64_t columns = cast<MemRefType>(operands.weights.getType()).getDimSize(1);
  product.rhsPartBytes = countSteps() * columns * product.rhs.elementBytes;
  return product;
}

void OnlineGroupEmitter::emitTilesInPlace(const RegisterTile &used,
                                          int64_t begin, int64_t end) {
  if (begin == end)
    return;
  TileOperands product = getOutputOperands();
  TileMemory memory = TileMemory::get(builder, loc, operands.acc);
  // Rows are scaled one tile ahead: they stay in the L1 cache from there on,
  // and the unit does not wait for them.
  Value first = createIndex(builder, loc, begin),
        last = createIndex(builder, loc, end),
        height = createIndex(builder, loc, used.mr);
  auto getEnd = [&](OpBuilder &b, Value row) -> Value {
    return arith::AddIOp::create(b, loc, row, height);
  };
  emitMovedRows(builder, first, getEnd(builder, first));
  emitLoop(builder, loc, first, last, used.mr, [&](OpBuilder &b, Value row) {
    Value next = getEnd(b, row);
    Value nextEnd = arith::MinUIOp::create(b, loc, getEnd(b, next), last);
    emitMovedRows(b, next, nextEnd);
    TileSums sums = {memory, row, column, /*accumulates=*/true};
    if (!beside || used.mr != tile.mr)
      return emitTileProduct(b, loc, used, product, row, sums);
    emitTileProduct(b, loc, used, product, row, sums,
                    [&](OpBuilder &, Value) { beside(); });
  });
}
