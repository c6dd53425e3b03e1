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

#include "mlir/Dialect/SCF/IR/SCF.h"
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
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
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

/// The lane's weights, for the other lanes of its rows.
void AttentionKernel::storeWeights(ArrayRef<Value> weights,
                                   ArrayRef<Value> visible) {
  LaneBuilder &elements = scores.getElementLanes();
  SharedTile tile =
      getShared(shape.getWeightsOffset(), shape.getRows(), shape.getKeys());
  Value inChunk = kernel.mul(kernel.bitAnd(place.lane, 3),
                             kernel.constant(2 * shape.getElementBytes()));
  for (auto [row, rowWeights] : llvm::enumerate(weights)) {
    Value stored = rowWeights;
    if (visible[row])
      stored = elements.select(visible[row], stored,
                               elements.constant(kHiddenWeight));
    SmallVector<Value> rounded =
        kernel.unpack(kernel.convertFloat(stored, shape.element));
    for (size_t i = 0; i < rounded.size(); i += 2) {
      Value address =
          tile.emitAddress(kernel, rowsInBlock[row], kernel.constant(i / 2));
      kernel.store(kernel.pack({rounded[i], rounded[i + 1]}),
                   kernel.offset(address, inChunk),
                   2 * shape.getElementBytes());
    }
  }
}

void AttentionKernel::accumulateSelected(State &state, ArrayRef<Value> weights,
                                         ArrayRef<Value> visible) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = kernel.getLoc();
  LaneBuilder &lanes = scores.getRowLanes();
  SharedTile tile =
      getShared(shape.getWeightsOffset(), shape.getRows(), shape.getKeys());
  storeWeights(weights, visible);
  kernel.warpBarrier();
  auto loop = scf::ForOp::create(b, loc, kernel.constant(0),
                                 kernel.constant(shape.getKeys()),
                                 kernel.constant(1), state.output);
  {
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    Value key = loop.getInductionVar();
    Value chunk = kernel.div(key, tile.getChunkElements());
    Value inChunk = kernel.mul(kernel.rem(key, tile.getChunkElements()),
                               kernel.constant(shape.getElementBytes()));
    // The lane's columns are pairs of neighbours, one in each chunk.
    Value inPair = kernel.mul(kernel.bitAnd(place.lane, 3),
                              kernel.constant(2 * shape.getElementBytes()));
    SmallVector<Value> values;
    auto pair = VectorType::get({2}, shape.element);
    for (int64_t i = 0; i < valueTile.getChunks(); ++i) {
      Value address = valueTile.emitAddress(kernel, key, kernel.constant(i));
      Value loaded = kernel.load(pair, kernel.offset(address, inPair),
                                 2 * shape.getElementBytes());
      llvm::append_range(
          values, kernel.unpack(kernel.convertFloat(loaded, shape.compute)));
    }
    SmallVector<Value> sums;
    for (auto [row, accumulators] : llvm::enumerate(loop.getRegionIterArgs())) {
      Value address = tile.emitAddress(kernel, rowsInBlock[row], chunk);
      Value weight = kernel.load(shape.element, kernel.offset(address, inChunk),
                                 shape.getElementBytes());
      weight = kernel.convertFloat(weight, shape.compute);
      Value isHidden =
          lanes.cmp(arith::CmpFPredicate::OLT, weight, lanes.constant(0.0));
      SmallVector<Value> elements = kernel.unpack(accumulators);
      for (auto [sum, value] : llvm::zip_equal(elements, values))
        sum = lanes.select(isHidden, sum, lanes.fma(weight, value, sum));
      sums.push_back(kernel.pack(elements));
    }
    scf::YieldOp::create(b, loc, sums);
  }
  kernel.warpBarrier();
  state.output = SmallVector<Value>(loop.getResults());
}
