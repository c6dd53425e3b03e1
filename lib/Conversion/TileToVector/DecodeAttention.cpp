//===- DecodeAttention.cpp - attn.online_attention for few rows -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is the limit: each key and value is read from it once, in long runs.
// The dot products of a vector's worth of keys with a row are partial sums
// along d, which a tree turns into one vector of scores; P V has dv in the
// lanes. While a block's keys are used its values are fetched, and while its
// values are used the next block's keys.
//
//===----------------------------------------------------------------------===//

#include "../Lanes/LaneSums.h"
#include "../Shared/NormFactor.h"
#include "DecodeEmitter.h"
#include "KeyNorms.h"
#include "QueryBound.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

static int64_t getInnerSize(Value memref) {
  return cast<MemRefType>(memref.getType()).getShape().back();
}

DecodeEmitter::DecodeEmitter(OpBuilder &builder, OnlineAttentionOp op,
                             const DecodeShape &shape,
                             const DecodeOperands &operands, ScratchPool &pool,
                             const TargetDescription &target)
    : builder(builder), loc(op.getLoc()), op(op), self(op.getOperation()),
      shape(shape), operands(operands), pool(pool), target(target),
      tile{shape.element, shape.lanes, shape.schedule.getMr(),
           shape.schedule.getNr(), shape.schedule.getInstruction()},
      headDim(getInnerSize(operands.key)),
      valueDim(getInnerSize(operands.value)),
      headVectors(loc, shape.getVectorType(), headDim),
      valueVectors(loc, shape.getVectorType(), valueDim),
      headPairs(loc, shape.getPairType(), headDim),
      valuePairs(loc, shape.getPairType(), valueDim),
      queryChanger(self, LoadedRows::Query, shape.lanes, headDim),
      keyChanger(self, LoadedRows::Key, shape.lanes, headDim) {
  int64_t rows = getPaddedRows(), lanes = shape.lanes;
  auto scratch = [&](ArrayRef<int64_t> sizes, unsigned slot) {
    return pool.get(builder, op, sizes, shape.element, slot);
  };
  query = scratch({rows, headVectors.getCount() * lanes}, 0);
  factors = scratch({rows, lanes}, 1);
  weights = scratch({rows, shape.schedule.getKeys()}, 2);
  rescales = scratch({rows, lanes}, 3);
  if (keyChanger.changes())
    changedKeys = scratch({shape.schedule.getKeys(), headDim}, 4);
  if (tile.isOfTiles())
    allocateTiles();
  zero = index(builder, 0);
  count = memref::DimOp::create(builder, loc, operands.key, zero);
  lastKey = arith::SubIOp::create(builder, loc, count, index(builder, 1));
}

void DecodeEmitter::forEachRow(
    OpBuilder &b, llvm::function_ref<void(OpBuilder &, Value)> body) {
  if (shape.getCount() == 1)
    return body(b, zero);
  emitLoop(b, loc, zero, index(b, shape.getCount()), 1, body);
}

Value DecodeEmitter::splatLoad(OpBuilder &b, Value memref,
                               ArrayRef<Value> position) {
  Value scalar = memref::LoadOp::create(b, loc, memref, position);
  return vector::BroadcastOp::create(b, loc, shape.getVectorType(), scalar);
}

void DecodeEmitter::storeLane(OpBuilder &b, Value vector, Value memref,
                              Value row) {
  Value scalar =
      vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{0});
  memref::StoreOp::create(b, loc, scalar, memref, ValueRange(row));
}

