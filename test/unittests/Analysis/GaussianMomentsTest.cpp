//===- GaussianMomentsTest.cpp - Constants from their equations ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/GaussianMoments.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace attn;

namespace {

const double kPi = std::acos(-1.0);

/// Integrals with known values, kinks and steps among them.
TEST(GaussianMoments, KnownIntegrals) {
  EXPECT_NEAR(expectNormal([](double) { return 1.0; }), 1.0, 1e-13);
  EXPECT_NEAR(expectNormal([](double z) { return z * z * z * z; }), 3.0, 1e-12);
  EXPECT_NEAR(expectNormal([](double z) { return std::fabs(z); }),
              std::sqrt(2.0 / kPi), 1e-13);
  // E exp(x) = exp(mu + sigma^2 / 2).
  EXPECT_NEAR(expectNormal([](double x) { return std::exp(x); }, 0.3, 2.0),
              std::exp(1.3), 1e-11);
  EXPECT_NEAR(expectNormal([](double x) { return x > 1.5 ? 1.0 : 0.0; }, 0.5,
                           4.0, {1.5}),
              1.0 - normalDistribution(0.5), 1e-13);
  EXPECT_EQ(expectNormal([](double x) { return x + 1.0; }, 2.0, 0.0), 3.0);
}

/// relu at any mean and variance has closed forms.
TEST(GaussianMoments, ReluAtAnyMeanAndVariance) {
  for (double mean : {-2.0, 0.0, 0.7, 5.0})
    for (double variance : {0.01, 1.0, 9.0}) {
      double s = std::sqrt(variance), t = mean / s;
      double density = std::exp(-0.5 * t * t) / std::sqrt(2.0 * kPi);
      double above = normalDistribution(t);
      Moments moments = computeMoments(Function::Relu, mean, variance);
      EXPECT_NEAR(moments.mean, mean * above + s * density, 1e-12);
      EXPECT_NEAR(moments.secondMoment,
                  (mean * mean + variance) * above + mean * s * density, 1e-11);
    }
}

/// The second moments of docs/Spec.md. gelu's has a closed form as well.
TEST(GaussianMoments, SecondMoments) {
  auto secondMoment = [](Function f) { return computeMoments(f).secondMoment; };
  EXPECT_NEAR(secondMoment(Function::Relu), 0.5, 1e-13);
  EXPECT_NEAR(secondMoment(Function::Sigmoid), 0.2933790, 5e-8);
  EXPECT_NEAR(secondMoment(Function::Tanh), 0.3942945, 5e-8);
  EXPECT_NEAR(secondMoment(Function::Gelu), 0.4252215, 5e-8);
  EXPECT_NEAR(secondMoment(Function::Silu), 0.3557755, 5e-8);
  EXPECT_NEAR(secondMoment(Function::Elu), 0.6449454, 5e-8);
  EXPECT_NEAR(secondMoment(Function::Selu), 1.0, 1e-12);
  EXPECT_NEAR(secondMoment(Function::Gelu),
              1.0 / 3.0 + 1.0 / (2.0 * std::sqrt(3.0) * kPi), 1e-13);
  // elu: E z^2 [z > 0] = 1/2, and three integrals of exponentials below 0.
  double elu = 0.5 + std::exp(2.0) * normalDistribution(-2.0) -
               2.0 * std::exp(0.5) * normalDistribution(-1.0) + 0.5;
  EXPECT_NEAR(secondMoment(Function::Elu), elu, 1e-13);
  // The tanh form of gelu differs from the erf form by up to 5e-4.
  EXPECT_NEAR(secondMoment(Function::GeluTanh), secondMoment(Function::Gelu),
              2e-4);
  EXPECT_NE(secondMoment(Function::GeluTanh), secondMoment(Function::Gelu));
}

/// An independent rule, with equal steps between the kinks.
TEST(GaussianMoments, AgreeWithSimpson) {
  auto simpson = [](Function f, bool squared) {
    const int count = 8000;
    double h = 12.0 / count, sum = 0.0;
    for (double side : {-1.0, 1.0})
      for (int i = 0; i <= count; ++i) {
        double z = side * i * h, y = evaluateFunction(f, z);
        double weight = i == 0 || i == count ? 1.0 : i % 2 ? 4.0 : 2.0;
        sum += weight * (squared ? y * y : y) * std::exp(-0.5 * z * z);
      }
    return sum * h / 3.0 / std::sqrt(2.0 * kPi);
  };
  for (Function f :
       {Function::Elu, Function::Gelu, Function::GeluTanh, Function::Silu,
        Function::Sigmoid, Function::Tanh, Function::Softplus}) {
    Moments moments = computeMoments(f);
    EXPECT_NEAR(moments.mean, simpson(f, false), 1e-12) << int(f);
    EXPECT_NEAR(moments.secondMoment, simpson(f, true), 1e-12) << int(f);
  }
}

/// Solved from mean 0 and variance 1; the digits are the published ones, and
/// the closed forms are checked as well.
TEST(GaussianMoments, SeluConstants) {
  SeluConstants selu = solveSelu();
  EXPECT_NEAR(selu.lambda, 1.0507009873554805, 1e-13);
  EXPECT_NEAR(selu.alpha, 1.6732632423543772, 1e-13);
  double e = std::erfc(1.0 / std::sqrt(2.0)) * std::sqrt(std::exp(1.0));
  EXPECT_NEAR(selu.alpha, -std::sqrt(2.0 / kPi) / (e - 1.0), 1e-13);
  Moments moments = computeMoments(Function::Selu);
  EXPECT_NEAR(moments.mean, 0.0, 1e-13);
  EXPECT_NEAR(moments.secondMoment, 1.0, 1e-13);
}

/// Gains and centres make the second moment 1 and the mean 0.
TEST(GaussianMoments, OutputScales) {
  for (Function f :
       {Function::Relu, Function::Elu, Function::Gelu, Function::GeluTanh,
        Function::Silu, Function::Sigmoid, Function::Tanh, Function::Softplus})
    for (bool centered : {false, true}) {
      OutputScale scale = computeOutputScale(f, centered, true);
      auto g = [&](double z) {
        return (evaluateFunction(f, z) - scale.center) * scale.gain;
      };
      EXPECT_NEAR(expectNormal([&](double z) { return g(z) * g(z); }), 1.0,
                  1e-12);
      if (centered)
        EXPECT_NEAR(expectNormal(g), 0.0, 1e-12);
    }
  EXPECT_EQ(computeOutputScale(Function::Gelu, true, false).gain, 1.0);
  EXPECT_EQ(computeOutputScale(Function::Gelu, false, true).center, 0.0);
}

/// sigma^2 with E f(sigma z)^2 = 1, and no solution for bounded functions.
TEST(GaussianMoments, SolvedInitVariance) {
  EXPECT_NEAR(*solveInitVariance(Function::Relu), 2.0, 1e-12);
  EXPECT_NEAR(*solveInitVariance(Function::Gelu), 2.155057, 5e-7);
  EXPECT_NEAR(*solveInitVariance(Function::Silu), 2.429733, 5e-7);
  EXPECT_NEAR(*solveInitVariance(Function::Elu), 1.633182, 5e-7);
  EXPECT_NEAR(*solveInitVariance(Function::Selu), 1.0, 1e-12);
  EXPECT_FALSE(solveInitVariance(Function::Tanh));
  EXPECT_FALSE(solveInitVariance(Function::Sigmoid));
  for (Function f : {Function::Gelu, Function::GeluTanh, Function::Silu,
                     Function::Elu, Function::Softplus})
    EXPECT_NEAR(computeMoments(f, 0.0, *solveInitVariance(f)).secondMoment, 1.0,
                1e-12);
}

/// Variance of a normal cut at 2 standard deviations, and what undoes it.
TEST(GaussianMoments, TruncatedNormal) {
  TruncatedNormal cut = computeTruncatedNormal(-2.0, 2.0);
  EXPECT_NEAR(cut.mean, 0.0, 1e-14);
  EXPECT_NEAR(cut.variance, 0.7737413, 5e-8);
  EXPECT_NEAR(1.0 / std::sqrt(cut.variance), 1.1368472, 5e-8);
  EXPECT_NEAR(2.0 / std::sqrt(cut.variance), 2.2737, 5e-5);
  TruncatedNormal half = computeTruncatedNormal(0.0, 50.0);
  EXPECT_NEAR(half.mean, std::sqrt(2.0 / kPi), 1e-12);
  EXPECT_NEAR(half.variance, 1.0 - 2.0 / kPi, 1e-12);
}

} // namespace
