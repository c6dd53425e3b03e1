//===- KeyLanes.cpp - The score emitter on keys in lanes ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyLanes.h"

#include "../Shared/ConvertFloat.h"
#include "TileShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace attn;

LogicalResult attn::checkKeyScores(AttentionOpInterface op,
                                   PatternRewriter &rewriter) {
  if (op.getSizes().empty())
    return rewriter.notifyMatchFailure(op, "the problem's sizes are not given");
  if (findCountedSegments(op))
    return rewriter.notifyMatchFailure(
        op, "the scale counts positions within segments");
  return success();
}

KeyLanes::KeyLanes(OpBuilder &builder, AttentionOpInterface op,
                   int64_t laneCount)
    : op(op), lanes(builder, op.getLoc(), op.getComputeType(), laneCount),
      params(lanes, op, LaneAxis::Keys),
      emitter(lanes, op, op.getSizes(),
              [this](unsigned index, const ScoreIndices &where) {
                return params.load(index, where);
              }) {}

KeyLanes::Row KeyLanes::prepareRow(const TileRow &row) {
  SmallVector<Value> batch(op.getNumBatchDims(), lanes.index(0));
  if (!batch.empty())
    batch.back() = row.head;
  return emitter.prepareRow(batch, params.getRow(row.row));
}

Value KeyLanes::emitFactor(const TileRow &row) {
  Row prepared = prepareRow(row);
  emitter.prepareFactor(prepared);
  return prepared.factor;
}

Value KeyLanes::emitScale(const TileRow &row) {
  return emitter.emitScale(prepareRow(row));
}

Value KeyLanes::emitLogExtra(const TileRow &row) {
  return emitter.emitLogExtra(prepareRow(row));
}

Value KeyLanes::apply(Value similarity, const Row &row, Value key,
                      Value count) {
  Value active = lanes.cmp(arith::CmpIPredicate::slt, lanes.iota(),
                           lanes.toIntLanes(count));
  LaneIndex keys = params.getKey(key);
  keys.active = active;
  ScoreEmitter::Column column = emitter.prepareColumn(std::move(keys));
  Value score = emitter.emitScore(similarity, row, column);
  Value visible = active;
  if (Value seen = emitter.emitVisible(row, column))
    visible = lanes.bitAnd(visible, seen);
  Value hidden = lanes.constant(-std::numeric_limits<double>::infinity());
  return lanes.select(visible, score, hidden);
}
