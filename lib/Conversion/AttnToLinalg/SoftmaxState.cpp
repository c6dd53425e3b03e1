//===- SoftmaxState.cpp - The running state as tensors --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxState.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attn;

static constexpr double infinity = std::numeric_limits<double>::infinity();

SoftmaxState attn::createIdentity(IterationBuilder &iterations, Units units) {
  AttentionOpInterface op = iterations.getOp();
  OpBuilder &builder = iterations.getBuilder();
  FloatType type = iterations.getComputeType();
  SmallVector<unsigned> rows = iterations.withBatch({op.getRowDim()});
  TypedAttr zero = builder.getZeroAttr(type);
  return {iterations.createFilled(
              iterations.withBatch({op.getRowDim(), op.getValueDim()}), zero),
          iterations.createFilled(rows, builder.getFloatAttr(type, -infinity)),
          iterations.createFilled(rows, zero), units};
}

static Value emitExp(LaneBuilder &lanes, Units units, Value x) {
  return units == Units::Log2 ? lanes.exp2(x) : lanes.exp(x);
}

/// The maximum as a subtrahend: -inf - -inf would be NaN, and rows without a
/// visible key have that maximum.
static Value emitFiniteMax(LaneBuilder &lanes, Value max) {
  Value none =
      lanes.cmp(arith::CmpFPredicate::OEQ, max, lanes.constant(-infinity));
  return lanes.select(none, lanes.constant(0.0), max);
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
    Value factor = emitExp(lanes, state.units,
                           lanes.sub(at[0], emitFiniteMax(lanes, at[1])));
    return {lanes.mul(at[2], factor)};
  };
  SmallVector<MappedTensor> inputs = {state.max, newMax};
  return {iterations.create(getDims(state.acc), inputs, state.acc, body)[0],
          newMax,
          iterations.create(getDims(state.sum), inputs, state.sum, body)[0],
          state.units};
}

/// The weights exp(score - max), in the place of the scores.
static MappedTensor createWeights(IterationBuilder &iterations,
                                  MappedTensor scores,
                                  const SoftmaxState &state) {
  AttentionOpInterface op = iterations.getOp();
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    LaneBuilder &lanes = at.lanes;
    return {emitExp(lanes, state.units,
                    lanes.sub(at[1], emitFiniteMax(lanes, at[0])))};
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

/// The sum over keys of term(weight, log weight) for each row.
static MappedTensor
createProbeSum(IterationBuilder &iterations, MappedTensor scores,
               const SoftmaxState &state,
               llvm::function_ref<Value(LaneBuilder &, Value, Value)> term) {
  AttentionOpInterface op = iterations.getOp();
  MappedTensor zero = iterations.createFilled(
      iterations.withBatch({op.getRowDim()}),
      iterations.getBuilder().getZeroAttr(iterations.getComputeType()));
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    LaneBuilder &lanes = at.lanes;
    Value log = lanes.sub(at[1], emitFiniteMax(lanes, at[0]));
    Value weight = emitExp(lanes, state.units, log);
    return {lanes.add(at[2], term(lanes, weight, log))};
  };
  return iterations.create(
      iterations.withBatch({op.getRowDim(), op.getKeyDim()}),
      {state.max, scores}, zero, body)[0];
}

/// Adds what the op's probes need to a state that has its maximum.
static void createProbeSums(IterationBuilder &iterations, MappedTensor scores,
                            SoftmaxState &state) {
  SmallVector<Probe> probes = iterations.getOp().getProbeKinds();
  if (llvm::is_contained(probes, Probe::SumP2) ||
      llvm::is_contained(probes, Probe::HalfGradientNorm))
    state.squares = createProbeSum(iterations, scores, state,
                                   [](LaneBuilder &lanes, Value weight, Value) {
                                     return lanes.mul(weight, weight);
                                   });
  if (llvm::is_contained(probes, Probe::Entropy))
    state.logs = createProbeSum(
        iterations, scores, state,
        [](LaneBuilder &lanes, Value weight, Value log) {
          // 0 log 0 = 0, also for a hidden key, whose log is -inf.
          Value zero = lanes.constant(0.0);
          Value none = lanes.cmp(arith::CmpFPredicate::OEQ, weight, zero);
          return lanes.select(none, zero, lanes.mul(weight, log));
        });
}

