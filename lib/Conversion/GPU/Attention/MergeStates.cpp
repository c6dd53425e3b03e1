//===- MergeStates.cpp - States of ranges become outputs ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp has a row: its lanes look for the maximum among the ranges, and then
// share the columns, which each adds up over the ranges in order.
//
//===----------------------------------------------------------------------===//

#include "RangeStates.h"
#include "SoftmaxFragment.h"

#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attn;

/// Warps of a block.
static constexpr int64_t kWarps = 4;
/// Ranges whose loads are under way at once, as long as there are so many.
static constexpr int64_t kRangesAtOnce[] = {16, 4, 1};

namespace {

class MergeKernel {
public:
  MergeKernel(KernelBuilder &kernel, AttentionOp op,
              const AttentionShape &shape, ArrayRef<Value> sizes,
              const RangeStates &states, Value thread)
      : kernel(kernel), op(op), self(op.getOperation()), shape(shape),
        sizes(sizes), states(states), thread(thread),
        lane(kernel.bitAnd(thread, kWarpLanes - 1)),
        scores(kernel, self, /*lanes=*/1, sizes, lane, /*aligned=*/false,
               /*startsAtLane=*/false),
        columnsPerLane(llvm::divideCeil(shape.valueDim, kWarpLanes)),
        columnLanes(kernel.getBuilder(), kernel.getLoc(), shape.compute,
                    columnsPerLane) {}

  void emit(Value block);

private:
  /// Loop-carried: the sum of weights, the statistics that are sums, and the
  /// lane's columns.
  struct Sums {
    Value sum, columns;
    RowStatistics statistics;
  };
  Value findRow(Value block, Value warp);
  Value getColumn(int64_t number);
  Value emitMax(int64_t number);
  Sums emitSums(Value reference);
  Sums emitLoop(Value lower, Value upper, int64_t step, Value reference,
                const Sums &sums);
  Sums addRange(Value range, Value reference, const Sums &sums);
  SmallVector<Value> flatten(const Sums &sums);
  static Sums restore(ValueRange values, Sums sums);
  void store(Value exists, const Sums &sums, Value max);

  KernelBuilder &kernel;
  AttentionOp op;
  AttentionOpInterface self;
  const AttentionShape &shape;
  ArrayRef<Value> sizes;
  const RangeStates &states;
  Value thread, lane;
  ScoreFragments scores;
  int64_t columnsPerLane;
  LaneBuilder columnLanes;
  /// The row of the op, and where its states are.
  SmallVector<Value> batch;
  Value row;
  RangeStates::Place place;
};

} // namespace

/// Decides which row the warp has; gives whether there is one.
Value MergeKernel::findRow(Value block, Value warp) {
  SmallVector<Value> counts;
  for (unsigned dim = 0; dim < op.getNumBatchDims(); ++dim)
    counts.push_back(kernel.toI32(sizes[dim]));
  Value rowCount = kernel.toI32(sizes[op.getRowDim()]), total = rowCount;
  for (Value count : counts)
    total = kernel.mul(total, count);
  Value number = kernel.add(kernel.mul(block, kWarps), warp);
  Value exists = kernel.less(number, total);
  number = kernel.min(number, kernel.sub(total, 1));
  counts.push_back(rowCount);
  SmallVector<Value> digits = kernel.delinearize(number, counts);
  row = digits.pop_back_val();
  for (Value index : digits)
    batch.push_back(kernel.toIndex(index));

  // Heads of a group are rows of one tile.
  Value inTiles = row, allRows = rowCount;
  if (shape.headGroup != 1) {
    Value head = digits.back(), group = kernel.constant(shape.headGroup);
    digits.back() = kernel.div(head, group);
    counts[digits.size() - 1] = kernel.div(counts[digits.size() - 1], group);
    inTiles = kernel.add(
        row, kernel.mul(rowCount, kernel.rem(head, shape.headGroup)));
    allRows = kernel.mul(rowCount, group);
  }
  Value tiles = kernel.ceilDiv(allRows, shape.getRows());
  Value tile = kernel.constant(0);
  for (auto [index, count] : llvm::zip(digits, counts))
    tile = kernel.add(kernel.mul(tile, count), index);
  place.tile =
      kernel.add(kernel.mul(tile, tiles), kernel.div(inTiles, shape.getRows()));
  place.row = kernel.rem(inTiles, shape.getRows());
  return exists;
}

Value MergeKernel::getColumn(int64_t number) {
  return kernel.add(lane, number * kWarpLanes);
}

/// The largest of a number of the row over all ranges.
Value MergeKernel::emitMax(int64_t number) {
  LaneBuilder &lanes = scores.getRowLanes();
  Value none = lanes.constant(-std::numeric_limits<double>::infinity());
  Value max =
      kernel.emitLoop(lane, kernel.toI32(states.ranges), kWarpLanes, none,
                      [&](Value range, ValueRange before) {
                        RangeStates::Place at = place;
                        at.range = range;
                        return SmallVector<Value>{lanes.max(
                            states.loadNumber(kernel, at, number), before[0])};
                      })[0];
  for (int64_t mask = 1; mask < kWarpLanes; mask *= 2)
    max = lanes.max(max, kernel.shuffleXor(max, mask));
  return max;
}

SmallVector<Value> MergeKernel::flatten(const Sums &sums) {
  SmallVector<Value> values = {sums.columns, sums.sum};
  for (Statistic kind : sums.statistics.getSums())
    values.push_back(sums.statistics.get(kind));
  return values;
}

