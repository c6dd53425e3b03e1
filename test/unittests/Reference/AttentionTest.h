//===- AttentionTest.h - Small attentions whose weights can be read *- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TEST_UNITTESTS_REFERENCE_ATTENTIONTEST_H
#define ATTN_TEST_UNITTESTS_REFERENCE_ATTENTIONTEST_H

#include "ReferenceTest.h"

namespace attn::reference {

/// One attention with an identity matrix as values, so that o holds the
/// weights. Queries and keys of head dimension d are all ones times a number.
struct SmallAttention {
  int64_t heads = 1, rows = 1, keys = 4, headDim = 1;
  /// `scale(...) softmax(...) ...` of the op.
  std::string policies = "scale(#attn.none) softmax(#attn.softmax)";
  /// Score region after the policies' params, `score { ... }`, or nothing.
  std::string region;
  /// Params and their types.
  std::vector<Tensor> params;
  std::vector<std::string> paramTypes;
  /// All ones times this number; keys can be changed one by one.
  double query = 0.0;
  std::vector<double> keyValues;
  /// Overrides for entries of the identity: (key, value).
  std::vector<std::pair<int64_t, double>> poison;
};

class AttentionTest : public ReferenceTest {
protected:
  struct Result {
    std::vector<double> weights, lse;
    int64_t keys = 0;
    double at(int64_t row, int64_t key) const {
      return weights[row * keys + key];
    }
  };

  static std::string tensorType(llvm::ArrayRef<int64_t> shape,
                                const std::string &element = "f64") {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + element + ">";
  }

  std::string makeText(const SmallAttention &a) {
    std::string q = tensorType({1, a.heads, a.rows, a.headDim});
    std::string k = tensorType({1, a.heads, a.keys, a.headDim});
    std::string v = tensorType({1, a.heads, a.keys, a.keys});
    std::string o = tensorType({1, a.heads, a.rows, a.keys});
    std::string l = tensorType({1, a.heads, a.rows});
    std::string arguments = "%q: " + q + ", %k: " + k + ", %v: " + v;
    std::string params, types;
    for (size_t i = 0; i < a.paramTypes.size(); ++i) {
      std::string name = "%p" + std::to_string(i);
      arguments += ", " + name + ": " + a.paramTypes[i];
      params += (i ? ", " : "") + name;
      types += (i ? ", " : "") + a.paramTypes[i];
    }
    if (!params.empty())
      params = " params(" + params + " : " + types + ")";
    return "func.func @f(" + arguments + ") -> (" + o + ", " + l + ") {\n" +
           "  %e = tensor.empty() : " + o + "\n  %g = tensor.empty() : " + l +
           "\n  %o, %l = attn.attention " + a.policies +
           " ins(%q, %k, %v : " + q + ", " + k + ", " + v + ")" + params +
           " outs(%e, %g : " + o + ", " + l + ") " + a.region + " -> " + o +
           ", " + l + "\n  return %o, %l : " + o + ", " + l + "\n}\n";
  }

  Result attend(const SmallAttention &a, Rounding rounding = Rounding::F64) {
    std::vector<Tensor> arguments = {
        full("f64", {1, a.heads, a.rows, a.headDim}, a.query),
        full("f64", {1, a.heads, a.keys, a.headDim}, 1.0),
        full("f64", {1, a.heads, a.keys, a.keys}, 0.0)};
    for (int64_t h = 0; h < a.heads; ++h)
      for (int64_t j = 0; j < a.keys; ++j) {
        int64_t at = h * a.keys + j;
        arguments[2].floats[at * a.keys + j] = 1.0;
        if (!a.keyValues.empty())
          std::fill_n(&arguments[1].floats[at * a.headDim], a.headDim,
                      a.keyValues[j]);
        for (auto [key, value] : a.poison)
          if (key == j)
            std::fill_n(&arguments[2].floats[at * a.keys], a.keys, value);
      }
    arguments.insert(arguments.end(), a.params.begin(), a.params.end());
    std::vector<Tensor> results = run(makeText(a), arguments, rounding);
    EXPECT_EQ(results.size(), 2u) << messages << makeText(a);
    if (results.size() != 2)
      return {};
    return {results[0].floats, results[1].floats, a.keys};
  }

  /// Which keys each row of the first head sees, as `11..` strings.
  std::vector<std::string> getVisible(const SmallAttention &a) {
    Result result = attend(a);
    std::vector<std::string> rows(a.rows);
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = 0; j < a.keys; ++j)
        rows[i] += result.weights.empty() ? '?'
                   : result.at(i, j) > 0  ? '1'
                                          : '.';
    return rows;
  }
};

} // namespace attn::reference

#endif // ATTN_TEST_UNITTESTS_REFERENCE_ATTENTIONTEST_H
