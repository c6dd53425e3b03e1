//===- SinusoidalRows.cpp - attn.sinusoidal_positions of rows -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A work item is a block of positions, whose rows are all alike where the first
// dimension has no positions of its own.
//
//===----------------------------------------------------------------------===//

#include "RowOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

class SinusoidalRows : public RowAlgorithm {
public:
  SinusoidalRows(SinusoidalPositionsOp op, RowMachine &machine,
                 AngleTable &angles)
      : op(op), machine(machine), angles(angles), loc(op.getLoc()),
        pairs(cast<ShapedType>(op.getOutput().getType()).getShape().back() /
              2) {}

  RowSpace getSpace(OpBuilder &b);
  void beginItem(OpBuilder &b, const RowItem &item) override {
    low = item.begin;
    angles.begin(b, item);
  }
  void endItem(OpBuilder &b) override { angles.end(b); }
  void writeRow(OpBuilder &b, const RowPlace &row) override;

private:
  void writeElements(const RowPiece &piece, const RowPlace &row, Value inItem);
  void writePairs(const RowPiece &piece, const RowPlace &row, Value inItem);
  void store(const RowPiece &piece, const RowPlace &row, Value value,
             Value column, int64_t offset);
  bool areNeighbours() { return op.getPairs() == PairLayout::Interleaved; }

  SinusoidalPositionsOp op;
  RowMachine &machine;
  AngleTable &angles;
  Location loc;
  int64_t pairs;
  /// The first position of the item at hand.
  Value low;
};

} // namespace

RowSpace SinusoidalRows::getSpace(OpBuilder &b) {
  RowSpace space;
  for (int64_t dim = 0; dim <= op.getRowDimension(); ++dim)
    space.counts.push_back(b.createOrFold<memref::DimOp>(
        loc, op.getOutput(), arith::ConstantIndexOp::create(b, loc, dim)));
  if (op.hasPositionsByFirst())
    space.itemDims.push_back(0);
  space.itemDims.push_back(op.getRowDimension());
  space.outputs = space.along = {op.getOutput()};
  space.runs = {areNeighbours() ? 2 * pairs : pairs};
  return space;
}

void SinusoidalRows::writeRow(OpBuilder &b, const RowPlace &row) {
  Value inItem =
      arith::SubIOp::create(b, loc, row.number[op.getRowDimension()], low);
  bool inElements = areNeighbours() && machine.areVectors();
  Value count =
      arith::ConstantIndexOp::create(b, loc, inElements ? 2 * pairs : pairs);
  machine.visit(b, count, [&](const RowPiece &piece) {
    if (inElements)
      writeElements(piece, row, inItem);
    else
      writePairs(piece, row, inItem);
  });
}

/// Sines at even places, cosines at odd ones.
void SinusoidalRows::writeElements(const RowPiece &piece, const RowPlace &row,
                                   Value inItem) {
  auto [sine, cosine] =
      angles.get(piece, row, inItem, /*hasElements=*/true).first;
  SmallVector<int64_t> order;
  int64_t lanes = piece.lanes.getLanes();
  // The second sine of a pair is the one that is not negated.
  for (int64_t lane = 0; lane < lanes; ++lane)
    order.push_back(lane % 2 == 0 ? lane + 1 : lanes + lane);
  Value mixed = vector::ShuffleOp::create(piece.lanes.getBuilder(), loc, sine,
                                          cosine, order);
  store(piece, row, mixed, piece.position[0], 0);
}

void SinusoidalRows::writePairs(const RowPiece &piece, const RowPlace &row,
                                Value inItem) {
  auto [sine, cosine] =
      angles.get(piece, row, inItem, /*hasElements=*/false).first;
  Value column = piece.position[0];
  if (areNeighbours())
    column =
        arith::AddIOp::create(piece.lanes.getBuilder(), loc, column, column);
  store(piece, row, sine, column, 0);
  store(piece, row, cosine, column, areNeighbours() ? 1 : pairs);
}

void SinusoidalRows::store(const RowPiece &piece, const RowPlace &row,
                           Value value, Value column, int64_t offset) {
  SmallVector<Value> indices(row.number);
  indices.push_back(
      offset == 0 ? column
                  : arith::AddIOp::create(piece.lanes.getBuilder(), loc, column,
                                          piece.lanes.index(offset)));
  machine.store(piece, value, op.getOutput(), indices);
}

void attn::emitSinusoidalRows(OpBuilder &builder, SinusoidalPositionsOp op,
                              RowMachine &machine, AngleTable &angles) {
  SinusoidalRows rows(op, machine, angles);
  machine.emitRows(builder, rows.getSpace(builder), rows);
}
