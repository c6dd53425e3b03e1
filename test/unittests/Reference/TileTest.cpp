//===- TileTest.cpp - The tile ops add up to the whole attention ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"
#include <cmath>

using namespace attn::reference;

namespace {

class TileTest : public ReferenceTest {
protected:
  Tensor sines(std::vector<int64_t> shape, double seed) {
    Tensor tensor(type("f64"), shape);
    for (size_t i = 0; i < tensor.floats.size(); ++i)
      tensor.floats[i] = 2 * std::sin(seed + 1.7 * double(i * i));
    return tensor;
  }

  /// Six rows in a packed tile of eight, keys 0..4 and 5..8, then finalize;
  /// beside the same as one op.
  void expectSame(const std::string &scale, const std::string &policies) {
    std::string maps = R"(
  #q = affine_map<(m, n, d, e) -> (m, d)>
  #k = affine_map<(m, n, d, e) -> (n, d)>
  #v = affine_map<(m, n, d, e) -> (n, e)>
  #qt = affine_map<(m, n, d, e) -> (d, m)>
  #at = affine_map<(m, n, d, e) -> (e, m)>
  #r = affine_map<(m, n, d, e) -> (m)>
  #o = affine_map<(m, n, d, e) -> (m, e)>
)";
    std::string state = "tensor<2x8xf64>, tensor<8xf64>, tensor<8xf64>";
    auto online = [&](const std::string &name, const std::string &from,
                      const std::string &first, int64_t size) {
      std::string kt = "tensor<" + std::to_string(size) + "x3xf64>";
      std::string vt = "tensor<" + std::to_string(size) + "x2xf64>";
      std::string slice = "[" + first + ", 0] [" + std::to_string(size);
      return "  %k" + name + " = tensor.extract_slice %k" + slice +
             ", 3] [1, 1] : tensor<9x3xf64> to " + kt + "\n  %v" + name +
             " = tensor.extract_slice %v" + slice +
             ", 2] [1, 1] : tensor<9x2xf64> to " + vt + "\n  %" + name +
             ":3 = attn.online_attention packed scale(#attn.operand) " +
             policies +
             " indexing_maps [#qt, #k, #v, #r, #at, #r, #r]"
             " origin(%c0, %c" +
             first +
             ", %c0, %c0) sizes(%c6, %c9, %c3, %c2)"
             " ins(%qt, %k" +
             name + ", %v" + name + " : tensor<3x8xf64>, " + kt + ", " + vt +
             ") params(%lambda : tensor<8xf64>) outs(%" + from + "#0, %" +
             from + "#1, %" + from + "#2 : " + state + ") -> " + state + "\n";
    };
    std::string text = maps + R"(
  func.func @f(%q: tensor<6x3xf64>, %k: tensor<9x3xf64>, %v: tensor<9x2xf64>)
      -> (tensor<6x2xf64>, tensor<6xf64>, tensor<6x2xf64>, tensor<6xf64>) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c9 = arith.constant 9 : index
    %eo = tensor.empty() : tensor<6x2xf64>
    %el = tensor.empty() : tensor<6xf64>
    %eq = tensor.empty() : tensor<3x8xf64>
    %es = tensor.empty() : tensor<8xf64>
    %acc = arith.constant dense<0.0> : tensor<2x8xf64>
    %max = arith.constant dense<0xFFF0000000000000> : tensor<8xf64>
    %sum = arith.constant dense<0.0> : tensor<8xf64>
    %whole:2 = attn.attention )" +
                       scale + " " + policies +
                       R"( indexing_maps [#q, #k, #v, #o, #r]
      ins(%q, %k, %v : tensor<6x3xf64>, tensor<9x3xf64>, tensor<9x2xf64>)
      outs(%eo, %el : tensor<6x2xf64>, tensor<6xf64>) -> tensor<6x2xf64>, tensor<6xf64>
    %qt, %lambda = attn.pack_query )" +
                       scale + " " + policies + R"( indexing_maps [#q, #qt, #r]
      origin(%c0, %c0, %c0, %c0) sizes(%c6, %c9, %c3, %c2)
      ins(%q : tensor<6x3xf64>) outs(%eq, %es : tensor<3x8xf64>, tensor<8xf64>)
      -> tensor<3x8xf64>, tensor<8xf64>
    %zero:3 = scf.for %i = %c0 to %c0 step %c2 iter_args(%a = %acc, %b = %max, %c = %sum)
        -> (tensor<2x8xf64>, tensor<8xf64>, tensor<8xf64>) {
      scf.yield %a, %b, %c : tensor<2x8xf64>, tensor<8xf64>, tensor<8xf64>
    }
)" + online("one", "zero", "0", 5) +
                       online("two", "one", "5", 4) +
                       "    %done:2 = attn.finalize " + scale + " " + policies +
                       R"( indexing_maps [#at, #r, #r, #o, #r]
      origin(%c0, %c0, %c0, %c0) sizes(%c6, %c9, %c3, %c2)
      ins(%two#0, %two#1, %two#2 : )" +
                       state + R"()
      outs(%eo, %el : tensor<6x2xf64>, tensor<6xf64>) -> tensor<6x2xf64>, tensor<6xf64>
    return %whole#0, %whole#1, %done#0, %done#1 : tensor<6x2xf64>, tensor<6xf64>, tensor<6x2xf64>, tensor<6xf64>
  })";
    auto results =
        run(text, {sines({6, 3}, 1), sines({9, 3}, 2), sines({9, 2}, 3)});
    ASSERT_EQ(results.size(), 4u) << messages << text;
    for (int i : {0, 1})
      for (size_t at = 0; at < results[i].floats.size(); ++at)
        EXPECT_NEAR(results[i].floats[at], results[i + 2].floats[at], 1e-13)
            << policies << " result " << i << " element " << at;
  }
};

