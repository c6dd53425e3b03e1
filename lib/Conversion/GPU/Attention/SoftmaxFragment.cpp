//===- SoftmaxFragment.cpp - The softmax state of a warp's rows -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxFragment.h"

#include "attn/Conversion/Math/ExpandMath.h"
#include "attn/Dialect/Attn/Score/ParamSource.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Lanes that share a row differ in these bits of their numbers.
static constexpr int64_t kRowMasks[] = {1, 2};

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

SoftmaxFragment::State SoftmaxFragment::getIdentity() {
  SmallVector<double> identity = getStateIdentity(op);
  LaneBuilder &lanes = scores.getRowLanes();
  OpBuilder &b = kernel.getBuilder();
  auto accumulators = VectorType::get({columns}, lanes.getElementType());
  State state;
  for (unsigned i = 0; i < scores.getNumRows(); ++i) {
    state.output.push_back(arith::ConstantOp::create(
        b, kernel.getLoc(), b.getZeroAttr(accumulators)));
    state.max.push_back(lanes.constant(identity[1]));
    state.sum.push_back(lanes.constant(identity[2]));
    RowStatistics statistics;
    for (auto [number, kind] : llvm::enumerate(op.getStatisticKinds()))
      statistics.get(kind) = lanes.constant(identity[3 + number]);
    state.statistics.push_back(statistics);
  }
  return state;
}

SmallVector<Value> SoftmaxFragment::flatten(const State &state) {
  SmallVector<Value> values;
  for (unsigned i = 0; i < scores.getNumRows(); ++i) {
    values.append({state.output[i], state.max[i], state.sum[i]});
    for (Statistic kind : op.getStatisticKinds())
      values.push_back(state.statistics[i].get(kind));
  }
  return values;
}

SoftmaxFragment::State SoftmaxFragment::restore(ValueRange values) {
  State state;
  SmallVector<Statistic> kinds = op.getStatisticKinds();
  for (unsigned i = 0; i < scores.getNumRows(); ++i) {
    state.output.push_back(values[0]);
    state.max.push_back(values[1]);
    state.sum.push_back(values[2]);
    values = values.drop_front(3);
    RowStatistics statistics;
    for (auto [kind, value] : llvm::zip(kinds, values))
      statistics.get(kind) = value;
    values = values.drop_front(kinds.size());
    state.statistics.push_back(statistics);
  }
  return state;
}

/// Combines neighbours until one is left.
static Value reduce(SmallVector<Value> values,
                    function_ref<Value(Value, Value)> combine) {
  while (values.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      next.push_back(combine(values[i], values[i + 1]));
    if (values.size() % 2 != 0)
      next.push_back(values.back());
    values = std::move(next);
  }
  return values.front();
}

Value SoftmaxFragment::emitExp2(LaneBuilder &lanes, Value x) {
  if (!lanes.getElementType().isF32())
    return lanes.exp2(x);
  return emitDeviceExp2(lanes.getBuilder(), lanes.getLoc(), x);
}

