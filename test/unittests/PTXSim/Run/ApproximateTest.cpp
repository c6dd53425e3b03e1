//===- ApproximateTest.cpp - Functions with a documented error ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds are those that the PTX ISA states for each instruction; the reference
// is the host's double arithmetic.
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

#include <cmath>

namespace attn::ptx::test {

namespace {
float toFloat(uint64_t bits) { return llvm::bit_cast<float>(uint32_t(bits)); }

/// From `from` to `to`, both signs of the exponent, evenly in the logarithm.
Values range(double from, double to, unsigned n = 900) {
  Values values;
  for (unsigned k = 0; k != n; ++k)
    values.push_back(f32(float(from * std::pow(to / from, k / (n - 1.0)))));
  return values;
}
Values line(double from, double to, unsigned n = 900) {
  Values values;
  for (unsigned k = 0; k != n; ++k)
    values.push_back(f32(float(from + (to - from) * k / (n - 1.0))));
  return values;
}

/// |result - f(x)| <= absolute + relative * |f(x)|
void within(const std::string &op, const Values &values, double (*f)(double),
            double relative, double absolute = 0) {
  Values got = evaluate(op + " %d, %a;", {"b32", "b32"}, {values});
  for (size_t i = 0; i != values.size(); ++i) {
    double want = f(toFloat(values[i]));
    double bound = absolute + relative * std::fabs(want);
    if (std::fabs(toFloat(got[i]) - want) > bound) {
      ADD_FAILURE() << op << " of " << toFloat(values[i]) << " gives "
                    << toFloat(got[i]) << ", not " << want;
      return;
    }
  }
}

/// The tables of special operands.
void special(const std::string &op,
             std::initializer_list<std::pair<float, float>> table) {
  for (auto [in, out] : table) {
    uint64_t got = evaluate(op + " %d, %a;", {"b32", "b32"}, {{f32(in)}})[0];
    if (std::isnan(out))
      EXPECT_TRUE(std::isnan(toFloat(got))) << op << " of " << in;
    else
      EXPECT_EQ(got, f32(out)) << op << " of " << in;
  }
}
const float inf = INFINITY, tiny = 0x1p-130f;
} // namespace

TEST(Approximate, Ex2) {
  for (const char *op : {"ex2.approx.f32", "ex2.approx.ftz.f32"}) {
    within(op, line(-125, 127), std::exp2, 0x1p-22);
    special(op, {{-inf, 0},
                 {0, 1},
                 {-0.0f, 1},
                 {inf, inf},
                 {NAN, NAN},
                 {tiny, 1},
                 {-tiny, 1}});
  }
  // Subnormal results stay without .ftz, and go with it.
  special("ex2.approx.f32", {{-130, 0x1p-130f}});
  special("ex2.approx.ftz.f32", {{-130, 0}});
}

TEST(Approximate, Lg2) {
  for (const char *op : {"lg2.approx.f32", "lg2.approx.ftz.f32"}) {
    within(op, line(0.5, 2), std::log2, 0, 0x1p-22);
    within(op, range(0x1p-126, 0x1p127), std::log2, 0x1p-22);
    special(op, {{-inf, NAN},
                 {-1, NAN},
                 {0, -inf},
                 {-0.0f, -inf},
                 {1, 0},
                 {inf, inf},
                 {NAN, NAN}});
  }
  special("lg2.approx.f32", {{tiny, -130}});
  special("lg2.approx.ftz.f32", {{tiny, -inf}, {-tiny, -inf}});
}

TEST(Approximate, SinCos) {
  double pi = 3.14159265358979;
  for (const char *suffix : {".approx.f32", ".approx.ftz.f32"}) {
    within(std::string("sin") + suffix, line(-pi, pi), std::sin, 0,
           std::exp2(-20.5));
    within(std::string("cos") + suffix, line(-pi, pi), std::cos, 0,
           std::exp2(-20.5));
    special(std::string("sin") + suffix, {{inf, NAN}, {0, 0}, {-0.0f, -0.0f}});
    special(std::string("cos") + suffix, {{-inf, NAN}, {0, 1}, {NAN, NAN}});
  }
  special("sin.approx.ftz.f32", {{tiny, 0}, {-tiny, -0.0f}});
}

TEST(Approximate, RcpSqrtRsqrt) {
  auto reciprocal = [](double v) { return 1 / v; };
  auto inverseRoot = [](double v) { return 1 / std::sqrt(v); };
  for (const char *suffix : {".approx.f32", ".approx.ftz.f32"}) {
    std::string rcp = std::string("rcp") + suffix;
    within(rcp, range(0x1p-125, 0x1p125), reciprocal, 0x1p-23);
    special(rcp,
            {{-inf, -0.0f}, {-0.0f, -inf}, {0, inf}, {inf, 0}, {NAN, NAN}});
    std::string sqrt = std::string("sqrt") + suffix;
    within(sqrt, range(0x1p-126, 0x1p127), std::sqrt, 0x1p-22);
    special(sqrt, {{-inf, NAN}, {-1, NAN}, {-0.0f, -0.0f}, {0, 0}, {inf, inf}});
    std::string rsqrt = std::string("rsqrt") + suffix;
    within(rsqrt, range(0x1p-126, 0x1p127), inverseRoot, std::exp2(-22.9));
    special(rsqrt, {{-inf, NAN}, {-1, NAN}, {-0.0f, -inf}, {0, inf}, {inf, 0}});
  }
  special("rcp.approx.ftz.f32", {{tiny, inf}, {-tiny, -inf}});
  // f64: the low 32 bits are zero.
  Values in{f64(3), f64(0.1), f64(-7e100)};
  Values got = evaluate("rcp.approx.ftz.f64 %d, %a;", {"b64", "b64"}, {in});
  Values root = evaluate("rsqrt.approx.f64 %d, %a;", {"b64", "b64"},
                         {{f64(3), f64(0.1), f64(7e100)}});
  for (size_t i = 0; i != in.size(); ++i) {
    double x = llvm::bit_cast<double>(in[i]);
    EXPECT_NEAR(llvm::bit_cast<double>(got[i]) * x, 1, 0x1p-19);
    EXPECT_EQ(uint32_t(got[i]), 0u);
    double r = llvm::bit_cast<double>(root[i]);
    EXPECT_NEAR(r * r * std::fabs(x), 1, 0x1p-18);
  }
}

TEST(Approximate, Tanh) {
  within("tanh.approx.f32", line(-8, 8), std::tanh, 0x1p-11);
  special("tanh.approx.f32",
          {{-inf, -1}, {inf, 1}, {0, 0}, {-0.0f, -0.0f}, {NAN, NAN}});
}

// Two units in the last place for |b| in [2^-126, 2^126].
TEST(Approximate, Division) {
  for (const char *op : {"div.approx.f32", "div.full.f32", "div.approx.ftz.f32",
                         "div.full.ftz.f32"}) {
    Values a = line(-100, 100), b = range(0x1p-100, 0x1p100);
    Values got = evaluate(std::string(op) + " %d, %a, %b;",
                          {"b32", "b32", "b32"}, {a, b});
    for (size_t i = 0; i != a.size(); ++i) {
      double want = double(toFloat(a[i])) / toFloat(b[i]);
      EXPECT_LE(std::fabs(toFloat(got[i]) - want), std::fabs(want) * 0x1p-22)
          << op;
    }
  }
}

} // namespace attn::ptx::test
