//===- Weights.cpp - The weights of a softmax -----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of n independent numbers x_j = e^(s_j) with Z = e0 + sum_j x_j,
//
//   1/Z = int e^(-t Z) dt   and   1/Z^2 = int t e^(-t Z) dt,   t from 0,
//
// turn the expectation of a ratio into integrals of the Laplace transform
// phi(t) = E e^(-t x):
//
//   E sum p     = n int E[x e^(-t x)] phi^(n-1) e^(-t e0) dt
//   E sum p^2   = n int t E[x^2 e^(-t x)] phi^(n-1) e^(-t e0) dt
//   E sum p_j p_k over j != k
//               = n (n-1) int t E[x e^(-t x)]^2 phi^(n-2) e^(-t e0) dt
//
// which holds for any spread of the scores, up to one-hot weights.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"

#include <cmath>

using namespace mlir;

namespace attn::moments {

RowWeights computeRowWeights(ArrayRef<std::pair<double, double>> exponentials,
                             const RowKind &row) {
  double n = std::max(1.0, row.visible), mean = 0.0;
  for (auto [x, weight] : exponentials)
    mean += weight * x;
  RowWeights result;
  if (!(mean > 0.0) || row.visible <= 0.0)
    return result;
  // Scores of hundreds: one of them takes all.
  if (!std::isfinite(n * mean))
    return {1.0, 1.0, 1.0};
  // The sum over t = e^u at equal steps of u is the integral, to all digits,
  // where it has both ends: it goes on until nothing is added any more.
  constexpr double kStep = 0.1, kNothing = 1e-12;
  double largest = 0.0;
  auto add = [&](double u) {
    double t = std::exp(u), phi = 0.0, first = 0.0, second = 0.0;
    for (auto [x, weight] : exponentials) {
      // t x, because x alone may be too large to be squared.
      double product = t * x, decay = weight * std::exp(-product);
      if (decay == 0.0)
        continue;
      phi += decay;
      first += product * decay;
      second += product * product * decay;
    }
    if (!(phi > 0.0))
      return 0.0;
    double rest = std::exp((n - 1.0) * std::log(phi) - t * row.extra);
    double sum = n * first * rest * kStep;
    double squares = n * second * rest * kStep;
    result.sum += sum;
    result.sumOfSquares += squares;
    result.squaredSum +=
        squares + n * (n - 1.0) * first * first * rest / phi * kStep;
    largest = std::max(largest, sum);
    return sum;
  };
  double start = std::log(1.0 / (n * mean + row.extra));
  for (double u = start; u <= 600.0; u += kStep)
    if (add(u) <= kNothing * largest)
      break;
  for (double u = start - kStep; u >= -700.0; u -= kStep)
    if (add(u) <= kNothing * largest)
      break;
  // Without an extra term weights add up to 1, exactly.
  if (row.extra == 0.0)
    result.sum = result.squaredSum = 1.0;
  return result;
}

Expr Engine::withinRow(Expr expr, int key) {
  DenseMap<const Source *, const Source *> narrowed;
  // The maximum is a common factor of all weights of a row.
  return graph.replaceDraws(graph.removeClips(expr), [&](Expr draw) -> Expr {
    const int *position = llvm::find(draw->dims, key);
    if (position == draw->dims.end())
      return draw->source->shape == Shape::Index
                 ? draw
                 : graph.constant(draw->source->mean);
    double common = draw->source->correlations[position - draw->dims.begin()];
    if (common <= 0.0)
      return draw;
    const Source *&source = narrowed[draw->source];
    if (!source) {
      Source copy = *draw->source;
      copy.variance *= 1.0 - common;
      copy.correlations[position - draw->dims.begin()] = 0.0;
      source = graph.addSource(std::move(copy));
    }
    return graph.draw(source, draw->dims);
  });
}

Expr Engine::softmaxWeights(Expr a, int key, double keys,
                            ArrayRef<RowKind> rows, int rowDim, double overlap,
                            RowWeights *weights) {
  // A row of one key has nothing in common with others: e0 sees all of it.
  Expr within = keys > 1.0 ? withinRow(a, key) : graph.removeClips(a);
  std::vector<std::pair<double, double>> values =
      sampleValues(within, /*coarse=*/true);
  RowWeights total;
  double uniform = 0.0;
  for (const RowKind &row : rows) {
    RowWeights here = computeRowWeights(values, row);
    total.sum += row.share * here.sum;
    total.squaredSum += row.share * here.squaredSum;
    total.sumOfSquares += row.share * here.sumOfSquares;
    uniform += row.share / std::max(1.0, row.visible);
  }
  if (weights)
    *weights = total;
  return drawWeights(within, key, keys, total, uniform, rowDim, overlap);
}

/// How alike the exponentials of rows are along another dimension. For normal
/// scores of variance v and correlation c it is (e^(c v) - 1) / (e^v - 1),
/// which has a limit where scores of hundreds leave the squares no numbers.
double Engine::getRowCorrelation(Expr within, int dim) {
  if (std::isfinite(getSecond(within)))
    return getCorrelation(within, dim);
  if (within->kind != Kind::Apply || within->fn != Fn::Exp)
    return 0.0;
  Expr scores = within->operands[0];
  return std::exp((getCorrelation(scores, dim) - 1.0) * getVariance(scores));
}

Expr Engine::drawWeights(Expr within, int key, double keys,
                         const RowWeights &weights, double uniform, int rowDim,
                         double overlap) {
  Source source{Shape::Positive, weights.sum / keys, 0.0, {}};
  double second = weights.sumOfSquares / keys;
  source.variance = atLeastZero(second - source.mean * source.mean);
  if (source.variance <= 1e-12 * second)
    return graph.constant(source.mean);
  SmallVector<int> dims = getVaryingDims(within);
  if (!llvm::is_contained(dims, key))
    dims.push_back(key);
  if (overlap >= 0.0 && !llvm::is_contained(dims, rowDim))
    dims.push_back(rowDim);
  for (int dim : dims) {
    double cross = 0.0;
    if (dim == key) {
      cross = keys > 1.0 ? (weights.squaredSum - weights.sumOfSquares) /
                               (keys * (keys - 1.0))
                         : second;
    } else {
      // Rows whose scores are independent meet where both see a key; rows
      // with the same scores are the same row.
      double shared = dim == rowDim && overlap >= 0.0 ? overlap : uniform;
      double apart = weights.squaredSum * shared / keys;
      cross = apart + (second - apart) * getRowCorrelation(within, dim);
    }
    source.correlations.push_back((cross - source.mean * source.mean) /
                                  source.variance);
  }
  return graph.draw(graph.addSource(std::move(source)), dims);
}

/// The sum among the terms of `b` whose body is `a` along some dimension.
static Expr findOwnSum(Graph &graph, Expr a, Expr b, int &key, Expr &extra) {
  auto isOwn = [&](Expr sum) {
    if (sum->kind != Kind::Sum || sum->dims.size() != 1)
      return false;
    for (int dim : getVaryingDims(a)) {
      Expr body = graph.replaceDraws(sum->operands[0], [&](Expr draw) -> Expr {
        SmallVector<int> dims(ArrayRef<int>(draw->dims));
        llvm::replace(dims, sum->dims[0], dim);
        return graph.draw(draw->source, dims);
      });
      key = dim;
      if (body == a)
        return true;
    }
    return false;
  };
  extra = graph.constant(0.0);
  if (isOwn(b))
    return b;
  if (!b->isAffine())
    return nullptr;
  for (auto [factor, term] : llvm::zip(b->coefficients, b->operands))
    if (factor == 1.0 && isOwn(term)) {
      extra = graph.subtract(b, term);
      return term;
    }
  return nullptr;
}

/// exp(x) and exp2(x) have scores; other weights that add up to 1 have none.
void Engine::noteSpelled(Expr within, double keys, double visible,
                         const RowWeights &weights) {
  if (!within->is(Fn::Exp) && !within->is(Fn::Exp2))
    return;
  Expr scores =
      graph.scale(within->operands[0], within->is(Fn::Exp2) ? M_LN2 : 1.0);
  spelledSoftmax = SpelledSoftmax{scores, keys, visible, weights};
}

Expr Engine::weightsOfQuotient(Expr a, Expr b) {
  int key = 0;
  Expr extra = nullptr;
  Expr sum = findOwnSum(graph, a, b, key, extra);
  if (!sum || !isNonNegative(a))
    return nullptr;
  Expr within = withinRow(a, key);
  // Rows that a mask treats differently: some of them stand for all.
  SmallVector<Expr> indices;
  for (Expr draw : within->draws)
    if (draw->source->shape == Shape::Index && !draw->variesAlong({key}))
      indices.push_back(draw);
  unsigned cases = indices.empty() ? 1 : 16;
  RowWeights total;
  double uniform = 0.0, visible = 0.0;
  for (unsigned i = 0; i < cases; ++i) {
    auto fix = [&](Expr draw) -> Expr {
      if (draw->variesAlong({key}))
        return draw;
      if (draw->source->shape != Shape::Index)
        return graph.constant(draw->source->mean);
      return graph.constant(
          std::floor((i + 0.5) / cases * draw->source->count));
    };
    std::vector<std::pair<double, double>> values =
        sampleValues(graph.replaceDraws(within, fix), /*coarse=*/true);
    double seen = 0.0;
    for (auto [x, weight] : values)
      seen += x > 0.0 ? weight : 0.0;
    RowKind row{sum->number, 1.0,
                std::max(0.0, getMean(graph.replaceDraws(extra, fix)))};
    RowWeights here = computeRowWeights(values, row);
    total.sum += here.sum / cases;
    total.squaredSum += here.squaredSum / cases;
    total.sumOfSquares += here.sumOfSquares / cases;
    uniform += 1.0 / std::max(1.0, seen * sum->number) / cases;
    visible += seen * sum->number / cases;
  }
  noteSpelled(within, sum->number, visible, total);
  return drawWeights(within, key, sum->number, total, uniform, key, -1.0);
}

} // namespace attn::moments
