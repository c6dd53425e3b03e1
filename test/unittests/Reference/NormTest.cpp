//===- NormTest.cpp - attn.norm on numbers worked out by hand -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"
#include <cmath>

using namespace attn::reference;

namespace {

class NormTest : public ReferenceTest {
protected:
  /// The results of a norm of %x of type `type`, with what stands before `ins`
  /// and between `ins` and `outs`, on f64.
  std::vector<double> norm(const std::string &how, const std::string &type,
                           const Tensor &x, const std::string &more = "",
                           std::vector<Tensor> others = {},
                           const std::string &parameters = "") {
    std::string text = "func.func @f(%x: " + type + parameters + ") -> " +
                       type + " {\n%e = tensor.empty() : " + type +
                       "\n%y = attn.norm " + how + " ins(%x : " + type + ") " +
                       more + " outs(%e : " + type + ") -> " + type +
                       "\nreturn %y : " + type + "\n}";
    others.insert(others.begin(), x);
    std::vector<Tensor> results = run(text, others);
    EXPECT_EQ(results.size(), 1u) << messages;
    return results.empty() ? std::vector<double>() : results[0].floats;
  }
  void expectNear(const std::vector<double> &actual,
                  const std::vector<double> &wanted) {
    ASSERT_EQ(actual.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_NEAR(actual[i], wanted[i], 1e-14) << i;
  }
  /// Mean 3, mean square 13, biased variance 4.
  Tensor row() { return floats("f64", {1, 4}, {1.0, 1.0, 5.0, 5.0}); }
};

// (x - mu) / sqrt(var + eps) gamma + beta, with the biased variance and eps
// inside of the root: var + eps = 16.
TEST_F(NormTest, Layer) {
  std::string type = "tensor<1x4xf64>";
  expectNear(norm("layer axes [1] eps(12.0)", type, row()),
             {-0.5, -0.5, 0.5, 0.5});
  expectNear(
      norm("layer axes [1] eps(12.0)", type, row(),
           "gamma(%g : tensor<4xf64>) beta(%b : tensor<4xf64>)",
           {floats("f64", {4}, {1, 2, 4, 8}), floats("f64", {4}, {0, 1, 2, 3})},
           ", %g: tensor<4xf64>, %b: tensor<4xf64>"),
      {-0.5, 0.0, 4.0, 7.0});
  // Centring is apart from the kind: mean square + eps = 25.
  expectNear(norm("layer uncentered axes [1] eps(12.0)", type, row()),
             {0.2, 0.2, 1.0, 1.0});
}

// x / sqrt(mean x^2 + eps), or centred.
TEST_F(NormTest, RMS) {
  expectNear(norm("rms axes [1] eps(12.0)", "tensor<1x4xf64>", row()),
             {0.2, 0.2, 1.0, 1.0});
  expectNear(norm("rms centered axes [1] eps(12.0)", "tensor<1x4xf64>", row()),
             {-0.5, -0.5, 0.5, 0.5});
}

// x / sqrt(sum x^2 + eps) or x / max(norm, eps); a zero vector gives 0 in both,
// also with eps = 0.
TEST_F(NormTest, L2) {
  Tensor x = floats("f64", {2, 2}, {3.0, 4.0, 0.0, 0.0});
  std::string type = "tensor<2x2xf64>";
  expectNear(norm("l2 axes [1] eps(0.0)", type, x), {0.6, 0.8, 0.0, 0.0});
  expectNear(norm("l2 axes [1] eps(11.0)", type, x), {0.5, 4.0 / 6, 0.0, 0.0});
  expectNear(norm("l2 axes [1] eps(max_norm 2.0)", type, x),
             {0.6, 0.8, 0.0, 0.0});
  expectNear(norm("l2 axes [1] eps(max_norm 10.0)", type, x),
             {0.3, 0.4, 0.0, 0.0});
}

// Demodulated weights [out, in, kernel]: l2 over the input axes, so that each
// output has a filter of norm 1.
TEST_F(NormTest, WeightDemodulation) {
  Tensor w = floats("f64", {2, 2, 2}, {1, 1, 1, 1, 2, 4, 4, 8});
  expectNear(norm("l2 axes [1, 2] eps(0.0)", "tensor<2x2x2xf64>", w),
             {0.5, 0.5, 0.5, 0.5, 0.2, 0.4, 0.4, 0.8});
}

// Per sample and channel over the spatial axes, gamma per channel; also without
// centring.
TEST_F(NormTest, Instance) {
  Tensor x = floats("f64", {1, 2, 2}, {1.0, 5.0, -3.0, 3.0});
  std::string type = "tensor<1x2x2xf64>";
  expectNear(norm("instance axes [2] eps(0.0) affine_axes [1]", type, x,
                  "gamma(%g : tensor<2xf64>)", {floats("f64", {2}, {1, 10})},
                  ", %g: tensor<2xf64>"),
             {-1.0, 1.0, -10.0, 10.0});
  // Mean squares 13 and 9.
  double root = std::sqrt(13.0);
  expectNear(norm("instance uncentered axes [2] eps(0.0)", type, x),
             {1 / root, 5 / root, -1.0, 1.0});
}

// Per channel, here the last dimension, with given statistics.
TEST_F(NormTest, BatchInference) {
  Tensor x = floats("f64", {2, 2}, {1.0, 2.0, 3.0, 4.0});
  Tensor mean = floats("f64", {2}, {1.0, 0.0});
  Tensor variance = floats("f64", {2}, {3.0, 15.0});
  expectNear(norm("batch axes [0] eps(1.0)", "tensor<2x2xf64>", x,
                  "statistics(%m, %v : tensor<2xf64>, tensor<2xf64>)",
                  {mean, variance}, ", %m: tensor<2xf64>, %v: tensor<2xf64>"),
             {0.0, 0.5, 1.0, 1.0});
}

// Three samples 1, 3, 5 of one channel: mean 3, biased variance 8/3, unbiased
// 4. The output uses the biased one in both cases.
TEST_F(NormTest, BatchTraining) {
  for (bool unbiased : {false, true}) {
    std::string text =
        R"(func.func @f(%x: tensor<?x1xf64>, %m: tensor<1xf64>, %v: tensor<1xf64>)
            -> (tensor<?x1xf64>, tensor<1xf64>, tensor<1xf64>) {
      %y:3 = attn.norm batch axes [0] eps(0.0) ins(%x : tensor<?x1xf64>) outs(%x : tensor<?x1xf64>)
          running(%m, %v : tensor<1xf64>, tensor<1xf64>) momentum(0.25))" +
        std::string(unbiased ? " unbiased" : "") +
        R"( -> tensor<?x1xf64>, tensor<1xf64>, tensor<1xf64>
      return %y#0, %y#1, %y#2 : tensor<?x1xf64>, tensor<1xf64>, tensor<1xf64>
    })";
    Tensor mean = floats("f64", {1}, {7.0}), variance = floats("f64", {1}, {8});
    std::vector<Tensor> results =
        run(text, {floats("f64", {3, 1}, {1, 3, 5}), mean, variance});
    ASSERT_EQ(results.size(), 3u) << messages;
    double deviation = std::sqrt(8.0 / 3.0);
    expectNear(results[0].floats, {-2 / deviation, 0.0, 2 / deviation});
    // (1 - momentum) running + momentum batch.
    expectNear(results[1].floats, {0.75 * 7 + 0.25 * 3});
    expectNear(results[2].floats,
               {0.75 * 8 + 0.25 * (unbiased ? 4.0 : 8.0 / 3.0)});
    // One sample has no unbiased variance.
    std::vector<Tensor> one =
        run(text, {floats("f64", {1, 1}, {1}), mean, variance});
    EXPECT_EQ(one.empty(), unbiased);
    if (unbiased)
      EXPECT_NE(messages.find("unbiased variance of one sample"),
                std::string::npos)
          << messages;
  }
}

