//===- StatisticsRows.cpp - attn.statistics row by row --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of a result are one row, over any dimensions.
//
//===----------------------------------------------------------------------===//

#include "ChunkPowers.h"
#include "RowOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

Value attn::emitLarger(LaneBuilder &lanes, Value a, Value b) {
  OpBuilder &in = lanes.getBuilder();
  Location loc = lanes.getLoc();
  Type bits = in.getIntegerType(lanes.getElementType().getWidth());
  if (lanes.isVector())
    bits = VectorType::get(lanes.getLanes(), bits);
  a = arith::BitcastOp::create(in, loc, bits, a);
  b = arith::BitcastOp::create(in, loc, bits, b);
  Value larger = arith::MaxUIOp::create(in, loc, a, b);
  return arith::BitcastOp::create(in, loc, lanes.getFloatType(), larger);
}

namespace {

class StatisticsRows : public RowAlgorithm {
public:
  StatisticsRows(StatisticsOp op, RowMachine &machine)
      : op(op), machine(machine), loc(op.getLoc()), type(op.getComputeType()) {
    for (int64_t dim = 0; dim < op.getInputType().getRank(); ++dim)
      if (op.isReduced(dim))
        dims.push_back(dim);
  }

  RowSpace getSpace(OpBuilder &b);
  void locate(OpBuilder &b, ValueRange number, RowOrigin &origin,
              SmallVectorImpl<Value> &sizes) override {
    origin.outer.assign(number.begin(), number.end());
    if (!op.reducesLastDims())
      origin.dims = dims;
  }
  SmallVector<Value> measure(OpBuilder &b, const RowPlace &row) override;

private:
  Value load(const RowPiece &piece, const RowPlace &row) {
    OpBuilder &b = piece.lanes.getBuilder();
    return machine.loadAgain(piece, op.getInput(),
                             row.origin.locate(b, loc, piece.position));
  }
  Value emitKurtosis(LaneBuilder &scalars, const RowPlace &row);
  Value emitInfinityNorm(OpBuilder &b, const RowPlace &row);

  StatisticsOp op;
  RowMachine &machine;
  Location loc;
  FloatType type;
  SmallVector<int64_t> dims;
};

} // namespace

RowSpace StatisticsRows::getSpace(OpBuilder &b) {
  RowSpace space;
  for (int64_t dim = 0; dim < op.getInputType().getRank(); ++dim)
    (op.isReduced(dim) ? space.sizes : space.counts)
        .push_back(b.createOrFold<memref::DimOp>(
            loc, op.getInput(), arith::ConstantIndexOp::create(b, loc, dim)));
  space.inputs = space.along = {op.getInput()};
  return space;
}

Value StatisticsRows::emitKurtosis(LaneBuilder &scalars, const RowPlace &row) {
  OpBuilder &b = scalars.getBuilder();
  Value elements = scalars.index(1);
  for (Value size : row.sizes)
    elements = b.createOrFold<arith::MulIOp>(loc, elements, size);
  Value count = scalars.toFloatLanes(elements);
  ChunkPowers found = emitChunkPowers(
      machine, scalars, row, count,
      [&](const RowPiece &piece) { return load(piece, row); },
      /*hasSpareDigits=*/false);
  Value variance = scalars.div(found.powers[0], count);
  return scalars.div(scalars.div(found.powers[2], count),
                     scalars.mul(variance, variance));
}

Value StatisticsRows::emitInfinityNorm(OpBuilder &b, const RowPlace &row) {
  return machine.reduce(
      b, row, 0.0,
      [&](const RowPiece &piece, MutableArrayRef<Value> tops) {
        tops[0] =
            emitLarger(piece.lanes, piece.lanes.abs(load(piece, row)), tops[0]);
      },
      emitLarger)[0];
}

SmallVector<Value> StatisticsRows::measure(OpBuilder &b, const RowPlace &row) {
  LaneBuilder scalars(b, loc, type);
  Value result = op.getMeasure() == Measure::Kurtosis
                     ? emitKurtosis(scalars, row)
                     : emitInfinityNorm(b, row);
  machine.storeOnce(scalars, result, op.getOutput(), row.number);
  return {};
}

void attn::emitStatisticsRows(OpBuilder &builder, StatisticsOp op,
                              RowMachine &machine) {
  StatisticsRows rows(op, machine);
  machine.emitRows(builder, rows.getSpace(builder), rows);
}
