//===- Attention.cpp - attn.attention, unfused ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRows.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace attn::reference::detail {

LogicalResult
forEachPoint(ArrayRef<int64_t> extents, unsigned count,
             llvm::function_ref<LogicalResult(SmallVector<int64_t> &)> visit) {
  SmallVector<int64_t> point(extents.size(), 0);
  if (llvm::is_contained(extents.take_front(count), 0))
    return success();
  for (;;) {
    SmallVector<int64_t> copy(point);
    if (failed(visit(copy)))
      return failure();
    unsigned dim = count;
    while (dim > 0 && ++point[dim - 1] == extents[dim - 1])
      point[--dim] = 0;
    if (dim == 0)
      return success();
  }
}

namespace {

/// The softmax of one row, with the answers semantics.md fixes.
template <typename T> struct RowSoftmax {
  static constexpr T infinity = std::numeric_limits<T>::infinity();

  /// Turns scores into weights and returns lse.
  T run(const ScoreRows<T> &rows, double logExtra, std::vector<T> &weights);

  Rounding rounding;

private:
  /// Whether the exponential of a row with this maximum is exp2. Every other
  /// varied run is such a program, whose scores are rounded in units of log 2.
  /// Natural ones may all be exact by luck: a whole number and biases that are
  /// powers of 2.
  bool takesExp2(T top) const {
    constexpr T farFromOverflow = T(1e30);
    return getVariant(rounding) % 2 == 1 && std::abs(top) < farFromOverflow;
  }
};

} // namespace

static constexpr double log2e = 1.44269504088896340736;
static constexpr double ln2 = 0.69314718055994530942;

template <typename T>
T RowSoftmax<T>::run(const ScoreRows<T> &rows, double logExtra,
                     std::vector<T> &weights) {
  T extra = T(logExtra), top = -infinity;
  bool isNaN = std::isnan(extra), seesInfinity = false;
  for (int64_t j = 0; j < rows.getNumKeys(); ++j) {
    if (rows.isHidden(j))
      continue;
    T score = rows.getScores()[j];
    isNaN |= std::isnan(score);
    seesInfinity |= score == infinity;
    top = std::max(top, score);
  }
  std::fill(weights.begin(), weights.end(), T(0));
  // exp(inf) / Z with Z = inf is NaN; a sink of +inf alone takes all the
  // weight.
  if (isNaN || seesInfinity) {
    std::fill(weights.begin(), weights.end(),
              std::numeric_limits<T>::quiet_NaN());
    return std::numeric_limits<T>::quiet_NaN();
  }
  top = std::max(top, extra);
  if (std::isinf(top))
    return top;
  bool binary = takesExp2(top);
  T unit = binary ? T(log2e) : T(1);
  T first = top * unit;
  auto getWeight = [&](T score) {
    T scaled = score * unit;
    auto distance = double(T(scaled - first));
    return T(binary ? std::exp2(distance) : std::exp(distance));
  };
  T sum = getWeight(extra);
  for (int64_t term = 0; term < rows.getNumKeys(); ++term)
    if (int64_t j = getTerm(term, rows.getNumKeys(), rounding);
        !rows.isHidden(j)) {
      weights[j] = getWeight(rows.getScores()[j]);
      sum += weights[j];
    }
  for (T &weight : weights)
    weight /= sum;
  if (binary)
    return (first + T(std::log2(double(sum)))) * T(ln2);
  return top + T(std::log(double(sum)));
}

namespace {

/// What the probes of a row are made of.
template <typename T> struct RowStatistics {
  T sum = 0, squares = 0, entropy = 0, kurtosis = 0;
  T maxLogit = -std::numeric_limits<T>::infinity();

  T get(Probe probe, T alpha) const;
};

} // namespace

template <typename T> T RowStatistics<T>::get(Probe probe, T alpha) const {
  switch (probe) {
  case Probe::Entropy:
    return entropy;
  case Probe::SumP:
    return sum;
  case Probe::SumP2:
    return squares;
  case Probe::HalfGradientNorm:
    return alpha * ((sum + sum * sum) / 2 - squares);
  case Probe::MaxLogit:
    return maxLogit;
  case Probe::Kurtosis:
    return kurtosis;
  }
  llvm_unreachable("all probes are handled");
}