// x + residual is rounded to the input's type before its statistics are taken,
// and is itself a result: 1 + 2^-9 is 1 in bf16.
TEST_F(NormTest, Residual) {
  std::string text =
      R"(func.func @f(%x: tensor<1x2xbf16>, %r: tensor<1x2xbf16>) -> (tensor<1x2xbf16>, tensor<1x2xbf16>) {
    %e = tensor.empty() : tensor<1x2xbf16>
    %y:2 = attn.norm layer axes [1] eps(0.0) ins(%x : tensor<1x2xbf16>) residual(%r : tensor<1x2xbf16>)
        outs(%e : tensor<1x2xbf16>) sum(%e : tensor<1x2xbf16>) -> tensor<1x2xbf16>, tensor<1x2xbf16>
    return %y#0, %y#1 : tensor<1x2xbf16>, tensor<1x2xbf16>
  })";
  std::vector<Tensor> results =
      run(text,
          {floats("bf16", {1, 2}, {1, 3}), floats("bf16", {1, 2}, {0x1p-9, 4})},
          Rounding::AsWritten);
  ASSERT_EQ(results.size(), 2u) << messages;
  EXPECT_EQ(results[0].floats, (std::vector<double>{-1.0, 1.0}));
  EXPECT_EQ(results[1].floats, (std::vector<double>{1.0, 7.0}));
}

} // namespace
