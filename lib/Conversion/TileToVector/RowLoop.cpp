//===- RowLoop.cpp - Loops over the elements of a row ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoop.h"
#include "LaneSums.h"
#include "TileShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

/// The loop nest of a row; accumulators travel as carried values.
class RowEmitter {
public:
  RowEmitter(Location loc, const RowShape &row, RowAccumulate accumulate)
      : loc(loc), row(row), accumulate(accumulate) {}

  SmallVector<Value> emit(OpBuilder &builder, SmallVector<Value> position,
                          ValueRange carried);

private:
  SmallVector<Value> emitColumns(OpBuilder &builder,
                                 SmallVectorImpl<Value> &position,
                                 ValueRange carried);
  /// Columns from `begin` to `end`, `vectors` vectors (0: one element) at a
  /// time.
  SmallVector<Value> emitRange(OpBuilder &builder, ArrayRef<Value> position,
                               Value begin, Value end, int64_t vectors,
                               ValueRange carried);

  Location loc;
  const RowShape &row;
  RowAccumulate accumulate;
};

} // namespace

SmallVector<Value> RowEmitter::emit(OpBuilder &builder,
                                    SmallVector<Value> position,
                                    ValueRange carried) {
  unsigned dim = position.size();
  if (dim + 1 == row.sizes.size())
    return emitColumns(builder, position, carried);
  Value zero = createIndex(builder, loc, 0), one = createIndex(builder, loc, 1);
  auto body = [&](OpBuilder &nested, Location, Value i, ValueRange inner) {
    SmallVector<Value> deeper(position);
    deeper.push_back(i);
    scf::YieldOp::create(nested, loc, emit(nested, deeper, inner));
  };
  auto loop = scf::ForOp::create(builder, loc, zero, row.sizes[dim], one,
                                 carried, body);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> RowEmitter::emitColumns(OpBuilder &builder,
                                           SmallVectorImpl<Value> &position,
                                           ValueRange carried) {
  Value size = row.sizes.back();
  auto roundDown = [&](int64_t step) -> Value {
    Value by = createIndex(builder, loc, step);
    Value count = builder.createOrFold<arith::DivUIOp>(loc, size, by);
    return builder.createOrFold<arith::MulIOp>(loc, count, by);
  };
  Value begin = createIndex(builder, loc, 0);
  SmallVector<Value> values(carried);
  if (row.inVectors)
    for (int64_t vectors : {row.unroll, int64_t(1)}) {
      Value end = roundDown(vectors * row.lanes);
      values = emitRange(builder, position, begin, end, vectors, values);
      begin = end;
    }
  return emitRange(builder, position, begin, size, 0, values);
}

SmallVector<Value> RowEmitter::emitRange(OpBuilder &builder,
                                         ArrayRef<Value> position, Value begin,
                                         Value end, int64_t vectors,
                                         ValueRange carried) {
  int64_t step = vectors == 0 ? 1 : vectors * row.lanes;
  auto body = [&](OpBuilder &nested, Location, Value i, ValueRange inner) {
    LaneBuilder lanes(nested, loc, row.type, vectors == 0 ? 0 : row.lanes);
    SmallVector<Value> values(inner), at(position);
    at.push_back(i);
    // The last accumulator is that of single elements.
    unsigned first = vectors == 0 ? row.unroll : 0;
    for (int64_t v = 0; v < std::max<int64_t>(vectors, 1); ++v) {
      at.back() = addIndex(nested, loc, i, v * row.lanes);
      Value accumulator = values.empty() ? Value() : values[first + v];
      accumulator = accumulate(lanes, at, accumulator);
      if (!values.empty())
        values[first + v] = accumulator;
    }
    scf::YieldOp::create(nested, loc, values);
  };
  auto loop = scf::ForOp::create(
      builder, loc, begin, end, createIndex(builder, loc, step), carried, body);
  return SmallVector<Value>(loop.getResults());
}

void attn::emitRowLoop(OpBuilder &builder, Location loc, const RowShape &row,
                       RowVisit visit) {
  auto accumulate = [&](LaneBuilder &lanes, ValueRange position, Value) {
    visit(lanes, position);
    return Value();
  };
  RowEmitter(loc, row, accumulate).emit(builder, {}, {});
}

Value attn::emitRowSum(OpBuilder &builder, Location loc, const RowShape &row,
                       RowAccumulate accumulate) {
  LaneBuilder vectors(builder, loc, row.type, row.lanes);
  LaneBuilder scalars(builder, loc, row.type);
  SmallVector<Value> zeros(row.unroll, vectors.constant(0.0));
  zeros.push_back(scalars.constant(0.0));
  SmallVector<Value> sums =
      RowEmitter(loc, row, accumulate).emit(builder, {}, zeros);
  Value rest = sums.pop_back_val();
  while (sums.size() > 1) {
    size_t half = sums.size() / 2;
    for (size_t i = 0; i < half; ++i)
      sums[i] = vectors.add(sums[i], sums[half + i]);
    sums.truncate(half);
  }
  Value all = emitAllLanes(builder, loc, sums[0],
                           [&](Value a, Value b) { return vectors.add(a, b); });
  Value first = vector::ExtractOp::create(builder, loc, all, 0);
  return scalars.add(first, rest);
}
