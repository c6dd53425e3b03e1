//===- RangeStates.cpp - What ranges of keys leave in memory --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RangeStates.h"

#include "attn/Dialect/Attn/Score/KeyRanges.h"
#include "attn/Dialect/Attn/Score/SoftmaxState.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

RangeStates RangeStates::allocate(OpBuilder &builder, AttentionOp op,
                                  const AttentionShape &shape, Value tiles,
                                  Value keys) {
  Location loc = op.getLoc();
  auto self = cast<AttentionOpInterface>(op.getOperation());
  RangeStates states;
  states.ranges =
      emitRangeCount(builder, loc, keys, tiles, shape.schedule.getSplitKeys(),
                     shape.schedule.getItems());
  // Of the parts of a state the accumulators are apart.
  int64_t numbers = getStateIdentity(self).size() - 1;
  int64_t any = ShapedType::kDynamic, rows = shape.getRows();
  auto allocate = [&](ArrayRef<int64_t> row) -> Value {
    return memref::AllocOp::create(
        builder, loc,
        MemRefType::get({any, any, row[0], row[1]}, shape.compute),
        ValueRange{tiles, states.ranges});
  };
  states.accumulators = allocate({rows, shape.getPaddedValue()});
  states.numbers = allocate({numbers, rows});
  return states;
}

void RangeStates::free(OpBuilder &builder, Location loc) const {
  for (Value memory : {accumulators, numbers})
    memref::DeallocOp::create(builder, loc, memory);
}

static SmallVector<Value> getPosition(KernelBuilder &kernel, ValueRange ints) {
  return llvm::map_to_vector(
      ints, [&](Value value) { return kernel.toIndex(value); });
}

void RangeStates::storePair(KernelBuilder &kernel, const Place &at,
                            Value column, Value pair) const {
  int64_t bytes = cast<VectorType>(pair.getType()).getElementTypeBitWidth() / 4;
  vector::StoreOp::create(
      kernel.getBuilder(), kernel.getLoc(), pair, accumulators,
      getPosition(kernel, {at.tile, at.range, at.row, column}),
      /*nontemporal=*/false, llvm::MaybeAlign(bytes));
}

void RangeStates::storeNumber(KernelBuilder &kernel, const Place &at,
                              int64_t number, Value value) const {
  memref::StoreOp::create(
      kernel.getBuilder(), kernel.getLoc(), value, numbers,
      getPosition(kernel,
                  {at.tile, at.range, kernel.constant(number), at.row}));
}

Value RangeStates::loadElement(KernelBuilder &kernel, const Place &at,
                               Value column) const {
  return memref::LoadOp::create(
      kernel.getBuilder(), kernel.getLoc(), accumulators,
      getPosition(kernel, {at.tile, at.range, at.row, column}));
}

Value RangeStates::loadNumber(KernelBuilder &kernel, const Place &at,
                              int64_t number) const {
  return memref::LoadOp::create(
      kernel.getBuilder(), kernel.getLoc(), numbers,
      getPosition(kernel,
                  {at.tile, at.range, kernel.constant(number), at.row}));
}
