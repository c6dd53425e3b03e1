//===- NormMeasure.cpp - Mean and variance in one reading -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A few rows of a column, or a block of a run, are measured in two passes, from
// registers or from the first-level cache: their mean, and their squares around
// it. Then they are merged with what was measured before. So memory is read
// once. The squares are those of distances from the first element of each
// group: means of large numbers would be rounded too much for their
// differences. The mean itself is that of a plain sum, which may be better than
// these distances.
//
//===----------------------------------------------------------------------===//

#include "../Lanes/LaneMemory.h"
#include "../Lanes/LaneSums.h"
#include "../Lanes/RowMemory.h"
#include "NormPanel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// So many rows of a vector of columns are in registers together.
constexpr int64_t kRows = 8;
/// So many elements of a run are in the first-level cache together.
constexpr int64_t kRunBlock = 2048;
/// A run is asked for so many elements ahead.
constexpr int64_t kAhead = 1024;
/// Sums of a run are kept in so many vectors.
constexpr int64_t kUnroll = 4;

void attn::mergeNormNumbers(LaneBuilder &lanes, Value &mean, Value &spread,
                            Value count, Value otherMean, Value otherSpread,
                            Value more) {
  if (!mean) {
    spread = lanes.add(spread, otherSpread);
    return;
  }
  LaneBuilder scalars(lanes.getBuilder(), lanes.getLoc(),
                      lanes.getElementType());
  Value all = scalars.add(count, more);
  Value share = scalars.div(more, all), rest = scalars.div(count, all);
  Value weight = lanes.toFloatLanes(scalars.mul(count, share));
  Value delta = lanes.sub(otherMean, mean);
  // Infinity stays what it is, as in a sum.
  mean = lanes.fma(otherMean, lanes.toFloatLanes(share),
                   lanes.mul(mean, lanes.toFloatLanes(rest)));
  // In this order: a weight of 0 comes before a square that overflows.
  spread = lanes.fma(lanes.mul(delta, weight), delta,
                     lanes.add(spread, otherSpread));
}

static Value addAll(LaneBuilder &lanes, ArrayRef<Value> values) {
  return emitTree(SmallVector<Value>(values),
                  [&](Value a, Value b) { return lanes.add(a, b); });
}

void NormMeasure::emit(OpBuilder &b) {
  emitZeros(b);
  panel.visitLines(
      b, tile, kRows,
      [&](OpBuilder &nested, SmallVector<Value> &at, int64_t rows) {
        if (panel.isColumns)
          emitColumns(nested, at, rows);
        else
          emitRun(nested, at);
      });
}

void NormMeasure::emitZeros(OpBuilder &b) {
  SmallVector<Value> at(panel.last + 1);
  ArrayRef<int64_t> dims = panel.kept;
  int64_t last = dims.back();
  auto emitLine = [&](OpBuilder &nested, SmallVector<Value> &inner) {
    auto emitLanes = [&](LaneBuilder &lanes, Value column, Value mask) {
      inner[last] = column;
      SmallVector<Value> indices =
          numbers.locate(lanes.getBuilder(), loc, inner);
      for (Value memref : {numbers.mean, numbers.spread, numbers.sum})
        if (memref)
          storeLanes(lanes, lanes.constant(0.0), memref, indices,
                     /*pastCaches=*/false, mask);
    };
    panel.visitLanes(nested, tile.begin[last], tile.end[last], true, emitLanes);
  };
  panel.visit(b, tile, dims.drop_back(), at, emitLine);
}

void NormMeasure::emitColumns(OpBuilder &b, SmallVector<Value> &at,
                              int64_t rows) {
  LaneBuilder scalars(b, loc, panel.type);
  at[panel.last] = Value();
  Value count = scalars.toFloatLanes(panel.countBefore(b, tile, at));
  Value more = scalars.constant(rows);
  auto emitLanes = [&](LaneBuilder &lanes, Value column, Value mask) {
    OpBuilder &nested = lanes.getBuilder();
    SmallVector<Value> here(at);
    here[panel.last] = column;
    SmallVector<Value> values;
    for (int64_t row = 0; row < rows; ++row) {
      SmallVector<Value> there(here);
      if (row != 0)
        there[panel.last - 1] =
            addIndex(nested, loc, here[panel.last - 1], row);
      values.push_back(read(lanes, there, mask));
      if (rows == 1 || !lanes.isVector() || mask)
        continue;
      there[panel.last - 1] =
          addIndex(nested, loc, here[panel.last - 1], row + rows);
      emitPrefetch(nested, loc, panel.input, there);
    }
    Value group, squares, total;
    if (numbers.mean) {
      total = addAll(lanes, values);
      Value shift = panel.loadShift(lanes, here, mask);
      for (Value &value : values)
        value = lanes.sub(value, shift);
      group = addAll(lanes, values);
      if (rows != 1)
        group = lanes.mul(group, lanes.constant(1.0 / rows));
      for (Value &value : values)
        value = lanes.sub(value, group);
    }
    // Alone, an element is its own mean.
    if (rows == 1 && numbers.mean)
      squares = lanes.constant(0.0);
    else
      for (Value value : values)
        squares = squares ? lanes.fma(value, value, squares)
                          : lanes.mul(value, value);
    SmallVector<Value> indices = numbers.locate(nested, loc, here);
    Value mean, spread = loadLanes(lanes, numbers.spread, indices, mask);
    if (numbers.mean)
      mean = loadLanes(lanes, numbers.mean, indices, mask);
    mergeNormNumbers(lanes, mean, spread, count, group, squares, more);
    storeLanes(lanes, spread, numbers.spread, indices, /*pastCaches=*/false,
               mask);
    if (!mean)
      return;
    storeLanes(lanes, mean, numbers.mean, indices, /*pastCaches=*/false, mask);
    Value sum = loadLanes(lanes, numbers.sum, indices, mask);
    storeLanes(lanes, lanes.add(sum, total), numbers.sum, indices,
               /*pastCaches=*/false, mask);
  };
  panel.visitLanes(b, tile.begin[panel.last], tile.end[panel.last],
                   panel.inVectors, emitLanes);
}

