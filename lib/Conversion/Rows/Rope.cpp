//===- Rope.cpp - attn.rope of rows ---------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work item is a block of positions: it has their sines and cosines made once
// and turns all rows at these positions, whatever dimensions there are beside
// them.
//
//===----------------------------------------------------------------------===//

#include "RowOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

class RopeRows : public RowAlgorithm {
public:
  RopeRows(RopeOp op, RowMachine &machine, AngleTable &angles)
      : op(op), machine(machine), angles(angles), loc(op.getLoc()),
        pairs(op.getNumRotated() / 2) {}

  RowSpace getSpace(OpBuilder &b);
  void beginItem(OpBuilder &b, const RowItem &item) override;
  void endItem(OpBuilder &b) override;
  void writeRow(OpBuilder &b, const RowPlace &row) override;

private:
  void rotateNeighbours(OpBuilder &b, Value size, const RowPlace &row);
  /// Both elements of a pair, or of pairs, at `column` and `distance` further.
  void rotate(const RowPiece &piece, const RowPlace &row, Value column,
              int64_t distance);
  /// The elements from `column` + `offset` on.
  Value load(const RowPiece &piece, const RowPlace &row, Value column,
             int64_t offset);
  void store(const RowPiece &piece, Value value, const RowPlace &row,
             Value column, int64_t offset);
  SmallVector<Value> join(const RowPiece &piece, ArrayRef<Value> row,
                          Value column, int64_t offset);
  bool areNeighbours() { return op.getPairs() == PairLayout::Interleaved; }
  int64_t getSize() {
    return cast<ShapedType>(op.getInput().getType()).getShape().back();
  }

  RopeOp op;
  RowMachine &machine;
  AngleTable &angles;
  Location loc;
  int64_t pairs;
  /// The first position of the item at hand, and which of its positions the row
  /// has.
  Value low, inItem;
};

} // namespace

RowSpace RopeRows::getSpace(OpBuilder &b) {
  RowSpace space;
  int64_t last = cast<ShapedType>(op.getInput().getType()).getRank() - 1;
  for (int64_t dim = 0; dim < last; ++dim)
    space.counts.push_back(b.createOrFold<memref::DimOp>(
        loc, op.getOutput(), arith::ConstantIndexOp::create(b, loc, dim)));
  if (op.hasPositionsByFirst())
    space.itemDims.push_back(0);
  space.itemDims.push_back(op.getRowDimension());
  space.inputs = {op.getInput()};
  space.outputs = {op.getOutput()};
  space.along = {op.getInput(), op.getOutput()};
  if (op.hasTables())
    space.along.append({op.getCosines(), op.getSines()});
  space.runs = {areNeighbours() ? 2 * pairs : pairs, getSize()};
  return space;
}

void RopeRows::beginItem(OpBuilder &b, const RowItem &item) {
  low = item.begin;
  if (pairs != 0)
    angles.begin(b, item);
}

void RopeRows::endItem(OpBuilder &b) {
  if (pairs != 0)
    angles.end(b);
}

void RopeRows::writeRow(OpBuilder &b, const RowPlace &row) {
  auto indexOf = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  if (pairs != 0) {
    inItem =
        arith::SubIOp::create(b, loc, row.number[op.getRowDimension()], low);
    if (!areNeighbours())
      machine.visit(b, indexOf(pairs), [&](const RowPiece &piece) {
        rotate(piece, row, piece.position[0], pairs);
      });
    else if (machine.areVectors())
      rotateNeighbours(b, indexOf(2 * pairs), row);
    else
      machine.visit(b, indexOf(pairs), [&](const RowPiece &piece) {
        Value pair = piece.position[0];
        OpBuilder &in = piece.lanes.getBuilder();
        rotate(piece, row, arith::AddIOp::create(in, loc, pair, pair), 1);
      });
  }
  int64_t rotated = 2 * pairs;
  machine.visit(b, indexOf(getSize() - rotated), [&](const RowPiece &piece) {
    Value column = piece.position[0];
    store(piece, load(piece, row, column, rotated), row, column, rotated);
  });
}

/// (a, b) turns to (a cos - b sin, b cos + a sin).
void RopeRows::rotate(const RowPiece &piece, const RowPlace &row, Value column,
                      int64_t distance) {
  LaneBuilder &lanes = piece.lanes;
  Value x = load(piece, row, column, 0);
  Value y = load(piece, row, column, distance);
  auto [first, second] = angles.get(piece, row, inItem, /*hasElements=*/false);
  Value turned =
      lanes.fma(x, first.cosine, lanes.neg(lanes.mul(y, first.sine)));
  store(piece, turned, row, column, 0);
  turned = lanes.fma(y, second.cosine, lanes.mul(x, second.sine));
  store(piece, turned, row, column, distance);
}

/// A vector has whole pairs: its neighbours are swapped in it.
void RopeRows::rotateNeighbours(OpBuilder &b, Value size, const RowPlace &row) {
  machine.visit(b, size, [&](const RowPiece &piece) {
    LaneBuilder &lanes = piece.lanes;
    SmallVector<int64_t> swap;
    for (int64_t lane = 0; lane < lanes.getLanes(); ++lane)
      swap.push_back(lane ^ 1);
    Value column = piece.position[0];
    Value x = load(piece, row, column, 0);
    auto [sine, cosine] =
        angles.get(piece, row, inItem, /*hasElements=*/true).first;
    Value swapped =
        vector::ShuffleOp::create(lanes.getBuilder(), loc, x, x, swap);
    Value turned = lanes.fma(x, cosine, lanes.mul(swapped, sine));
    store(piece, turned, row, column, 0);
  });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

SmallVector<Value> RopeRows::join(const RowPiece &piece, ArrayRef<Value> row,
                                  Value column, int64_t offset) {
  SmallVector<Value> indices(row);
  LaneBuilder &lanes = piece.lanes;
  indices.push_back(offset == 0
                        ? column
                        : arith::AddIOp::create(lanes.getBuilder(), loc, column,
                                                lanes.index(offset)));
  return indices;
}

Value RopeRows::load(const RowPiece &piece, const RowPlace &row, Value column,
                     int64_t offset) {
  return machine.load(piece, op.getInput(),
                      join(piece, row.number, column, offset));
}

void RopeRows::store(const RowPiece &piece, Value value, const RowPlace &row,
                     Value column, int64_t offset) {
  machine.store(piece, value, op.getOutput(),
                join(piece, row.number, column, offset));
}

void attn::emitRope(OpBuilder &builder, RopeOp op, RowMachine &machine,
                    AngleTable &angles) {
  RopeRows rows(op, machine, angles);
  machine.emitRows(builder, rows.getSpace(builder), rows);
}
