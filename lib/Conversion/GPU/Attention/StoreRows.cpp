//===- StoreRows.cpp - What an attention kernel writes --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRows.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Lanes that share a row.
static constexpr int64_t kRowLanes = 4;

void AttentionRows::storeRows(State &state, const SharedTile &through) {
  if (shape.splitsKeys()) {
    softmax.joinLanes(state);
    return storeState(state);
  }
  SmallVector<Value> output = finishRows(state);
  if (!aligned)
    return storeElements(output);
  // A warp reads what it has written itself.
  stageRows(output, through);
  kernel.warpBarrier();
  storeTile(through);
}

SmallVector<Value> AttentionRows::finishRows(State &state) {
  softmax.joinLanes(state);
  LaneBuilder accumulators(
      kernel.getBuilder(), kernel.getLoc(), shape.compute,
      cast<VectorType>(state.output[0].getType()).getNumElements());
  SmallVector<Value> output;
  for (unsigned row = 0; row < rows.size(); ++row) {
    FinishedRow end =
        emitFinishedRow(op, scores, row, sizes, softmax.getMax(state, row),
                        state.sum[row], state.statistics[row]);
    output.push_back(accumulators.mul(state.output[row],
                                      accumulators.toFloatLanes(end.factor)));
    for (auto [i, number] : llvm::enumerate(end.numbers))
      storeNumber(1 + i, row, number);
  }
  return output;
}

/// One of the lanes of a row writes its number.
void AttentionRows::storeNumber(unsigned output, unsigned row, Value number) {
  Value isFirst = kernel.equal(kernel.bitAnd(place.lane, 3), 0);
  Value exists = kernel.less(rows[row], place.rowCount);
  kernel.emitIf(kernel.both(isFirst, exists), [&] {
    storeElement(kernel, op, output, opRows[row].batch, opRows[row].number,
                 /*column=*/Value(), number);
  });
}

/// What the range adds to the block's rows, for the launch that merges. The
/// lanes of a row write neighbours: whole sectors of 32 bytes.
void AttentionRows::storeState(const State &state) {
  Value isFirst = kernel.equal(kernel.bitAnd(place.lane, 3), 0);
  Value column = kernel.mul(kernel.bitAnd(place.lane, 3), 2);
  SmallVector<Statistic> kinds = self.getStatisticKinds();
  RangeStates::Place at = {place.tile, place.range, Value()};
  for (unsigned row = 0; row < rows.size(); ++row)
    kernel.emitIf(kernel.less(rows[row], place.rowCount), [&] {
      at.row = rowsInBlock[row];
      SmallVector<Value> elements = kernel.unpack(state.output[row]);
      for (size_t i = 0; i < elements.size(); i += 2)
        states.storePair(kernel, at, kernel.add(column, 4 * i),
                         kernel.pack({elements[i], elements[i + 1]}));
      kernel.emitIf(isFirst, [&] {
        states.storeNumber(kernel, at, 0, softmax.getMax(state, row));
        states.storeNumber(kernel, at, 1, state.sum[row]);
        for (auto [i, kind] : llvm::enumerate(kinds))
          states.storeNumber(kernel, at, 2 + i,
                             state.statistics[row].get(kind));
      });
    });
}

void AttentionRows::stageRows(ArrayRef<Value> output, Tiles through) {
  for (auto [row, numbers] : llvm::enumerate(output)) {
    SmallVector<Value> elements =
        kernel.unpack(kernel.convertFloat(numbers, shape.element));
    ArrayRef<Value> rest = elements;
    for (const SharedTile &tile : through) {
      size_t count = std::min<size_t>(tile.columns / kRowLanes, rest.size());
      emitStorePairs(kernel, tile, rowsInBlock[row], place.lane,
                     kernel.pack(rest.take_front(count)));
      rest = rest.drop_front(count);
    }
  }
}

/// Lanes side by side write whole pieces of rows.
void AttentionRows::storeTile(const SharedTile &tile) {
  int64_t columns = shape.valueDim;
  int64_t chunks = tile.getChunks(), warpRows = shape.getRowsPerWarp();
  auto chunkType = VectorType::get({4}, kernel.getI32());
  Value warpRow = kernel.mul(place.warp, warpRows);
  for (int64_t i = 0, e = llvm::divideCeil(warpRows * chunks, 32); i < e; ++i) {
    Value number = kernel.add(place.lane, 32 * i);
    Value inWarp = kernel.div(number, chunks);
    Value chunk = kernel.rem(number, chunks);
    Value inBlock = kernel.add(warpRow, inWarp);
    Value row = kernel.add(place.firstRow, inBlock);
    Value exists = kernel.less(row, place.rowCount);
    if (warpRows * chunks % 32 != 0)
      exists = kernel.both(exists, kernel.less(inWarp, warpRows));
    if (columns != tile.columns)
      exists = kernel.both(
          exists, kernel.less(chunk, columns / tile.getChunkElements()));
    kernel.emitIf(exists, [&] {
      Value loaded = kernel.load(
          chunkType, tile.emitAddress(kernel, inBlock, chunk), kChunkBytes);
      Value address = kernel.offset(outputRows.emitRow(kernel, row),
                                    kernel.mul(chunk, kChunkBytes));
      kernel.store(loaded, address, kChunkBytes);
    });
  }
}

void AttentionRows::storeElements(ArrayRef<Value> output) {
  Value inChunk = kernel.mul(kernel.bitAnd(place.lane, 3), 2);
  for (auto [row, numbers] : llvm::enumerate(output)) {
    Value exists = kernel.less(rows[row], place.rowCount);
    Value start = outputRows.emitRow(kernel, rows[row]);
    for (auto [i, element] : llvm::enumerate(kernel.unpack(numbers))) {
      Value column = kernel.add(inChunk, i / 2 * 8 + i % 2);
      Value isColumn = exists;
      if (shape.valueDim != shape.getPaddedValue())
        isColumn = kernel.both(exists, kernel.less(column, shape.valueDim));
      kernel.emitIf(isColumn, [&, element = element] {
        Value distance = kernel.mul64(column, outputRows.columnStride);
        kernel.store(kernel.convertFloat(element, shape.element),
                     kernel.offset(start, distance), shape.getElementBytes());
      });
    }
  }
}
