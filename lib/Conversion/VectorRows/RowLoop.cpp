//===- RowLoop.cpp - Loops over the elements of a row ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoop.h"
#include "../Lanes/LaneMemory.h"
#include "../Lanes/LaneSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

/// The loop nest of a row; accumulators travel as carried values: `width` for
/// each of the unrolled vectors, and then those of single elements.
class RowEmitter {
public:
  RowEmitter(Location loc, const RowShape &row, unsigned width, RowStep step)
      : loc(loc), row(row), width(width), step(step) {}

  SmallVector<Value> emit(OpBuilder &builder, SmallVector<Value> position,
                          ValueRange carried);

private:
  SmallVector<Value> emitColumns(OpBuilder &builder,
                                 SmallVectorImpl<Value> &position,
                                 ValueRange carried);
  /// Columns from `begin` to `end`, `vectors` vectors (0: one element) at a
  /// time; `mask`, which may be null, says which lanes of a vector there are.
  SmallVector<Value> emitRange(OpBuilder &builder, ArrayRef<Value> position,
                               Value begin, Value end, int64_t vectors,
                               Value mask, ValueRange carried);

  Location loc;
  const RowShape &row;
  unsigned width;
  RowStep step;
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
  Value size = row.sizes.back(), end = size;
  Value begin = row.begin;
  if (begin)
    end = builder.createOrFold<arith::AddIOp>(loc, begin, size);
  else
    begin = createIndex(builder, loc, 0);
  auto restOf = [&](int64_t by) {
    return builder.createOrFold<arith::RemUIOp>(loc, size,
                                                createIndex(builder, loc, by));
  };
  SmallVector<Value> values(carried);
  if (row.inVectors)
    for (int64_t vectors : {row.unroll, int64_t(1)}) {
      Value low = begin, rest = restOf(vectors * row.lanes);
      begin = builder.createOrFold<arith::SubIOp>(loc, end, rest);
      values = emitRange(builder, position, low, begin, vectors, {}, values);
      if (row.unroll == 1)
        break;
    }
  std::optional<int64_t> known = getConstantIntValue(size);
  if (row.inVectors && known && *known % row.lanes == 0)
    return values;
  Value mask;
  if (row.inVectors && row.masksRest)
    mask = vector::CreateMaskOp::create(
        builder, loc, VectorType::get(row.lanes, builder.getI1Type()),
        restOf(row.lanes));
  return emitRange(builder, position, begin, end, mask ? 1 : 0, mask, values);
}

SmallVector<Value> RowEmitter::emitRange(OpBuilder &builder,
                                         ArrayRef<Value> position, Value begin,
                                         Value end, int64_t vectors, Value mask,
                                         ValueRange carried) {
  int64_t stride = vectors == 0 ? 1 : vectors * row.lanes;
  auto body = [&](OpBuilder &nested, Location, Value i, ValueRange inner) {
    LaneBuilder lanes(nested, loc, row.type, vectors == 0 ? 0 : row.lanes);
    SmallVector<Value> values(inner), at(position);
    at.push_back(i);
    unsigned first = vectors == 0 ? row.unroll : 0;
    for (int64_t v = 0; v < std::max<int64_t>(vectors, 1); ++v) {
      at.back() = addIndex(nested, loc, i, v * row.lanes);
      step({lanes, at, mask},
           MutableArrayRef<Value>(values).slice((first + v) * width, width));
    }
    scf::YieldOp::create(nested, loc, values);
  };
  auto loop =
      scf::ForOp::create(builder, loc, begin, end,
                         createIndex(builder, loc, stride), carried, body);
  return SmallVector<Value>(loop.getResults());
}

void attn::emitRowLoop(OpBuilder &builder, Location loc, const RowShape &row,
                       RowVisit visit) {
  emitRowReduction(
      builder, loc, row, {},
      [&](const RowPiece &piece, MutableArrayRef<Value>) { visit(piece); },
      addLanes);
}

SmallVector<Value> attn::emitRowReduction(OpBuilder &builder, Location loc,
                                          const RowShape &row,
                                          ArrayRef<double> neutrals,
                                          RowStep step, RowCombine combine) {
  LaneBuilder vectors(builder, loc, row.type, row.lanes);
  LaneBuilder scalars(builder, loc, row.type);
  size_t width = neutrals.size();
  SmallVector<Value> initial;
  for (int64_t v = 0; v <= row.unroll; ++v)
    for (double neutral : neutrals)
      initial.push_back(v < row.unroll ? vectors.constant(neutral)
                                       : scalars.constant(neutral));
  SmallVector<Value> all =
      RowEmitter(loc, row, width, step).emit(builder, {}, initial);
  SmallVector<Value> results;
  for (size_t which = 0; which < width; ++which) {
    SmallVector<Value> sums;
    for (int64_t v = 0; v < row.unroll; ++v)
      sums.push_back(all[v * width + which]);
    Value first = emitReduced(builder, loc, sums, [&](Value a, Value b) {
      return combine(vectors, a, b);
    });
    results.push_back(combine(scalars, first, all[row.unroll * width + which]));
  }
  return results;
}