void DecodeEmitter::emit() {
  emitRowPreparation(builder);
  if (takesKeyTiles())
    emitQueryTiles(builder);
  emitLoop(builder, loc, zero, count, shape.schedule.getKeys(),
           [&](OpBuilder &b, Value block) { emitBlock(b, block); });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// 1 / norm.
Value DecodeEmitter::emitNormFactor(OpBuilder &b, Value squares) {
  LaneBuilder lanes(b, loc, shape.element, shape.lanes);
  return ::attn::emitNormFactor(lanes, op.getCosine(), squares);
}

/// Divides a row of the query by a power of two; returns the factor that has
/// it.
Value DecodeEmitter::emitBoundedRow(OpBuilder &b, LaneBuilder &lanes,
                                    Value number, Value largest, Value factor) {
  Value all = emitAllLanes(b, loc, largest,
                           [&](Value x, Value y) { return lanes.max(x, y); });
  QueryBound bound(lanes, all, headDim);
  for (int64_t c = 0; c < headVectors.getCount(); ++c) {
    std::array<Value, 2> position = {number, index(b, c * shape.lanes)};
    Value chunk = vector::LoadOp::create(b, loc, shape.getVectorType(), query,
                                         ValueRange(position));
    vector::StoreOp::create(b, loc, bound.divide(lanes, chunk), query,
                            ValueRange(position));
  }
  return bound.multiply(factor);
}

void DecodeEmitter::emitRowPreparation(OpBuilder &outer) {
  AffineMap map = self.getInputMap(0);
  forEachRow(outer, [&](OpBuilder &b, Value number) {
    TileRow row = shape.getRow(b, loc, number);
    RowStart start = getRowStart(b, self, map, self.getHeadDimDim(), row);
    KeyLanes scores(b, self, shape.lanes);
    LaneBuilder &lanes = scores.getLanes();
    bool isBounded = needsQueryBound(self);
    Value squares, largest = lanes.constant(0.0), from = op.getQuery();
    if (queryChanger.changes()) {
      queryChanger.emitRow(b, from, start, row, query, number);
      from = query;
      start = {{number, zero}, 1};
    }
    for (int64_t c = 0; c < headVectors.getCount(); ++c) {
      Value chunk =
          headVectors.load(b, from, start.position, start.innerDim, c);
      vector::StoreOp::create(b, loc, chunk, query,
                              ValueRange{number, index(b, c * shape.lanes)});
      squares =
          squares ? lanes.fma(chunk, chunk, squares) : lanes.mul(chunk, chunk);
      if (isBounded)
        largest = lanes.max(lanes.abs(chunk), largest);
    }
    Value factor = scores.emitFactor(row);
    if (isBounded)
      factor = emitBoundedRow(b, lanes, number, largest, factor);
    if (self.isCosine()) {
      Value sum = emitAllLanes(
          b, loc, squares, [&](Value x, Value y) { return lanes.add(x, y); });
      factor = lanes.mul(factor, emitNormFactor(b, sum));
    }
    vector::StoreOp::create(b, loc, factor, factors, ValueRange{number, zero});
    if (takesKeyPairs())
      emitPairedRow(b, number);
  });
}

void DecodeEmitter::emitPairedRow(OpBuilder &b, Value number) {
  StepArithmetic arithmetic(b, loc, tile);
  auto load = [&](int64_t chunk) -> Value {
    if (chunk == headVectors.getCount())
      return arith::ConstantOp::create(b, loc,
                                       b.getZeroAttr(shape.getVectorType()));
    return vector::LoadOp::create(
        b, loc, shape.getVectorType(), query,
        ValueRange{number, index(b, chunk * shape.lanes)});
  };
  for (int64_t c = 0; c < headPairs.getCount(); ++c)
    vector::StoreOp::create(
        b, loc, arithmetic.roundNeighbours(load(2 * c), load(2 * c + 1)), query,
        ValueRange{number, index(b, c * shape.lanes)});
}

//===----------------------------------------------------------------------===//
// Blocks of keys
//===----------------------------------------------------------------------===//

void DecodeEmitter::emitBlock(OpBuilder &b, Value block) {
  Value rest = arith::SubIOp::create(b, loc, count, block);
  Value blockKeys =
      arith::MinUIOp::create(b, loc, rest, index(b, shape.schedule.getKeys()));
  if (keyChanger.changes())
    emitChangedKeys(b, block, blockKeys);
  if (takesKeyTiles())
    emitTileDots(b, block, blockKeys);
  emitLoop(b, loc, zero, blockKeys, shape.lanes,
           [&](OpBuilder &nested, Value column) {
             Value left = arith::SubIOp::create(nested, loc, blockKeys, column);
             emitScores(nested, block, column, left);
           });
  forEachRow(b, [&](OpBuilder &nested, Value row) {
    if (takesKeyTiles())
      prefetchValues(nested, block, /*half=*/1, row, shape.getCount());
    emitSoftmax(nested, row, blockKeys);
  });
  if (tile.isOfTiles())
    return emitTileOutputs(b, block, blockKeys);
  int64_t step = shape.schedule.getMr();
  int64_t full = shape.getCount() / step * step;
  if (full == step)
    emitRowOutputs(b, block, blockKeys, zero, step);
  else
    emitLoop(b, loc, zero, index(b, full), step,
             [&](OpBuilder &nested, Value row) {
               emitRowOutputs(nested, block, blockKeys, row, step);
             });
  if (full != shape.getCount())
    emitRowOutputs(b, block, blockKeys, index(b, full),
                   shape.getCount() - full);
}

void DecodeEmitter::emitChangedKeys(OpBuilder &b, Value block,
                                    Value blockKeys) {
  firstKey = block;
  emitLoop(b, loc, zero, blockKeys, 1, [&](OpBuilder &nested, Value key) {
    Value row = arith::AddIOp::create(nested, loc, block, key);
    keyChanger.emitRow(nested, operands.key, {{row, zero}, 1}, {zero, row},
                       changedKeys, key);
  });
}

Value DecodeEmitter::loadKey(OpBuilder &b, Value row, int64_t chunk) {
  if (keyChanger.changes()) {
    Value local = arith::SubIOp::create(b, loc, row, firstKey);
    return headVectors.load(b, changedKeys, {local, zero}, 1, chunk);
  }
  return headVectors.load(b, operands.key, {row, zero}, 1, chunk);
}

/// One key after the other, so that memory is read in order; the processor
/// overlaps their chains of additions.
Value DecodeEmitter::emitDots(OpBuilder &b, ArrayRef<Value> keyRows,
                              Value row) {
  Values chunks, sums;
  StepArithmetic arithmetic(b, loc, tile);
  int64_t count =
      takesKeyPairs() ? headPairs.getCount() : headVectors.getCount();
  for (int64_t c = 0; c < count; ++c)
    chunks.push_back(
        vector::LoadOp::create(b, loc, shape.getVectorType(), query,
                               ValueRange{row, index(b, c * shape.lanes)}));
  for (Value keyRow : keyRows) {
    Value sum;
    if (takesKeyPairs())
      sum = arith::ConstantOp::create(b, loc,
                                      b.getZeroAttr(shape.getVectorType()));
    for (auto [c, chunk] : llvm::enumerate(chunks)) {
      if (takesKeyPairs()) {
        Value key = headPairs.load(b, operands.key, {keyRow, zero}, 1, c);
        sum = arithmetic.multiplyAdd(key, chunk, sum);
        continue;
      }
      Value key = loadKey(b, keyRow, c);
      sum = sum ? Value(vector::FMAOp::create(b, loc, key, chunk, sum))
                : Value(arith::MulFOp::create(b, loc, key, chunk));
    }
    sums.push_back(sum);
    prefetch(b, operands.value, keyRow, row, shape.getCount());
  }
  return emitLaneSums(b, loc, sums);
}

Value DecodeEmitter::emitKeyNorms(OpBuilder &b, ArrayRef<Value> keyRows) {
  Values sums;
  for (Value keyRow : keyRows) {
    Value sum;
    for (int64_t c = 0; c < headVectors.getCount(); ++c) {
      Value key = loadKey(b, keyRow, c);
      sum = sum ? Value(vector::FMAOp::create(b, loc, key, key, sum))
                : Value(arith::MulFOp::create(b, loc, key, key));
    }
    sums.push_back(sum);
  }
  return emitNormFactor(b, emitLaneSums(b, loc, sums));
}

void DecodeEmitter::emitScores(OpBuilder &outer, Value block, Value column,
                               Value left) {
  Value first = arith::AddIOp::create(outer, loc, block, column);
  // Lanes past the last key repeat it; apply() hides them.
  Values keyRows;
  for (int64_t lane = 0; lane < shape.lanes; ++lane)
    keyRows.push_back(arith::MinUIOp::create(
        outer, loc, addIndex(outer, loc, first, lane), lastKey));
  Value norms;
  if (self.isCosine())
    norms = emitKeyNorms(outer, keyRows);
  forEachRow(outer, [&](OpBuilder &b, Value number) {
    if (takesKeyTiles()) {
      Value turn = arith::MulIOp::create(
          b, loc, arith::DivUIOp::create(b, loc, column, index(b, shape.lanes)),
          index(b, shape.getCount()));
      prefetchValues(b, block, /*half=*/0,
                     arith::AddIOp::create(b, loc, turn, number),
                     shape.schedule.getKeys() / shape.lanes * shape.getCount());
    }
    KeyLanes scores(b, self, shape.lanes);
    Value dots =
        takesKeyTiles()
            ? vector::LoadOp::create(b, loc, shape.getVectorType(), weights,
                                     ValueRange{number, column})
            : emitDots(b, keyRows, number);
    if (norms)
      dots = scores.getLanes().mul(dots, norms);
    KeyLanes::Row row = scores.prepareRow(shape.getRow(b, loc, number));
    row.factor = vector::LoadOp::create(b, loc, shape.getVectorType(), factors,
                                        ValueRange{number, zero});
    Value score = scores.apply(dots, row, first, left);
    vector::StoreOp::create(b, loc, score, weights, ValueRange{number, column});
  });
}
