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
// and E sum p_j p_k s_j s_k likewise, which holds for any spread of the scores,
// up to one-hot weights.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"

#include <cmath>

using namespace mlir;

namespace attn::moments {

namespace {
/// A value of e^s, how likely it is, and s, of mean 0; hidden scores have none.
struct WeightPoint {
  double x, share, score;
};
} // namespace

/// Makes `points` of values and probabilities; returns the variance of s.
static double readScores(SampleRef exponentials,
                         std::vector<WeightPoint> &points) {
  double mean = 0.0, square = 0.0, visible = 0.0;
  for (auto [x, share] : exponentials) {
    double score = x > 0.0 ? std::log(x) : 0.0;
    visible += x > 0.0 ? share : 0.0;
    mean += share * score;
    square += share * score * score;
    points.push_back({x, share, score});
  }
  mean /= visible;
  for (WeightPoint &point : points)
    point.score = point.x > 0.0 ? point.score - mean : 0.0;
  return square / visible - mean * mean;
}

RowWeights computeRowWeights(SampleRef exponentials, const RowKind &row) {
  std::vector<WeightPoint> points;
  double variance = readScores(exponentials, points);
  double n = std::max(1.0, row.visible), mean = 0.0;
  for (const WeightPoint &point : points)
    mean += point.share * point.x;
  RowWeights result;
  if (!(mean > 0.0) || row.visible <= 0.0)
    return result;
  // Scores of hundreds: one of them takes all.
  if (!std::isfinite(n * mean))
    return {1.0, 1.0, 1.0, 0.0, 0.0};
  // The sum over t = e^u at equal steps h of u is the integral but for
  // e^(-pi^2 / h) where it has both ends: it goes on until nothing is added any
  // more.
  constexpr double kStep = 0.25, kNothing = 1e-12;
  double largest = 0.0;
  auto add = [&](double u) {
    double t = std::exp(u), phi = 0.0, first = 0.0, second = 0.0;
    double firstScore = 0.0, secondScore = 0.0;
    for (auto [x, share, score] : points) {
      // t x, because x alone may be too large to be squared.
      double product = t * x, decay = share * std::exp(-product);
      if (decay == 0.0)
        continue;
      phi += decay;
      first += product * decay;
      second += product * product * decay;
      firstScore += product * score * decay;
      secondScore += product * product * score * score * decay;
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
    double pairs = n * (n - 1.0) * firstScore * firstScore / phi * rest * kStep;
    result.pairTilt += pairs;
    result.tilt += n * secondScore * rest * kStep + pairs;
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
  double inverse = variance > 1e-12 ? 1.0 / variance : 0.0;
  result.pairTilt *= inverse;
  result.tilt =
      inverse * std::max(0.0, result.tilt - variance * result.sumOfSquares);
  // Without an extra term weights add up to 1, exactly.
  if (row.extra == 0.0)
    result.sum = result.squaredSum = 1.0;
  return result;
}

void RowWeights::add(const RowWeights &other, double share) {
  sum += share * other.sum;
  squaredSum += share * other.squaredSum;
  sumOfSquares += share * other.sumOfSquares;
  tilt += share * other.tilt;
  pairTilt += share * other.pairTilt;
}

Expr Engine::withinRow(Expr expr, int key, double length) {
  DenseMap<const Source *, const Source *> narrowed;
  // The maximum is a common factor of all weights of a row.
  return graph.replaceDraws(graph.removeClips(expr), [&](Expr draw) -> Expr {
    if (draw->source->isLength)
      return graph.constant(length);
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

/// Rows or heads that differ by their index, as a mask or a factor of theirs
/// does: some of them stand for all.
static unsigned countCases(Expr within, int key) {
  bool hasIndex = llvm::any_of(within->draws, [&](Expr draw) {
    return draw->source->shape == Shape::Index && !draw->variesAlong({key});
  });
  return hasIndex ? 16 : 1;
}

Expr Engine::fixRow(Expr expr, int key, unsigned i, unsigned cases) {
  return graph.replaceDraws(expr, [&](Expr draw) {
    if (draw->source->shape != Shape::Index || draw->variesAlong({key}))
      return draw;
    // Indices of two dimensions go with each other in another order.
    unsigned at = i * (2 * unsigned(draw->dims[0]) + 1) % cases;
    return graph.constant((at + 0.5) / cases * draw->source->count - 0.5);
  });
}

/// The length of rows in `expr`, if it has one.
static const Source *findLength(Expr expr) {
  for (Expr draw : expr->draws)
    if (draw->source->isLength)
      return draw->source;
  return nullptr;
}

/// Five points of Gauss and Hermite, for a length that is log-normal.
static Sample getLengths(const Source *length) {
  if (!length || length->variance < 1e-6)
    return {{1.0, 1.0}};
  double deviation =
      std::sqrt(std::log1p(length->variance / (length->mean * length->mean)));
  Sample lengths;
  constexpr std::pair<double, double> points[] = {
      {0.0, 8.0 / 15.0},
      {1.355626179974266, 0.2220759220056126},
      {-1.355626179974266, 0.2220759220056126},
      {2.856970013872806, 0.01125741132772069},
      {-2.856970013872806, 0.01125741132772069}};
  for (auto [z, weight] : points)
    lengths.emplace_back(
        length->mean * std::exp(deviation * z - 0.5 * deviation * deviation),
        weight);
  return lengths;
}

Expr Engine::softmaxWeights(Expr a, int key, double keys,
                            ArrayRef<RowKind> rows, int rowDim, double overlap,
                            RowWeights *weights) {
  // A row of one key has nothing in common with others: e0 sees all of it.
  auto getWithin = [&](double length) {
    return keys > 1.0 ? withinRow(a, key, length) : graph.removeClips(a);
  };
  unsigned cases = countCases(getWithin(1.0), key);
  std::map<std::pair<double, unsigned>, Sample> samples;
  auto getValues = [&](double length, unsigned i) -> const auto & {
    auto [it, isNew] = samples.try_emplace({length, i});
    if (isNew)
      it->second = sampleValues(fixRow(getWithin(length), key, i, cases),
                                /*coarse=*/true);
    return it->second;
  };
  RowWeights total;
  double uniform = 0.0;
  for (const RowKind &row : rows) {
    for (auto [length, share] : getLengths(findLength(a)))
      for (unsigned i = 0; i < cases; ++i)
        total.add(computeRowWeights(getValues(length * row.scale, i), row),
                  row.share * share / cases);
    uniform += row.share / std::max(1.0, row.visible);
  }
  if (weights)
    *weights = total;
  return drawWeights(getWithin(1.0), key, keys, total, uniform, rowDim,
                     overlap);
}

double Engine::getSharedPart(Expr keys, Expr values, int key, double headDim) {
  double part = 0.0;
  for (Expr a : keys->draws)
    for (Expr b : values->draws) {
      if (!a->variesAlong({key}) || !b->variesAlong({key}))
        continue;
      const Source &from = *a->source, &to = *b->source;
      if (&from == &to)
        part = std::max(part, 1.0 / headDim);
      else if (llvm::is_contained(to.summed, &from))
        part = std::max(part, 1.0 / to.terms);
      else if (llvm::is_contained(from.summed, &to) ||
               llvm::any_of(from.summed, [&](const Source *source) {
                 return llvm::is_contained(to.summed, source);
               }))
        part = std::max(part, 1.0 / from.terms);
    }
  return part;
}

Expr Engine::shapeScores(Expr scores, std::optional<double> cosineDim,
                         Expr query, double spread, int headDimDim) {
  if (cosineDim && *cosineDim >= 2.0)
    scores = graph.replaceDraws(scores, [&](Expr draw) {
      Source source = *draw->source;
      source.shape = Shape::Cosine;
      source.count = *cosineDim;
      return graph.draw(std::move(source), draw->dims);
    });
  // The square of the length is log-normal of mean 1. Rows of different lambda
  // need one, too.
  double logVariance = std::log1p(std::max(spread, 1e-9));
  Source length{Shape::Positive, std::exp(-logVariance / 8.0),
                -std::expm1(-logVariance / 4.0)};
  length.isLength = true;
  SmallVector<int> dims;
  for (int dim : getVaryingDims(query))
    if (dim != headDimDim)
      dims.push_back(dim);
  length.correlations.assign(dims.size(), 0.0);
  return graph.multiply(scores, graph.draw(std::move(length), dims));
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
  Source source{Shape::Positive, weights.sum / keys, 0.0};
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
  return graph.draw(std::move(source), dims);
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
  unsigned cases = countCases(within, key);
  RowWeights total;
  double uniform = 0.0, visible = 0.0;
  for (unsigned i = 0; i < cases; ++i) {
    Sample values =
        sampleValues(fixRow(within, key, i, cases), /*coarse=*/true);
    double seen = 0.0;
    for (auto [x, weight] : values)
      seen += x > 0.0 ? weight : 0.0;
    RowKind row{
        sum->number, 1.0, 1.0,
        std::max(0.0, getMean(fixRow(withinRow(extra, key), key, i, cases)))};
    RowWeights here = computeRowWeights(values, row);
    total.add(here, 1.0 / cases);
    uniform += 1.0 / std::max(1.0, seen * sum->number) / cases;
    visible += seen * sum->number / cases;
  }
  noteSpelled(within, sum->number, visible, total);
  return drawWeights(within, key, sum->number, total, uniform, key, -1.0);
}

} // namespace attn::moments
