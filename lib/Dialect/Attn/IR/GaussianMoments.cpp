//===- GaussianMoments.cpp - Expectations over normal numbers ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/GaussianMoments.h"

#include <array>
#include <cmath>

using namespace mlir;

namespace attn {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// Nodes and weights of Gauss-Legendre quadrature on [-1, 1].
struct GaussRule {
  static constexpr int kPoints = 20;
  std::array<double, kPoints> nodes, weights;

  /// Newton's method on the Legendre polynomial, from Chebyshev's nodes.
  GaussRule() {
    for (int i = 0; i < kPoints; ++i) {
      double x = std::cos(kPi * (i + 0.75) / (kPoints + 0.5)), slope = 1.0;
      for (int step = 0; step < 8; ++step) {
        double previous = 1.0, value = x;
        for (int k = 2; k <= kPoints; ++k) {
          double next = ((2 * k - 1) * x * value - (k - 1) * previous) / k;
          previous = value;
          value = next;
        }
        slope = kPoints * (x * value - previous) / (x * x - 1.0);
        x -= value / slope;
      }
      nodes[i] = x;
      weights[i] = 2.0 / ((1.0 - x * x) * slope * slope);
    }
  }

  /// The integral of f, and that of its magnitude in `magnitude`.
  double apply(RealFunction f, double low, double high,
               double &magnitude) const {
    double middle = 0.5 * (low + high), half = 0.5 * (high - low), sum = 0.0;
    magnitude = 0.0;
    for (int i = 0; i < kPoints; ++i) {
      double term = half * weights[i] * f(middle + half * nodes[i]);
      sum += term;
      magnitude += std::fabs(term);
    }
    return sum;
  }
};

/// Halves the interval until both halves together say what the whole says,
/// to the tolerance or as far as rounding lets them.
double integrateAdaptively(const GaussRule &rule, RealFunction f, double low,
                           double high, double whole, double tolerance,
                           unsigned depth) {
  double middle = 0.5 * (low + high), below = 0.0, above = 0.0;
  double left = rule.apply(f, low, middle, below);
  double right = rule.apply(f, middle, high, above);
  double allowed = std::max(tolerance, 1e-14 * (below + above));
  if (std::fabs(left + right - whole) <= allowed || depth == 0)
    return left + right;
  return integrateAdaptively(rule, f, low, middle, left, tolerance, depth - 1) +
         integrateAdaptively(rule, f, middle, high, right, tolerance,
                             depth - 1);
}

/// The integral over all intervals between neighbouring `ends`.
double integrateOver(RealFunction f, ArrayRef<double> ends) {
  GaussRule rule;
  SmallVector<double> wholes;
  double total = 0.0;
  for (auto [low, high] : llvm::zip(ends, ends.drop_front())) {
    double magnitude = 0.0;
    wholes.push_back(rule.apply(f, low, high, magnitude));
    total += magnitude;
  }
  double sum = 0.0;
  for (auto [low, high, whole] : llvm::zip(ends, ends.drop_front(), wholes))
    if (low < high)
      sum += integrateAdaptively(rule, f, low, high, whole, 1e-15 * total, 16);
  return sum;
}

/// E f(sigma z)^2 for solveInitVariance.
double secondMomentAt(Function function, double sigma) {
  return computeMoments(function, 0.0, sigma * sigma).secondMoment;
}

} // namespace

double integrate(RealFunction f, double low, double high) {
  return low < high ? integrateOver(f, {low, high}) : 0.0;
}

double expectNormal(RealFunction f, double mean, double variance,
                    ArrayRef<double> kinks) {
  double sigma = std::sqrt(variance);
  if (sigma == 0.0)
    return f(mean);
  // Beyond 40 standard deviations the density underflows.
  constexpr double kEnd = 40.0;
  auto weighted = [&](double z) {
    return f(mean + sigma * z) * std::exp(-0.5 * z * z) / std::sqrt(2.0 * kPi);
  };
  // Both the density and f change at a scale of 1, each in its own variable; an
  // interval that is much wider could miss it.
  SmallVector<double> ends = {-kEnd, -8.0, -2.0, 0.0, 2.0, 8.0, kEnd};
  SmallVector<double> changes = {-16.0, -4.0, -1.0, 1.0, 4.0, 16.0};
  llvm::append_range(changes, kinks);
  for (double x : changes)
    ends.push_back(std::clamp((x - mean) / sigma, -kEnd, kEnd));
  llvm::sort(ends);
  return integrateOver(weighted, ends);
}

