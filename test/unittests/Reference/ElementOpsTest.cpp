//===- ElementOpsTest.cpp - Activations, initial weights, statistics ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"
#include "attn/Support/Philox.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace attn::reference;
using attn::philox4x32;
using attn::PhiloxWords;

namespace {

class ElementOpsTest : public ReferenceTest {
protected:
  /// `count` draws of attn.init, with what stands before `seed`.
  std::vector<double> draw(const std::string &how, int64_t count,
                           int64_t seed) {
    std::string type = "tensor<" + std::to_string(count) + "xf64>";
    std::string text = "func.func @f(%s: i64) -> " + type +
                       " {\n%e = tensor.empty() : " + type +
                       "\n%0 = attn.init " + how +
                       " seed(%s : i64) outs(%e : " + type + ") -> " + type +
                       "\nreturn %0 : " + type + "\n}";
    std::vector<Tensor> arguments = {Tensor::scalar(this->type("i64"), seed)};
    return run(text, arguments).at(0).floats;
  }
};

// The known answers that the authors publish with their library Random123.
TEST_F(ElementOpsTest, PhiloxKnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  uint32_t all = 0xffffffff;
  EXPECT_EQ(philox4x32({all, all, all, all}, {all, all}),
            (PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                       {0xa4093822, 0x299f31d0}),
            (PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The words that an element is made of, as the op documents them.
TEST_F(ElementOpsTest, UniformUsesTheFirstWords) {
  double third = 1.0 / 3.0;
  std::vector<double> draws =
      draw("uniform variance(constant) value(0.3333333333333333)", 2, 0);
  PhiloxWords words = philox4x32({1, 0, 0, 0}, {0, 0});
  double k = double((uint64_t(words[1]) << 32 | words[0]) >> 12);
  double scale = std::sqrt(3.0) * std::sqrt(third);
  EXPECT_NEAR(draws[1], scale * (2.0 * (k + 0.5) * 0x1p-52 - 1.0), 1e-15);
  EXPECT_NEAR(
      draws[0],
      scale * (2.0 * (double(0xe169c58d6627e8d5 >> 12) + 0.5) * 0x1p-52 - 1.0),
      1e-15);
}

// A longer tensor begins with the same numbers; another seed has others.
TEST_F(ElementOpsTest, DrawsDependOnSeedAndPositionOnly) {
  std::string how = "normal variance(constant) value(1.0)";
  std::vector<double> few = draw(how, 10, 7), many = draw(how, 100, 7);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_NE(draw(how, 10, 8), few);
  EXPECT_NE(draw(how, 10, 7 + (int64_t(1) << 32)), few);
}

// Mean and variance within 4 standard errors, and the Kolmogorov-Smirnov
// distance below its 0.1 % point.
TEST_F(ElementOpsTest, DrawsHaveTheirDistribution) {
  constexpr int64_t count = 40000;
  auto below = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  struct Case {
    const char *how;
    /// Distribution function of the standardised draw, and its kurtosis.
    std::function<double(double)> distribution;
    double kurtosis;
  };
  // A normal distribution cut at 2 has the variance 1 - 4 phi(2) / (2 Phi(2)
  // - 1), phi its density.
  double cut = std::exp(-2.0) / std::sqrt(2.0 * std::acos(-1.0));
  double truncated =
      1.0 / std::sqrt(1.0 - 4.0 * cut / (2.0 * below(2.0) - 1.0));
  EXPECT_NEAR(truncated, 1.1368472, 5e-8);
  Case cases[] = {
      {"normal variance(constant) value(0.25) mean(3.0)", below, 3.0},
      {"uniform variance(constant) value(0.25) mean(3.0)",
       [](double z) { return 0.5 + 0.5 * z / std::sqrt(3.0); }, 1.8},
      {"truncated_normal variance(constant) value(0.25) mean(3.0)",
       [&](double z) {
         return (below(z / truncated) - below(-2.0)) /
                (below(2.0) - below(-2.0));
       },
       2.3655}};
  for (const Case &c : cases)
    for (int64_t seed : {1, 2}) {
      std::vector<double> z = draw(c.how, count, seed);
      double mean = 0.0, square = 0.0;
      for (double &x : z) {
        x = (x - 3.0) / 0.5;
        mean += x / count;
        square += x * x / count;
      }
      EXPECT_NEAR(mean, 0.0, 4.0 / std::sqrt(double(count))) << c.how;
      EXPECT_NEAR(square, 1.0, 4.0 * std::sqrt((c.kurtosis - 1.0) / count))
          << c.how;
      llvm::sort(z);
      double distance = 0.0;
      for (int64_t i = 0; i < count; ++i) {
        double f = c.distribution(z[i]);
        distance = std::max(
            {distance, f - double(i) / count, double(i + 1) / count - f});
      }
      EXPECT_LT(distance, 1.95 / std::sqrt(double(count))) << c.how;
    }
}

// Kurtosis of a known set, and a NaN that comes through.
TEST_F(ElementOpsTest, Statistics) {
  std::string text =
      R"(func.func @f(%x: tensor<4xf64>) -> (tensor<f64>, tensor<f64>) {
    %e = tensor.empty() : tensor<f64>
    %0 = attn.statistics kurtosis ins(%x : tensor<4xf64>) outs(%e : tensor<f64>) -> tensor<f64>
    %1 = attn.statistics infinity_norm ins(%x : tensor<4xf64>) outs(%e : tensor<f64>) -> tensor<f64>
    return %0, %1 : tensor<f64>, tensor<f64>
  })";
  // mu = 1, squares 1, 1, 9, 9, fourth powers 1, 1, 81, 81: 41 / 25.
  std::vector<Tensor> results =
      run(text, {floats("f64", {4}, {0.0, 2.0, -2.0, 4.0})});
  EXPECT_NEAR(results.at(0).floats[0], 41.0 / 25.0, 1e-15);
  EXPECT_EQ(results.at(1).floats[0], 4.0);
  results = run(text, {floats("f64", {4}, {0.0, nan, -2.0, 4.0})});
  EXPECT_TRUE(std::isnan(results.at(0).floats[0]));
  EXPECT_TRUE(std::isnan(results.at(1).floats[0]));
}

// f16 results are the f64 function rounded once; a gain makes E f(z)^2 = 1.
TEST_F(ElementOpsTest, Activations) {
  std::string text =
      R"(func.func @f(%x: tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>) {
    %0 = attn.activation silu %x : tensor<2xf16>
    %1 = attn.activation relu centered unit_moment %x : tensor<2xf16>
    return %0, %1 : tensor<2xf16>, tensor<2xf16>
  })";
  std::vector<Tensor> results =
      run(text, {floats("f16", {2}, {-0.5, 1.5})}, Rounding::AsWritten);
  EXPECT_EQ(results.at(0).floats[1],
            roundToType(1.5 / (1.0 + std::exp(-1.5)), type("f16")));
  // E relu = 1 / sqrt(2 pi), Var relu = 1/2 - 1 / (2 pi).
  double pi = std::acos(-1.0), mean = 1.0 / std::sqrt(2.0 * pi);
  double deviation = std::sqrt(0.5 - mean * mean);
  EXPECT_EQ(results.at(1).floats[0],
            roundToType(-mean / deviation, type("f16")));
  EXPECT_EQ(results.at(1).floats[1],
            roundToType((1.5 - mean) / deviation, type("f16")));
}

} // namespace
