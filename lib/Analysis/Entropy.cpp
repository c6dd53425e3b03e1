//===- Entropy.cpp - Entropy of the weights of random scores --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/Entropy.h"
#include "attn/Support/Philox.h"
#include "mlir/AsmParser/AsmParser.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace attn;

static constexpr double kPi = 3.14159265358979323846;

//===----------------------------------------------------------------------===//
// The distribution of a score
//===----------------------------------------------------------------------===//

/// log sin(theta)^(d - 2), the density of the angle but for a factor.
static double logAngleDensity(double theta, double headDim) {
  // At the poles the sine of the rounded angle may be negative.
  double sine = std::max(std::sin(theta), 1e-300);
  return headDim == 2 ? 0.0 : (headDim - 2) * std::log(sine);
}

ScoreDistribution::ScoreDistribution(ScoreModel model, double headDim)
    : model(model), headDim(headDim) {
  if (model != ScoreModel::Cosine)
    return;
  constexpr int kAngles = 1 << 14;
  distribution.resize(kAngles + 1, 0.0);
  double before = 0.0;
  for (int i = 0; i <= kAngles; ++i) {
    double density = std::exp(logAngleDensity(kPi * i / kAngles, headDim));
    distribution[i] = i == 0 ? 0.0 : distribution[i - 1] + before + density;
    before = density;
  }
  for (double &below : distribution)
    below /= distribution.back();
}

double ScoreDistribution::getFactor(double lambda) const {
  return model == ScoreModel::Normal ? lambda * std::sqrt(headDim) : lambda;
}

/// Trapezoids, which converge exponentially: the integrands are analytic, and
/// vanish at the ends or are periodic there. exp(a s) turns at a scale of 1 / a
/// in s, so the step follows a.
ScoreDistribution::Rule ScoreDistribution::getRule(double a) const {
  Rule rule;
  double magnitude = std::fabs(a), sum = 0.0;
  auto add = [&](double value, double weight) {
    rule.values.push_back(value);
    rule.weights.push_back(weight);
    sum += weight;
  };
  if (model == ScoreModel::Normal) {
    constexpr double kEnd = 9.5;
    double step = std::min(0.25, 0.35 / std::max(magnitude, 1.0));
    int count = int(std::ceil(kEnd / step));
    for (int i = -count; i <= count; ++i)
      add(i * step, std::exp(-0.5 * i * step * i * step));
  } else {
    // The angle's density has a kink at the poles in odd dimensions; the steps
    // shrink there with the cube of the distance, which makes it harmless.
    double need = 32.0 * (8.0 + std::sqrt(headDim) + magnitude);
    int count = int(std::min(need, 65536.0));
    for (int i = 0; i <= count; ++i) {
      double t = double(i) / count;
      double theta = kPi * t - std::sin(2.0 * kPi * t) / 2.0;
      double step = 1.0 - std::cos(2.0 * kPi * t);
      add(std::cos(theta), step * std::exp(logAngleDensity(theta, headDim)));
    }
  }
  for (double &weight : rule.weights)
    weight /= sum;
  return rule;
}

ScoreDistribution::LogMoment ScoreDistribution::getLogMoment(double a) const {
  if (model == ScoreModel::Normal)
    return {a * a / 2, a};
  Rule rule = getRule(a);
  double sum = 0.0, weighted = 0.0, top = std::fabs(a);
  for (auto [value, weight] : llvm::zip(rule.values, rule.weights)) {
    double mass = weight * std::exp(a * value - top);
    sum += mass;
    weighted += mass * value;
  }
  return {std::log(sum) + top, weighted / sum};
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// A draw of s from two uniform numbers: for normal scores by Box and Muller.
double ScoreDistribution::drawOne(double u, double v) const {
  if (model == ScoreModel::Normal)
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * kPi * v);
  return getQuantile(u);
}

double ScoreDistribution::getQuantile(double u) const {
  auto above = std::upper_bound(distribution.begin(), distribution.end(), u);
  size_t i = std::max<size_t>(1, above - distribution.begin());
  i = std::min(i, distribution.size() - 1);
  double low = distribution[i - 1], high = distribution[i];
  double part = high > low ? (u - low) / (high - low) : 0.5;
  return std::cos(kPi * (double(i - 1) + part) /
                  double(distribution.size() - 1));
}

std::vector<double> ScoreDistribution::draw(int64_t count, uint64_t seed,
                                            uint64_t row) const {
  std::vector<double> draws(count);
  auto toUniform = [](uint32_t word) { return (word + 0.5) / 4294967296.0; };
  for (int64_t i = 0; i < count; i += 2) {
    PhiloxWords words =
        philox4x32({uint32_t(i / 2), uint32_t(uint64_t(i / 2) >> 32),
                    uint32_t(row), uint32_t(row >> 32)},
                   {uint32_t(seed), uint32_t(seed >> 32)});
    draws[i] = drawOne(toUniform(words[0]), toUniform(words[1]));
    if (i + 1 < count)
      draws[i + 1] = drawOne(toUniform(words[2]), toUniform(words[3]));
  }
  return draws;
}

