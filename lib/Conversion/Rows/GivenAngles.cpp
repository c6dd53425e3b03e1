//===- GivenAngles.cpp - Sines and cosines from memory --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GivenAngles.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

SineAndCosine GivenAngles::load(const RowPiece &piece, const RowPlace &row,
                                Value column) {
  SmallVector<Value> indices = {row.number[op.getRowDimension()], column};
  if (op.hasPositionsByFirst())
    indices.insert(indices.begin(), row.number[0]);
  return {machine.load(piece, op.getSines(), indices),
          machine.load(piece, op.getCosines(), indices)};
}

PairTurns GivenAngles::get(const RowPiece &piece, const RowPlace &row, Value,
                           bool hasElements) {
  LaneBuilder &lanes = piece.lanes;
  OpBuilder &b = lanes.getBuilder();
  Value column = piece.position[0];
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(b, lanes.getLoc(), x, y);
  };
  if (hasElements) {
    // The first of two neighbours takes the sine's negative.
    SineAndCosine both = load(piece, row, column);
    SmallVector<int64_t> signs;
    for (int64_t lane = 0; lane < lanes.getLanes(); ++lane)
      signs.push_back(lane % 2 == 0 ? lane : lanes.getLanes() + lane);
    both.sine = vector::ShuffleOp::create(
        b, lanes.getLoc(), lanes.neg(both.sine), both.sine, signs);
    return {both, both};
  }
  bool areNeighbours = op.getPairs() == PairLayout::Interleaved;
  if (areNeighbours)
    column = add(column, column);
  int64_t distance = areNeighbours ? 1 : op.getNumRotated() / 2;
  return {load(piece, row, column),
          load(piece, row, add(column, lanes.index(distance)))};
}
