//===- OnlineGroup.cpp - The two products of a tile -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnlineGroup.h"
#include "SeenKeys.h"
#include "attn/Dialect/Attn/IR/ScheduleLimits.h"
#include "attn/Dialect/Attn/Score/KeyRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace attn;

void OnlineGroupEmitter::prepareRange(Value rowCount) {
  if (!tile.isOfTiles() || !hasRangeMask(op))
    return;
  Value last = arith::MinUIOp::create(
      builder, loc, addIndex(builder, loc, column, tile.getColumns()),
      rowCount);
  SeenKeys seen =
      emitSeenKeys(builder, op, column, addIndex(builder, loc, last, -1),
                   getValueOrCreateConstantIndexOp(builder, loc, keyCount),
                   std::max(tile.mr, kTileTerms));
  firstKey = seen.begin;
  keyCount = seen.end;
  if (hasOnlyRangeMasks(op))
    seenByAll = seen.every;
}

void OnlineGroupEmitter::emit(Value rowCount) {
  if (!tile.isOfTiles() || !hasRangeMask(op))
    return emitKeys();
  prepareRange(rowCount);
  Value seesSome = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne,
      getValueOrCreateConstantIndexOp(builder, loc, keyCount), zero);
  auto branch =
      scf::IfOp::create(builder, loc, seesSome, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitKeys();
}

void OnlineGroupEmitter::resume(Value first, Value keys, Value factors,
                                Value turn) {
  firstKey = first;
  keyCount = keys;
  for (Value position : getColumns(builder, zero))
    accFactors.push_back(vector::LoadOp::create(builder, loc,
                                                tile.getVectorType(), factors,
                                                ValueRange{turn, position}));
}

void OnlineGroupEmitter::emitKeys() {
  prepareRows();
  Values reference = loadRows(operands.max);
  Values highest = emitHighest(reference);
  if (operands.statistics.top)
    emitTop(highest);
  emitRescale(reference, highest);
  emitExponentials(prepareWeights());
  emitOutput();
}

SmallVector<Value> OnlineGroupEmitter::prepareWeights() {
  Values reference = loadRows(operands.max);
  LaneBuilder lanes(builder, loc, tile.element, tile.lanes);
  for (Value &row : reference)
    row = emitReference(lanes, row);
  if (scores.keepsSimilarities())
    emitRoundedScores(reference);
  return reference;
}

void OnlineGroupEmitter::prepareRows() {
  int64_t keys = cast<MemRefType>(operands.scratch.getType()).getDimSize(0);
  scores.prepareGroup(column, keys, pool);
  for (auto [c, firstRow] : llvm::enumerate(getColumns(builder, column)))
    rows.push_back(scores.prepareRow(firstRow, c * tile.lanes));
}

SmallVector<Value> OnlineGroupEmitter::emitHighest(ArrayRef<Value> oldMax) {
  if (!scores.keepsOrder())
    return emitScores(oldMax);
  Values none(tile.nr, constant(-std::numeric_limits<double>::infinity()));
  Values highest = emitScores(none);
  for (auto [max, row, old] : llvm::zip_equal(highest, rows, oldMax))
    max = emitLarger(
        builder, arith::MulFOp::create(builder, loc, max, row.emitted.factor),
        old);
  return highest;
}

/// NaN loses here and comes back from the exponential.
Value OnlineGroupEmitter::emitLarger(OpBuilder &b, Value score, Value max) {
  Value greater =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, score, max);
  return arith::SelectOp::create(b, loc, greater, score, max);
}

SmallVector<Value> OnlineGroupEmitter::emitScores(ArrayRef<Value> oldMax) {
  if (tile.isOfTiles())
    return emitScoresOfTiles(oldMax);
  ContractionOperands contraction;
  contraction.lhs = operands.key.memref;
  contraction.lhsTransposed = operands.key.isTransposed;
  contraction.rhs = operands.query;
  contraction.column = column;
  contraction.rows = keyCount;
  contraction.depth = memref::getMixedSize(builder, loc, operands.query, 0);
  ContractionHooks hooks;
  hooks.epilogue = [&](OpBuilder &b, Location, const AccumulatorTile &result,
                       ValueRange max) {
    return emitScoreTile(b, result, /*isStored=*/false,
                         /*isSeen=*/false, max);
  };
  return ContractionEmitter(tile, contraction, hooks)
      .emit(builder, loc, oldMax);
}