// The state goes over two ranges of keys; scores linear and not, a row length
// for n, and extra terms that enter once.
TEST_F(TileTest, SplitKeys) {
  expectSame("scale(#attn.inv_sqrt_dim)", "softmax(#attn.softmax)");
  expectSame("scale(#attn.log_length<base = 3.0, n = visible>)",
             "softmax(#attn.softmax1) align(bottom_right) "
             "masks [#attn.causal, #attn.window<left = 4, right = 0>]");
  expectSame("scale(#attn.inv_dim)",
             "similarity(#attn.cosine<eps = 0.1, mode = max_norm>) "
             "softmax(#attn.softmax_n<2.5>) align(top_left) "
             "bias [#attn.alibi] softcap(1.5)");
}

// States of ranges of keys are merged in finalize: e0 enters once, a range that
// saw no key does not count, and the largest maximum wins.
TEST_F(TileTest, MergeRanges) {
  auto results = run(
      R"(func.func @f(%acc: tensor<3x1x2xf64>, %max: tensor<3x1xf64>, %sum: tensor<3x1xf64>)
      -> (tensor<1x2xf64>, tensor<1xf64>) {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c9 = arith.constant 9 : index
    %eo = tensor.empty() : tensor<1x2xf64>
    %el = tensor.empty() : tensor<1xf64>
    %done:2 = attn.finalize scale(#attn.none) softmax(#attn.softmax1)
      indexing_maps [affine_map<(m, n, d, e) -> (n, m, e)>, affine_map<(m, n, d, e) -> (n, m)>,
                     affine_map<(m, n, d, e) -> (n, m)>, affine_map<(m, n, d, e) -> (m, e)>,
                     affine_map<(m, n, d, e) -> (m)>]
      origin(%c0, %c0, %c0, %c0) sizes(%c1, %c9, %c2, %c2)
      ins(%acc, %max, %sum : tensor<3x1x2xf64>, tensor<3x1xf64>, tensor<3x1xf64>)
      outs(%eo, %el : tensor<1x2xf64>, tensor<1xf64>) -> tensor<1x2xf64>, tensor<1xf64>
    return %done#0, %done#1 : tensor<1x2xf64>, tensor<1xf64>
  })",
      {floats("f64", {3, 1, 2}, {4, 8, 0, 0, 1, 3}),
       floats("f64", {3, 1}, {0, -INFINITY, 2}),
       floats("f64", {3, 1}, {2, 0, 3})});
  ASSERT_EQ(results.size(), 2u) << messages;
  // In units of 2^2: 4/4 + 1, 8/4 + 3 over 2/4 + 3 + 1/4.
  EXPECT_NEAR(results[0].floats[0], 2 / 3.75, 1e-15);
  EXPECT_NEAR(results[0].floats[1], 5 / 3.75, 1e-15);
  EXPECT_NEAR(results[1].floats[0], std::log(15), 1e-14);
}

// A parallel loop over rows inserts its slices.
TEST_F(TileTest, ParallelLoop) {
  auto results = run(R"(func.func @f(%x: tensor<4x2xf64>) -> tensor<4x2xf64> {
    %e = tensor.empty() : tensor<4x2xf64>
    %r = scf.forall (%i) = (0) to (4) step (2) shared_outs(%o = %e) -> tensor<4x2xf64> {
      %s = tensor.extract_slice %x[%i, 0] [2, 2] [1, 1] : tensor<4x2xf64> to tensor<2x2xf64>
      %n = arith.negf %s : tensor<2x2xf64>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %n into %o[%i, 0] [2, 2] [1, 1] : tensor<2x2xf64> into tensor<4x2xf64>
      }
    }
    return %r : tensor<4x2xf64>
  })",
                     {floats("f64", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})});
  ASSERT_EQ(results.size(), 1u) << messages;
  EXPECT_EQ(results[0].floats,
            (std::vector<double>{-1, -2, -3, -4, -5, -6, -7, -8}));
}

} // namespace
