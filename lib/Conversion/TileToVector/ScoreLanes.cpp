//===- ScoreLanes.cpp - The score emitter on rows in lanes ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace attn;

LogicalResult attn::checkScores(AttentionOpInterface op,
                                PatternRewriter &rewriter) {
  if (op.getSizes().empty())
    return rewriter.notifyMatchFailure(op, "the problem's sizes are not given");
  return success();
}

ScoreLanes::ScoreLanes(OpBuilder &builder, AttentionOpInterface op,
                       const RegisterTile &tile, Value inverseNorms)
    : builder(builder), loc(op.getLoc()), op(op),
      lanes(builder, loc, tile.element, tile.lanes), tiles(builder, op, tile),
      params(lanes, op, LaneAxis::Rows), inverseNorms(inverseNorms),
      emitter(lanes, op, op.getSizes(),
              [this](unsigned index, const ScoreIndices &where) {
                return params.load(index, where);
              }) {
  params.setMatrixLoader([this](unsigned index, const ScoreIndices &where) {
    return tiles.load(index, where.key.first, where.row.offset);
  });
}

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

void ScoreLanes::prepareGroup(Value firstRow, int64_t keyBound,
                              ScratchPool &pool) {
  tiles.fill(firstRow, keyBound, pool);
}

ScoreEmitter::Row ScoreLanes::getRow(Value firstRow, int64_t column) {
  ScoreIndices where = params.loadRow(getBatch(), firstRow);
  where.row.offset = column;
  return emitter.prepareRow(std::move(where));
}

ScoreLanes::Row ScoreLanes::prepareRow(Value firstRow, int64_t column) {
  Row row;
  row.emitted = getRow(firstRow, column);
  emitter.prepareFactor(row.emitted);
  double infinity = std::numeric_limits<double>::infinity();
  row.hidden = lanes.constant(-infinity);
  if (!hidesKeys() || !op.isScoreLinear())
    return row;
  // The kept score of a hidden key becomes -inf by its factor, which therefore
  // must not be 0: the smallest normal number gives scores of 0 as well.
  Value &factor = row.emitted.factor;
  Value zero = lanes.constant(0.0);
  double smallest = lanes.getElementType().isF64() ? 0x1p-1022 : 0x1p-126;
  factor = lanes.select(lanes.cmp(arith::CmpFPredicate::OEQ, factor, zero),
                        lanes.constant(smallest), factor);
  row.hidden = lanes.select(lanes.cmp(arith::CmpFPredicate::OLT, factor, zero),
                            lanes.constant(infinity), row.hidden);
  return row;
}

ScoreLanes::Column ScoreLanes::prepareColumn(Value key) {
  Column column;
  column.emitted = emitter.prepareColumn(params.getKey(key));
  if (op.isCosine())
    column.inverseNorm = lanes.toFloatLanes(
        memref::LoadOp::create(builder, loc, inverseNorms, ValueRange(key)));
  params.loadKeyParams(getBatch(), column.emitted.local);
  return column;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

ScoreLanes::Score ScoreLanes::applySeen(Value similarity, const Row &row,
                                        const Column &column) {
  if (column.inverseNorm)
    similarity = lanes.mul(similarity, column.inverseNorm);
  if (!op.isScoreLinear()) {
    Value score = emitter.emitScore(similarity, row.emitted, column.emitted);
    return {score, score};
  }
  return {similarity, lanes.mul(similarity, row.emitted.factor)};
}

ScoreLanes::Score ScoreLanes::apply(Value similarity, const Row &row,
                                    const Column &column) {
  Score score = applySeen(similarity, row, column);
  Value visible = emitter.emitVisible(row.emitted, column.emitted);
  if (!visible)
    return score;
  score.kept = lanes.select(visible, score.kept, row.hidden);
  score.log2 = op.isScoreLinear() ? lanes.mul(score.kept, row.emitted.factor)
                                  : score.kept;
  return score;
}

Value ScoreLanes::emitDistance(Value kept, const Row &row, Value max) {
  if (!op.isScoreLinear())
    return lanes.sub(kept, max);
  return lanes.fma(kept, row.emitted.factor, lanes.neg(max));
}

Value ScoreLanes::emitScale(Value firstRow) {
  ScoreEmitter::Row row = getRow(firstRow, 0);
  if (std::optional<unsigned> segments = findCountedSegments(op)) {
    Value start = emitSegmentStart(row, *segments);
    emitter.setSegmentStart(
        [start](const ScoreEmitter::Row &) { return start; });
  }
  return emitter.emitScale(row);
}

/// The first key of each row's segment; a row whose segment has no key counts
/// from itself.
Value ScoreLanes::emitSegmentStart(const ScoreEmitter::Row &row,
                                   unsigned segments) {
  Value ids = op.getParams()[segments + 1];
  Value count = lanes.index(1);
  for (auto [i, result] :
       llvm::enumerate(op.getParamMap(segments + 1).getResults()))
    if (result.isFunctionOfDim(op.getKeyDim()))
      count = memref::DimOp::create(builder, loc, ids, i);
  Value none = lanes.integer(std::numeric_limits<int32_t>::max());
  auto loop = scf::ForOp::create(
      builder, loc, lanes.index(0), count, lanes.index(1), none,
      [&](OpBuilder &, Location, Value key, ValueRange start) {
        ScoreIndices where = row.local;
        where.key = params.getKey(key);
        Value own = params.load(segments, where);
        Value same = lanes.cmp(arith::CmpIPredicate::eq, own,
                               params.load(segments + 1, where));
        Value found = lanes.select(same, where.key.ints, none);
        scf::YieldOp::create(builder, loc, lanes.min(start[0], found));
      });
  Value start = loop.getResult(0);
  Value found = lanes.cmp(arith::CmpIPredicate::ne, start, none);
  return lanes.select(found, start, row.position);
}

Value ScoreLanes::emitLogExtra(Value firstRow) {
  return emitter.emitLogExtra(getRow(firstRow, 0));
}
