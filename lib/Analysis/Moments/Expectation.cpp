//===- Expectation.cpp - Moments of expressions ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums and products of independent numbers have closed forms. Anything else is
// an integral over the draws it is made of: on a grid for up to three, at the
// points of a lattice for more.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"

#include "attn/Dialect/Attn/IR/GaussianMoments.h"
#include <array>
#include <cmath>

using namespace mlir;

namespace attn::moments {

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

/// The trapezoid rule, which for smooth functions under a normal density is
/// exact to all digits at steps of half a standard deviation; what needs finer
/// ones are kinks.
static Grid makeTensorGrid(unsigned variables, unsigned points, double end) {
  std::vector<double> z(points), w(points);
  double total = 0.0;
  for (unsigned i = 0; i < points; ++i) {
    z[i] = end * (2.0 * i / (points - 1) - 1.0);
    total += w[i] = std::exp(-0.5 * z[i] * z[i]);
  }
  Grid grid;
  grid.numbers.resize(variables);
  std::vector<unsigned> index(variables);
  while (true) {
    double weight = 1.0;
    for (unsigned v = 0; v < variables; ++v) {
      grid.numbers[v].push_back(z[index[v]]);
      weight *= w[index[v]] / total;
    }
    grid.weights.push_back(weight);
    unsigned v = 0;
    while (v < variables && ++index[v] == points)
      index[v++] = 0;
    if (v == variables)
      return grid;
  }
}

/// Korobov's lattice, through the quantiles of the normal distribution.
static Grid makeLattice(unsigned variables, unsigned points) {
  std::vector<double> quantiles(points);
  for (unsigned i = 0; i < points; ++i)
    quantiles[i] = normalQuantile((i + 0.5) / points);
  Grid grid;
  grid.numbers.resize(variables, std::vector<double>(points));
  grid.weights.assign(points, 1.0 / points);
  uint64_t generator = 1;
  for (unsigned v = 0; v < variables; ++v) {
    for (unsigned i = 0; i < points; ++i)
      grid.numbers[v][i] = quantiles[(i * generator) % points];
    generator = (generator * 4567) % points;
  }
  return grid;
}

const Grid &Engine::getGrid(ArrayRef<Expr> draws, unsigned variables,
                            Fineness level) {
  unsigned detail = unsigned(level);
  // Points that are evenly spread over probabilities, for indices.
  bool isLattice = variables > 3 || (variables == 3 && detail > 0) ||
                   (variables == 2 && llvm::any_of(draws, [](Expr draw) {
                      return draw->source->shape == Shape::Index;
                    }));
  auto [it, isNew] = grids.try_emplace({variables, 2 * detail + isLattice});
  if (!isNew)
    return it->second;
  if (variables == 0)
    it->second.weights = {1.0};
  else if (isLattice)
    it->second = makeLattice(variables, std::array{16381, 2039, 509}[detail]);
  else if (variables == 1)
    it->second = makeTensorGrid(1, std::array{4801, 241, 61}[detail], 12.0);
  else if (variables == 2)
    it->second = makeTensorGrid(2, std::array{121, 37, 19}[detail], 9.0);
  else
    it->second = makeTensorGrid(3, 33, 8.0);
  return it->second;
}

//===----------------------------------------------------------------------===//
// Values at points
//===----------------------------------------------------------------------===//

std::vector<double> Engine::shapeDraw(const Source &source,
                                      const std::vector<double> &z) {
  std::vector<double> values(z.size());
  double deviation = std::sqrt(source.variance);
  if (source.shape == Shape::Index) {
    for (auto [value, x] : llvm::zip(values, z))
      value = std::min(std::floor(normalDistribution(x) * source.count),
                       source.count - 1.0);
    return values;
  }
  if (source.shape == Shape::Cosine) {
    const ScoreDistribution &cosines =
        this->cosines
            .try_emplace(source.count, ScoreModel::Cosine, source.count)
            .first->second;
    for (auto [value, x] : llvm::zip(values, z)) {
      double size = cosines.getQuantile(normalDistribution(-std::fabs(x)));
      value = source.mean +
              std::copysign(size, x) * deviation * std::sqrt(source.count);
    }
    return values;
  }
  if (source.shape == Shape::Positive && source.mean > 0.0) {
    double variance = std::log1p(source.variance / (source.mean * source.mean));
    double shift = std::log(source.mean) - 0.5 * variance;
    for (auto [value, x] : llvm::zip(values, z))
      value = std::exp(shift + std::sqrt(variance) * x);
    return values;
  }
  for (auto [value, x] : llvm::zip(values, z))
    value = source.mean + deviation * x;
  return values;
}

std::vector<double> Engine::evaluateSum(Expr expr, Values &values,
                                        size_t points) {
  Expr body = expr->operands[0];
  SmallVector<Expr> varying, fixed;
  for (Expr draw : body->draws)
    (draw->variesAlong(expr->dims) ? varying : fixed).push_back(draw);
  const Grid &grid = getGrid(varying, varying.size(), Fineness::Coarse);
  Values inner;
  for (auto [i, draw] : llvm::enumerate(varying))
    inner[draw] = shapeDraw(*draw->source, grid.numbers[i]);
  std::vector<double> result(points);
  for (size_t point = 0; point < points; ++point) {
    Values here = inner;
    for (Expr draw : fixed)
      here[draw].assign(grid.size(), values[draw][point]);
    std::vector<double> terms = evaluatePoints(body, here, grid.size());
    double mean = 0.0;
    for (auto [weight, term] : llvm::zip(grid.weights, terms))
      mean += weight * term;
    result[point] = expr->number * mean;
  }
  return result;
}

std::vector<double> Engine::evaluatePoints(Expr expr, Values &values,
                                           size_t points) {
  if (auto known = values.find(expr); known != values.end())
    return known->second;
  std::vector<double> result(points, expr->number);
  if (expr->kind == Kind::Sum) {
    result = evaluateSum(expr, values, points);
  } else if (expr->isAffine()) {
    for (auto [coefficient, operand] :
         llvm::zip(expr->coefficients, expr->operands)) {
      std::vector<double> term = evaluatePoints(operand, values, points);
      for (size_t i = 0; i < points; ++i)
        result[i] += coefficient * term[i];
    }
  } else if (expr->kind == Kind::Apply) {
    SmallVector<std::vector<double>, 3> operands;
    for (Expr operand : expr->operands)
      operands.push_back(evaluatePoints(operand, values, points));
    SmallVector<double, 3> arguments(operands.size());
    for (size_t i = 0; i < points; ++i) {
      for (size_t k = 0; k < operands.size(); ++k)
        arguments[k] = operands[k][i];
      result[i] = evaluate(*expr, arguments);
    }
  }
  values[expr] = result;
  return result;
}

/// Each point of an expression with sums in it costs a grid of its own.
static Fineness fineness(Expr expr, bool coarse) {
  if (expr->hasSum)
    return Fineness::Rough;
  return coarse ? Fineness::Coarse : Fineness::Fine;
}

Sample Engine::sampleValues(Expr expr, bool coarse) {
  const Grid &grid =
      getGrid(expr->draws, expr->draws.size(), fineness(expr, coarse));
  Values values;
  for (auto [i, draw] : llvm::enumerate(expr->draws))
    values[draw] = shapeDraw(*draw->source, grid.numbers[i]);
  std::vector<double> result = evaluatePoints(expr, values, grid.size());
  Sample pairs;
  for (auto [value, weight] : llvm::zip(result, grid.weights))
    pairs.emplace_back(value, weight);
  return pairs;
}

//===----------------------------------------------------------------------===//
// Moments
//===----------------------------------------------------------------------===//

Summary summariseValues(SampleRef values) {
  Summary summary;
  for (auto [value, weight] : values) {
    if (isHidden(value)) {
      summary.hasNaN |= std::isnan(value) && weight > 1e-9;
      continue;
    }
    summary.mean += weight * value;
    summary.second += weight * value * value;
    summary.finite += weight;
  }
  if (summary.finite > 0.0) {
    summary.mean /= summary.finite;
    summary.second /= summary.finite;
  }
  return summary;
}

Summary Engine::summariseBySampling(Expr expr) {
  Summary summary = summariseValues(sampleValues(expr));
  // What is left of a mean of 0 is rounding.
  if (summary.mean * summary.mean < 1e-24 * summary.second)
    summary.mean = 0.0;
  if (summary.hasNaN)
    summary.mean = summary.second = NAN;
  if (!summary.hasNaN && summary.finite < 1.0 - 1e-6 && summary.finite > 0.0)
    assume("hidden scores, which are below -1e8, are not counted");
  return summary;
}

bool Engine::sharesDraws(ArrayRef<Expr> operands) {
  llvm::SmallPtrSet<Expr, 16> seen;
  for (Expr operand : operands)
    for (Expr draw : operand->draws)
      if (!seen.insert(draw).second)
        return true;
  return false;
}

const Summary &Engine::summarise(Expr expr) {
  if (auto known = summaries.find(expr); known != summaries.end())
    return known->second;
  Summary summary;
  summary.finite = 1.0;
  if (expr->isConstant()) {
    summary.mean = expr->number;
    summary.second = expr->number * expr->number;
    summary.finite = std::isfinite(expr->number);
    summary.hasNaN = std::isnan(expr->number);
  } else if (expr->kind == Kind::Draw) {
    summary.mean = expr->source->mean;
    summary.second = summary.mean * summary.mean + expr->source->variance;
  } else if (expr->isAffine() && !sharesDraws(expr->operands)) {
    summary.mean = expr->number;
    double variance = 0.0;
    for (auto [coefficient, operand] :
         llvm::zip(expr->coefficients, expr->operands)) {
      Summary term = summarise(operand);
      summary.mean += coefficient * term.mean;
      variance += coefficient * coefficient * getVariance(operand);
      summary.finite = std::min(summary.finite, term.finite);
      summary.hasNaN |= term.hasNaN;
    }
    summary.second = summary.mean * summary.mean + variance;
  } else if (expr->is(Fn::Mul) && !sharesDraws(expr->operands)) {
    Summary a = summarise(expr->operands[0]), b = summarise(expr->operands[1]);
    summary.mean = a.mean * b.mean;
    summary.second = a.second * b.second;
    summary.finite = std::min(a.finite, b.finite);
    summary.hasNaN = a.hasNaN || b.hasNaN;
  } else {
    summary = summariseBySampling(expr);
  }
  return summaries[expr] = summary;
}

double Engine::getVariance(Expr expr) {
  Summary summary = summarise(expr);
  return atLeastZero(summary.second - summary.mean * summary.mean);
}

/// Of two draws that differ in each of `dims`.
static double getDrawCorrelation(Expr draw, ArrayRef<int> dims) {
  double product = 1.0;
  for (auto [dim, correlation] :
       llvm::zip(draw->dims, draw->source->correlations))
    if (llvm::is_contained(dims, dim))
      product *= correlation;
  return product;
}

double Engine::crossBySampling(Expr expr, ArrayRef<int> dims) {
  SmallVector<double> correlations;
  unsigned variables = expr->draws.size();
  for (Expr draw : expr->draws) {
    correlations.push_back(getDrawCorrelation(draw, dims));
    variables += correlations.back() < 1.0;
  }
  const Grid &grid = getGrid(expr->draws, variables, fineness(expr, false));
  Values here, there;
  unsigned next = expr->draws.size();
  for (auto [i, draw] : llvm::enumerate(expr->draws)) {
    const std::vector<double> &z = grid.numbers[i];
    here[draw] = shapeDraw(*draw->source, z);
    double correlation = correlations[i];
    if (correlation >= 1.0) {
      there[draw] = here[draw];
      continue;
    }
    std::vector<double> other = grid.numbers[next++];
    double rest = std::sqrt(std::max(0.0, 1.0 - correlation * correlation));
    for (size_t k = 0; k < other.size(); ++k)
      other[k] = correlation * z[k] + rest * other[k];
    there[draw] = shapeDraw(*draw->source, other);
  }
  std::vector<double> a = evaluatePoints(expr, here, grid.size());
  std::vector<double> b = evaluatePoints(expr, there, grid.size());
  double sum = 0.0, total = 0.0;
  for (size_t i = 0; i < grid.size(); ++i) {
    if (isHidden(a[i]) || isHidden(b[i]))
      continue;
    sum += grid.weights[i] * a[i] * b[i];
    total += grid.weights[i];
  }
  return total > 0.0 ? sum / total : 0.0;
}

double Engine::getCross(Expr expr, ArrayRef<int> dims) {
  double mean = getMean(expr);
  bool allSame = true, allIndependent = true;
  for (Expr draw : expr->draws) {
    double correlation = getDrawCorrelation(draw, dims);
    allSame &= correlation == 1.0;
    allIndependent &= correlation == 0.0;
  }
  if (allSame)
    return getSecond(expr);
  if (allIndependent)
    return mean * mean;
  if (expr->kind == Kind::Draw)
    return mean * mean +
           expr->source->variance * getDrawCorrelation(expr, dims);
  std::pair<Expr, std::vector<int>> key{expr, {dims.begin(), dims.end()}};
  llvm::sort(key.second);
  if (auto known = crosses.find(key); known != crosses.end())
    return known->second;
  double cross = 0.0;
  if (expr->isAffine() && !sharesDraws(expr->operands)) {
    cross = mean * mean;
    for (auto [coefficient, operand] :
         llvm::zip(expr->coefficients, expr->operands)) {
      double term = getMean(operand);
      cross +=
          coefficient * coefficient * (getCross(operand, dims) - term * term);
    }
  } else if (expr->is(Fn::Mul) && !sharesDraws(expr->operands)) {
    cross =
        getCross(expr->operands[0], dims) * getCross(expr->operands[1], dims);
  } else {
    cross = crossBySampling(expr, dims);
  }
  return crosses[key] = cross;
}

double Engine::getCorrelation(Expr expr, ArrayRef<int> dims) {
  double variance = getVariance(expr), mean = getMean(expr);
  double covariance = getCross(expr, dims) - mean * mean;
  if (variance <= 1e-14 * (mean * mean) || variance == 0.0)
    return 1.0;
  double correlation = covariance / variance;
  return std::clamp(std::fabs(correlation) < 1e-9 ? 0.0 : correlation, -1.0,
                    1.0);
}

} // namespace attn::moments
