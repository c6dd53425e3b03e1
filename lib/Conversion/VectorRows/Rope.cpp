//===- Rope.cpp - attn.rope as vector loops -------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work item is a block of positions: it computes their sines and cosines once
// and turns all rows at these positions, whatever dimensions there are beside
// them. The table of a block stays in the caches.
//
//===----------------------------------------------------------------------===//

#include "../Lanes/LaneMemory.h"
#include "../Lanes/RowMemory.h"
#include "AngleRows.h"
#include "RowMover.h"
#include "RowPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

constexpr int64_t kCacheLine = 64;

class RopeEmitter {
public:
  RopeEmitter(OpBuilder &builder, RopeOp op);
  void emit();

private:
  void emitBlock(OpBuilder &b, const RowBlock &block, Value streams);
  void emitTable(OpBuilder &b);
  /// Loops over `dim` and those after it, within the block.
  void emitRows(OpBuilder &b, unsigned dim);
  void emitRow(OpBuilder &b);
  void rotateHalves(OpBuilder &b, Value tableRow);
  void rotateNeighbours(OpBuilder &b, Value tableRow);
  void rotateElements(OpBuilder &b, Value tableRow);
  /// Neighbours have sines and cosines of their own, so that vectors of them
  /// are read as they lie.
  bool areNeighbours() { return op.getPairs() == PairLayout::Interleaved; }
  int64_t getSize() {
    return cast<ShapedType>(op.getInput().getType()).getShape().back();
  }

  OpBuilder &builder;
  Location loc;
  RopeOp op;
  PositionScheduleAttr schedule;
  FloatType type;
  unsigned rowDim, rank;
  int64_t pairs;
  AngleRows angles;
  RowMover rows;
  /// Of a block, [row][sines, cosines].
  Value table;
  /// Elements before the cosines.
  int64_t width;
  /// Of the block and the row at hand.
  Value first, low, high;
  SmallVector<Value> indices;
};

} // namespace

RopeEmitter::RopeEmitter(OpBuilder &builder, RopeOp op)
    : builder(builder), loc(op.getLoc()), op(op),
      schedule(cast<PositionScheduleAttr>(op.getScheduleAttr())),
      type(getElementTypeOrSelf(op.getOutput()).isF64()
               ? FloatType(builder.getF64Type())
               : FloatType(builder.getF32Type())),
      rowDim(op.getRowDimension()),
      rank(cast<ShapedType>(op.getInput().getType()).getRank()),
      pairs(op.getNumRotated() / 2), angles(op, pairs, type),
      rows(loc, type,
           hasUnitInnerStride(op.getInput()) &&
                   hasUnitInnerStride(op.getOutput())
               ? schedule.getLanes()
               : 0),
      width(angles.getWidth() * (areNeighbours() ? 2 : 1)), indices(rank - 1) {}

void RopeEmitter::emit() {
  int64_t lanes = schedule.getLanes();
  bool isWhole = (areNeighbours() ? 2 * pairs : pairs) % lanes == 0 &&
                 getSize() % lanes == 0;
  Value streams;
  if (isWhole)
    streams = rows.emitIsStream(builder, op.getOutput(), schedule.getStream());
  SmallVector<Value> sizes;
  if (op.hasPositionsByFirst())
    sizes.push_back(memref::DimOp::create(builder, loc, op.getOutput(), 0));
  sizes.push_back(memref::DimOp::create(builder, loc, op.getOutput(), rowDim));
  emitRowBlocks(builder, loc, sizes, schedule.getRows(),
                [&](OpBuilder &b, const RowBlock &block) {
                  emitBlock(b, block, streams);
                });
}

void RopeEmitter::emitBlock(OpBuilder &b, const RowBlock &block,
                            Value streams) {
  if (!block.outer.empty())
    first = block.outer.front();
  low = block.begin;
  high = block.end;
  if (pairs != 0)
    emitTable(b);
  emitWrites(b, loc, streams, [&](OpBuilder &nested, bool pastCaches) {
    rows.writePastCaches(pastCaches);
    emitRows(nested, 0);
  });
  if (pairs != 0) {
    memref::DeallocOp::create(b, loc, table);
    angles.end(b);
  }
  emitEndOfWrites(b, loc, streams);
}

void RopeEmitter::emitTable(OpBuilder &b) {
  int64_t lanes = schedule.getLanes();
  table = memref::AllocOp::create(
      b, loc, MemRefType::get({schedule.getRows(), 2 * width}, type),
      b.getI64IntegerAttr(kCacheLine));
  angles.begin(b);
  auto visit = [&](OpBuilder &nested, Value row, Value pair, Value sine,
                   Value cosine) {
    Value at = arith::SubIOp::create(nested, loc, row, low);
    auto store = [&](Value value, Value column, int64_t start) {
      vector::StoreOp::create(
          nested, loc, value, table,
          ValueRange{at, addIndex(nested, loc, column, start)});
    };
    if (!areNeighbours()) {
      store(sine, pair, 0);
      store(cosine, pair, width);
      return;
    }
    // The first of two neighbours takes the sine's negative.
    Value negative = LaneBuilder(nested, loc, type, lanes).neg(sine);
    Value column = arith::AddIOp::create(nested, loc, pair, pair);
    for (int64_t half = 0; half < 2; ++half) {
      SmallVector<int64_t> signs, both;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        both.push_back((half * lanes + lane) / 2);
        signs.push_back(both.back() + (lane % 2 == 0 ? 0 : lanes));
      }
      store(vector::ShuffleOp::create(nested, loc, negative, sine, signs),
            column, half * lanes);
      store(vector::ShuffleOp::create(nested, loc, cosine, cosine, both),
            column, width + half * lanes);
    }
  };
  angles.emit(b, first, low, high, visit, [](OpBuilder &, Value) {});
}

