//===- RowPasses.cpp - Passes of a GPU over a row -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Fragment/KernelBuilder.h"
#include "../Structured/ElementKernel.h"
#include "RowKernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

static Value createIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

void RowKernel::emitPiece(OpBuilder &b, ValueRange sizes, Value first,
                          Value mask, MutableArrayRef<Value> carried,
                          RowStep step) {
  LaneBuilder lanes(b, loc, type, width == 1 ? 0 : width);
  if (exists)
    mask =
        mask ? arith::AndIOp::create(b, loc, mask, exists).getResult() : exists;
  Values position = emitDelinearized(b, loc, first, Values(sizes));
  step(RowPiece{lanes, position, mask}, carried);
}

RowKernel::Values RowKernel::emitUnrolled(OpBuilder &b, ValueRange sizes,
                                          Value count, Values carried,
                                          RowStep step) {
  std::optional<int64_t> known = getConstantIntValue(count);
  int64_t turn = rowThreads * width;
  int64_t turns = known ? llvm::divideCeil(*known, turn)
                        : llvm::divideCeil(schedule.getPieces(), width);
  Value start = width == 1 ? thread
                           : b.createOrFold<arith::MulIOp>(
                                 loc, thread, createIndex(b, loc, width));
  for (current = 0; current < turns; ++current) {
    Value first = b.createOrFold<arith::AddIOp>(
        loc, start, createIndex(b, loc, current * turn));
    Value mask;
    if (!known || *known < (current + 1) * turn)
      mask = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, first,
                                   count);
    emitPiece(b, sizes, first, mask, carried, step);
  }
  return carried;
}

RowKernel::Values RowKernel::emitPieces(OpBuilder &b, ValueRange sizes,
                                        Values carried, RowStep step) {
  Value count = createIndex(b, loc, 1);
  for (Value size : sizes)
    count = b.createOrFold<arith::MulIOp>(loc, count, size);
  if (schedule.getPieces() != 0)
    return emitUnrolled(b, sizes, count, std::move(carried), step);
  auto body = [&](OpBuilder &nested, Location, Value first, ValueRange inner) {
    Values values(inner);
    emitPiece(nested, sizes, first, {}, values, step);
    scf::YieldOp::create(nested, loc, values);
  };
  Value start =
      b.createOrFold<arith::MulIOp>(loc, thread, createIndex(b, loc, width));
  auto loop = scf::ForOp::create(b, loc, start, count,
                                 createIndex(b, loc, rowThreads * width),
                                 carried, body);
  return Values(loop.getResults());
}

void RowKernel::visit(OpBuilder &builder, Value count, RowVisit step) {
  emitPieces(
      builder, count, {},
      [&](const RowPiece &piece, MutableArrayRef<Value>) { step(piece); });
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

SmallVector<Value> RowKernel::reduce(OpBuilder &builder, const RowPlace &row,
                                     ArrayRef<double> neutrals, RowStep step,
                                     RowCombine combine) {
  LaneBuilder lanes(builder, loc, type, width == 1 ? 0 : width);
  Values initial = llvm::map_to_vector(
      neutrals, [&](double neutral) { return lanes.constant(neutral); });
  Values sums = emitPieces(builder, row.sizes, initial, step);
  for (Value &sum : sums)
    sum = combineLanes(builder, sum, combine);
  return combineThreads(builder, sums, combine);
}

/// Halves with each other, so that the order is that of a tree.
static Value combineHalves(LaneBuilder &scalars, SmallVector<Value> parts,
                           RowCombine combine) {
  while (parts.size() > 1) {
    size_t half = parts.size() / 2;
    for (size_t i = 0; i < half; ++i)
      parts[i] = combine(scalars, parts[i], parts[i + half]);
    parts.resize(half);
  }
  return parts.front();
}

Value RowKernel::combineLanes(OpBuilder &b, Value value, RowCombine combine) {
  LaneBuilder scalars(b, loc, type);
  return width == 1
             ? value
             : combineHalves(scalars, KernelBuilder(b, loc).unpack(value),
                             combine);
}

RowKernel::Values RowKernel::combineThreads(OpBuilder &b, Values values,
                                            RowCombine combine) {
  KernelBuilder kernel(b, loc);
  LaneBuilder scalars(b, loc, type);
  if (!schedule.getStrided())
    for (int64_t distance = std::min(rowThreads, kWarpLanes) / 2; distance != 0;
         distance /= 2)
      for (Value &value : values)
        value = combine(scalars, value, kernel.shuffleXor(value, distance));
  return schedule.getRowWarps() == 1 ? values
                                     : combineWarps(b, values, combine);
}

RowKernel::Values RowKernel::combineWarps(OpBuilder &b, Values values,
                                          RowCombine combine) {
  KernelBuilder kernel(b, loc);
  LaneBuilder scalars(b, loc, type);
  int64_t bytes = type.getWidth() / 8;
  // A number of each warp; of each lane, where these have rows of their own.
  int64_t lanes = schedule.getStrided() ? kWarpLanes : 1;
  int64_t warpBytes = lanes * bytes, all = schedule.getRowWarps() * warpBytes;
  sharedBytes = std::max<int64_t>(sharedBytes, values.size() * all);
  Value tid = kernel.toI32(threadInBlock);
  Value inWarp = kernel.rem(tid, kWarpLanes);
  Value row = kernel.constant(0);
  if (schedule.getStrided())
    row = kernel.mul(inWarp, kernel.constant(bytes));
  Value warp = kernel.div(tid, kWarpLanes);
  Value own = kernel.offset(
      shared, kernel.add(kernel.mul(warp, kernel.constant(warpBytes)), row));
  auto store = [&](OpBuilder &at) {
    KernelBuilder inside(at, loc);
    for (auto [i, value] : llvm::enumerate(values))
      inside.store(value, inside.offset(own, int64_t(i) * all), bytes);
  };
  if (schedule.getStrided()) {
    store(b);
  } else {
    Value isFirst = kernel.equal(inWarp, kernel.constant(0));
    scf::IfOp::create(b, loc, isFirst, [&](OpBuilder &nested, Location) {
      store(nested);
      scf::YieldOp::create(nested, loc);
    });
  }
  kernel.barrier();
  // All threads alike, in one order.
  Values results;
  Value first = kernel.offset(shared, row);
  for (size_t i = 0; i < values.size(); ++i) {
    Values parts;
    for (int64_t part = 0; part < schedule.getRowWarps(); ++part)
      parts.push_back(kernel.load(
          type, kernel.offset(first, int64_t(i) * all + part * warpBytes),
          bytes));
    results.push_back(combineHalves(scalars, parts, combine));
  }
  // The next sum comes to the same place.
  kernel.barrier();
  return results;
}