/// And the sum of the squares of the weights.
static std::pair<double, double> computeRowEntropy(ArrayRef<double> scores,
                                                   double a) {
  double top = -std::numeric_limits<double>::infinity();
  for (double s : scores)
    top = std::max(top, a * s);
  double sum = 0.0, weighted = 0.0, squares = 0.0;
  for (double s : scores) {
    double mass = std::exp(a * s - top);
    sum += mass;
    squares += mass * mass;
    weighted += mass * (a * s - top);
  }
  return {std::log(sum) - weighted / sum, squares / (sum * sum)};
}

std::vector<MeasuredEntropy>
attn::measureEntropy(const ScoreDistribution &scores, ArrayRef<double> factors,
                     int64_t n, int64_t rows, uint64_t seed) {
  std::vector<double> sums(factors.size(), 0.0), squares(sums), weights(sums);
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<double> draws = scores.draw(n, seed, row);
    for (auto [i, a] : llvm::enumerate(factors)) {
      auto [entropy, squaredWeights] = computeRowEntropy(draws, a);
      weights[i] += squaredWeights / double(rows);
      sums[i] += entropy;
      squares[i] += entropy * entropy;
    }
  }
  std::vector<MeasuredEntropy> results;
  for (auto [sum, square, weight] : llvm::zip(sums, squares, weights)) {
    double mean = sum / rows;
    double variance = std::max(0.0, square / rows - mean * mean);
    results.push_back({mean, std::sqrt(variance / rows), weight});
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Expectations
//===----------------------------------------------------------------------===//

double attn::computeEntropyFormula(const ScoreDistribution &scores, double a,
                                   double n) {
  ScoreDistribution::LogMoment moment = scores.getLogMoment(a);
  return std::log(n) + moment.value - a * moment.slope;
}

/// With phi(t) = E exp(-t e^(a s)), the transform of one term of Z,
///   E log Z = integral of (exp(-t) - phi(t)^n) dt / t,
///   E sum_j p_j a s_j
///     = n integral of E[a s e^(a s) exp(-t e^(a s))] phi(t)^(n - 1) dt,
/// over t > 0, here over u = log t by trapezoids.
double attn::computeExpectedEntropy(const ScoreDistribution &scores, double a,
                                    double n) {
  // Almost all weight is the first score's then, and the entropy that of its
  // gap to the second, whose density at 0 does not depend on a: it falls with
  // 1/a.
  double largest = scores.getLargestFactor();
  if (std::fabs(a) > largest)
    return computeExpectedEntropy(scores, std::copysign(largest, a), n) *
           largest / std::fabs(a);
  ScoreDistribution::Rule rule = scores.getRule(a);
  std::vector<std::pair<double, double>> points;
  for (auto [value, weight] : llvm::zip(rule.values, rule.weights))
    points.emplace_back(a * value, weight);
  llvm::sort(points);
  double reach =
      std::max(std::fabs(points.front().first), std::fabs(points.back().first));
  // Below the first end every term is as good as its limit, beyond the last
  // one all are 0.
  double first = -reach - std::log(n) - 40.0, last = reach + 5.0;
  constexpr double kStep = 0.25;
  double logSum = 0.0, weighted = 0.0;
  // Of the points with t = e^(u + s) one sees those that are neither infinite
  // nor 0 to it: as u grows, the last ones become infinite.
  ArrayRef<std::pair<double, double>> finite = points;
  double infinite = 0.0;
  for (double u = first; u <= last; u += kStep) {
    for (; !finite.empty() && u + finite.back().first > 40.0;
         finite = finite.drop_back())
      infinite += finite.back().second;
    double missing = infinite, inner = 0.0;
    for (auto [s, weight] : llvm::reverse(finite)) {
      if (u + s < -40.0)
        break;
      double t = std::exp(u + s);
      missing -= weight * std::expm1(-t);
      inner += weight * s * t * std::exp(-t);
    }
    double logPhi = std::log1p(-std::min(missing, 1.0));
    logSum += std::exp(-std::exp(u)) - std::exp(n * logPhi);
    // Where phi vanishes, so does the power of it.
    double power = n == 1.0 ? 1.0 : std::exp((n - 1.0) * logPhi);
    weighted += inner * power;
  }
  return kStep * (logSum - n * weighted);
}

std::optional<double> attn::getScaleAt(ScalePolicyAttrInterface policy,
                                       double headDim, double n) {
  double length = n;
  if (LengthAttr source = policy.getLength())
    length = source.getConstant().value_or(n);
  return policy.evaluate(headDim, std::max(length, 1.0));
}

ScalePolicyAttrInterface attn::parseScalePolicy(MLIRContext *context,
                                                StringRef name) {
  std::string full = name.starts_with("#") ? name.str() : "#attn." + name.str();
  return dyn_cast_or_null<ScalePolicyAttrInterface>(
      parseAttribute(full, context));
}

bool attn::isScaleOf(ScalePolicyAttrInterface policy, int64_t headDim,
                     bool isCosine) {
  MLIRContext *context = policy.getContext();
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  auto refuse = [&] { return emitError(UnknownLoc::get(context)); };
  return succeeded(policy.verifyPolicy(refuse, headDim, isCosine));
}

ScalePolicyAttrInterface attn::getPolicyOfLength(MLIRContext *context,
                                                 bool isCosine) {
  auto keys = LengthAttr::get(context, LengthKind::Keys, 0);
  if (isCosine)
    return GradientMaxFitAttr::get(context, ScoreModel::Cosine, keys);
  return LogLengthAttr::get(context, 512.0, keys);
}