/// The other way round; `sums` has the same parts.
MergeKernel::Sums MergeKernel::restore(ValueRange values, Sums sums) {
  sums.columns = values[0];
  sums.sum = values[1];
  for (auto [kind, value] :
       llvm::zip_equal(sums.statistics.getSums(), values.drop_front(2)))
    sums.statistics.get(kind) = value;
  return sums;
}

/// Adds the state of a range, moved to `reference`.
MergeKernel::Sums MergeKernel::addRange(Value range, Value reference,
                                        const Sums &sums) {
  LaneBuilder &lanes = scores.getRowLanes();
  RangeStates::Place at = place;
  at.range = range;
  Rescale rescale = emitRescale(lanes, states.loadNumber(kernel, at, 0),
                                reference, SoftmaxFragment::emitExp2);
  Value sum = states.loadNumber(kernel, at, 1);
  Sums next;
  next.sum = emitMoved(lanes, sum, rescale.factor, sums.sum);
  RowStatistics own;
  for (auto [i, kind] : llvm::enumerate(self.getStatisticKinds()))
    if (kind != Statistic::Top)
      own.get(kind) = states.loadNumber(kernel, at, 2 + i);
  next.statistics =
      emitMovedStatistics(lanes, own, sum, rescale, sums.statistics);
  SmallVector<Value> columns;
  Value last = kernel.constant(shape.valueDim - 1);
  for (int64_t i = 0; i < columnsPerLane; ++i)
    columns.push_back(
        states.loadElement(kernel, at, kernel.min(getColumn(i), last)));
  next.columns =
      emitMoved(columnLanes, kernel.pack(columns),
                columnLanes.toFloatLanes(rescale.factor), sums.columns);
  return next;
}

MergeKernel::Sums MergeKernel::emitLoop(Value lower, Value upper, int64_t step,
                                        Value reference, const Sums &sums) {
  auto addRanges = [&](Value range, ValueRange before) {
    Sums next = restore(before, sums);
    for (int64_t i = 0; i < step; ++i)
      next = addRange(kernel.add(range, i), reference, next);
    return flatten(next);
  };
  return restore(kernel.emitLoop(lower, upper, step, flatten(sums), addRanges),
                 sums);
}

MergeKernel::Sums MergeKernel::emitSums(Value reference) {
  LaneBuilder &lanes = scores.getRowLanes();
  Sums sums;
  sums.sum = lanes.constant(0.0);
  sums.columns = columnLanes.constant(0.0);
  for (Statistic kind : self.getStatisticKinds())
    if (kind != Statistic::Top)
      sums.statistics.get(kind) = lanes.constant(0.0);
  Value ranges = kernel.toI32(states.ranges);
  Value lower = kernel.constant(0);
  for (int64_t step : kRangesAtOnce) {
    Value upper = kernel.sub(ranges, kernel.rem(ranges, step));
    sums = emitLoop(lower, upper, step, reference, sums);
    lower = upper;
  }
  return sums;
}

void MergeKernel::store(Value exists, const Sums &sums, Value max) {
  RowStatistics statistics = sums.statistics;
  for (auto [i, kind] : llvm::enumerate(self.getStatisticKinds()))
    if (kind == Statistic::Top)
      statistics.get(kind) = emitMax(2 + i);
  FinishedRow end =
      emitFinishedRow(op, scores, /*row=*/0, sizes, max, sums.sum, statistics);
  Value isFirst = kernel.equal(lane, 0);
  kernel.emitIf(kernel.both(exists, isFirst), [&] {
    for (auto [i, number] : llvm::enumerate(end.numbers))
      storeElement(kernel, op, 1 + i, batch, row, /*column=*/Value(), number);
  });
  Value output =
      columnLanes.mul(sums.columns, columnLanes.toFloatLanes(end.factor));
  Value stored = kernel.convertFloat(
      output, getElementTypeOrSelf(op.getOutput().getType()));
  for (auto [i, element] : llvm::enumerate(kernel.unpack(stored))) {
    Value column = getColumn(i), isThere = exists;
    if (static_cast<int64_t>(i + 1) * kWarpLanes > shape.valueDim)
      isThere = kernel.both(exists, kernel.less(column, shape.valueDim));
    kernel.emitIf(isThere, [&, element = element] {
      storeElement(kernel, op, 0, batch, row, column, element);
    });
  }
}

void MergeKernel::emit(Value block) {
  Value exists = findRow(block, kernel.div(thread, kWarpLanes));
  scores.addRow(batch, row);
  Value max = emitMax(0);
  Sums sums = emitSums(emitReference(scores.getRowLanes(), max));
  store(exists, sums, max);
}

void attn::emitMergeLaunch(OpBuilder &builder, AttentionOp op,
                           const AttentionShape &shape, ArrayRef<Value> sizes,
                           const RangeStates &states) {
  KernelBuilder kernel(builder, op.getLoc());
  Value rows = sizes[op.getRowDim()];
  for (unsigned dim = 0; dim < op.getNumBatchDims(); ++dim)
    rows = kernel.mul(rows, sizes[dim]);
  emitLaunch(
      builder, op.getLoc(), kernel.ceilDiv(rows, kWarps), kWarps * kWarpLanes,
      /*sharedBytes=*/0, [&](Value block, Value thread) {
        MergeKernel(kernel, op, shape, sizes, states, kernel.toI32(thread))
            .emit(kernel.toI32(block));
      });
}
