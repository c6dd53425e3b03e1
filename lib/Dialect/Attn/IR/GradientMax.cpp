//===- GradientMax.cpp - The gradient-maximising scale ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/GradientMax.h"

#include <algorithm>
#include <cmath>

using namespace attn;

double attn::gradientMaxNormal(double n) {
  if (n <= 1)
    return 0;
  // Newton's method on w + log w = log(n sqrt(e) / 2), which is concave in w:
  // it converges from below at once and needs no safeguard.
  double target = std::log(n / 2) + 0.5;
  double w = std::log1p(std::exp(target));
  for (int i = 0; i < 50; ++i) {
    double next = w * (1 + target - std::log(w)) / (1 + w);
    if (std::abs(next - w) <= 1e-16 * w)
      break;
    w = next;
  }
  return std::sqrt(std::max(w - 0.5, 0.0));
}

namespace {

/// log g(a) - a and its derivative: without the a, the differences taken below
/// keep their digits when a is large. g(a) = 0F1(; d/2; a^2 / 4), a series of
/// positive terms, so it is summed as it stands; partial sums are rescaled so
/// that they never overflow.
struct LogMoment {
  double value, slope;
};

} // namespace

static LogMoment logMomentFar(double headDim, double a) {
  double order = headDim / 2 - 1, mu = 4 * order * order;
  double term = 1, sum = 1, slope = 0;
  for (int k = 1; k < 40; ++k) {
    double odd = 2 * k - 1;
    term *= -(mu - odd * odd) / (8 * a * k);
    sum += term;
    slope -= k * term / a;
    if (std::abs(term) < 1e-17)
      break;
  }
  double value = std::lgamma(headDim / 2) + order * std::log(2 / a) -
                 0.5 * std::log(2 * M_PI * a) + std::log(sum);
  return {value, -(order + 0.5) / a + slope / sum};
}

static LogMoment logMoment(double headDim, double a) {
  // Far beyond d^2 the series is long and the Bessel function's expansion in
  // 1 / a is short.
  if (a > std::max(2000.0, headDim * headDim))
    return logMomentFar(headDim, a);
  double half = headDim / 2, x = a * a / 4;
  double term = 1, sum = 1, weighted = 0, logScale = 0;
  for (int k = 1; k < 100000; ++k) {
    term *= x / (k * (half + k - 1));
    sum += term;
    weighted += k * term;
    if (term < sum * 1e-17)
      break;
    if (sum > 1e200) {
      logScale += std::log(sum);
      term /= sum;
      weighted /= sum;
      sum = 1;
    }
  }
  // d/da of a^(2k) is 2k / a times it.
  return {std::log(sum) + logScale - a,
          (a > 0 ? 2 * weighted / (sum * a) : 0) - 1};
}

double attn::gradientMaxCosine(double headDim, double n) {
  if (n <= 1)
    return 0;
  // The derivative vanishes where G + log(1 + a G') = log n with
  // G(a) = log g(2a) - 2 log g(a); the left side grows with a.
  double logN = std::log(n);
  auto excess = [&](double a) {
    LogMoment one = logMoment(headDim, a), two = logMoment(headDim, 2 * a);
    return two.value - 2 * one.value +
           std::log1p(a * 2 * (two.slope - one.slope)) - logN;
  };
  double low = 0, high = 1, atLow = excess(0), atHigh;
  while ((atHigh = excess(high)) < 0)
    low = high, atLow = atHigh, high *= 2;
  // Regula falsi in the Illinois form: an end that stays is given half weight.
  for (int i = 0, side = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    double next = (low * atHigh - high * atLow) / (atHigh - atLow);
    if (!(next > low && next < high))
      break;
    double value = excess(next);
    if (std::abs(value) < 1e-14)
      return next;
    if (value < 0) {
      low = next, atLow = value;
      atHigh *= side == -1 ? 0.5 : 1;
      side = -1;
    } else {
      high = next, atHigh = value;
      atLow *= side == 1 ? 0.5 : 1;
      side = 1;
    }
  }
  return (low + high) / 2;
}

double attn::gradientMaxCosineSlope(double headDim) {
  double product = 0, square = 0;
  for (int k = 1; k <= 500; ++k) {
    double logN = std::log(40.0 * k);
    product += logN * gradientMaxCosine(headDim, 40.0 * k);
    square += logN * logN;
  }
  return product / square;
}

/// Interpolation of log alpha* in the Chebyshev nodes.
static ChebyshevSeries interpolate(double headDim, int nodes) {
  constexpr double low = 0.69314718055994531, high = 31 * low;
  std::vector<double> values(nodes);
  for (int i = 0; i < nodes; ++i) {
    double t = std::cos(M_PI * (i + 0.5) / nodes);
    values[i] = std::log(gradientMaxCosine(
        headDim, std::exp((low + high) / 2 + t * (high - low) / 2)));
  }
  ChebyshevSeries series{2 / (high - low), -(high + low) / (high - low), {}};
  for (int k = 0; k < nodes; ++k) {
    double sum = 0;
    for (int i = 0; i < nodes; ++i)
      sum += values[i] * std::cos(M_PI * k * (i + 0.5) / nodes);
    series.coefficients.push_back(sum * (k == 0 ? 1.0 : 2.0) / nodes);
  }
  return series;
}

ChebyshevSeries attn::fitGradientMaxCosine(double headDim, double smallest) {
  // log alpha* is smooth in log n, so the coefficients fall geometrically: more
  // slowly for d = 2, where alpha* grows like a power of n.
  int nodes = 64;
  ChebyshevSeries series = interpolate(headDim, nodes);
  while (nodes < 512 && std::abs(series.coefficients.back()) +
                                std::abs(*(series.coefficients.end() - 2)) >=
                            smallest)
    series = interpolate(headDim, nodes *= 2);
  while (series.coefficients.size() > 2 &&
         std::abs(series.coefficients.back()) < smallest)
    series.coefficients.pop_back();
  return series;
}
