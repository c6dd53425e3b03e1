//===- SinusoidalPositions.cpp - Sines and cosines as vector loops --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is made in scratch, where vectors of pairs have a place of their own,
// and then copied to all rows at its position.
//
//===----------------------------------------------------------------------===//

#include "../Lanes/LaneMemory.h"
#include "../Lanes/RowMemory.h"
#include "AngleRows.h"
#include "RowLoop.h"
#include "RowPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

constexpr int64_t kCacheLine = 64;

class SinusoidalEmitter {
public:
  SinusoidalEmitter(OpBuilder &builder, SinusoidalPositionsOp op);
  void emit();

private:
  void emitBlock(OpBuilder &b, const RowBlock &block);
  void emitPairs(OpBuilder &b, Value pair, Value sine, Value cosine);
  void emitCopies(OpBuilder &b, Value row, bool pastCaches);
  void emitCopy(OpBuilder &b, ArrayRef<Value> indices, bool pastCaches);
  bool areNeighbours() { return op.getPairs() == PairLayout::Interleaved; }

  OpBuilder &builder;
  Location loc;
  SinusoidalPositionsOp op;
  PositionScheduleAttr schedule;
  MemRefType output;
  FloatType type;
  int64_t pairs;
  AngleRows angles;
  bool inVectors;
  /// Whether the output is written past the caches; null if it is not.
  Value streams;
  /// The row at hand.
  Value scratch;
  /// The index along the first dimension where rows differ by it.
  Value first;
};

} // namespace

SinusoidalEmitter::SinusoidalEmitter(OpBuilder &builder,
                                     SinusoidalPositionsOp op)
    : builder(builder), loc(op.getLoc()), op(op),
      schedule(cast<PositionScheduleAttr>(op.getScheduleAttr())),
      output(cast<MemRefType>(op.getOutput().getType())),
      type(output.getElementType().isF64() ? FloatType(builder.getF64Type())
                                           : FloatType(builder.getF32Type())),
      pairs(output.getShape().back() / 2), angles(op, pairs, type),
      inVectors(hasUnitInnerStride(op.getOutput())) {}

void SinusoidalEmitter::emit() {
  if (pairs == 0)
    return;
  int64_t lanes = schedule.getLanes();
  if (inVectors && (areNeighbours() ? 2 * pairs : pairs) % lanes == 0)
    streams = emitIsStream(
        builder, loc,
        emitIsLarge(builder, loc, op.getOutput(), schedule.getStream()),
        op.getOutput(), {}, lanes);
  SmallVector<Value> sizes;
  if (op.hasPositionsByFirst())
    sizes.push_back(memref::DimOp::create(builder, loc, op.getOutput(), 0));
  sizes.push_back(memref::DimOp::create(builder, loc, op.getOutput(),
                                        op.getRowDimension()));
  emitRowBlocks(
      builder, loc, sizes, schedule.getRows(),
      [&](OpBuilder &b, const RowBlock &block) { emitBlock(b, block); });
}

void SinusoidalEmitter::emitBlock(OpBuilder &b, const RowBlock &block) {
  if (!block.outer.empty())
    first = block.outer.front();
  scratch = memref::AllocOp::create(
      b, loc, MemRefType::get({2 * angles.getWidth()}, type),
      b.getI64IntegerAttr(kCacheLine));
  angles.begin(b);
  auto visit = [&](OpBuilder &nested, Value, Value pair, Value sine,
                   Value cosine) { emitPairs(nested, pair, sine, cosine); };
  auto finish = [&](OpBuilder &nested, Value row) {
    emitWrites(nested, loc, streams, [&](OpBuilder &inner, bool pastCaches) {
      emitCopies(inner, row, pastCaches);
    });
  };
  angles.emit(b, first, block.begin, block.end, visit, finish);
  memref::DeallocOp::create(b, loc, scratch);
  angles.end(b);
  emitEndOfWrites(b, loc, streams);
}

/// Puts `lanes` pairs into the scratch.
void SinusoidalEmitter::emitPairs(OpBuilder &b, Value pair, Value sine,
                                  Value cosine) {
  int64_t lanes = schedule.getLanes();
  if (!areNeighbours()) {
    vector::StoreOp::create(b, loc, sine, scratch, pair);
    vector::StoreOp::create(b, loc, cosine, scratch,
                            addIndex(b, loc, pair, angles.getWidth()));
    return;
  }
  Value column = arith::AddIOp::create(b, loc, pair, pair);
  for (int64_t half = 0; half < 2; ++half) {
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < lanes; ++lane)
      order.push_back((half * lanes + lane) / 2 + (lane % 2 == 0 ? 0 : lanes));
    vector::StoreOp::create(
        b, loc, vector::ShuffleOp::create(b, loc, sine, cosine, order), scratch,
        addIndex(b, loc, column, half * lanes));
  }
}

/// To the row of each index along a first dimension that has no positions of
/// its own.
void SinusoidalEmitter::emitCopies(OpBuilder &b, Value row, bool pastCaches) {
  if (output.getRank() == 2)
    return emitCopy(b, row, pastCaches);
  if (first)
    return emitCopy(b, {first, row}, pastCaches);
  emitLoop(b, loc, createIndex(b, loc, 0),
           memref::DimOp::create(b, loc, op.getOutput(), 0), 1,
           [&](OpBuilder &nested, Value i) {
             emitCopy(nested, {i, row}, pastCaches);
           });
}

void SinusoidalEmitter::emitCopy(OpBuilder &b, ArrayRef<Value> indices,
                                 bool pastCaches) {
  auto copy = [&](int64_t from, int64_t to, int64_t count) {
    RowShape shape = {type,
                      schedule.getLanes(),
                      /*unroll=*/1,
                      inVectors,
                      /*masksRest=*/true,
                      {createIndex(b, loc, count)}};
    emitRowLoop(b, loc, shape, [&](const RowPiece &piece) {
      OpBuilder &nested = piece.lanes.getBuilder();
      Value column = piece.position[0];
      SmallVector<Value> there(indices);
      there.push_back(addIndex(nested, loc, column, to));
      Value x =
          loadLanes(piece.lanes, scratch, addIndex(nested, loc, column, from));
      storeLanes(piece.lanes, x, op.getOutput(), there, pastCaches, piece.mask);
    });
  };
  if (areNeighbours())
    return copy(0, 0, 2 * pairs);
  copy(0, 0, pairs);
  copy(angles.getWidth(), pairs, pairs);
}

void attn::emitRows(OpBuilder &builder, SinusoidalPositionsOp op,
                    const TargetDescription &) {
  SinusoidalEmitter(builder, op).emit();
}