void RopeEmitter::emitRows(OpBuilder &b, unsigned dim) {
  if (dim + 1 == rank)
    return emitRow(b);
  if (dim == 0 && first) {
    indices[0] = first;
    return emitRows(b, 1);
  }
  Value begin = createIndex(b, loc, 0), end = high;
  if (dim == rowDim)
    begin = low;
  else
    end = memref::DimOp::create(b, loc, op.getOutput(), dim);
  emitLoop(b, loc, begin, end, 1, [&](OpBuilder &nested, Value i) {
    indices[dim] = i;
    emitRows(nested, dim + 1);
  });
}

void RopeEmitter::emitRow(OpBuilder &b) {
  Value input = op.getInput(), output = op.getOutput();
  if (pairs != 0) {
    Value tableRow = arith::SubIOp::create(b, loc, indices[rowDim], low);
    if (!rows.isVector())
      rotateElements(b, tableRow);
    else if (areNeighbours())
      rotateNeighbours(b, tableRow);
    else
      rotateHalves(b, tableRow);
  }
  int64_t rotated = 2 * pairs;
  rows.emitColumns(
      b, getSize() - rotated, [&](OpBuilder &nested, Value column, Value mask) {
        Value x = rows.load(nested, input, indices, column, rotated, mask);
        rows.store(nested, x, output, indices, column, rotated, mask);
      });
}

/// (a, b) turns to (a cos - b sin, b cos + a sin).
void RopeEmitter::rotateHalves(OpBuilder &b, Value tableRow) {
  auto visit = [&](OpBuilder &nested, Value column, Value mask) {
    auto load = [&](Value memref, ValueRange row, int64_t start, Value active) {
      return rows.load(nested, memref, llvm::to_vector(row), column, start,
                       active);
    };
    LaneBuilder lanes = rows.getLanes(nested);
    Value x = load(op.getInput(), indices, 0, mask);
    Value y = load(op.getInput(), indices, pairs, mask);
    Value sine = load(table, tableRow, 0, {});
    Value cosine = load(table, tableRow, width, {});
    Value turned = lanes.fma(x, cosine, lanes.neg(lanes.mul(y, sine)));
    rows.store(nested, turned, op.getOutput(), indices, column, 0, mask);
    turned = lanes.fma(y, cosine, lanes.mul(x, sine));
    rows.store(nested, turned, op.getOutput(), indices, column, pairs, mask);
  };
  rows.emitColumns(b, pairs, visit);
}

void RopeEmitter::rotateNeighbours(OpBuilder &b, Value tableRow) {
  SmallVector<int64_t> swap;
  for (int64_t lane = 0; lane < schedule.getLanes(); ++lane)
    swap.push_back(lane ^ 1);
  auto visit = [&](OpBuilder &nested, Value column, Value mask) {
    LaneBuilder lanes = rows.getLanes(nested);
    Value x = rows.load(nested, op.getInput(), indices, column, 0, mask);
    Value sine = rows.load(nested, table, tableRow, column, 0, {});
    Value cosine = rows.load(nested, table, tableRow, column, width, {});
    Value swapped = vector::ShuffleOp::create(nested, loc, x, x, swap);
    Value turned = lanes.fma(x, cosine, lanes.mul(swapped, sine));
    rows.store(nested, turned, op.getOutput(), indices, column, 0, mask);
  };
  rows.emitColumns(b, 2 * pairs, visit);
}

/// One pair after the other.
void RopeEmitter::rotateElements(OpBuilder &b, Value tableRow) {
  auto visit = [&](OpBuilder &nested, Value pair, Value) {
    LaneBuilder lanes = rows.getLanes(nested);
    Value column = pair;
    if (areNeighbours())
      column = arith::AddIOp::create(nested, loc, pair, pair);
    int64_t second = areNeighbours() ? 1 : pairs;
    Value x = rows.load(nested, op.getInput(), indices, column, 0, {});
    Value y = rows.load(nested, op.getInput(), indices, column, second, {});
    Value sine =
        rows.load(nested, table, tableRow, column, areNeighbours() ? 1 : 0, {});
    Value cosine = rows.load(nested, table, tableRow, column, width, {});
    Value turned = lanes.fma(x, cosine, lanes.neg(lanes.mul(y, sine)));
    rows.store(nested, turned, op.getOutput(), indices, column, 0, {});
    turned = lanes.fma(y, cosine, lanes.mul(x, sine));
    rows.store(nested, turned, op.getOutput(), indices, column, second, {});
  };
  rows.emitColumns(b, pairs, visit);
}

void attn::emitRope(OpBuilder &builder, RopeOp op) {
  RopeEmitter(builder, op).emit();
}
