//===- RowMover.cpp - Rows of known length in vectors ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMover.h"

#include "../Lanes/LaneMemory.h"
#include "../Lanes/RowMemory.h"
#include "RowLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace attn;

void RowMover::emitColumns(OpBuilder &builder, int64_t size,
                           Visit visit) const {
  RowShape row;
  row.type = type;
  row.lanes = getStep();
  row.unroll = 1;
  row.inVectors = isVector();
  row.masksRest = true;
  row.sizes.push_back(createIndex(builder, loc, size));
  emitRowReduction(
      builder, loc, row, /*neutrals=*/{},
      [&](LaneBuilder &in, ValueRange position, Value mask,
          MutableArrayRef<Value>) {
        visit(in.getBuilder(), position[0], mask);
      },
      [](LaneBuilder &, Value a, Value) { return a; });
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
