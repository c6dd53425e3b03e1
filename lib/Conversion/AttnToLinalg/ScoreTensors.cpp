//===- ScoreTensors.cpp - Scores as tensors -------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreTensors.h"

#include <cfloat>
#include <limits>

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// RowTensors
//===----------------------------------------------------------------------===//

RowTensors::RowTensors(IterationBuilder &iterations) {
  if (findCountedSegments(iterations.getOp()))
    createSegmentStarts(iterations);
  // Formulas in n are long, so they are not left to each element.
  if (iterations.getOp().getScale().getLength())
    createScales(iterations);
}

/// The first key of each row's segment, or the largest index without one.
void RowTensors::createSegmentStarts(IterationBuilder &iterations) {
  AttentionOpInterface op = iterations.getOp();
  unsigned m = op.getRowDim(), n = op.getKeyDim();
  unsigned segments = *findSegmentParams(op);
  MappedTensor rowIds{op.getParams()[segments], op.getParamMap(segments)};
  MappedTensor keyIds{op.getParams()[segments + 1],
                      op.getParamMap(segments + 1)};
  IntegerAttr none =
      iterations.getBuilder().getIndexAttr(std::numeric_limits<int64_t>::max());
  MappedTensor init = iterations.createFilled(iterations.withBatch({m}), none);
  SmallVector<unsigned> dims = iterations.withBatch({m});
  // With one id for all keys the first key tells it.
  if (keyIds.map.isFunctionOfDim(n))
    dims.push_back(n);
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    LaneBuilder &lanes = at.lanes;
    Value same = lanes.cmp(arith::CmpIPredicate::eq, lanes.toIntLanes(at[0]),
                           lanes.toIntLanes(at[1]));
    return {lanes.select(same, lanes.min(at[2], at.getIndex(n)), at[2])};
  };
  llvm::append_range(inputs,
                     iterations.create(dims, {rowIds, keyIds}, init, body));
  hasSegments = true;
}

void RowTensors::createScales(IterationBuilder &iterations) {
  unsigned m = iterations.getOp().getRowDim();
  SmallVector<unsigned> dims = iterations.withBatch({m});
  MappedTensor init = iterations.createEmpty(dims, iterations.getComputeType());
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    ScoreEmitter emitter = iterations.createEmitter(at);
    return {emitter.emitScale(prepareRow(emitter, at, at.getIndex(m), 0))};
  };
  llvm::append_range(inputs, iterations.create(dims, inputs, init, body));
  hasScales = true;
}

ScoreEmitter::Row RowTensors::prepareRow(ScoreEmitter &emitter,
                                         ElementBody &body, Value localRow,
                                         unsigned firstInput) {
  LaneBuilder &lanes = body.lanes;
  ScoreEmitter::Row row = emitter.prepareRow(body.getBatch(), localRow);
  if (hasSegments) {
    Value start = body[firstInput++];
    emitter.setSegmentStart([&lanes, start](const ScoreEmitter::Row &row) {
      // A row whose segment has no key counts from itself.
      Value none = lanes.integer(std::numeric_limits<int64_t>::max());
      Value found = lanes.cmp(arith::CmpIPredicate::ne, start, none);
      return lanes.select(found, start, row.position);
    });
  }
  if (hasScales)
    row.scale = body[firstInput];
  return row;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// A softcap makes +-c of a similarity that f32 has no number for, and the sign
/// must be the sum's: such sums are f64. Cosines are small, and products of f16
/// have room.
static bool mayOverflow(AttentionOpInterface op) {
  return op.getSoftcapAttr() && !op.isCosine() && op.getComputeType().isF32() &&
         !getElementTypeOrSelf(op.getShapedInputs()[0]).isF16();
}

static MappedTensor createSimilarities(IterationBuilder &iterations,
                                       MappedTensor query, MappedTensor key) {
  AttentionOpInterface op = iterations.getOp();
  unsigned m = op.getRowDim(), n = op.getKeyDim(), d = op.getHeadDimDim();
  OpBuilder &builder = iterations.getBuilder();
  FloatType type =
      mayOverflow(op) ? builder.getF64Type() : iterations.getComputeType();
  MappedTensor init = iterations.createFilled(iterations.withBatch({m, n}),
                                              builder.getZeroAttr(type));
  auto body = [](ElementBody &at) -> SmallVector<Value> {
    return {at.lanes.add(at[2], at.lanes.mul(at[0], at[1]))};
  };
  return iterations.create(iterations.withBatch({m, n, d}), {query, key}, init,
                           body, type)[0];
}

static std::optional<MappedTensor> createVisible(IterationBuilder &iterations) {
  AttentionOpInterface op = iterations.getOp();
  if (op.getMasks().empty())
    return std::nullopt;
  unsigned m = op.getRowDim(), n = op.getKeyDim();
  SmallVector<unsigned> dims = iterations.withBatch({m, n});
  MappedTensor init =
      iterations.createEmpty(dims, iterations.getBuilder().getI1Type());
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    ScoreEmitter emitter = iterations.createEmitter(at);
    return {
        emitter.emitVisible(emitter.prepareRow(at.getBatch(), at.getIndex(m)),
                            emitter.prepareColumn(at.getIndex(n)))};
  };
  return iterations.create(dims, {}, init, body)[0];
}

ScoreTensors attn::createScores(IterationBuilder &iterations,
                                MappedTensor query, MappedTensor key,
                                Units units) {
  AttentionOpInterface op = iterations.getOp();
  unsigned m = op.getRowDim(), n = op.getKeyDim();
  MappedTensor similarities = createSimilarities(iterations, query, key);
  std::optional<MappedTensor> visible = createVisible(iterations);
  RowTensors rows(iterations);
  SmallVector<MappedTensor> inputs(rows.getInputs());
  unsigned numRowInputs = inputs.size();
  if (visible)
    inputs.push_back(*visible);
  // In place, unless they are wider.
  bool isWide = mayOverflow(op);
  unsigned similarityAt = inputs.size();
  MappedTensor init = similarities;
  if (isWide) {
    inputs.push_back(similarities);
    init = iterations.createEmpty(iterations.withBatch({m, n}),
                                  iterations.getComputeType());
  }
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    LaneBuilder &lanes = at.lanes;
    ScoreEmitter emitter = iterations.createEmitter(at);
    ScoreEmitter::Row row = rows.prepareRow(emitter, at, at.getIndex(m), 0);
    ScoreEmitter::Column column = emitter.prepareColumn(at.getIndex(n));
    Value similarity = at[similarityAt];
    if (isWide) {
      Value limit = lanes.constant(FLT_MAX);
      similarity = lanes.max(lanes.neg(limit), lanes.min(limit, similarity));
    }
    Value score =
        units == Units::Log2
            ? emitter.emitScore(similarity, row, column)
            : emitter.emitScaledScore(
                  lanes.mul(similarity, emitter.emitScale(row)), row, column);
    if (visible) {
      double hidden = -std::numeric_limits<double>::infinity();
      score = lanes.select(at[numRowInputs], score, lanes.constant(hidden));
    }
    return {score};
  };
  return {
      iterations.create(iterations.withBatch({m, n}), inputs, init, body)[0],
      visible};
}
