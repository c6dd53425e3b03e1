//===- ScoreTest.cpp - Scales, similarity, softcap, biases, regions -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionTest.h"
#include "attn/Reference/ScaleSolver.h"
#include <cmath>

using namespace attn::reference;

namespace {

/// Reads lambda off equal scores: lse = lambda s + log N, here with s = d.
class ScoreTest : public AttentionTest {
protected:
  double getLambda(const Result &r, const SmallAttention &a, int64_t row = 0) {
    return (r.lse.at(row) - std::log(double(a.keys))) / a.headDim;
  }
  double getLambda(const std::string &scale, int64_t headDim,
                   const std::string &more = "") {
    SmallAttention a;
    a.headDim = headDim;
    a.keys = 16;
    a.query = 1.0;
    a.policies = "scale(#attn." + scale + ") softmax(#attn.softmax) " + more;
    return getLambda(attend(a), a);
  }
};

// One row per policy, n = 16 keys unless it says otherwise.
TEST_F(ScoreTest, ScalePolicies) {
  double n = std::log(16.0);
  struct Row {
    const char *scale;
    double expected;
  } rows[] = {
      {"inv_sqrt_dim", 1.0 / 8},
      {"none", 1.0},
      {"inv_dim", 1.0 / 64},
      {"constant<-0.75>", -0.75},
      {"constant<0.0>", 0.0},
      {"entropy_invariant<kappa = 2.0, n = keys>", 2 * n / 64},
      {"log_length<base = 512.0, n = keys>", n / std::log(512.0) / 8},
      {"log_length<base = 512.0, n = constant(512)>", 1.0 / 8},
      {"log_length<base = 2.0, n = half_max(64)>", 5.0 / 8},
      {"gradient_max_blind", 2.5 / 8},
      {"gradient_max_fit<scores = normal, n = keys>", 0.84 * std::sqrt(n) / 8},
      {"gradient_max<scores = normal, n = constant(1024)>",
       2.14653111260328 / 8},
      {"gradient_max<scores = normal, n = constant(1)>", 0.0},
  };
  for (const Row &row : rows)
    EXPECT_NEAR(getLambda(row.scale, 64), row.expected, 1e-14) << row.scale;
}

// The solved cosine scales, against the tables of the specification.
TEST_F(ScoreTest, CosineScalePolicies) {
  for (auto [d, alpha, slope] : {std::tuple(64, 19.7651, 2.708),
                                 {128, 26.0838, 3.488},
                                 {192, 31.2050, 4.142},
                                 {256, 35.6081, 4.707}}) {
    CosineScores scores(d);
    EXPECT_NEAR(scores.solveScale(1024), alpha, 6e-5) << d;
    EXPECT_NEAR(scores.fitSlope() / slope, 1.0, 1e-3) << d;
  }
  // In three dimensions s is uniform and g(a) = sinh(a) / a.
  CosineScores sphere(3);
  double a = sphere.solveScale(50);
  auto objective = [](double x) {
    double g = std::sinh(x) / x;
    return x * (1 - std::sinh(2 * x) / (2 * x) / (50 * g * g));
  };
  EXPECT_GT(objective(a), objective(a * 1.001));
  EXPECT_GT(objective(a), objective(a * 0.999));
  EXPECT_EQ(sphere.solveScale(1), 0.0);
}

// In the op, the cosine policies scale unit vectors: s = 1.
TEST_F(ScoreTest, CosineScaleInTheOp) {
  SmallAttention a;
  a.headDim = 64;
  a.query = 3.0;
  std::string rest = " similarity(#attn.cosine<eps = 0.0, mode = rsqrt_sum>)"
                     " softmax(#attn.softmax)";
  a.policies =
      "scale(#attn.gradient_max<scores = cosine, n = constant(1024)>)" + rest;
  EXPECT_NEAR(attend(a).lse[0] - std::log(4.0), 19.7651, 6e-5);
  a.policies =
      "scale(#attn.gradient_max_fit<scores = cosine, n = constant(1024)>)" +
      rest;
  EXPECT_NEAR((attend(a).lse[0] - std::log(4.0)) / std::log(1024.0), 2.708,
              2e-3);
}

TEST_F(ScoreTest, LambertFunction) {
  for (double w : {0.0, 1e-8, 0.5, 1.0, 10.0, 300.0})
    EXPECT_NEAR(lambertW0(w * std::exp(w)), w, 1e-14 * std::max(1.0, w));
  // Its equation: n = exp(a^2) (1 + 2 a^2).
  for (double n : {2.0, 100.0, 1e9}) {
    double square = std::pow(solveNormalScale(n), 2);
    EXPECT_NEAR(std::exp(square) * (1 + 2 * square) / n, 1.0, 1e-12);
  }
}

// Each source of n that differs by row, with base 2 and d = 1.
TEST_F(ScoreTest, LengthsByRow) {
  SmallAttention a;
  a.rows = 3;
  a.keys = 8;
  a.query = 1.0;
  auto policies = [](const std::string &n, const std::string &more) {
    return "scale(#attn.log_length<base = 2.0, n = " + n +
           ">) softmax(#attn.softmax) " + more;
  };
  auto expectLengths = [&](std::vector<double> lengths) {
    Result r = attend(a);
    ASSERT_EQ(r.lse.size(), lengths.size());
    for (size_t i = 0; i < lengths.size(); ++i) {
      double seen = 0;
      for (int64_t j = 0; j < a.keys; ++j)
        seen += r.at(i, j) > 0;
      EXPECT_NEAR(r.lse[i] - std::log(seen), std::log2(lengths[i]), 1e-14)
          << a.policies << " row " << i;
    }
  };
  a.policies = policies("position", "align(top_left)");
  expectLengths({1, 2, 3});
  a.policies = policies("position", "align(bottom_right)");
  expectLengths({6, 7, 8});
  a.policies =
      policies("visible", "align(bottom_right) masks "
                          "[#attn.causal, #attn.window<left = 6, right = 0>]");
  expectLengths({6, 7, 7});
  a.paramTypes = {"tensor<1xi32>"};
  a.params = {ints("i32", {1}, {5})};
  a.policies = policies("keys", "masks [#attn.kv_lengths]");
  expectLengths({5, 5, 5});
  a.policies =
      policies("position", "align(bottom_right) masks [#attn.kv_lengths]");
  expectLengths({3, 4, 5});
  a.paramTypes = {"tensor<1x3xi64>"};
  a.params = {ints("i64", {1, 3}, {11, 0, 6})};
  a.policies = policies("position_operand", "");
  expectLengths({12, 1, 7});
}

// Positions restart in each segment; n is never below 1.
TEST_F(ScoreTest, PositionsRestartInSegments) {
  SmallAttention a;
  a.rows = a.keys = 5;
  a.query = 1.0;
  a.paramTypes = {"tensor<1x5xi32>", "tensor<1x5xi32>"};
  a.params = {ints("i32", {1, 5}, {0, 0, 0, 1, 1}),
              ints("i32", {1, 5}, {0, 0, 0, 1, 1})};
  a.policies = "scale(#attn.log_length<base = 2.0, n = position>) "
               "softmax(#attn.softmax) align(top_left) "
               "masks [#attn.segment_ids, #attn.causal]";
  Result r = attend(a);
  int64_t lengths[] = {1, 2, 3, 1, 2};
  for (int64_t i = 0; i < 5; ++i)
    EXPECT_NEAR(r.lse[i], std::log2(lengths[i]) + std::log(lengths[i]), 1e-14)
        << i;
}

// Scale operands: one number, one per head, one per head and row.
TEST_F(ScoreTest, ScaleOperands) {
  SmallAttention a;
  a.heads = 2;
  a.rows = 2;
  a.query = 1.0;
  a.policies = "scale(#attn.operand) softmax(#attn.softmax)";
  auto expectLambdas = [&](std::vector<double> lambdas) {
    Result r = attend(a);
    for (size_t i = 0; i < lambdas.size(); ++i)
      EXPECT_NEAR(getLambda(r, a, i), lambdas[i], 1e-14) << i;
  };
  a.paramTypes = {"tensor<2xf64>"};
  a.params = {floats("f64", {2}, {0.5, -2})};
  expectLambdas({0.5, 0.5, -2, -2});
  a.paramTypes = {"tensor<2x2xf64>"};
  a.params = {floats("f64", {2, 2}, {1, 2, 3, 4})};
  expectLambdas({1, 2, 3, 4});
}

// Slopes for 12 heads: those of 8, then every second of 16.
TEST_F(ScoreTest, AlibiSlopes) {
  SmallAttention a;
  a.heads = 12;
  a.policies = "scale(#attn.none) softmax(#attn.softmax) align(bottom_right) "
               "bias [#attn.alibi]";
  Result r = attend(a);
  double expected[] = {1.0 / 2,         1.0 / 4,         1.0 / 8,
                       1.0 / 16,        1.0 / 32,        1.0 / 64,
                       1.0 / 128,       1.0 / 256,       std::exp2(-0.5),
                       std::exp2(-1.5), std::exp2(-2.5), std::exp2(-3.5)};
  for (int64_t h = 0; h < 12; ++h) {
    // The row stands at key 3: two keys away it loses twice the slope.
    EXPECT_NEAR(std::log(r.at(h, 3) / r.at(h, 1)) / 2, expected[h], 1e-14) << h;
  }
  // Keys ahead lose as much as keys behind.
  a.policies = "scale(#attn.none) softmax(#attn.softmax) align(top_left) "
               "bias [#attn.alibi]";
  Result ahead = attend(a);
  EXPECT_NEAR(std::log(ahead.at(0, 0) / ahead.at(0, 2)), 1.0, 1e-14);
}

// Zero vectors have similarity 0; eps enters by mode.
TEST_F(ScoreTest, CosineSimilarity) {
  SmallAttention a;
  a.headDim = 4;
  a.query = 1.0;
  a.keyValues = {2.0, 0.0, -1.0, 2.0};
  auto similar = [](const char *eps) {
    return std::string("scale(#attn.none) similarity(#attn.cosine<") + eps +
           ">) softmax(#attn.softmax)";
  };
  a.policies = similar("eps = 0.0, mode = max_norm");
  Result r = attend(a);
  EXPECT_NEAR(std::log(r.at(0, 0) / r.at(0, 1)), 1.0, 1e-14);
  EXPECT_NEAR(std::log(r.at(0, 2) / r.at(0, 1)), -1.0, 1e-14);
  // Query norm 2, key norms 4: 4 / (2 sqrt(4 + 5)) 8 / sqrt(16 + 5).
  a.policies = similar("eps = 5.0, mode = rsqrt_sum");
  r = attend(a);
  EXPECT_NEAR(std::log(r.at(0, 0) / r.at(0, 1)), 8 / 3.0 / std::sqrt(21.0),
              1e-14);
  a.policies = similar("eps = 3.0, mode = max_norm");
  r = attend(a);
  EXPECT_NEAR(std::log(r.at(0, 0) / r.at(0, 1)), 8 / 3.0 / 4.0, 1e-14);
}

// The order: scale, softcap, bias, region, mask.
TEST_F(ScoreTest, OrderOfScoreChanges) {
  SmallAttention a;
  a.query = 6.0;
  a.keyValues = {1, 2, 0, 4};
  a.policies = "scale(#attn.constant<0.5>) softmax(#attn.softmax) "
               "bias [#attn.dense_bias] masks [#attn.dense_mask] softcap(5.0)";
  a.paramTypes = {"tensor<1x4xf64>", "f64", "tensor<1x4xi1>"};
  a.params = {floats("f64", {1, 4}, {0.25, -1, 0, 0}),
              Tensor::scalar(type("f64"), 2.0),
              ints("i1", {1, 4}, {1, 1, 1, 0})};
  a.region = R"(score {
    ^bb0(%s: f64, %b: index, %h: index, %i: index, %j: index, %p: f64):
      %n = arith.index_cast %j : index to i64
      %c = arith.sitofp %n : i64 to f64
      %m = arith.mulf %s, %p : f64
      %r = arith.addf %m, %c : f64
      attn.yield %r : f64
    })";
  Result r = attend(a);
  ASSERT_EQ(r.weights.size(), 4u);
  double s0 = (5 * std::tanh(3.0 / 5) + 0.25) * 2 + 0;
  double s1 = (5 * std::tanh(6.0 / 5) - 1.0) * 2 + 1;
  double s2 = 2;
  EXPECT_NEAR(std::log(r.at(0, 0) / r.at(0, 2)), s0 - s2, 1e-13);
  EXPECT_NEAR(std::log(r.at(0, 1) / r.at(0, 2)), s1 - s2, 1e-13);
  EXPECT_EQ(r.at(0, 3), 0.0);
}

} // namespace
