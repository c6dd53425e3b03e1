//===- VectorAngles.cpp - Sines and cosines of a CPU's rope ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of a block of positions stays in the caches. Neighbours have sines
// and cosines of their own, so that vectors of them are read as they lie.
//
//===----------------------------------------------------------------------===//

#include "VectorAngles.h"
#include "../Lanes/LaneMemory.h"
#include "../Lanes/RowMemory.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

constexpr int64_t kCacheLine = 64;

VectorAngles::VectorAngles(RopeOp op, FloatType type)
    : loc(op.getLoc()), type(type),
      schedule(cast<PositionScheduleAttr>(op.getScheduleAttr())),
      areNeighbours(op.getPairs() == PairLayout::Interleaved),
      angles(op, op.getNumRotated() / 2, type) {}

void VectorAngles::begin(OpBuilder &b, const RowItem &item) {
  int64_t lanes = schedule.getLanes(), width = getWidth();
  table = memref::AllocOp::create(
      b, loc, MemRefType::get({schedule.getRows(), 2 * width}, type),
      b.getI64IntegerAttr(kCacheLine));
  angles.begin(b);
  auto visit = [&](OpBuilder &nested, Value row, Value pair, Value sine,
                   Value cosine) {
    Value at = arith::SubIOp::create(nested, loc, row, item.begin);
    auto store = [&](Value value, Value column, int64_t start) {
      vector::StoreOp::create(
          nested, loc, value, table,
          ValueRange{at, addIndex(nested, loc, column, start)});
    };
    if (!areNeighbours) {
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
  angles.emit(b, item.outer.empty() ? Value() : item.outer.front(), item.begin,
              item.end, visit, [](OpBuilder &, Value) {});
}

PairTurns VectorAngles::get(const RowPiece &piece, const RowPlace &,
                            Value number, bool hasElements) {
  LaneBuilder &lanes = piece.lanes;
  OpBuilder &b = lanes.getBuilder();
  Value column = piece.position[0];
  // Of neighbours as single elements: the sine that is not negated.
  bool isSecond = areNeighbours && !hasElements;
  if (isSecond)
    column = arith::AddIOp::create(b, loc, column, column);
  auto load = [&](int64_t offset) {
    return loadLanes(lanes, table, {number, addIndex(b, loc, column, offset)});
  };
  Value sine = load(isSecond ? 1 : 0);
  SineAndCosine both = {sine, load(getWidth())};
  return {both, both};
}

void VectorAngles::end(OpBuilder &b) {
  memref::DeallocOp::create(b, loc, table);
  angles.end(b);
}
