//===- RowMachine.cpp - What goes over the rows of a tensor ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMachine.h"
#include "../Shared/ConvertFloat.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

SmallVector<Value> RowOrigin::locate(OpBuilder &builder, Location loc,
                                     ValueRange position) const {
  SmallVector<Value> indices(outer);
  for (auto [i, offset] : llvm::enumerate(position)) {
    Value index = first.empty()
                      ? offset
                      : arith::AddIOp::create(builder, loc, first[i], offset);
    indices.insert(dims.empty() ? indices.end() : indices.begin() + dims[i],
                   index);
  }
  return indices;
}

Value RowMachine::loadSame(const RowPiece &piece, Value memref,
                           ValueRange indices) {
  LaneBuilder &lanes = piece.lanes;
  return lanes.toFloatLanes(memref::LoadOp::create(
      lanes.getBuilder(), lanes.getLoc(), memref, indices));
}

void RowMachine::updateOnce(LaneBuilder &scalars, Value memref,
                            ValueRange indices, RowUpdate update) {
  Value old = loadNumber(scalars, memref, indices);
  storeOnce(scalars, update(scalars, old), memref, indices);
}

Value attn::emitRowSum(
    RowMachine &machine, OpBuilder &builder, const RowPlace &row,
    llvm::function_ref<void(const RowPiece &, Value &)> step) {
  return machine.reduce(
      builder, row, 0.0,
      [&](const RowPiece &piece, MutableArrayRef<Value> sums) {
        step(piece, sums[0]);
      },
      addLanes)[0];
}

Value attn::addLanes(LaneBuilder &lanes, Value a, Value b) {
  return lanes.add(a, b);
}

Value attn::loadNumber(LaneBuilder &scalars, Value memref, ValueRange indices) {
  OpBuilder &b = scalars.getBuilder();
  Location loc = scalars.getLoc();
  return convertFloat(b, loc, memref::LoadOp::create(b, loc, memref, indices),
                      scalars.getElementType());
}