// 1 - 2 / (1 + e^(2x)): where the exponential is infinite, that is 1.
Value SoftmaxFragment::emitTanh(LaneBuilder &lanes, Value x) {
  Value one = lanes.constant(1.0);
  Value power =
      emitExp2(lanes, lanes.mul(x, lanes.constant(2.0 * llvm::numbers::log2e)));
  Value part = emitDeviceReciprocal(lanes.getBuilder(), lanes.getLoc(),
                                    lanes.add(one, power));
  return lanes.fma(part, lanes.constant(-2.0), one);
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

Value SoftmaxFragment::getMax(const State &state, unsigned row) {
  LaneBuilder &lanes = scores.getRowLanes();
  Value max = state.max[row];
  if (scores.isLinear())
    return lanes.mul(max, scores.getRow(row).factor);
  return scores.isNatural() ? lanes.mulFinite(max, llvm::numbers::log2e) : max;
}

Value SoftmaxFragment::update(State &state, unsigned row, Value rowScores) {
  Value factor;
  Value weights =
      updateSums(state, row, rowScores, [&](Value moved) { factor = moved; });
  rescale(state, row, factor);
  return weights;
}

void SoftmaxFragment::rescale(State &state, unsigned row, Value factor) {
  LaneBuilder accumulators(kernel.getBuilder(), kernel.getLoc(),
                           scores.getRowLanes().getElementType(), columns);
  state.output[row] = emitMoved(accumulators, state.output[row],
                                accumulators.toFloatLanes(factor), {});
}

Value SoftmaxFragment::updateSums(State &state, unsigned row, Value rowScores,
                                  function_ref<void(Value)> emitRescale) {
  LaneBuilder &lanes = scores.getRowLanes();
  LaneBuilder &elements = scores.getElementLanes();
  auto larger = [&](Value a, Value b) { return lanes.max(a, b); };
  auto plus = [&](Value a, Value b) { return lanes.add(a, b); };
  Value max = reduce(kernel.unpack(rowScores), larger);
  for (int64_t mask : kRowMasks)
    max = lanes.max(max, kernel.shuffleXor(max, mask));
  max = lanes.max(state.max[row], max);
  Value reference = emitReference(lanes, max);

  // Distances to it, in log2 units: of the scores, and of the old maximum.
  Value distances;
  Rescale rescale;
  if (scores.isLinear()) {
    Value scale = scores.getRow(row).factor;
    Value start = lanes.neg(lanes.mul(reference, scale));
    distances = elements.fma(rowScores, elements.toFloatLanes(scale),
                             elements.toFloatLanes(start));
    rescale.distance = lanes.fma(state.max[row], scale, start);
    rescale.factor = emitExp2(lanes, rescale.distance);
  } else {
    // Distances of natural scores are multiplied, not scores: these may be as
    // large as numbers can be.
    auto toLog2 = [&](LaneBuilder &in, Value distance) {
      return scores.isNatural()
                 ? in.mul(distance, in.constant(llvm::numbers::log2e))
                 : distance;
    };
    distances = toLog2(
        elements, elements.sub(rowScores, elements.toFloatLanes(reference)));
    rescale.distance = toLog2(lanes, lanes.sub(state.max[row], reference));
    rescale.factor = emitExp2(lanes, rescale.distance);
  }
  emitRescale(rescale.factor);
  Value weights = emitExp2(elements, distances);

  RowStatistics &statistics = state.statistics[row];
  RowStatistics tile;
  for (Statistic kind : statistics.getSums()) {
    Value terms = emitStatistic(elements, kind, weights, distances, Value());
    tile.get(kind) = reduce(kernel.unpack(terms), plus);
  }
  Value top = statistics.top;
  statistics =
      emitMovedStatistics(lanes, statistics, state.sum[row], rescale, tile);
  statistics.top = top;
  state.max[row] = max;
  state.sum[row] = emitMoved(lanes, state.sum[row], rescale.factor,
                             reduce(kernel.unpack(weights), plus));
  return weights;
}

void SoftmaxFragment::joinLanes(State &state) {
  LaneBuilder &lanes = scores.getRowLanes();
  auto join = [&](Value &sum) {
    for (int64_t mask : kRowMasks)
      sum = lanes.add(sum, kernel.shuffleXor(sum, mask));
  };
  for (unsigned i = 0; i < scores.getNumRows(); ++i) {
    join(state.sum[i]);
    for (Statistic kind : state.statistics[i].getSums())
      join(state.statistics[i].get(kind));
    if (state.statistics[i].top)
      state.statistics[i].top = getMax(state, i);
  }
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

FinishedRow attn::emitFinishedRow(AttentionOp op, ScoreFragments &scores,
                                  unsigned row, ArrayRef<Value> sizes,
                                  Value max, Value sum,
                                  const RowStatistics &statistics) {
  LaneBuilder &lanes = scores.getRowLanes();
  auto self = cast<AttentionOpInterface>(op.getOperation());
  RowEnd end =
      emitRowEnd(lanes, Units::Log2, max, sum, scores.emitLogExtra(row),
                 bool(op.getLse()), SoftmaxFragment::emitExp2);
  FinishedRow finished = {end.factor, {}};
  if (end.lse)
    finished.numbers.push_back(end.lse);
  llvm::append_range(
      finished.numbers,
      emitProbes(lanes, self, Units::Log2, sum, end.factor, statistics, [&] {
        return emitLogitSlope(lanes, self, sizes[op.getHeadDimDim()],
                              scores.getRow(row).scale);
      }));
  return finished;
}

void attn::storeElement(KernelBuilder &kernel, AttentionOp op, unsigned output,
                        ArrayRef<Value> batch, Value row, Value column,
                        Value element) {
  OpBuilder &b = kernel.getBuilder();
  auto self = cast<AttentionOpInterface>(op.getOperation());
  SmallVector<Value> dims(batch);
  dims.resize(op.getNumDims());
  dims[op.getRowDim()] = kernel.toIndex(row);
  if (column)
    dims[op.getValueDim()] = kernel.toIndex(column);
  SmallVector<Value> position =
      emitPosition(b, kernel.getLoc(), self.getOutputMap(output), dims);
  memref::StoreOp::create(b, kernel.getLoc(), element, op.getOutputs()[output],
                          position);
}
