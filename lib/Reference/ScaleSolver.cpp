//===- ScaleSolver.cpp - Gradient-maximising scales, from scratch ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Reference/ScaleSolver.h"
#include <algorithm>
#include <cmath>

namespace attn::reference {

static constexpr double pi = 3.14159265358979323846;

double lambertW0(double x) {
  if (x == 0.0)
    return 0.0;
  double w = std::log1p(x);
  // Halley's iteration triples the digits each time.
  for (int i = 0; i < 20; ++i) {
    double e = std::exp(w);
    double error = w * e - x;
    double step = error / (e * (w + 1) - (w + 2) * error / (2 * (w + 1)));
    w -= step;
    if (std::abs(step) <= 1e-16 * std::abs(w))
      break;
  }
  return w;
}

double solveNormalScale(double n) {
  double w = lambertW0(n * std::exp(0.5) / 2);
  return std::sqrt(std::max(0.0, w - 0.5));
}

/// Nodes and weights of the Gauss-Legendre rule on [-1, 1]: the roots of the
/// Legendre polynomial by Newton's method.
static void makeGaussLegendre(int count, std::vector<double> &nodes,
                              std::vector<double> &weights) {
  for (int k = 0; k < count; ++k) {
    double x = std::cos(pi * (k + 0.75) / (count + 0.5));
    double slope = 1.0;
    for (int iteration = 0; iteration < 10; ++iteration) {
      double previous = 1.0, value = x;
      for (int degree = 2; degree <= count; ++degree) {
        double next =
            ((2 * degree - 1) * x * value - (degree - 1) * previous) / degree;
        previous = value;
        value = next;
      }
      slope = count * (x * value - previous) / (x * x - 1);
      x -= value / slope;
    }
    nodes.push_back(x);
    weights.push_back(2 / ((1 - x * x) * slope * slope));
  }
}

CosineScores::CosineScores(int64_t dim) : dim(double(dim)) {
  makeGaussLegendre(24, nodes, weights);
}

/// Gauss-Legendre on panels around the peak of the integrand, which narrows as
/// a and d grow.
CosineScores::Moment CosineScores::integrate(double a) const {
  double power = dim - 2;
  // With s = cos(theta): a (1 - s^2) = (d - 2) s at the peak.
  double s = a > 0 ? 2 * a / (power + std::hypot(power, 2 * a)) : 0.0;
  double peak = power > 0 ? std::acos(s) : 0.0;
  double sine = std::sin(peak);
  double curvature = a * s + (power > 0 ? power / (sine * sine) : 0.0);
  double width = curvature > 0 ? 1 / std::sqrt(curvature) : pi;
  double lower = std::max(0.0, peak - 14 * width);
  double upper = std::min(pi, peak + 14 * width);

  auto logDensity = [&](double theta) {
    double half = std::sin(theta / 2);
    return -2 * a * half * half +
           (power > 0 ? power * std::log(std::sin(theta)) : 0.0);
  };
  double top = logDensity(peak);
  constexpr int panels = 8;
  double size = (upper - lower) / panels, sum = 0.0, defect = 0.0;
  for (int panel = 0; panel < panels; ++panel)
    for (size_t i = 0; i < nodes.size(); ++i) {
      double theta = lower + size * (panel + (nodes[i] + 1) / 2);
      double half = std::sin(theta / 2);
      double mass = weights[i] * size / 2 * std::exp(logDensity(theta) - top);
      sum += mass;
      defect += mass * 2 * half * half;
    }
  return {top + std::log(sum), defect / sum};
}

/// The root of an increasing function between two points where its signs
/// differ, by false position; an end that stays twice counts half (Illinois).
template <typename Fn>
static double findRoot(Fn fn, double low, double atLow, double high,
                       double atHigh) {
  int stayed = 0;
  for (int i = 0; i < 200 && high - low > 1e-14 * high; ++i) {
    double middle = (low * atHigh - high * atLow) / (atHigh - atLow);
    if (!(middle > low && middle < high))
      break;
    double value = fn(middle);
    if (value == 0.0)
      return middle;
    if (value < 0) {
      low = middle;
      atLow = value;
      if (stayed == 1)
        atHigh /= 2;
      stayed = 1;
    } else {
      high = middle;
      atHigh = value;
      if (stayed == -1)
        atLow /= 2;
      stayed = -1;
    }
  }
  return std::abs(atLow) < std::abs(atHigh) ? low : high;
}

/// With h = log(g(2 a) / (n g(a)^2)) the derivative of a (1 - e^h) vanishes
/// where h + log(1 + a h') = 0, which grows from -log n.
double CosineScores::solveScale(double n) const {
  if (n <= 1.0)
    return 0.0;
  double normalisation = integrate(0.0).logIntegral;
  auto slope = [&](double a) {
    Moment once = integrate(a), twice = integrate(2 * a);
    double h =
        twice.logIntegral - 2 * once.logIntegral + normalisation - std::log(n);
    double derivative = 2 * (once.meanDefect - twice.meanDefect);
    return h + std::log1p(a * derivative);
  };
  double low = 0.0, high = 1.0;
  double atLow = -std::log(n), atHigh = slope(high);
  while (atHigh < 0) {
    low = high;
    atLow = atHigh;
    high *= 2;
    atHigh = slope(high);
  }
  return findRoot(slope, low, atLow, high, atHigh);
}

double CosineScores::fitSlope() const {
  double products = 0.0, squares = 0.0;
  for (int k = 1; k <= 500; ++k) {
    double logN = std::log(40.0 * k);
    products += solveScale(40.0 * k) * logN;
    squares += logN * logN;
  }
  return products / squares;
}

} // namespace attn::reference
