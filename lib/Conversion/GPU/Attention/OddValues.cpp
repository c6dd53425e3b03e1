//===- OddValues.cpp - Values that are not finite, under masks ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A weight of 0 times NaN is NaN, so a matrix product cannot take a tile that
// has both hidden keys and values that are not finite. Such a tile is found
// when it has been copied; its sums are made one product at a time, and leave
// hidden keys out.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

/// The weight of a hidden key: no weight is below 0.
static constexpr double kHiddenWeight = -1.0;

/// Whether the thread has copied a value that is not finite: 0 times it is NaN.
Value AttentionKernel::emitHasOdd() {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  auto type = VectorType::get({valueTile.getChunkElements()}, shape.element);
  Value zeros = kernel.zero(type);
  Value sums = valueCopy->foldChunks(
      kernel, zeros, [&](Value address, Value before) -> Value {
        Value chunk = kernel.load(type, address, kChunkBytes);
        return LLVM::FMAOp::create(b, loc, chunk, zeros, before);
      });
  Value wide = kernel.convertFloat(sums, shape.compute);
  Value sum;
  for (Value element : kernel.unpack(wide))
    sum = sum ? Value(arith::AddFOp::create(b, loc, sum, element)) : element;
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, sum, sum);
}

void AttentionKernel::accumulateOdd(State &state, ArrayRef<Value> weights,
                                    ArrayRef<Value> visible) {
  SharedTile tile =
      getShared(shape.getWeightsOffset(), shape.getRows(), shape.getKeys());
  accumulateSelected(state, tile, valueTile, weights, visible);
}

/// The lane's weights, for the other lanes of its rows.
void AttentionRows::storeWeights(const SharedTile &tile,
                                 ArrayRef<Value> weights,
                                 ArrayRef<Value> visible) {
  LaneBuilder &elements = scores.getElementLanes();
  for (auto [row, rowWeights] : llvm::enumerate(weights)) {
    Value stored = rowWeights;
    if (visible[row])
      stored = elements.select(
          visible[row], stored,
          kernel.convertFloat(elements.constant(kHiddenWeight),
                              getElementTypeOrSelf(stored.getType())));
    emitStorePairs(kernel, tile, rowsInBlock[row], place.lane,
                   kernel.convertFloat(stored, shape.element));
  }
  kernel.warpBarrier();
}

/// The lane's columns of the values of a key, in the type of sums.
SmallVector<Value> AttentionRows::loadValues(Tiles tiles, Value key) {
  auto pair = VectorType::get({2}, shape.element);
  SmallVector<Value> values;
  int64_t blocks = shape.getPaddedValue() / layout.getNumColumns();
  for (const SharedTile &tile : tiles)
    for (int64_t i = 0; i < tile.columns / layout.getNumColumns() && blocks > 0;
         ++i, --blocks) {
      Value loaded =
          kernel.load(pair, emitPairAddress(kernel, tile, key, i, place.lane),
                      2 * shape.getElementBytes());
      llvm::append_range(
          values, kernel.unpack(kernel.convertFloat(loaded, shape.compute)));
    }
  return values;
}

void AttentionRows::accumulateSelected(State &state, const SharedTile &tile,
                                       Tiles tiles, ArrayRef<Value> weights,
                                       ArrayRef<Value> visible) {
  LaneBuilder &lanes = scores.getRowLanes();
  storeWeights(tile, weights, visible);
  auto addKey = [&](Value key, ValueRange output) {
    Value chunk = kernel.div(key, tile.getChunkElements());
    Value inChunk = kernel.mul(kernel.rem(key, tile.getChunkElements()),
                               shape.getElementBytes());
    SmallVector<Value> values = loadValues(tiles, key), sums;
    for (auto [row, accumulators] : llvm::enumerate(output)) {
      Value address = tile.emitAddress(kernel, rowsInBlock[row], chunk);
      Value weight = kernel.load(shape.element, kernel.offset(address, inChunk),
                                 shape.getElementBytes());
      weight = kernel.convertFloat(weight, shape.compute);
      Value isHidden;
      if (visible[row])
        isHidden =
            lanes.cmp(arith::CmpFPredicate::OLT, weight, lanes.constant(0.0));
      SmallVector<Value> elements = kernel.unpack(accumulators);
      for (auto [sum, value] : llvm::zip_equal(elements, values)) {
        Value next = lanes.fma(weight, value, sum);
        sum = isHidden ? lanes.select(isHidden, sum, next) : next;
      }
      sums.push_back(kernel.pack(elements));
    }
    return sums;
  };
  state.output =
      kernel.emitLoop(kernel.constant(0), kernel.constant(shape.getKeys()),
                      /*step=*/1, state.output, addKey);
  kernel.warpBarrier();
}