/// Of the exponentials of the scores above -inf, which all that a row's weights
/// are divided by leaves as it is; NaN where they are equal.
template <typename T>
static T getKurtosis(const ScoreRows<T> &rows, T maxLogit, Rounding rounding) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  std::vector<T> seen;
  for (int64_t term = 0; term < rows.getNumKeys(); ++term) {
    int64_t j = getTerm(term, rows.getNumKeys(), rounding);
    T score = rows.getScores()[j];
    if (!rows.isHidden(j) && score != -infinity)
      seen.push_back(T(std::exp(double(T(score - maxLogit)))));
  }
  T mean = 0, second = 0, fourth = 0;
  for (T weight : seen)
    mean += weight;
  mean /= T(seen.size());
  for (T weight : seen) {
    T square = (weight - mean) * (weight - mean);
    second += square;
    fourth += square * square;
  }
  if (llvm::all_equal(seen))
    return std::numeric_limits<T>::quiet_NaN();
  return fourth / second / second * T(seen.size());
}

template <typename T>
static RowStatistics<T> measureRow(const ScoreRows<T> &rows,
                                   ArrayRef<T> weights, Rounding rounding) {
  RowStatistics<T> row;
  auto count = int64_t(weights.size());
  for (int64_t term = 0; term < count; ++term) {
    int64_t j = getTerm(term, count, rounding);
    if (rows.isHidden(j))
      continue;
    T p = weights[j];
    row.sum += p;
    row.squares += p * p;
    if (p != 0)
      row.entropy -= p * T(std::log(double(p)));
    if (rows.getScores()[j] > row.maxLogit)
      row.maxLogit = rows.getScores()[j];
  }
  return row;
}

/// How many units of its own spread a similarity of 1 is.
static double getSpread(const AttentionProblem &problem) {
  return problem.getOp().isCosine()
             ? 1.0
             : std::sqrt(double(problem.getExtent(problem.getHeadDimDim())));
}

template <typename T>
static LogicalResult run(const AttentionProblem &problem,
                         ArrayRef<std::shared_ptr<Tensor>> outputs) {
  ScoreRows<T> rows(problem, /*packed=*/false);
  if (failed(rows.prepare()))
    return failure();
  Quantum quantum = getQuantum(outputs[0]->elementType, problem.getRounding());
  // An unfused algorithm stores its weights in the storage type.
  Quantum storage = quantum.isNarrow() ? quantum : Quantum();
  AffineAccess outAccess = problem.getOutputAccess(0, *outputs[0]);
  int64_t outStep = outAccess.getStep(problem.getValueDim());
  std::vector<T> weights(rows.getNumKeys());
  SmallVector<T> out(problem.getExtent(problem.getValueDim()));
  SmallVector<Probe> probes = problem.getOp().getProbeKinds();

  auto finishRow = [&](ArrayRef<int64_t> point) {
    T lse = RowSoftmax<T>{problem.getRounding()}.run(
        rows, problem.getLogExtra(point), weights);
    if (!storage.isNone())
      for (T &weight : weights) {
        double stored = weight;
        quantise(&stored, 1, storage);
        weight = T(stored);
      }
    std::vector<T> taken = weights;
    std::vector<T> seconds = roundToParts<T>(problem, taken);
    out.assign(out.size(), T(0));
    rows.addValues(taken, out, seconds);
    int64_t at = outAccess.getOffset(point);
    for (auto [index, value] : llvm::enumerate(out)) {
      double &to = outputs[0]->floats[at + int64_t(index) * outStep];
      to = value;
      quantise(&to, 1, quantum);
    }
    unsigned next = 1;
    auto store = [&](double value) {
      Tensor &to = *outputs[next];
      to.floats[problem.getOutputAccess(next, to).getOffset(point)] = T(value);
      ++next;
    };
    if (outputs.size() > 1 + probes.size())
      store(lse);
    RowStatistics<T> statistics =
        measureRow<T>(rows, weights, problem.getRounding());
    if (llvm::is_contained(probes, Probe::Kurtosis))
      statistics.kurtosis =
          getKurtosis<T>(rows, statistics.maxLogit, problem.getRounding());
    T alpha = T(getSpread(problem)) * T(problem.getLambda(point));
    for (Probe probe : probes)
      store(statistics.get(probe, alpha));
  };
  return forEachRow(problem, rows, finishRow);
}

bool computesInFloat(const AttentionProblem &problem) {
  return problem.getRounding() != Rounding::F64 &&
         problem.getOp().getComputeType().isF32();
}

LogicalResult runAttention(const AttentionProblem &problem,
                           ArrayRef<std::shared_ptr<Tensor>> outputs) {
  return computesInFloat(problem) ? run<float>(problem, outputs)
                                  : run<double>(problem, outputs);
}

} // namespace attn::reference::detail
