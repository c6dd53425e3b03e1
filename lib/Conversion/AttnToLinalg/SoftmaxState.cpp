//===- SoftmaxState.cpp - The running state as tensors --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxState.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace attn;

SoftmaxState attn::createIdentity(IterationBuilder &iterations, Units units) {
  AttentionOpInterface op = iterations.getOp();
  FloatType type = iterations.getComputeType();
  SmallVector<unsigned> rows = iterations.withBatch({op.getRowDim()});
  SmallVector<unsigned> values =
      iterations.withBatch({op.getRowDim(), op.getValueDim()});
  SmallVector<double> identity = getStateIdentity(op);
  auto fill = [&](unsigned part, ArrayRef<unsigned> dims) {
    return iterations.createFilled(
        dims, iterations.getBuilder().getFloatAttr(type, identity[part]));
  };
  MappedTensor acc = fill(0, values), max = fill(1, rows), sum = fill(2, rows);
  return {acc, max, sum, units, {}};
}

static Value emitExp(LaneBuilder &lanes, Units units, Value x) {
  return units == Units::Log2 ? lanes.exp2(x) : lanes.exp(x);
}

/// The exponential that this path takes for scores in `units`.
static auto getExponential(Units units) {
  return
      [units](LaneBuilder &lanes, Value x) { return emitExp(lanes, units, x); };
}

//===----------------------------------------------------------------------===//
// Update
//===----------------------------------------------------------------------===//

static MappedTensor createMaxima(IterationBuilder &iterations,
                                 MappedTensor scores, MappedTensor max) {
  AttentionOpInterface op = iterations.getOp();
  // A NaN score is not a maximum; it shows in the sum.
  auto body = [](ElementBody &at) -> SmallVector<Value> {
    return {at.lanes.max(at[0], at[1])};
  };
  return iterations.create(
      iterations.withBatch({op.getRowDim(), op.getKeyDim()}), scores, max,
      body)[0];
}

/// The iteration dimensions that index a tensor, in order.
static SmallVector<unsigned> getDims(MappedTensor tensor) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0, e = tensor.map.getNumDims(); dim < e; ++dim)
    if (tensor.map.isFunctionOfDim(dim))
      dims.push_back(dim);
  return dims;
}

/// Makes the state relative to the new maximum.
static SoftmaxState createRescaled(IterationBuilder &iterations,
                                   SoftmaxState state, MappedTensor newMax) {
  // A tile's state has no batch dimensions to loop over.
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    LaneBuilder &lanes = at.lanes;
    Value reference = emitReference(lanes, at[1]);
    Rescale rescale =
        emitRescale(lanes, at[0], reference, getExponential(state.units));
    return {emitMoved(lanes, at[2], rescale.factor, Value())};
  };
  SmallVector<MappedTensor> inputs = {state.max, newMax};
  return {iterations.create(getDims(state.acc), inputs, state.acc, body)[0],
          newMax,
          iterations.create(getDims(state.sum), inputs, state.sum, body)[0],
          state.units,
          {}};
}

/// The weights exp(score - max), in the place of the scores.
static MappedTensor createWeights(IterationBuilder &iterations,
                                  MappedTensor scores,
                                  const SoftmaxState &state) {
  AttentionOpInterface op = iterations.getOp();
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    LaneBuilder &lanes = at.lanes;
    return {emitExp(lanes, state.units,
                    lanes.sub(at[1], emitReference(lanes, at[0])))};
  };
  return iterations.create(
      iterations.withBatch({op.getRowDim(), op.getKeyDim()}), state.max, scores,
      body)[0];
}

static MappedTensor createSums(IterationBuilder &iterations,
                               MappedTensor weights, MappedTensor sum) {
  AttentionOpInterface op = iterations.getOp();
  auto body = [](ElementBody &at) -> SmallVector<Value> {
    return {at.lanes.add(at[1], at[0])};
  };
  return iterations.create(
      iterations.withBatch({op.getRowDim(), op.getKeyDim()}), weights, sum,
      body)[0];
}

/// A hidden key has weight 0, but 0 times a NaN or infinite value is NaN.
static MappedTensor createWeightedSum(IterationBuilder &iterations,
                                      MappedTensor weights, MappedTensor value,
                                      std::optional<MappedTensor> visible,
                                      MappedTensor acc) {
  AttentionOpInterface op = iterations.getOp();
  SmallVector<MappedTensor> inputs = {weights, value};
  if (visible)
    inputs.push_back(*visible);
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    LaneBuilder &lanes = at.lanes;
    Value element = at[1];
    if (visible)
      element = lanes.select(at[2], element, lanes.constant(0.0));
    return {lanes.add(at[inputs.size()], lanes.mul(at[0], element))};
  };
  // Values innermost: each key adds its weight times a contiguous row.
  return iterations.create(
      iterations.withBatch({op.getRowDim(), op.getKeyDim(), op.getValueDim()}),
      inputs, acc, body)[0];
}