double normalDistribution(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

double normalQuantile(double p) {
  double below = -10.0, above = 10.0;
  for (int step = 0; step < 60; ++step) {
    double middle = 0.5 * (below + above);
    (normalDistribution(middle) < p ? below : above) = middle;
  }
  return below;
}

SeluConstants solveSelu() {
  // f = lambda (p + alpha n) with p = max(z, 0), n = exp(min(z, 0)) - 1, of
  // which at most one is not 0.
  auto p = [](double z) { return std::max(z, 0.0); };
  auto n = [](double z) { return std::expm1(std::min(z, 0.0)); };
  auto square = [](double x) { return x * x; };
  double alpha = -expectNormal(p) / expectNormal(n);
  double secondMoment = expectNormal(
      [&](double z) { return square(p(z)) + square(alpha * n(z)); });
  return {1.0 / std::sqrt(secondMoment), alpha};
}

double evaluateFunction(Function function, double x) {
  switch (function) {
  case Function::Relu:
    return std::max(x, 0.0);
  case Function::Elu:
    return x > 0.0 ? x : std::expm1(x);
  case Function::Selu: {
    SeluConstants selu = solveSelu();
    return selu.lambda * (x > 0.0 ? x : selu.alpha * std::expm1(x));
  }
  case Function::Gelu:
    return x * normalDistribution(x);
  case Function::GeluTanh:
    return 0.5 * x *
           (1.0 + std::tanh(std::sqrt(2.0 / kPi) * (x + 0.044715 * x * x * x)));
  case Function::Silu:
    return x / (1.0 + std::exp(-x));
  case Function::Sigmoid:
    return 1.0 / (1.0 + std::exp(-x));
  case Function::Tanh:
    return std::tanh(x);
  case Function::Softplus:
    return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
  case Function::QuickGelu:
    return x / (1.0 + std::exp(-1.702 * x));
  case Function::HardSwish:
    return x * std::clamp(x + 3.0, 0.0, 6.0) / 6.0;
  case Function::Mish:
    return x * std::tanh(std::log1p(std::exp(x)));
  case Function::ReluSquared:
    return std::max(x, 0.0) * std::max(x, 0.0);
  case Function::LeakyRelu:
    return x > 0.0 ? x : 0.01 * x;
  case Function::Relu6:
    return std::clamp(x, 0.0, 6.0);
  case Function::HardSigmoid:
    return std::clamp(x + 3.0, 0.0, 6.0) / 6.0;
  case Function::Softsign:
    return x / (1.0 + std::fabs(x));
  }
  llvm_unreachable("all functions are handled");
}

/// Where the function bends at once, or may.
static SmallVector<double> findKinks(Function function) {
  if (function == Function::HardSwish || function == Function::HardSigmoid)
    return {-3.0, 0.0, 3.0};
  if (function == Function::Relu6)
    return {0.0, 6.0};
  return {0.0};
}

Moments computeMoments(Function function, double mean, double variance) {
  SmallVector<double> kinks = findKinks(function);
  auto measure = [&](RealFunction f) -> Moments {
    auto square = [&](double x) { return f(x) * f(x); };
    return {expectNormal(f, mean, variance, kinks),
            expectNormal(square, mean, variance, kinks)};
  };
  if (function != Function::Selu)
    return measure([&](double x) { return evaluateFunction(function, x); });
  // Solved once, not at every point.
  SeluConstants selu = solveSelu();
  return measure([selu](double x) {
    return selu.lambda * (x > 0.0 ? x : selu.alpha * std::expm1(x));
  });
}

OutputScale computeOutputScale(Function function, bool centered,
                               bool unitMoment) {
  OutputScale scale;
  if (!centered && !unitMoment)
    return scale;
  Moments moments = computeMoments(function);
  if (centered)
    scale.center = moments.mean;
  if (unitMoment)
    scale.gain = 1.0 / std::sqrt(centered ? moments.getVariance()
                                          : moments.secondMoment);
  return scale;
}

std::optional<double> solveInitVariance(Function function) {
  // The second moment of tanh and sigmoid stays below 1; that of the others
  // grows with sigma, from f(0)^2.
  double low = 0.0, high = 1.0;
  if (secondMomentAt(function, low) >= 1.0)
    return std::nullopt;
  while (secondMomentAt(function, high) < 1.0) {
    low = high;
    high *= 2.0;
    if (high > 1e4)
      return std::nullopt;
  }
  for (int step = 0; step < 100 && high - low > 1e-15 * high; ++step) {
    double middle = 0.5 * (low + high);
    (secondMomentAt(function, middle) < 1.0 ? low : high) = middle;
  }
  double sigma = 0.5 * (low + high);
  return sigma * sigma;
}

TruncatedNormal computeTruncatedNormal(double low, double high) {
  auto over = [&](RealFunction f) {
    return integrate([&](double z) { return f(z) * std::exp(-0.5 * z * z); },
                     std::max(low, -40.0), std::min(high, 40.0));
  };
  double mass = over([](double) { return 1.0; });
  double mean = over([](double z) { return z; }) / mass;
  double variance =
      over([&](double z) { return (z - mean) * (z - mean); }) / mass;
  return {mean, variance};
}

} // namespace attn