SoftmaxState attn::createUpdate(IterationBuilder &iterations,
                                SoftmaxState state, const ScoreTensors &scores,
                                MappedTensor value, bool fresh) {
  MappedTensor max = createMaxima(iterations, scores.scores, state.max);
  if (fresh)
    state.max = max;
  else
    state = createRescaled(iterations, state, max);
  createProbeSums(iterations, scores.scores, state);
  MappedTensor weights = createWeights(iterations, scores.scores, state);
  state.sum = createSums(iterations, weights, state.sum);
  state.acc =
      createWeightedSum(iterations, weights, value, scores.visible, state.acc);
  return state;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

namespace {

/// The end of a row: the factor on its acc, and lse.
struct RowEnd {
  Value factor, lse;
};

} // namespace

/// `extra` is the logarithm of e0 or null. The maximum takes it into account,
/// so that e0 neither overflows nor leaves 0 / 0 when every score is very
/// negative.
static RowEnd emitRowEnd(LaneBuilder &lanes, Units units, Value max, Value sum,
                         Value extra) {
  Value newMax = extra ? lanes.max(extra, max) : max;
  Value finite = emitFiniteMax(lanes, newMax);
  Value rescale = lanes.constant(1.0), z = sum;
  if (extra) {
    rescale = emitExp(lanes, units, lanes.sub(max, finite));
    // A sink of +inf takes all the weight; inf - inf would be NaN.
    Value all =
        lanes.cmp(arith::CmpFPredicate::OEQ, extra, lanes.constant(infinity));
    Value term = lanes.select(all, lanes.constant(1.0),
                              emitExp(lanes, units, lanes.sub(extra, finite)));
    z = lanes.add(lanes.mul(sum, rescale), term);
  }
  Value zero = lanes.constant(0.0);
  Value empty = lanes.cmp(arith::CmpFPredicate::OEQ, z, zero);
  // Where nothing has any weight, acc is 0 already, whatever e0 is, or NaN by 0
  // times a visible NaN.
  Value none = lanes.cmp(arith::CmpFPredicate::OEQ, sum, zero);
  Value factor = lanes.select(none, lanes.constant(1.0), lanes.div(rescale, z));
  Value lse = units == Units::Natural
                  ? lanes.add(newMax, lanes.log(z))
                  : lanes.mul(lanes.add(newMax, lanes.log2(z)),
                              lanes.constant(llvm::numbers::ln2));
  return {factor, lanes.select(empty, lanes.constant(-infinity), lse)};
}

/// alpha_i: how fast the logit grows with the similarity in units of its own
/// spread.
static Value emitLogitSlope(IterationBuilder &iterations, LaneBuilder &lanes,
                            Value scale) {
  AttentionOpInterface op = iterations.getOp();
  if (op.isCosine())
    return scale;
  Value headDim =
      getValueOrCreateConstantIndexOp(lanes.getBuilder(), lanes.getLoc(),
                                      iterations.getSize(op.getHeadDimDim()));
  Value spread = lanes.sqrt(lanes.intToFloat(lanes.toIntLanes(headDim)));
  return lanes.mul(scale, spread);
}

/// The probes, one output each.
static SmallVector<MappedTensor> createProbes(IterationBuilder &iterations,
                                              const SoftmaxState &state,
                                              MappedTensor factors,
                                              ArrayRef<MappedTensor> outputs) {
  AttentionOpInterface op = iterations.getOp();
  SmallVector<Probe> probes = op.getProbeKinds();
  RowTensors rows(iterations);
  SmallVector<MappedTensor> inputs(rows.getInputs());
  unsigned first = inputs.size();
  llvm::append_range(inputs, ArrayRef{state.max, state.sum, factors});
  unsigned squaresAt = inputs.size();
  if (state.squares)
    inputs.push_back(*state.squares);
  unsigned logsAt = inputs.size();
  if (state.logs)
    inputs.push_back(*state.logs);
  auto body = [&](ElementBody &at) -> SmallVector<Value> {
    LaneBuilder &lanes = at.lanes;
    Value max = at[first], factor = at[first + 2];
    Value zero = lanes.constant(0.0), sum = lanes.mul(at[first + 1], factor);
    Value squares = state.squares
                        ? lanes.mul(at[squaresAt], lanes.mul(factor, factor))
                        : Value();
    auto emit = [&](Probe probe) -> Value {
      switch (probe) {
      case Probe::SumP:
        return sum;
      case Probe::SumP2:
        return squares;
      case Probe::MaxLogit:
        return max;
      case Probe::Entropy: {
        // p = w f, so -sum p log p = -f sum w log w - log f sum p.
        Value spread = lanes.add(lanes.mul(at[logsAt], factor),
                                 lanes.mul(lanes.log(factor), sum));
        Value none = lanes.cmp(arith::CmpFPredicate::OEQ, sum, zero);
        return lanes.select(none, zero, lanes.sub(zero, spread));
      }
      case Probe::HalfGradientNorm: {
        ScoreEmitter emitter = iterations.createEmitter(at);
        ScoreEmitter::Row row =
            rows.prepareRow(emitter, at, at.getIndex(op.getRowDim()), 0);
        Value alpha = emitLogitSlope(iterations, lanes, emitter.emitScale(row));
        Value half =
            lanes.mul(lanes.add(sum, lanes.mul(sum, sum)), lanes.constant(0.5));
        return lanes.mul(alpha, lanes.sub(half, squares));
      }
      }
      llvm_unreachable("all probes are handled");
    };
    return llvm::map_to_vector(probes, emit);
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
    Value extra = state.units == Units::Log2 ? emitter.emitLog2Extra(row)
                                             : emitter.emitLogExtra(row);
    RowEnd end = emitRowEnd(at.lanes, state.units, at[0], at[1], extra);
    SmallVector<Value> values = {end.factor, end.lse};
    values.truncate(rowOutputs.size());
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
