//===- ScoreRows.cpp - Scores of one row at a time ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRows.h"
#include "Parts.h"
#include <cmath>
#include <limits>

// As-written arithmetic rounds each product and each sum.
#pragma STDC FP_CONTRACT OFF

using namespace mlir;

namespace attn::reference::detail {

template <typename T>
ScoreRows<T>::ScoreRows(const AttentionProblem &problem, bool packed)
    : problem(problem), op(problem.getOp()), packed(packed),
      numKeys(problem.getExtent(problem.getKeyDim())),
      headDim(problem.getExtent(problem.getHeadDimDim())),
      valueDim(problem.getExtent(problem.getValueDim())), scores(numKeys),
      hidden(numKeys) {}

template <typename T> LogicalResult ScoreRows<T>::prepare() {
  Region *body = op.getScoreBody();
  if (!body)
    return success();
  region.emplace(problem.getRounding());
  for (BlockArgument argument : body->getArguments())
    regionArguments.push_back(region->bind(argument));
  auto lookup = [](Value) { return TensorRef(); };
  if (failed(region->compileBlock(body->front(), lookup)))
    return failure();
  FailureOr<unsigned> result =
      region->getRegister(body->front().getTerminator()->getOperand(0), lookup);
  if (failed(result))
    return op->emitError("the reference cannot find the region's score");
  regionResult = *result;
  return success();
}

/// A zero vector stays zero.
template <typename T>
void normaliseVector(AttentionOpInterface op, MutableArrayRef<T> row) {
  auto cosine = dyn_cast<CosineAttr>(op.getSimilarity());
  if (!cosine)
    return;
  T eps = T(double(cosine.getEps())), sum = 0;
  for (T x : row)
    sum += x * x;
  if (sum == 0)
    return;
  T norm = cosine.getMode() == EpsMode::RsqrtSum
               ? std::sqrt(sum + eps)
               : std::max(std::sqrt(sum), eps);
  for (T &x : row)
    x /= norm;
}

template void normaliseVector(AttentionOpInterface, MutableArrayRef<float>);
template void normaliseVector(AttentionOpInterface, MutableArrayRef<double>);

template <typename T>
std::vector<T> roundToParts(const AttentionProblem &problem,
                            MutableArrayRef<T> numbers) {
  Operation *op = problem.getOp();
  return takesTwoParts(op, getElementTypeOrSelf(op->getOperand(0).getType()),
                       problem.getRounding())
             ? roundToParts(numbers)
             : std::vector<T>();
}

template std::vector<float> roundToParts(const AttentionProblem &,
                                         MutableArrayRef<float>);
template std::vector<double> roundToParts(const AttentionProblem &,
                                          MutableArrayRef<double>);

template <typename T> void ScoreRows<T>::startBatch(ArrayRef<int64_t> batch) {
  SmallVector<int64_t> point(batch);
  int64_t &key = point[problem.getKeyDim()];
  keys.resize(headDim * numKeys);
  std::vector<T> row(headDim);
  for (key = 0; key < numKeys; ++key) {
    for (int64_t c = 0; c < headDim; ++c) {
      point[problem.getHeadDimDim()] = c;
      row[c] = T(problem.getInput(1).load(point));
    }
    changeRow<T>(problem, LoadedRows::Key, point, row);
    normaliseVector<T>(op, row);
    std::vector<T> seconds = roundToParts<T>(problem, row);
    keySeconds.resize(seconds.empty() ? 0 : keys.size());
    for (int64_t c = 0; c < headDim; ++c) {
      keys[c * numKeys + key] = row[c];
      if (!seconds.empty())
        keySeconds[c * numKeys + key] = seconds[c];
    }
  }
  point[problem.getHeadDimDim()] = 0;
  values.resize(numKeys * valueDim);
  for (key = 0; key < numKeys; ++key)
    for (int64_t c = 0; c < valueDim; ++c) {
      point[problem.getValueDim()] = c;
      values[key * valueDim + c] = T(problem.getInput(2).load(point));
    }
  valueSeconds = roundToParts<T>(problem, values);
}

/// The product of the second parts is left out.
template <typename T>
void ScoreRows<T>::addSimilarities(ArrayRef<T> query, ArrayRef<T> seconds) {
  std::fill(scores.begin(), scores.end(), T(0));
  T *s = scores.data();
  for (int64_t term = 0; term < headDim; ++term) {
    int64_t c = getTerm(term, headDim, problem.getRounding());
    T q = query[c];
    const T *k = keys.data() + c * numKeys;
    for (int64_t j = 0; j < numKeys; ++j)
      s[j] += q * k[j];
    for (int64_t j = 0; j < numKeys && !seconds.empty(); ++j)
      s[j] -= seconds[c] * keySeconds[c * numKeys + j];
  }
}

template <typename T>
LogicalResult ScoreRows<T>::computeRow(ArrayRef<int64_t> row) {
  if (numKeys == 0)
    return success();
  SmallVector<int64_t> point(row);
  std::vector<T> query(headDim);
  for (int64_t c = 0; c < headDim; ++c) {
    point[problem.getHeadDimDim()] = c;
    query[c] = T(problem.getInput(0).load(point));
  }
  point[problem.getHeadDimDim()] = 0;
  changeRow<T>(problem, LoadedRows::Query, point, query);
  if (!packed)
    normaliseVector<T>(op, query);
  std::vector<T> seconds = roundToParts<T>(problem, query);
  addSimilarities(query, seconds);
  T lambda = T(problem.getLambda(point));
  for (T &score : scores)
    score *= lambda;
  if (FloatAttr cap = op.getSoftcapAttr()) {
    T c = T(cap.getValueAsDouble());
    for (T &score : scores)
      score = c * T(std::tanh(double(score / c)));
  }
  applyBiases(point);
  if (failed(applyRegion(point)))
    return failure();
  applyMasks(point);
  return success();
}

template <typename T>
void ScoreRows<T>::applyBiases(SmallVector<int64_t> point) {
  if (op.getBiases().empty())
    return;
  SmallVector<double> terms;
  ElementPlace row = problem.placeRow(point);
  int64_t &key = point[problem.getKeyDim()];
  for (key = 0; key < numKeys; ++key) {
    problem.getBiasTerms(row, point, terms);
    for (double term : terms)
      scores[key] += T(term);
  }
}

template <typename T>
LogicalResult ScoreRows<T>::applyRegion(SmallVector<int64_t> point) {
  if (!region)
    return success();
  Frame frame = region->makeFrame();
  Block &body = op.getScoreBody()->front();
  unsigned keyDim = problem.getKeyDim();
  for (int64_t begin = 0; begin < numKeys; begin += stripLength) {
    int64_t count = std::min(stripLength, numKeys - begin);
    std::copy_n(scores.begin() + begin, count,
                frame.write<double>(regionArguments[0]));
    for (int64_t lane = 0; lane < count; ++lane) {
      point[keyDim] = begin + lane;
      auto place = problem.getPlace(point);
      for (unsigned i = 0; i < place.size(); ++i)
        frame.write<int64_t>(regionArguments[1 + i])[lane] = place[i];
      for (unsigned i = 5; i < regionArguments.size(); ++i) {
        double value = problem.getRegionParam(i - 5, point);
        if (body.getArgument(i).getType().isIntOrIndex())
          frame.write<int64_t>(regionArguments[i])[lane] = int64_t(value);
        else
          frame.write<double>(regionArguments[i])[lane] = value;
      }
    }
    region->run(frame, count);
    if (frame.fault)
      return op->emitError(frame.fault);
    const double *changed = frame.read<double>(regionResult);
    for (int64_t lane = 0; lane < count; ++lane)
      scores[begin + lane] = T(changed[lane]);
  }
  return success();
}

template <typename T>
void ScoreRows<T>::applyMasks(SmallVector<int64_t> point) {
  if (op.getMasks().empty())
    return hidden.assign(numKeys, false);
  ElementPlace row = problem.placeRow(point);
  int64_t &key = point[problem.getKeyDim()];
  for (key = 0; key < numKeys; ++key) {
    double term = problem.getMaskTerm(row, point);
    hidden[key] = term == -std::numeric_limits<double>::infinity();
    if (term != 0.0 && !hidden[key])
      scores[key] += T(term);
  }
}

template <typename T>
void ScoreRows<T>::addValues(ArrayRef<T> weights, MutableArrayRef<T> out,
                             ArrayRef<T> seconds) const {
  for (int64_t term = 0; term < numKeys; ++term) {
    int64_t j = getTerm(term, numKeys, problem.getRounding());
    if (hidden[j])
      continue;
    T weight = weights[j];
    const T *v = values.data() + j * valueDim;
    for (int64_t c = 0; c < valueDim; ++c)
      out[c] += weight * v[c];
    for (int64_t c = 0; c < valueDim && !seconds.empty(); ++c)
      out[c] -= seconds[j] * valueSeconds[j * valueDim + c];
  }
}

template class ScoreRows<float>;
template class ScoreRows<double>;

} // namespace attn::reference::detail
