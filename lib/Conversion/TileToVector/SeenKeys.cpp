//===- SeenKeys.cpp - What a group of rows sees of a block ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of keys is there for all groups of a block of rows. At the edge of a
// causal mask or a window the first groups see few of its keys, or none.
//
//===----------------------------------------------------------------------===//

#include "SeenKeys.h"

#include "attn/Dialect/Attn/Score/KeyRanges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace attn;

Value attn::emitSeenKeys(OpBuilder &builder, AttentionOpInterface op,
                         Value firstRow, Value lastRow, Value keyCount) {
  Location loc = op.getLoc();
  LaneBuilder lanes(builder, loc, op.getComputeType());
  ParamSource params(lanes, op, LaneAxis::None);
  ScoreEmitter emitter(lanes, op, op.getSizes(),
                       [&](unsigned index, const ScoreIndices &where) {
                         return params.load(index, where);
                       });
  SmallVector<Value> batch(op.getNumBatchDims(), lanes.index(0));
  KeyRange some = emitKeyRanges(lanes, emitter, batch, firstRow, lastRow).some;
  Value origin = lanes.index(0);
  if (!op.getOrigin().empty())
    origin = op.getOrigin()[op.getKeyDim()];
  auto getLocal = [&](Value key) -> Value {
    return arith::SubIOp::create(builder, loc, key, origin);
  };
  Value end =
      arith::MinSIOp::create(builder, loc, getLocal(some.upper), keyCount);
  Value sees = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                     getLocal(some.lower), end);
  Value isAhead = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                        end, lanes.index(0));
  sees = arith::AndIOp::create(builder, loc, sees, isAhead);
  return arith::SelectOp::create(builder, loc, sees, end, lanes.index(0));
}