Value NormMeasure::emitSum(
    OpBuilder &b, SmallVector<Value> &at, Value begin, Value end,
    llvm::function_ref<Value(LaneBuilder &, Value)> term) {
  return emitRowReduction(
      b, loc, panel.getLine(b, begin, end, panel.inVectors, kUnroll), 0.0,
      [&](const RowPiece &piece, MutableArrayRef<Value> sums) {
        LaneBuilder &lanes = piece.lanes;
        at[panel.last] = piece.position[0];
        Value value = piece.within(term(lanes, read(lanes, at, piece.mask)), 0);
        sums[0] = lanes.add(sums[0], value);
      },
      addLanes)[0];
}

void NormMeasure::emitRun(OpBuilder &b, SmallVector<Value> &at) {
  LaneBuilder scalars(b, loc, panel.type);
  at[panel.last] = Value();
  Value before = panel.countBefore(b, tile, at);
  SmallVector<Value> indices = numbers.locate(b, loc, at);
  auto load = [&](Value memref) { return loadLanes(scalars, memref, indices); };
  SmallVector<Value> state = {load(numbers.spread)};
  if (numbers.mean)
    state.append({load(numbers.mean), load(numbers.sum)});
  Value begin = tile.begin[panel.last], end = tile.end[panel.last];
  Value shift = numbers.mean ? panel.loadShift(scalars, at, Value()) : Value();
  auto firstRead = [&](LaneBuilder &inner, Value x) {
    if (!inner.isVector())
      return x;
    SmallVector<Value> there(at);
    there[panel.last] =
        addIndex(inner.getBuilder(), loc, at[panel.last], kAhead);
    emitPrefetch(inner.getBuilder(), loc, panel.input, there);
    return x;
  };
  auto shifted = [&](LaneBuilder &inner, Value x) {
    return shift ? inner.sub(x, inner.toFloatLanes(shift)) : x;
  };
  auto body = [&](OpBuilder &nested, Location, Value i, ValueRange carried) {
    LaneBuilder lanes(nested, loc, panel.type);
    Value stop = arith::MinUIOp::create(
        nested, loc, addIndex(nested, loc, i, kRunBlock), end);
    Value more =
        lanes.toFloatLanes(arith::SubIOp::create(nested, loc, stop, i));
    Value offset = arith::SubIOp::create(nested, loc, i, begin);
    Value count =
        lanes.toFloatLanes(arith::AddIOp::create(nested, loc, before, offset));
    Value spread = carried[0], mean, group, total;
    if (numbers.mean) {
      mean = carried[1];
      total = lanes.add(carried[2], emitSum(nested, at, i, stop, firstRead));
      group = lanes.div(emitSum(nested, at, i, stop, shifted), more);
    }
    Value squares =
        emitSum(nested, at, i, stop, [&](LaneBuilder &inner, Value x) {
          if (!group)
            x = firstRead(inner, x);
          x = shifted(inner, x);
          if (group)
            x = inner.sub(x, inner.toFloatLanes(group));
          return inner.mul(x, x);
        });
    mergeNormNumbers(lanes, mean, spread, count, group, squares, more);
    SmallVector<Value> next = {spread};
    if (mean)
      next.append({mean, total});
    scf::YieldOp::create(nested, loc, next);
  };
  auto loop = scf::ForOp::create(b, loc, begin, end,
                                 createIndex(b, loc, kRunBlock), state, body);
  for (auto [result, memref] :
       llvm::zip(loop.getResults(),
                 SmallVector<Value>{numbers.spread, numbers.mean, numbers.sum}))
    storeLanes(scalars, result, memref, indices, /*pastCaches=*/false);
}