/// The statistic as a sum over keys for each row.
static MappedTensor createStatistic(IterationBuilder &iterations,
                                    MappedTensor scores,
                                    const SoftmaxState &state, Statistic kind) {
  AttentionOpInterface op = iterations.getOp();
  MappedTensor zero = iterations.createFilled(
      iterations.withBatch({op.getRowDim()}),
      iterations.getBuilder().getZeroAttr(iterations.getComputeType()));
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    LaneBuilder &lanes = at.lanes;
    Value distance = lanes.sub(at[1], emitReference(lanes, at[0]));
    Value weight = emitExp(lanes, state.units, distance);
    return {emitStatistic(lanes, kind, weight, distance, at[2])};
  };
  return iterations.create(
      iterations.withBatch({op.getRowDim(), op.getKeyDim()}),
      {state.max, scores}, zero, body)[0];
}

/// Adds what the op's probes need to a state that has its maximum.
static void createStatistics(IterationBuilder &iterations, MappedTensor scores,
                             SoftmaxState &state) {
  for (Statistic kind : iterations.getOp().getStatisticKinds())
    if (kind != Statistic::Top)
      state.statistics.push_back(
          {kind, createStatistic(iterations, scores, state, kind)});
}

SoftmaxState attn::createUpdate(IterationBuilder &iterations,
                                SoftmaxState state, const ScoreTensors &scores,
                                MappedTensor value, bool fresh) {
  MappedTensor max = createMaxima(iterations, scores.scores, state.max);
  if (fresh)
    state.max = max;
  else
    state = createRescaled(iterations, state, max);
  createStatistics(iterations, scores.scores, state);
  MappedTensor weights = createWeights(iterations, scores.scores, state);
  state.sum = createSums(iterations, weights, state.sum);
  state.acc =
      createWeightedSum(iterations, weights, value, scores.visible, state.acc);
  return state;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The probes, one output each.
static SmallVector<MappedTensor> createProbes(IterationBuilder &iterations,
                                              const SoftmaxState &state,
                                              MappedTensor factors,
                                              ArrayRef<MappedTensor> outputs) {
  AttentionOpInterface op = iterations.getOp();
  RowTensors rows(iterations);
  SmallVector<MappedTensor> inputs(rows.getInputs());
  unsigned first = inputs.size();
  llvm::append_range(inputs, ArrayRef{state.max, state.sum, factors});
  unsigned statisticsAt = inputs.size();
  for (const auto &statistic : state.statistics)
    inputs.push_back(statistic.second);
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    LaneBuilder &lanes = at.lanes;
    RowStatistics statistics;
    statistics.top = at[first];
    for (auto [i, statistic] : llvm::enumerate(state.statistics))
      statistics.get(statistic.first) = at[statisticsAt + i];
    auto emitSlope = [&] {
      ScoreEmitter emitter = iterations.createEmitter(at);
      ScoreEmitter::Row row =
          rows.prepareRow(emitter, at, at.getIndex(op.getRowDim()), 0);
      Value scale = emitter.emitScale(row);
      Value headDim = getValueOrCreateConstantIndexOp(
          lanes.getBuilder(), lanes.getLoc(),
          iterations.getSize(op.getHeadDimDim()));
      return emitLogitSlope(lanes, op, headDim, scale);
    };
    return emitProbes(lanes, op, state.units, at[first + 1], at[first + 2],
                      statistics, emitSlope);
  };
  return iterations.create(iterations.withBatch({op.getRowDim()}), inputs,
                           outputs, body);
}

SmallVector<Value> attn::createResults(IterationBuilder &iterations,
                                       SoftmaxState state,
                                       ArrayRef<MappedTensor> outputs) {
  AttentionOpInterface op = iterations.getOp();
  unsigned m = op.getRowDim(), dv = op.getValueDim();
  SmallVector<unsigned> rows = iterations.withBatch({m});
  SmallVector<MappedTensor> rowOutputs = {
      iterations.createEmpty(rows, iterations.getComputeType())};
  unsigned numProbes = op.getProbeKinds().size();
  llvm::append_range(rowOutputs, outputs.drop_front().drop_back(numProbes));
  auto endRow = [&](ElementBody &at) -> SmallVector<Value> {
    ScoreEmitter emitter = iterations.createEmitter(at);
    ScoreEmitter::Row row = emitter.prepareRow(at.getBatch(), at.getIndex(m));
    bool wantsLse = rowOutputs.size() > 1;
    RowEnd end = emitRowEnd(at.lanes, state.units, at[0], at[1],
                            emitter.emitLogExtra(row), wantsLse,
                            getExponential(state.units));
    SmallVector<Value> values = {end.factor};
    if (wantsLse)
      values.push_back(end.lse);
    return values;
  };
  SmallVector<MappedTensor> ends =
      iterations.create(rows, {state.max, state.sum}, rowOutputs, endRow);
  auto divide = [](ElementBody &at) -> SmallVector<Value> {
    return {at.lanes.mul(at[0], at[1])};
  };
  SmallVector<Value> results = {iterations
                                    .create(iterations.withBatch({m, dv}),
                                            {state.acc, ends[0]}, outputs[0],
                                            divide)[0]
                                    .tensor};
  for (const MappedTensor &end : ArrayRef(ends).drop_front())
    results.push_back(end.tensor);
  if (numProbes != 0)
    for (const MappedTensor &probe :
         createProbes(iterations, state, ends[0], outputs.take_back(numProbes)))
      results.push_back(probe.tensor);
  return results;
}
