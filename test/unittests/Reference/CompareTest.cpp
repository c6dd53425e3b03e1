//===- CompareTest.cpp - The tolerance rule at its boundaries -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Reference/Compare.h"
#include "ReferenceTest.h"
#include <cfloat>

using namespace attn::reference;

namespace {

class CompareTest : public ReferenceTest {
protected:
  Tensor row(std::vector<double> values, const char *element = "f32") {
    return floats(element, {int64_t(values.size())}, values);
  }
};

// Without naive error the slack decides: 4 u max|v| + u max|ref| + FLT_MIN v.
TEST_F(CompareTest, SlackOfOutputs) {
  double u = 0x1p-24, v = 8.0;
  double slack = 4 * u * v + u * 2.0 + FLT_MIN * v;
  CompareOptions options;
  options.maxAbsValue = v;
  // One element of eight carries the error, so the mean rule stays silent.
  std::vector<double> ref(16, 2.0), out(ref);
  out[5] += 0.999 * slack;
  EXPECT_TRUE(compare(row(out), row(ref), row(ref), options).ok);
  out[5] = 2.0 + 1.001 * slack;
  CompareResult result = compare(row(out), row(ref), row(ref), options);
  EXPECT_FALSE(result.ok);
  EXPECT_NEAR(result.margin, 1.001, 1e-6);
  ASSERT_EQ(result.worst.size(), 1u);
  EXPECT_EQ(result.worst[0], 5);
}

// Twice the naive error is allowed anywhere, on top of the slack.
TEST_F(CompareTest, TwiceTheNaiveError) {
  std::vector<double> ref(64, 1.0), naive(ref), out(ref);
  naive[0] += 1e-3;
  out[9] = 1 + 1.99e-3;
  EXPECT_FALSE(compare(row(out), row(ref), row(naive)).ok)
      << "the mean rule allows 1.5 times only";
  naive[1] += 1e-3;
  EXPECT_TRUE(compare(row(out), row(ref), row(naive)).ok);
  out[9] = 1 + 2.01e-3;
  EXPECT_FALSE(compare(row(out), row(ref), row(naive)).ok);
}

// A small error everywhere breaks the mean rule though not the max rule.
TEST_F(CompareTest, MeanRule) {
  std::vector<double> ref(64, 1.0), naive(ref), out(64, 1 + 1e-4);
  naive[0] += 1e-3;
  CompareResult result = compare(row(out), row(ref), row(naive));
  EXPECT_FALSE(result.ok);
  EXPECT_LT(result.maxError, result.maxAllowed);
  EXPECT_GT(result.meanError, result.meanAllowed);
}

// Each lse has its own slack, 8 u max(1, |lse|).
TEST_F(CompareTest, SlackOfLogSumExp) {
  double u = 0x1p-24;
  CompareOptions options;
  options.kind = ResultKind::LogSumExp;
  std::vector<double> ref(32, 100.0), out(ref);
  ref[1] = out[1] = 0.5;
  out[0] += 790 * u;
  EXPECT_TRUE(compare(row(out), row(ref), row(ref), options).ok);
  out[1] += 8.1 * u;
  EXPECT_FALSE(compare(row(out), row(ref), row(ref), options).ok);
}

// bf16 results may differ by a unit of their storage.
TEST_F(CompareTest, StorageUnit) {
  std::vector<double> ref(32, 1.0), out(ref);
  out[3] = 1 + 0x1p-8;
  EXPECT_TRUE(compare(row(out, "bf16"), row(ref, "bf16"), row(ref, "bf16")).ok);
  out[3] = 1 + 0x1p-7;
  EXPECT_FALSE(
      compare(row(out, "bf16"), row(ref, "bf16"), row(ref, "bf16")).ok);
}

// NaN and infinity: equal patterns, and what refinement allows.
TEST_F(CompareTest, Patterns) {
  struct Case {
    double out, ref, naive;
    bool refined, strict;
  } cases[] = {
      {1, 1, 1, true, true},
      {nan, 1, 1, false, false},
      {infinity, 1, 1, false, false},
      {nan, nan, nan, true, true},
      {1, nan, nan, true, false},
      {infinity, infinity, infinity, true, true},
      {-infinity, infinity, infinity, false, false},
      {1, -infinity, -infinity, false, false},
      {nan, infinity, infinity, false, false},
      // As-written arithmetic overflowed where f64 does not.
      {1, 1, infinity, true, true},
      {infinity, 1, infinity, true, true},
      {nan, 1, infinity, false, false},
      {-infinity, 1, infinity, false, false},
      {1, 1, nan, true, true},
      // A NaN as written is no excuse for one.
      {nan, 1, nan, false, false},
      {infinity, 1, nan, false, false},
  };
  for (const Case &c : cases) {
    CompareOptions strict;
    strict.allowRefinement = false;
    CompareResult result = compare(row({c.out}), row({c.ref}), row({c.naive}));
    EXPECT_EQ(result.ok, c.refined) << c.out << " " << c.ref << " " << c.naive;
    EXPECT_EQ(result.refined, c.refined && !c.strict)
        << c.out << " " << c.ref << " " << c.naive;
    EXPECT_EQ(compare(row({c.out}), row({c.ref}), row({c.naive}), strict).ok,
              c.strict)
        << c.out << " " << c.ref << " " << c.naive;
  }
}

// Where the error is the largest, and with which numbers.
TEST_F(CompareTest, SaysWhere) {
  CompareResult result =
      compare(row({1, 2.5, 3}), row({1, 2, 3}), row({1, 2, 3}));
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.message.find("worst at [1]: 2.5 instead of 2"),
            std::string::npos)
      << result.message;
}

// Integers are equal or wrong, shapes too, and nothing compares well with
// nothing.
TEST_F(CompareTest, IntegersShapesAndEmpty) {
  Tensor a = ints("i64", {2}, {1, 2}), b = ints("i64", {2}, {1, 3});
  EXPECT_TRUE(compare(a, a, a).ok);
  CompareResult result = compare(b, a, a);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.worst[0], 1);
  EXPECT_FALSE(compare(row({1, 2}), row({1}), row({1})).ok);
  EXPECT_TRUE(compare(row({}), row({}), row({})).ok);
}

} // namespace
