//===- RowMover.cpp - Rows of known length in vectors ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMover.h"

#include "../Lanes/LaneMemory.h"
#include "RowMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace attn;

void RowMover::emitColumns(OpBuilder &builder, int64_t size,
                           Visit visit) const {
  int64_t step = getStep(), full = size / step * step;
  if (full != 0)
    emitLoop(builder, loc, createIndex(builder, loc, 0),
             createIndex(builder, loc, full), step,
             [&](OpBuilder &nested, Value column) {
               visit(nested, column, Value());
             });
  if (full == size)
    return;
  SmallVector<bool> active(lanes);
  std::fill_n(active.begin(), size - full, true);
  auto maskType = VectorType::get({lanes}, builder.getI1Type());
  Value mask = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(maskType, ArrayRef<bool>(active)));
  visit(builder, createIndex(builder, loc, full), mask);
}

Value RowMover::load(OpBuilder &builder, Value memref, ArrayRef<Value> row,
                     Value column, int64_t first, Value mask) const {
  SmallVector<Value> position(row);
  position.push_back(addIndex(builder, loc, column, first));
  LaneBuilder in = getLanes(builder);
  return loadLanes(in, memref, position, mask);
}

void RowMover::store(OpBuilder &builder, Value value, Value memref,
                     ArrayRef<Value> row, Value column, int64_t first,
                     Value mask) const {
  SmallVector<Value> position(row);
  position.push_back(addIndex(builder, loc, column, first));
  LaneBuilder in = getLanes(builder);
  storeLanes(in, value, memref, position, pastCaches, mask);
}

Value RowMover::emitIsStream(OpBuilder &builder, Value memref,
                             int64_t bytes) const {
  if (!isVector())
    return {};
  Value isLarge = emitIsLarge(builder, loc, memref, bytes);
  return attn::emitIsStream(builder, loc, isLarge, memref, {}, lanes);
}
