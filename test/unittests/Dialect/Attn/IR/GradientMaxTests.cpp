//===- GradientMaxTests.cpp - The solved scales against known values ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/GradientMax.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

using namespace attn;

namespace {

/// log g(a) for cosine scores by the trapezoidal rule in the angle, where
/// s = cos(angle) has the density sin(angle)^(d - 2). It shares nothing with
/// the Bessel function of the solver.
double integrateLogG(double dim, double a) {
  constexpr int steps = 20000;
  double sum = 0, mass = 0;
  for (int i = 1; i < steps; ++i) {
    double angle = M_PI * i / steps;
    double weight = std::exp((dim - 2) * std::log(std::sin(angle)));
    sum += weight * std::exp(a * (std::cos(angle) - 1));
    mass += weight;
  }
  return a + std::log(sum / mass);
}

/// What alpha*(cosine) maximises.
double meanGradient(double dim, double n, double a) {
  double exponent = integrateLogG(dim, 2 * a) - 2 * integrateLogG(dim, a);
  return a * (1 - std::exp(exponent) / n);
}

// alpha* = sqrt(W0(n sqrt(e) / 2) - 1/2) is where the derivative of
// alpha (1 - exp(alpha^2) / n) vanishes: (1 + 2 alpha^2) exp(alpha^2) = n.
TEST(GradientMax, NormalSolvesItsEquation) {
  for (double n : {2.0, 10.0, 512.0, 1024.0, 1e5, 1e9}) {
    double square = std::pow(gradientMaxNormal(n), 2);
    EXPECT_NEAR(std::log1p(2 * square) + square, std::log(n), 1e-9) << n;
  }
}

// The published values; a step to either side lowers the objective, with
// g(a) = exp(a^2 / 2).
TEST(GradientMax, NormalAtPublishedLengths) {
  EXPECT_NEAR(gradientMaxNormal(512), 2.008395, 5e-7);
  EXPECT_NEAR(gradientMaxNormal(4096), 2.405463, 5e-7);
  for (double n : {512.0, 4096.0}) {
    auto objective = [&](double a) { return a * (1 - std::exp(a * a) / n); };
    double best = gradientMaxNormal(n);
    EXPECT_GT(objective(best), objective(best * (1 - 1e-5))) << n;
    EXPECT_GT(objective(best), objective(best * (1 + 1e-5))) << n;
  }
}

/// The c that minimises the sum of (alpha*(n) - c basis(n))^2 over n = 40 k,
/// k = 1..500: where the sum of residuals times the basis vanishes, found by
/// bisection.
double fitSlope(double (*basis)(double), std::function<double(double)> alpha) {
  std::vector<double> values, bases;
  for (int k = 1; k <= 500; ++k) {
    values.push_back(alpha(40.0 * k));
    bases.push_back(basis(40.0 * k));
  }
  double low = 0, high = 100;
  for (int step = 0; step < 60; ++step) {
    double middle = (low + high) / 2, rest = 0;
    for (size_t i = 0; i < values.size(); ++i)
      rest += bases[i] * (values[i] - middle * bases[i]);
    (rest > 0 ? low : high) = middle;
  }
  return low;
}

// 0.8413 sqrt(log n) for normal scores, and 3.488 log n for cosines of 128
// dimensions, which is also what the policy computes.
TEST(GradientMax, FitCoefficients) {
  auto root = [](double n) { return std::sqrt(std::log(n)); };
  EXPECT_NEAR(fitSlope(root, gradientMaxNormal), 0.8413, 5e-5);
  auto log = [](double n) { return std::log(n); };
  auto cosine = [](double n) { return gradientMaxCosine(128, n); };
  EXPECT_NEAR(fitSlope(log, cosine), 3.488, 5e-4);
  EXPECT_NEAR(fitSlope(log, cosine), gradientMaxCosineSlope(128), 1e-9);
}

TEST(GradientMax, NothingToMaximiseForOneKey) {
  EXPECT_EQ(gradientMaxNormal(1), 0);
  EXPECT_EQ(gradientMaxCosine(64, 1), 0);
}

// The published values at n = 1024.
TEST(GradientMax, CosineAt1024Keys) {
  EXPECT_NEAR(gradientMaxCosine(64, 1024), 19.7651, 5e-5);
  EXPECT_NEAR(gradientMaxCosine(128, 1024), 26.0838, 5e-5);
  EXPECT_NEAR(gradientMaxCosine(192, 1024), 31.2050, 5e-5);
  EXPECT_NEAR(gradientMaxCosine(256, 1024), 35.6081, 5e-5);
}

// A step to either side of alpha* lowers the objective, computed by quadrature.
TEST(GradientMax, CosineIsAMaximum) {
  for (double dim : {3.0, 16.0, 64.0, 128.0, 192.0, 256.0})
    for (double n : {40.0, 1024.0}) {
      double best = gradientMaxCosine(dim, n);
      double top = meanGradient(dim, n, best);
      EXPECT_GT(top, meanGradient(dim, n, best * 0.99)) << dim << " " << n;
      EXPECT_GT(top, meanGradient(dim, n, best * 1.01)) << dim << " " << n;
    }
}

// The published slopes of the fit over n = 40k, k = 1..500, agree to 0.1 %.
TEST(GradientMax, CosineSlopes) {
  EXPECT_NEAR(gradientMaxCosineSlope(64) / 2.708, 1, 1e-3);
  EXPECT_NEAR(gradientMaxCosineSlope(128) / 3.488, 1, 1e-3);
  EXPECT_NEAR(gradientMaxCosineSlope(192) / 4.142, 1, 1e-3);
  EXPECT_NEAR(gradientMaxCosineSlope(256) / 4.707, 1, 1e-3);
}

/// The series the run-time form uses, evaluated in double.
double evaluate(const ChebyshevSeries &series, double n) {
  double t = series.scale * std::log(n) + series.shift;
  double sum = 0;
  for (size_t k = 0; k < series.coefficients.size(); ++k)
    sum += series.coefficients[k] *
           std::cos(k * std::acos(std::clamp(t, -1.0, 1.0)));
  return std::exp(sum);
}

// The run-time form is as good as f32 over its whole range of lengths.
TEST(GradientMax, SeriesFollowsTheSolver) {
  for (double dim : {16.0, 64.0, 128.0, 256.0}) {
    ChebyshevSeries series = fitGradientMaxCosine(dim);
    for (double n : {2.0, 3.0, 40.0, 1000.0, 34000.0, 1e7, 2147483648.0}) {
      double exact = gradientMaxCosine(dim, n);
      EXPECT_NEAR(evaluate(series, n) / exact, 1, 1e-6) << dim << " " << n;
    }
  }
}

} // namespace
