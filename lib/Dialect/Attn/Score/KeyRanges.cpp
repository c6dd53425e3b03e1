//===- KeyRanges.cpp - Which keys a block of rows sees --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Score/KeyRanges.h"

using namespace mlir;
using namespace attn;

static bool isRange(Attribute mask) {
  return cast<MaskAttrInterface>(mask).isRange();
}

bool attn::hasRangeMask(AttentionOpInterface op) {
  return llvm::any_of(op.getMasks(), isRange);
}

bool attn::hasOnlyRangeMasks(AttentionOpInterface op) {
  return llvm::all_of(op.getMasks(), isRange);
}

/// Ends never decrease from row to row. Ranges may lie outside [0, keys) or be
/// empty, which must not turn into a loop that runs backwards.
static KeyRange emitSome(LaneBuilder &lanes, const ScoreEmitter::Row &first,
                         const ScoreEmitter::Row &last) {
  Value zero = lanes.integer(0);
  Value upper = lanes.max(last.upper, zero);
  Value lower = lanes.min(lanes.max(first.lower, zero), upper);
  return {lower, upper};
}

static KeyRange emitEvery(LaneBuilder &lanes, const ScoreEmitter::Row &first,
                          const ScoreEmitter::Row &last, KeyRange some) {
  auto clamp = [&](Value value, Value low) {
    return lanes.min(lanes.max(value, low), some.upper);
  };
  Value lower = clamp(last.lower, some.lower);
  Value upper = clamp(first.upper, lower);
  return {lower, upper};
}

Value attn::emitRangeCount(OpBuilder &builder, Location loc, Value keys,
                           Value items, int64_t least, int64_t sideBySide) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value one = constant(1);
  items = builder.createOrFold<arith::MaxSIOp>(loc, items, one);
  Value most = builder.createOrFold<arith::CeilDivSIOp>(
      loc, constant(sideBySide), items);
  Value count =
      builder.createOrFold<arith::CeilDivSIOp>(loc, keys, constant(least));
  count = builder.createOrFold<arith::MinSIOp>(loc, count, most);
  return builder.createOrFold<arith::MaxSIOp>(loc, count, one);
}

KeyRanges attn::emitKeyRanges(LaneBuilder &lanes, ScoreEmitter &emitter,
                              ArrayRef<Value> batch, LaneIndex firstRow,
                              LaneIndex lastRow) {
  ScoreEmitter::Row first = emitter.prepareRow(batch, std::move(firstRow));
  ScoreEmitter::Row last = emitter.prepareRow(batch, std::move(lastRow));
  KeyRange some = emitSome(lanes, first, last);
  KeyRange every = emitEvery(lanes, first, last, some);
  return {some, every, first.keyCount};
}

void attn::roundKeyRanges(LaneBuilder &lanes, KeyRanges &ranges,
                          int64_t multiple, int64_t shortest, Value limit,
                          bool leftEdge) {
  auto &[some, every, keyCount] = ranges;
  Value height = lanes.integer(multiple), last = lanes.integer(multiple - 1);
  auto roundUp = [&](Value from, Value to, Value end) {
    Value tiles = lanes.div(lanes.add(lanes.sub(to, from), last), height);
    return lanes.min(lanes.add(from, lanes.mul(tiles, height)), end);
  };
  if (leftEdge)
    every.lower = roundUp(some.lower, every.lower, every.upper);
  Value tiles = lanes.div(lanes.sub(every.upper, every.lower), height);
  Value whole = lanes.mul(tiles, height);
  every.upper = lanes.add(every.lower, whole);
  Value oldUpper = some.upper;
  some.upper = roundUp(every.upper, oldUpper, limit);
  if (!leftEdge)
    return;
  Value isShort =
      lanes.cmp(arith::CmpIPredicate::slt, whole, lanes.integer(shortest));
  Value rest = roundUp(some.lower, oldUpper, limit);
  some.upper = lanes.select(isShort, rest, some.upper);
  every.lower = lanes.select(isShort, some.upper, every.lower);
  every.upper = lanes.select(isShort, some.upper, every.upper);
}

void attn::cutKeyRanges(LaneBuilder &lanes, KeyRanges &ranges, Value number,
                        Value count, int64_t multiple) {
  KeyRange some = ranges.some;
  Value height = lanes.integer(multiple);
  auto divideUp = [&](Value a, Value b) {
    return lanes.div(lanes.sub(lanes.add(a, b), lanes.integer(1)), b);
  };
  Value tiles = divideUp(lanes.sub(some.upper, some.lower), height);
  Value length = lanes.mul(divideUp(tiles, count), height);
  Value begin = lanes.add(some.lower, lanes.mul(number, length));
  begin = lanes.min(begin, some.upper);
  Value end = lanes.min(lanes.add(begin, length), some.upper);
  for (Value *bound : {&ranges.some.lower, &ranges.every.lower,
                       &ranges.every.upper, &ranges.some.upper})
    *bound = lanes.min(lanes.max(*bound, begin), end);
}
