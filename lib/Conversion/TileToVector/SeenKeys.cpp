//===- SeenKeys.cpp - What a group of rows sees of a block ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of keys is there for all groups of a block of rows. At the edges of a
// causal mask or a window a group sees few of its keys, or none, and of the
// others most are seen by all of its rows.
//
//===----------------------------------------------------------------------===//

#include "SeenKeys.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace attn;

SeenKeys attn::emitSeenKeys(OpBuilder &builder, AttentionOpInterface op,
                            Value firstRow, Value lastRow, Value keyCount,
                            int64_t step) {
  Location loc = op.getLoc();
  LaneBuilder lanes(builder, loc, op.getComputeType());
  ParamSource params(lanes, op, LaneAxis::None);
  ScoreEmitter emitter(lanes, op, op.getSizes(),
                       [&](unsigned index, const ScoreIndices &where) {
                         return params.load(index, where);
                       });
  SmallVector<Value> batch(op.getNumBatchDims(), lanes.index(0));
  KeyRanges ranges = emitKeyRanges(lanes, emitter, batch, firstRow, lastRow);
  Value zero = lanes.index(0), origin = zero;
  if (!op.getOrigin().empty())
    origin = op.getOrigin()[op.getKeyDim()];
  for (Value *key : {&ranges.some.lower, &ranges.some.upper,
                     &ranges.every.lower, &ranges.every.upper})
    *key = arith::SubIOp::create(builder, loc, *key, origin);
  Value begin = arith::MaxSIOp::create(builder, loc, ranges.some.lower, zero);
  Value end = arith::MinSIOp::create(builder, loc, ranges.some.upper, keyCount);
  Value sees = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                     begin, end);
  begin = arith::SubIOp::create(
      builder, loc, begin,
      arith::RemUIOp::create(builder, loc, begin, lanes.index(step)));
  return {arith::SelectOp::create(builder, loc, sees, begin, zero),
          arith::SelectOp::create(builder, loc, sees, end, zero), ranges.every};
}
