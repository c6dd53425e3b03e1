//===- EntropyTest.cpp - Entropy of random weights ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/Entropy.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace attn;

namespace {

const double kPi = std::acos(-1.0);

/// One key has all the weight; without a scale all keys have the same; the sign
/// of the scale does not matter.
TEST(Entropy, Limits) {
  ScoreDistribution normal(ScoreModel::Normal, 64);
  ScoreDistribution cosine(ScoreModel::Cosine, 64);
  for (const ScoreDistribution &scores : {normal, cosine}) {
    for (double a : {0.0, 0.5, 3.0})
      EXPECT_NEAR(computeExpectedEntropy(scores, a, 1.0), 0.0, 1e-10) << a;
    for (double n : {2.0, 100.0, 1e6}) {
      EXPECT_NEAR(computeExpectedEntropy(scores, 0.0, n), std::log(n), 1e-9);
      EXPECT_NEAR(computeEntropyFormula(scores, 0.0, n), std::log(n), 1e-12);
      EXPECT_NEAR(computeExpectedEntropy(scores, -1.5, n),
                  computeExpectedEntropy(scores, 1.5, n), 1e-9);
    }
  }
}

/// Two normal scores differ by a normal number of variance 2 a^2: their entropy
/// is one integral.
TEST(Entropy, TwoKeysByDirectIntegration) {
  ScoreDistribution normal(ScoreModel::Normal, 64);
  for (double a : {0.3, 1.0, 4.0, 12.0}) {
    const int count = 40000;
    double h = 20.0 / count, sum = 0.0;
    for (int i = -count / 2; i <= count / 2; ++i) {
      double z = i * h, difference = a * std::sqrt(2.0) * z;
      double p = 1.0 / (1.0 + std::exp(-std::fabs(difference)));
      double entropy =
          p < 1.0 ? -p * std::log(p) - (1 - p) * std::log1p(-p) : 0.0;
      sum += entropy * std::exp(-0.5 * z * z) / std::sqrt(2.0 * kPi) * h;
    }
    EXPECT_NEAR(computeExpectedEntropy(normal, a, 2.0), sum, 1e-7) << a;
  }
}

/// Under large factors the gap of two scores counts where it is near 0 only:
/// its density there is 1 / (2 sqrt(pi) a), and the entropy of two weights of
/// gap x integrates to pi^2 / 3.
TEST(Entropy, LargeFactors) {
  ScoreDistribution normal(ScoreModel::Normal, 64);
  for (double a : {-1e6, -100.0, 50.0, 100.0, 1e4, 1e9})
    EXPECT_NEAR(computeExpectedEntropy(normal, a, 2.0) * std::fabs(a),
                std::pow(kPi, 1.5) / 6.0, 2e-3)
        << a;
}

/// Cosines of few dimensions crowd at 1: many keys share the weight under
/// factors that leave one key of normal scores.
TEST(Entropy, LargeFactorsOfCosines) {
  for (double headDim : {2.0, 3.0, 64.0}) {
    ScoreDistribution scores(ScoreModel::Cosine, headDim);
    std::vector<double> factors = {64.0, 128.0, 1024.0};
    auto measured = measureEntropy(scores, factors, 512, 1000, 7);
    for (size_t i = 0; i < factors.size(); ++i)
      EXPECT_NEAR(computeExpectedEntropy(scores, factors[i], 512.0),
                  measured[i].mean, 4 * measured[i].error)
          << headDim << " " << factors[i];
  }
}

/// g of three dimensions is sinh(a) / a, and that of normal scores exp(a^2 /
/// 2).
TEST(Entropy, MomentsOfScores) {
  ScoreDistribution sphere(ScoreModel::Cosine, 3);
  for (double a : {0.1, 1.0, 5.0, 40.0}) {
    auto moment = sphere.getLogMoment(a);
    EXPECT_NEAR(moment.value, std::log(std::sinh(a) / a), 1e-6) << a;
    EXPECT_NEAR(moment.slope, 1.0 / std::tanh(a) - 1.0 / a, 1e-5) << a;
  }
  auto moment = ScoreDistribution(ScoreModel::Normal, 64).getLogMoment(3.0);
  EXPECT_EQ(moment.value, 4.5);
  EXPECT_EQ(moment.slope, 3.0);
  // Many dimensions: cosines are normal numbers of variance 1 / d.
  ScoreDistribution high(ScoreModel::Cosine, 4096);
  EXPECT_NEAR(computeExpectedEntropy(high, 64.0, 512.0),
              computeExpectedEntropy(ScoreDistribution(ScoreModel::Normal, 1),
                                     1.0, 512.0),
              2e-3);
}

/// Draws have the mean 0 and the variance 1, or 1 / d, rows are independent and
/// the same seed gives the same.
TEST(Entropy, Draws) {
  for (ScoreModel model : {ScoreModel::Normal, ScoreModel::Cosine}) {
    ScoreDistribution scores(model, 16);
    double variance = model == ScoreModel::Normal ? 1.0 : 1.0 / 16;
    const int64_t count = 100001;
    std::vector<double> draws = scores.draw(count, 7, 3);
    std::vector<double> other = scores.draw(count, 7, 4);
    ASSERT_EQ(draws.size(), size_t(count));
    EXPECT_EQ(draws, scores.draw(count, 7, 3));
    EXPECT_NE(draws, scores.draw(count, 8, 3));
    double sum = 0.0, square = 0.0, product = 0.0, neighbours = 0.0;
    for (int64_t i = 0; i < count; ++i) {
      sum += draws[i];
      square += draws[i] * draws[i];
      product += draws[i] * other[i];
      neighbours += i ? draws[i] * draws[i - 1] : 0.0;
    }
    double error = 4.0 / std::sqrt(double(count));
    EXPECT_NEAR(sum / count, 0.0, error * std::sqrt(variance));
    EXPECT_NEAR(square / count, variance, 1.5 * error * variance);
    EXPECT_NEAR(product / count, 0.0, error * variance);
    EXPECT_NEAR(neighbours / count, 0.0, error * variance);
  }
}

/// What is measured agrees with what is expected, for both distributions.
TEST(Entropy, MeasuredIsExpected) {
  for (ScoreModel model : {ScoreModel::Normal, ScoreModel::Cosine}) {
    ScoreDistribution scores(model, 32);
    double one = model == ScoreModel::Normal ? 1.0 : std::sqrt(32.0);
    std::vector<double> factors = {0.0, 0.7 * one, 2.5 * one};
    auto measured = measureEntropy(scores, factors, 40, 5000, 1);
    for (size_t i = 0; i < factors.size(); ++i)
      EXPECT_NEAR(measured[i].mean,
                  computeExpectedEntropy(scores, factors[i], 40),
                  4 * measured[i].error + 1e-9)
          << i;
    EXPECT_NEAR(measured[0].error, 0.0, 1e-7);
    EXPECT_GT(measured[2].error, 1e-3);
  }
}

} // namespace
