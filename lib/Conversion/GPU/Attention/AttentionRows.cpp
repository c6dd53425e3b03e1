//===- AttentionRows.cpp - The rows of an attention kernel ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRows.h"

using namespace mlir;
using namespace attn;

/// Accumulators of a row that one fragment has in a lane.
static constexpr int64_t kColumnsPerLane = 4;

AttentionRows::AttentionRows(KernelBuilder &kernel, AttentionOp op,
                             const AttentionShape &shape, ArrayRef<Value> sizes,
                             const BlockPlace &place, const RangeStates &states,
                             bool aligned)
    : kernel(kernel), op(op), self(op.getOperation()), shape(shape),
      sizes(sizes), place(place), states(states), aligned(aligned),
      layout(*FragmentLayout::get(FragmentRole::Accumulator, {16, 8, 16},
                                  shape.element)),
      scores(kernel, self, shape.getKeys() / kColumnsPerLane, sizes, place.lane,
             aligned, /*startsAtLane=*/shape.hasRoles()),
      softmax(kernel, self, scores, shape.getPaddedValue() / kColumnsPerLane) {}

SharedTile AttentionRows::getShared(int64_t offset, int64_t rowCount,
                                    int64_t columnCount) const {
  return {kernel.offset(place.shared, offset), rowCount, columnCount,
          shape.element};
}

void AttentionRows::locateRows() {
  LaneBuilder &lanes = scores.getRowLanes();
  rowsInBlock.clear();
  rows.clear();
  opRows.clear();
  Value warpRow = kernel.mul(place.warp, shape.getRowsPerWarp());
  for (int64_t fragment = 0; fragment < getNumFragments(); ++fragment)
    for (int64_t i = 0; i < layout.getRowsPerThread(); ++i) {
      Value inFragment = layout.emitRow(lanes, place.lane, i);
      Value inBlock = kernel.add(
          kernel.add(warpRow, fragment * layout.getNumRows()), inFragment);
      Value row = kernel.add(place.firstRow, inBlock);
      rowsInBlock.push_back(inBlock);
      rows.push_back(row);
      // Rows past the last one repeat it: they are not stored.
      opRows.push_back(getOpRow(kernel.min(row, place.lastRow)));
    }
}

void AttentionRows::addRows() {
  columns = layout.emitColumns(scores.getElementLanes(), place.lane);
  locateRows();
  for (const OpRow &row : opRows)
    negative.push_back(scores.addRow(row.batch, row.number));
}

AttentionRows::OpRow AttentionRows::getOpRow(Value row) {
  OpRow result = {place.batch, row};
  if (!place.headRows)
    return result;
  Value head = kernel.div(row, place.headRows);
  result.number = kernel.sub(row, kernel.mul(head, place.headRows));
  Value &first = result.batch.back();
  first = kernel.getBuilder().createOrFold<arith::AddIOp>(
      kernel.getLoc(), first, kernel.toIndex(head));
  return result;
}

KeyRanges AttentionRows::getKeyRanges() {
  LaneBuilder &lanes = scores.getRowLanes();
  Value first = place.firstRow, last = place.lastRow;
  // Masks know rows, not heads.
  if (place.headRows) {
    first = kernel.constant(0);
    last = kernel.sub(place.headRows, 1);
  }
  KeyRanges ranges = scores.getKeyRanges(place.batch, first, last);
  limit = ranges.some.upper;
  // Pairs of keys begin at even ones. The mask hides one more.
  if (hidesEarlyKeys(op))
    ranges.some.lower = kernel.bitAnd(ranges.some.lower, -2);
  // Tiles follow each other without a gap: where no tile is seen by all rows,
  // all of them are edges on the left.
  roundKeyRanges(lanes, ranges, shape.getKeys(), shape.getKeys(),
                 lanes.toIntLanes(sizes[op.getKeyDim()]), hidesEarlyKeys(op));
  if (place.range) {
    cutKeyRanges(lanes, ranges, place.range, kernel.toI32(states.ranges),
                 shape.getKeys());
    limit = kernel.min(limit, ranges.some.upper);
  }
  return ranges;
}

bool AttentionRows::hidesValues(const Tile &tile) {
  // What no row of the block sees has been zeroed.
  return llvm::any_of(op.getMasks(), [&](Attribute mask) {
    auto typed = cast<MaskAttrInterface>(mask);
    return typed.isRange() ? tile.edge && !typed.limitsKeys() : true;
  });
}

void AttentionRows::applySigns(MutableArrayRef<Value> similarities) {
  LaneBuilder &lanes = scores.getRowLanes();
  LaneBuilder &elements = scores.getElementLanes();
  for (unsigned row = 0; row < rows.size(); ++row)
    if (negative[row]) {
      Value sign = lanes.select(negative[row], lanes.constant(-1.0),
                                lanes.constant(1.0));
      similarities[row] =
          elements.mul(similarities[row], elements.toFloatLanes(sign));
    }
}
