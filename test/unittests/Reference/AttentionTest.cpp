//===- AttentionTest.cpp - Normalisers, masks and the fixed answers -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionTest.h"
#include <cmath>

using namespace attn::reference;

namespace {

using Strings = std::vector<std::string>;

/// `scale(none)` with a normaliser, and more.
static std::string with(const std::string &softmax,
                        const std::string &more = "") {
  return "scale(#attn.none) softmax(#attn." + softmax + ") " + more;
}

// Equal scores of 0: weights 1 / (N + e0), lse log(N + e0).
TEST_F(AttentionTest, Normalisers) {
  for (auto [softmax, extra] : {std::pair("softmax", 0.0),
                                {"softmax1", 1.0},
                                {"softmax_n<3.0>", 3.0},
                                {"softmax_n<0.0>", 0.0}}) {
    SmallAttention a;
    a.policies = with(softmax);
    Result r = attend(a);
    EXPECT_NEAR(r.at(0, 2), 1 / (4 + extra), 1e-15) << softmax;
    EXPECT_NEAR(r.lse[0], std::log(4 + extra), 1e-15) << softmax;
  }
}

// A sink adds exp(t_h); -infinity is softmax, +infinity takes everything.
TEST_F(AttentionTest, Sink) {
  SmallAttention a;
  a.heads = 3;
  a.policies = with("sink");
  a.paramTypes = {"tensor<3xf64>"};
  a.params = {floats("f64", {3}, {std::log(2.0), -infinity, infinity})};
  Result r = attend(a);
  EXPECT_NEAR(r.at(0, 1), 1.0 / 6, 1e-15);
  EXPECT_NEAR(r.lse[0], std::log(6.0), 1e-15);
  EXPECT_NEAR(r.at(1, 1), 1.0 / 4, 1e-15);
  EXPECT_NEAR(r.lse[1], std::log(4.0), 1e-15);
  EXPECT_EQ(r.at(2, 1), 0.0);
  EXPECT_EQ(r.lse[2], infinity);
}

// A row that sees no key: o = 0 and lse = log e0.
TEST_F(AttentionTest, FullyMaskedRow) {
  SmallAttention a;
  a.paramTypes = {"tensor<1x4xi1>"};
  a.params = {ints("i1", {1, 4}, {0, 0, 0, 0})};
  a.poison = {{1, nan}};
  for (auto [softmax, lse] : {std::pair("softmax", -infinity),
                              {"softmax1", 0.0},
                              {"softmax_n<5.0>", std::log(5.0)}}) {
    a.policies = with(softmax, "masks [#attn.dense_mask]");
    Result r = attend(a);
    for (double weight : r.weights)
      EXPECT_EQ(weight, 0.0) << softmax;
    EXPECT_EQ(r.lse[0], lse) << softmax;
  }
  a.policies = with("sink", "masks [#attn.dense_mask]");
  a.paramTypes.push_back("tensor<1xf64>");
  a.params.push_back(floats("f64", {1}, {-3.5}));
  EXPECT_EQ(attend(a).lse[0], -3.5);
}

// NaN and infinity in a hidden key or value stay there; in a visible one not.
TEST_F(AttentionTest, PoisonInHiddenPlaces) {
  SmallAttention a;
  a.query = 1.0;
  a.keyValues = {0.0, nan, infinity, 0.0};
  a.poison = {{1, nan}, {2, -infinity}};
  a.policies = with("softmax", "masks [#attn.dense_mask]");
  a.paramTypes = {"tensor<1x4xi1>"};
  a.params = {ints("i1", {1, 4}, {1, 0, 0, 1})};
  for (Rounding rounding : {Rounding::F64, Rounding::AsWritten}) {
    Result r = attend(a, rounding);
    EXPECT_EQ(r.weights, (std::vector<double>{0.5, 0, 0, 0.5}));
    EXPECT_NEAR(r.lse[0], std::log(2.0), 1e-15);
  }
  a.params = {ints("i1", {1, 4}, {1, 1, 0, 1})};
  EXPECT_TRUE(std::isnan(attend(a).at(0, 0)));
}

// A score of +infinity: exp / Z is infinity over infinity.
TEST_F(AttentionTest, InfiniteScoreIsNaN) {
  SmallAttention a;
  a.query = 1.0;
  a.keyValues = {0.0, infinity, 0.0, 0.0};
  EXPECT_TRUE(std::isnan(attend(a).at(0, 0)));
  // -infinity is a weight of 0.
  a.keyValues[1] = -infinity;
  EXPECT_NEAR(attend(a).at(0, 0), 1.0 / 3, 1e-15);
}

// e0 survives scores far from it on either side.
TEST_F(AttentionTest, ExtraTermDoesNotOverflow) {
  SmallAttention a;
  a.policies = with("softmax1");
  a.keyValues = {1, 1, 1, 1};
  a.query = -1e6;
  EXPECT_EQ(attend(a).at(0, 0), 0.0);
  EXPECT_EQ(attend(a).lse[0], 0.0);
  a.query = 1e6;
  EXPECT_EQ(attend(a).at(0, 0), 0.25);
  EXPECT_NEAR(attend(a).lse[0], 1e6 + std::log(4.0), 1e-9);
}

// No keys: as a fully masked row. No rows: nothing at all.
TEST_F(AttentionTest, EmptySizes) {
  SmallAttention a;
  a.policies = with("softmax1");
  a.keys = 0;
  EXPECT_EQ(attend(a).lse, (std::vector<double>{0.0}));
  a.keys = 4;
  a.rows = 0;
  EXPECT_TRUE(attend(a).weights.empty());
}

// Causal masks on more keys than rows and on fewer, aligned both ways.
TEST_F(AttentionTest, CausalAlignments) {
  SmallAttention a;
  a.rows = 2;
  a.policies = with("softmax", "align(top_left) masks [#attn.causal]");
  EXPECT_EQ(getVisible(a), (Strings{"1...", "11.."}));
  a.policies = with("softmax", "align(bottom_right) masks [#attn.causal]");
  EXPECT_EQ(getVisible(a), (Strings{"111.", "1111"}));
  a.rows = 3;
  a.keys = 2;
  EXPECT_EQ(getVisible(a), (Strings{"..", "1.", "11"}));
}

// Window sides are inclusive, -1 leaves one open.
TEST_F(AttentionTest, Windows) {
  SmallAttention a;
  a.rows = 4;
  auto window = [](const char *sides) {
    return with("softmax", std::string("align(top_left) masks [#attn.window<") +
                               sides + ">]");
  };
  a.policies = window("left = 1, right = 0");
  EXPECT_EQ(getVisible(a), (Strings{"1...", "11..", ".11.", "..11"}));
  a.policies = window("left = 0, right = 2");
  EXPECT_EQ(getVisible(a), (Strings{"111.", ".111", "..11", "...1"}));
  a.policies = window("left = -1, right = 1");
  EXPECT_EQ(getVisible(a), (Strings{"11..", "111.", "1111", "1111"}));
}

// kv lengths hide the end and move the bottom-right alignment.
TEST_F(AttentionTest, KvLengths) {
  SmallAttention a;
  a.rows = 2;
  a.paramTypes = {"tensor<1xi32>"};
  a.params = {ints("i32", {1}, {3})};
  a.policies = with(
      "softmax", "align(bottom_right) masks [#attn.causal, #attn.kv_lengths]");
  EXPECT_EQ(getVisible(a), (Strings{"11..", "111."}));
  a.params = {ints("i32", {1}, {0})};
  EXPECT_EQ(getVisible(a), (Strings{"....", "...."}));
}

// Rows see keys of their own segment only.
TEST_F(AttentionTest, SegmentIds) {
  SmallAttention a;
  a.rows = 4;
  a.paramTypes = {"tensor<1x4xi32>", "tensor<1x4xi32>"};
  a.params = {ints("i32", {1, 4}, {7, 7, 9, 8}),
              ints("i32", {1, 4}, {7, 7, 9, 9})};
  a.policies = with("softmax",
                    "align(top_left) masks [#attn.causal, #attn.segment_ids]");
  EXPECT_EQ(getVisible(a), (Strings{"1...", "11..", "..1.", "...."}));
}

// An additive mask of -infinity hides what it masks; a dense bias does not.
TEST_F(AttentionTest, AdditiveMaskAndBias) {
  SmallAttention a;
  a.poison = {{0, nan}};
  a.paramTypes = {"tensor<1x4xf64>"};
  a.params = {floats("f64", {1, 4}, {-infinity, 0, std::log(3.0), 0})};
  a.policies = with("softmax", "masks [#attn.additive_mask]");
  Result r = attend(a);
  EXPECT_NEAR(r.at(0, 2), 0.6, 1e-15);
  EXPECT_EQ(r.at(0, 0), 0.0);
  a.policies =
      "scale(#attn.none) softmax(#attn.softmax) bias [#attn.dense_bias]";
  EXPECT_TRUE(std::isnan(attend(a).at(0, 2)));
}

// Key and value heads are shared by groups of query heads.
TEST_F(AttentionTest, GroupedHeads) {
  std::string text =
      R"(func.func @f(%q: tensor<1x4x1x1xf32>, %k: tensor<1x2x1x1xf32>,
      %v: tensor<1x2x1x1xf32>) -> tensor<1x4x1x1xf32> {
    %e = tensor.empty() : tensor<1x4x1x1xf32>
    %o = attn.attention scale(#attn.none) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<1x4x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>)
      outs(%e : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
    return %o : tensor<1x4x1x1xf32>
  })";
  auto results =
      run(text, {full("f32", {1, 4, 1, 1}, 1), full("f32", {1, 2, 1, 1}, 1),
                 floats("f32", {1, 2, 1, 1}, {5, 6})});
  ASSERT_EQ(results.size(), 1u) << messages;
  EXPECT_EQ(results[0].floats, (std::vector<double>{5, 5, 6, 6}));
}

// As written, bf16 outputs are bf16 numbers near the f64 ones.
TEST_F(AttentionTest, LowPrecision) {
  std::string text = R"(func.func @f(%q: tensor<1x2xbf16>, %k: tensor<3x2xbf16>,
      %v: tensor<3x1xbf16>) -> tensor<1x1xbf16> {
    %e = tensor.empty() : tensor<1x1xbf16>
    %o = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax)
      ins(%q, %k, %v : tensor<1x2xbf16>, tensor<3x2xbf16>, tensor<3x1xbf16>)
      outs(%e : tensor<1x1xbf16>) -> tensor<1x1xbf16>
    return %o : tensor<1x1xbf16>
  })";
  std::vector<Tensor> arguments = {floats("bf16", {1, 2}, {1, 0.5}),
                                   floats("bf16", {3, 2}, {1, 0, 0, 1, 1, 1}),
                                   floats("bf16", {3, 1}, {1, 2, 4})};
  auto exact = run(text, arguments);
  auto rounded = run(text, arguments, Rounding::AsWritten);
  ASSERT_EQ(exact.size() + rounded.size(), 2u) << messages;
  double expected = 0, sum = 0;
  for (auto [dot, v] : {std::pair(1.0, 1.0), {0.5, 2.0}, {1.5, 4.0}}) {
    expected += std::exp(dot / std::sqrt(2.0)) * v;
    sum += std::exp(dot / std::sqrt(2.0));
  }
  expected /= sum;
  EXPECT_NEAR(exact[0].floats[0], expected, 1e-14);
  double value = rounded[0].floats[0];
  EXPECT_EQ(value, roundToType(value, type("bf16")));
  EXPECT_NEAR(value, expected, 0x1p-6);
}

} // namespace
