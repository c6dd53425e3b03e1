//===- RowPasses.cpp - Passes of a GPU over a row -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Fragment/KernelBuilder.h"
#include "../Structured/ElementKernel.h"
#include "RowKernel.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

void RowKernel::emitPiece(OpBuilder &b, ValueRange sizes, Value first,
                          Value mask, MutableArrayRef<Value> carried,
                          RowStep step) {
  LaneBuilder lanes(b, loc, type, width == 1 ? 0 : width, kRowLaneOptions);
  if (exists)
    mask = mask ? KernelBuilder(b, loc).both(mask, exists) : exists;
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
  KernelBuilder kernel(b, loc);
  Value start = width == 1 ? thread : kernel.mul(thread, width);
  for (current = 0; current < turns; ++current) {
    Value first = kernel.add(start, current * turn), mask;
    if (!known || *known < (current + 1) * turn)
      mask = kernel.below(first, count);
    emitPiece(b, sizes, first, mask, carried, step);
  }
  return carried;
}

RowKernel::Values RowKernel::emitPieces(OpBuilder &b, ValueRange sizes,
                                        Values carried, RowStep step) {
  KernelBuilder kernel(b, loc);
  Value count = kernel.index(1);
  for (Value size : sizes)
    count = kernel.mul(count, size);
  if (schedule.getPieces() != 0)
    return emitUnrolled(b, sizes, count, std::move(carried), step);
  return kernel.emitLoop(kernel.mul(thread, width), count, rowThreads * width,
                         carried, [&](Value first, ValueRange inner) {
                           Values values(inner);
                           emitPiece(b, sizes, first, {}, values, step);
                           return values;
                         });
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
  LaneBuilder lanes(builder, loc, type, width == 1 ? 0 : width,
                    kRowLaneOptions);
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
  LaneBuilder scalars(b, loc, type, /*lanes=*/0, kRowLaneOptions);
  return width == 1
             ? value
             : combineHalves(scalars, KernelBuilder(b, loc).unpack(value),
                             combine);
}

RowKernel::Values RowKernel::combineThreads(OpBuilder &b, Values values,
                                            RowCombine combine) {
  KernelBuilder kernel(b, loc);
  LaneBuilder scalars(b, loc, type, /*lanes=*/0, kRowLaneOptions);
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
  LaneBuilder scalars(b, loc, type, /*lanes=*/0, kRowLaneOptions);
  int64_t bytes = type.getWidth() / 8;
  // A number of each warp; of each lane, where these have rows of their own.
  int64_t lanes = schedule.getStrided() ? kWarpLanes : 1;
  int64_t warpBytes = lanes * bytes, all = schedule.getRowWarps() * warpBytes;
  sharedBytes = std::max<int64_t>(sharedBytes, values.size() * all);
  Value tid = kernel.toI32(threadInBlock);
  Value inWarp = kernel.rem(tid, kWarpLanes);
  Value row = kernel.constant(0);
  if (schedule.getStrided())
    row = kernel.mul(inWarp, bytes);
  Value warp = kernel.div(tid, kWarpLanes);
  Value own =
      kernel.offset(shared, kernel.add(kernel.mul(warp, warpBytes), row));
  Value isWriter = schedule.getStrided() ? Value() : kernel.equal(inWarp, 0);
  kernel.emitIf(isWriter, [&] {
    for (auto [i, value] : llvm::enumerate(values))
      kernel.store(value, kernel.offset(own, int64_t(i) * all), bytes);
  });
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
