//===- VariedTest.cpp - Runs that round in other ways ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"
#include "attn/Reference/Compare.h"
#include <cmath>
#include <set>

using namespace attn::reference;

namespace {

class VariedTest : public ReferenceTest {
protected:
  /// The first result of each varied run.
  std::vector<Tensor> runVaried(const std::string &text,
                                const std::vector<Tensor> &arguments) {
    std::vector<Tensor> results;
    for (unsigned i = 0; i < numVariedRuns; ++i)
      results.push_back(run(text, arguments, getVariedRounding(i)).at(0));
    return results;
  }

  /// Whether `out` passes, with and without the varied runs.
  std::pair<bool, bool> check(const std::string &text,
                              const std::vector<Tensor> &arguments,
                              const Tensor &out) {
    Tensor exact = run(text, arguments).at(0);
    Tensor naive = run(text, arguments, Rounding::AsWritten).at(0);
    std::vector<Tensor> varied = runVaried(text, arguments);
    CompareOptions options;
    bool alone = compare(out, exact, naive, options).ok;
    for (const Tensor &other : varied)
      options.others.push_back(&other);
    return {alone, compare(out, exact, naive, options).ok};
  }
};

// 1/3 has two neighbours in f32, and the runs meet both; 1/2 is what it is.
TEST_F(VariedTest, TakesBothNeighbours) {
  std::string text =
      R"(func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %0 = arith.divf %a, %b : tensor<2xf32>
    return %0 : tensor<2xf32>
  })";
  std::set<double> thirds;
  for (const Tensor &result :
       runVaried(text, {floats("f32", {2}, {1.0, 1.0}),
                        floats("f32", {2}, {3.0, 2.0})})) {
    thirds.insert(result.floats[0]);
    EXPECT_EQ(result.floats[1], 0.5);
  }
  auto near = 1.0f / 3.0f;
  EXPECT_EQ(thirds, (std::set<double>{std::nextafter(near, 0.0f), near}));
}

// A varied f64 number lies within a quarter of a f64 result's slack; whole
// numbers stay, whatever is decided by them. What f16 and bf16 store does too.
TEST_F(VariedTest, KeepsWholeAndStoredNumbers) {
  std::string text = R"(func.func @f(%a: tensor<2xf64>) -> tensor<2xf64> {
    %0 = arith.divf %a, %a : tensor<2xf64>
    %1 = math.sqrt %a : tensor<2xf64>
    %2 = arith.addf %0, %1 : tensor<2xf64>
    return %2 : tensor<2xf64>
  })";
  double moved = 0.0;
  for (const Tensor &result :
       runVaried(text, {floats("f64", {2}, {4.0, 2.0})})) {
    EXPECT_EQ(result.floats[0], 3.0);
    moved = std::max(moved, std::abs(result.floats[1] - 1 - std::sqrt(2.0)));
  }
  EXPECT_GT(moved, 0x1p-46);
  EXPECT_LT(moved, 0x1p-42);

  text =
      R"(func.func @f(%a: tensor<1xbf16>, %b: tensor<1xbf16>) -> tensor<1xbf16> {
    %0 = arith.divf %a, %b : tensor<1xbf16>
    return %0 : tensor<1xbf16>
  })";
  for (const Tensor &result : runVaried(
           text, {floats("bf16", {1}, {1.0}), floats("bf16", {1}, {3.0})}))
    EXPECT_EQ(result.floats[0], roundToType(1.0 / 3.0, type("bf16")));
}

// Each term of a sum is taken once, in every order and for every count.
TEST_F(VariedTest, SumsHaveAllTerms) {
  for (int64_t m : {1, 2, 5, 6, 7, 16}) {
    std::string size = std::to_string(m);
    std::string text = "func.func @f(%x: tensor<1x" + size +
                       "xf32>, %w: tensor<" + size +
                       R"(x1xf32>) -> tensor<1x1xf32> {
      %e = tensor.empty() : tensor<1x1xf32>
      %0 = attn.linear ins(%x, %w : tensor<1x)" +
                       size + "xf32>, tensor<" + size +
                       R"(x1xf32>) outs(%e : tensor<1x1xf32>) -> tensor<1x1xf32>
      return %0 : tensor<1x1xf32>
    })";
    std::vector<double> powers;
    for (int64_t i = 0; i < m; ++i)
      powers.push_back(std::ldexp(1.0, int(i)));
    for (const Tensor &result : runVaried(
             text, {floats("f32", {1, m}, powers), full("f32", {m, 1}, 1.0)}))
      EXPECT_EQ(result.floats[0], std::ldexp(1.0, int(m)) - 1);
  }
}