SmallVector<Value>
OnlineGroupEmitter::emitScoreTile(OpBuilder &b, const AccumulatorTile &result,
                                  bool isStored, bool isSeen, ValueRange max) {
  Values columns = getColumns(b, zero), newMax(max);
  for (int64_t r = 0; r < result.height; ++r) {
    Value key = addIndex(b, loc, result.row, r);
    ScoreLanes::Column keyColumn = scores.prepareColumn(key);
    for (int64_t c = 0; c < tile.nr; ++c) {
      Value similarity = result.vectors[r * tile.nr + c];
      auto [kept, score] =
          isSeen ? scores.applySeen(similarity, rows[c], keyColumn)
                 : scores.apply(similarity, rows[c], keyColumn);
      if (!isStored || kept != similarity)
        vector::StoreOp::create(b, loc, kept, operands.scratch,
                                ValueRange{key, columns[c]});
      newMax[c] = emitLarger(b, scores.keepsOrder() ? kept : score, newMax[c]);
    }
  }
  return newMax;
}

void OnlineGroupEmitter::emitOutput() {
  if (tile.isOfTiles())
    return emitOutputOfTiles();
  ContractionOperands contraction;
  contraction.lhs = operands.value.memref;
  contraction.lhsTransposed = operands.value.isTransposed;
  contraction.rhs = operands.scratch;
  contraction.column = zero;
  contraction.rows = memref::getMixedSize(builder, loc, operands.acc, 0);
  contraction.depth = keyCount;
  contraction.prefetchAhead = tile.lanes;
  // A hidden key has weight 0, but its value may be NaN.
  contraction.skipsZeros = scores.hidesKeys();
  ContractionHooks hooks;
  hooks.initial = [&](OpBuilder &b, Location, Value row, int64_t height) {
    Values columns = getColumns(b, column), initial;
    for (int64_t i = 0; i < height * tile.nr; ++i) {
      int64_t c = i % tile.nr;
      Value acc = loadAcc(b, addIndex(b, loc, row, i / tile.nr), columns[c]);
      if (!accFactors.empty())
        acc = arith::MulFOp::create(b, loc, acc, accFactors[c]);
      initial.push_back(acc);
    }
    return initial;
  };
  hooks.epilogue = [&](OpBuilder &b, Location, const AccumulatorTile &result,
                       ValueRange) {
    Values columns = getColumns(b, column);
    for (auto [i, sum] : llvm::enumerate(result.vectors))
      storeAcc(b, addIndex(b, loc, result.row, i / tile.nr),
               columns[i % tile.nr], sum);
    return Values();
  };
  ContractionEmitter(tile, contraction, hooks).emit(builder, loc, ValueRange());
}

SmallVector<Value> OnlineGroupEmitter::loadRows(Value memref) {
  Values rows;
  for (Value position : getColumns(builder, column))
    rows.push_back(vector::LoadOp::create(builder, loc, tile.getVectorType(),
                                          memref, ValueRange(position)));
  return rows;
}

void OnlineGroupEmitter::storeRows(Value memref, ArrayRef<Value> rows) {
  for (auto [position, row] :
       llvm::zip_equal(getColumns(builder, column), rows))
    vector::StoreOp::create(builder, loc, row, memref, ValueRange(position));
}

Value OnlineGroupEmitter::loadAcc(OpBuilder &b, Value row, Value position) {
  return vector::LoadOp::create(b, loc, tile.getVectorType(), operands.acc,
                                ValueRange({row, position}));
}

void OnlineGroupEmitter::storeAcc(OpBuilder &b, Value row, Value position,
                                  Value vector) {
  vector::StoreOp::create(b, loc, vector, operands.acc,
                          ValueRange({row, position}));
}

SmallVector<Value> OnlineGroupEmitter::getColumns(OpBuilder &b, Value first) {
  Values columns;
  for (int64_t c = 0; c < tile.nr; ++c)
    columns.push_back(addIndex(b, loc, first, c * tile.lanes));
  return columns;
}

Value OnlineGroupEmitter::constant(double value) {
  auto type = tile.getVectorType();
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          type, Attribute(builder.getFloatAttr(tile.element, value))));
}