// A single centred number may have the error of what it had before centring:
// the run as written is right by luck here. A wrong centre is none of it.
TEST_F(VariedTest, CancellationIsAllowedFor) {
  std::string text = R"(func.func @f(%a: tensor<1xf32>) -> tensor<1xf32> {
    %0 = attn.activation sigmoid centered %a : tensor<1xf32>
    return %0 : tensor<1xf32>
  })";
  unsigned alone = 0;
  for (int i = 1; i <= 64; ++i) {
    std::vector<Tensor> arguments = {
        floats("f32", {1}, {double(float(i) / 1000.0f)})};
    double exact = run(text, arguments).at(0).floats[0];
    // A unit of the sigmoid, which lies above 1/2.
    Tensor out = floats("f32", {1}, {double(float(exact + 0x1p-25))});
    auto [withoutOthers, withOthers] = check(text, arguments, out);
    EXPECT_TRUE(withOthers) << i;
    alone += withoutOthers;
    Tensor wrong = floats("f32", {1}, {double(float(exact + 0x1p-21))});
    EXPECT_FALSE(check(text, arguments, wrong).second) << i;
  }
  EXPECT_LT(alone, 60u) << "the case is none";
}

// The varied runs excuse neither a unit of bf16 in all results nor a sum that
// lacks one of 64 terms.
TEST_F(VariedTest, WrongKernelsAreCaught) {
  for (const char *element : {"bf16", "f32"}) {
    std::string e = element;
    std::string text = "func.func @f(%x: tensor<4x64x" + e +
                       ">, %w: tensor<64x8x" + e + ">) -> tensor<4x8x" + e +
                       R"(> {
      %e = tensor.empty() : tensor<4x8x)" +
                       e + R"(>
      %0 = attn.linear ins(%x, %w : tensor<4x64x)" +
                       e + ">, tensor<64x8x" + e + ">) outs(%e : tensor<4x8x" +
                       e + ">) -> tensor<4x8x" + e +
                       R"(>
      return %0 : tensor<4x8x)" +
                       e + R"(>
    })";
    std::vector<double> x, w;
    for (int i = 0; i < 256; ++i)
      x.push_back(roundToType(std::sin(i * 1.7), type(element)));
    for (int i = 0; i < 512; ++i)
      w.push_back(roundToType(std::cos(i * 2.3), type(element)));
    std::vector<Tensor> arguments = {floats(element, {4, 64}, x),
                                     floats(element, {64, 8}, w)};
    Tensor right = run(text, arguments, Rounding::AsWritten).at(0);
    EXPECT_TRUE(check(text, arguments, right).first);

    Tensor off = right;
    for (double &value : off.floats)
      value = roundToType(value * (1 + 0x1p-7), type("bf16"));
    EXPECT_FALSE(check(text, arguments, off).second) << e;

    std::vector<double> lacking = x;
    for (int row = 0; row < 4; ++row)
      lacking[row * 64 + 41] = 0.0;
    Tensor shorter =
        run(text, {floats(element, {4, 64}, lacking), arguments[1]},
            Rounding::AsWritten)
            .at(0);
    EXPECT_FALSE(check(text, arguments, shorter).second) << e;
  }
}

// Neither do they excuse an attention that misses its last key, even where
// scores are so large that their last digits decide.
TEST_F(VariedTest, MissingKeysAreCaught) {
  for (double factor : {1.0, 30.0}) {
    std::string text =
        R"(func.func @f(%q: tensor<2x16x32xf32>, %k: tensor<2x64x32xf32>, %n: tensor<2xi32>) -> tensor<2x16x32xf32> {
      %e = tensor.empty() : tensor<2x16x32xf32>
      %0 = attn.attention scale(#attn.inv_sqrt_dim) softmax(#attn.softmax) masks [#attn.kv_lengths]
          ins(%q, %k, %k : tensor<2x16x32xf32>, tensor<2x64x32xf32>, tensor<2x64x32xf32>)
          params(%n : tensor<2xi32>) outs(%e : tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
      return %0 : tensor<2x16x32xf32>
    })";
    std::vector<double> q, k;
    for (int i = 0; i < 1024; ++i)
      q.push_back(double(float(factor * std::sin(i * i * 0.7))));
    for (int i = 0; i < 4096; ++i)
      k.push_back(double(float(std::cos(i * i * 0.3))));
    auto arguments = [&](int64_t keys) -> std::vector<Tensor> {
      return {floats("f32", {2, 16, 32}, q), floats("f32", {2, 64, 32}, k),
              ints("i32", {2}, {keys, keys})};
    };
    Tensor right = run(text, arguments(64), Rounding::AsWritten).at(0);
    EXPECT_TRUE(check(text, arguments(64), right).first);
    Tensor wrong = run(text, arguments(63), Rounding::AsWritten).at(0);
    EXPECT_FALSE(check(text, arguments(64), wrong).second) << factor;
    // One digit in ten thousand of all weights is too much as well.
    for (double &value : right.floats)
      value *= 1.0 + 1e-4;
    EXPECT_FALSE(check(text, arguments(64), right).second) << factor;
  }
}

} // namespace
