//===- FloatFormsTest.cpp - Every form of float arithmetic ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All roundings with all of .ftz, .sat, .relu, .NaN and .xorsign.abs that PTX
// knows. f32 and f64 are the host's IEEE arithmetic in the named rounding mode;
// f16 and bf16 are one rounding of a long double that holds the exact result,
// or, for sums, lies on the right side of it.
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

#include <cfenv>
#include <cmath>

namespace attn::ptx::test {

namespace {
struct Mode {
  const char *name;
  int round;
};
const Mode modes[] = {{"", FE_TONEAREST},
                      {".rn", FE_TONEAREST},
                      {".rz", FE_TOWARDZERO},
                      {".rm", FE_DOWNWARD},
                      {".rp", FE_UPWARD}};
const std::vector<std::string> f1{"b32", "b32"}, f2{"b32", "b32", "b32"},
    f3{"b32", "b32", "b32", "b32"}, d2{"b64", "b64", "b64"},
    d3{"b64", "b64", "b64", "b64"};

float toFloat(uint64_t bits) { return llvm::bit_cast<float>(uint32_t(bits)); }
double toDouble(uint64_t bits) { return llvm::bit_cast<double>(bits); }
float flush(float v, bool ftz) {
  return ftz && std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
}
uint64_t finish(float v, bool ftz, bool sat) {
  v = flush(v, ftz);
  if (sat)
    v = v > 0 ? std::min(v, 1.0f) : 0.0f;
  return v != v ? 0x7fffffff : f32(v);
}
template <typename T, typename F> T rounded(int mode, F f, T a, T b, T c) {
  volatile T x = a, y = b, z = c;
  std::fesetround(mode);
  volatile T result = f(T(x), T(y), T(z));
  std::fesetround(FE_TONEAREST);
  return result;
}

/// Fewer values where three operands are combined.
Values some(const Values &all) {
  Values result;
  for (size_t k = 0; k < all.size(); k += 2)
    result.push_back(all[k]);
  result.push_back(all[1]);
  return result;
}

template <typename F> void arithmetic(std::string name, unsigned arity, F f) {
  for (const Mode &m : modes) {
    bool noDefault = name == "fma" || name == "mad";
    if (!*m.name && noDefault)
      continue;
    for (bool ftz : {false, true})
      for (bool sat : {false, true}) {
        std::string op =
            name + m.name + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + ".f32";
        auto value = [&](uint64_t a, uint64_t b, uint64_t c) {
          return finish(rounded<float>(m.round, f, flush(toFloat(a), ftz),
                                       flush(toFloat(b), ftz),
                                       flush(toFloat(c), ftz)),
                        ftz, sat);
        };
        if (arity == 2)
          check2(op, f2, edgeFloats(),
                 [&](uint64_t a, uint64_t b) { return value(a, b, 0); });
        else
          check3(op, f3, some(edgeFloats()), value);
      }
    // f64 results that are NaN may have any bits.
    auto value = [&](uint64_t a, uint64_t b, uint64_t c) {
      return f64(
          rounded<double>(m.round, f, toDouble(a), toDouble(b), toDouble(c)));
    };
    std::string op = name + m.name + ".f64 %d, %a, %b";
    Values a, b, c;
    for (uint64_t x : edgeDoubles())
      for (uint64_t y : edgeDoubles())
        for (uint64_t z : edgeDoubles()) {
          if ((arity == 2 && z != 0) || std::isnan(toDouble(value(x, y, z))))
            continue;
          a.push_back(x);
          b.push_back(y);
          c.push_back(z);
        }
    for (size_t at = 0; at < a.size(); at += 1024) {
      size_t end = std::min(a.size(), at + 1024);
      auto cut = [&](const Values &v) {
        return Values(v.begin() + long(at), v.begin() + long(end));
      };
      Values pa = cut(a), pb = cut(b), pc = cut(c);
      Values got = arity == 2 ? evaluate(op + ";", d2, {pa, pb})
                              : evaluate(op + ", %c;", d3, {pa, pb, pc});
      for (size_t k = 0; k != pa.size(); ++k)
        ASSERT_EQ(got[k], value(pa[k], pb[k], pc[k]))
            << op << " " << toDouble(pa[k]) << " " << toDouble(pb[k]) << " "
            << toDouble(pc[k]);
    }
  }
}

/// min and max as the ISA's pseudocode has them, one float type.
template <typename T>
T extremum(bool least, T a, T b, bool keepNaN, bool xorSign) {
  bool negative = std::signbit(a) != std::signbit(b);
  if (xorSign) {
    a = std::fabs(a);
    b = std::fabs(b);
  }
  T result;
  if (std::isnan(a) && std::isnan(b))
    result = NAN;
  else if (keepNaN && (std::isnan(a) || std::isnan(b)))
    result = NAN;
  else if (std::isnan(a))
    result = b;
  else if (std::isnan(b))
    result = a;
  else if (a == 0 && b == 0)
    result = (std::signbit(a) || std::signbit(b)) == least
                 ? (std::signbit(a) ? a : b)
                 : (std::signbit(a) ? b : a);
  else
    result = (a < b) == least ? a : b;
  if (a == 0 && b == 0 && !std::signbit(a) && !std::signbit(b))
    result = 0;
  if (a == 0 && b == 0 && std::signbit(a) && std::signbit(b))
    result = -T(0);
  if (xorSign && !std::isnan(result))
    result = std::copysign(result, negative ? T(-1) : T(1));
  return result;
}
} // namespace

TEST(FloatForms, AddSubMul) {
  arithmetic("add", 2, [](auto a, auto b, auto) { return a + b; });
  arithmetic("sub", 2, [](auto a, auto b, auto) { return a - b; });
  arithmetic("mul", 2, [](auto a, auto b, auto) { return a * b; });
}

TEST(FloatForms, FmaMad) {
  auto fused = [](auto a, auto b, auto c) { return std::fma(a, b, c); };
  arithmetic("fma", 3, fused);
  arithmetic("mad", 3, fused);
}

TEST(FloatForms, MinMax) {
  for (bool least : {true, false})
    for (bool ftz : {false, true})
      for (bool nan : {false, true})
        for (bool sign : {false, true})
          check2(std::string(least ? "min" : "max") + (ftz ? ".ftz" : "") +
                     (nan ? ".NaN" : "") + (sign ? ".xorsign.abs" : "") +
                     ".f32",
                 f2, edgeFloats(), [&](uint64_t a, uint64_t b) {
                   return finish(extremum(least, flush(toFloat(a), ftz),
                                          flush(toFloat(b), ftz), nan, sign),
                                 ftz, false);
                 });
}

TEST(FloatForms, AbsNegWithFtz) {
  for (bool ftz : {false, true}) {
    std::string z = ftz ? ".ftz.f32" : ".f32";
    check1("abs" + z, f1, edgeFloats(), [&](uint64_t a) {
      return f32(flush(toFloat(a), ftz)) & 0x7fffffff;
    });
    check1("neg" + z, f1, edgeFloats(), [&](uint64_t a) {
      return f32(flush(toFloat(a), ftz)) ^ 0x80000000;
    });
  }
}

// Beyond 2^126 the reciprocal is zero, so is the quotient; infinity / b has no
// value there.
TEST(FloatForms, DivApproxOfHugeDivisors) {
  Values a{f32(1), f32(-3), f32(INFINITY), f32(0x1p127f), f32(NAN)};
  for (const char *op : {"div.approx.f32", "div.approx.ftz.f32"}) {
    EXPECT_EQ(evaluate(std::string(op) + " %d, %a, %b;", f2,
                       {a, Values(5, f32(0x1p127f))}),
              (Values{0, 0x80000000, 0x7fffffff, 0, 0x7fffffff}));
    EXPECT_EQ(evaluate(std::string(op) + " %d, %a, %b;", f2,
                       {a, Values(5, f32(-INFINITY))}),
              (Values{0x80000000, 0, 0x7fffffff, 0x80000000, 0x7fffffff}));
    EXPECT_EQ(evaluate(std::string(op) + " %d, %a, %b;", f2,
                       {{f32(0x1p127f)}, {f32(0x1p126f)}}),
              Values{f32(2)});
  }
  for (const char *op : {"div.full.f32", "div.full.ftz.f32"})
    EXPECT_EQ(evaluate(std::string(op) + " %d, %a, %b;", f2,
                       {{f32(0x1p127f)}, {f32(0x1p127f)}}),
              Values{f32(1)});
}

// Subnormal numbers are zeros; only the upper words of operand and result
// count.
TEST(FloatForms, ApproximateF64) {
  std::vector<std::string> types{"b64", "b64"};
  double inf = INFINITY;
  EXPECT_EQ(evaluate("rcp.approx.ftz.f64 %d, %a;", types,
                     {{f64(0x1p-1023), f64(-0x1p-1023), f64(0x1p1023),
                       f64(-inf), f64(0.0), f64(-0.0), f64(0.5)}}),
            (Values{f64(inf), f64(-inf), f64(0.0), f64(-0.0), f64(inf),
                    f64(-inf), f64(2)}));
  EXPECT_EQ(
      evaluate("rsqrt.approx.ftz.f64 %d, %a;", types,
               {{f64(0x1p-1023), f64(-0x1p-1023), f64(0x1p-1022), f64(inf),
                 f64(-0.0), f64(0.25)}}),
      (Values{f64(inf), f64(-inf), f64(0x1p511), f64(0.0), f64(-inf), f64(2)}));
  EXPECT_TRUE(std::isnan(toDouble(
      evaluate("rsqrt.approx.ftz.f64 %d, %a;", types, {{f64(-1)}})[0])));
  // About 2^-20 in the upper word, over many binades.
  Values in;
  for (int e = -1000; e <= 1000; e += 7)
    in.push_back(f64(std::ldexp(1 + std::fmod(e * 0.377, 1.0) * 0.5, e)));
  Values got = evaluate("rcp.approx.ftz.f64 %d, %a;", types, {in});
  Values root = evaluate("rsqrt.approx.ftz.f64 %d, %a;", types, {in});
  for (size_t k = 0; k != in.size(); ++k) {
    double x = toDouble(in[k]), r = toDouble(root[k]);
    EXPECT_NEAR(toDouble(got[k]) * x, 1, 0x1p-18);
    EXPECT_NEAR(r * std::sqrt(x), 1, 0x1p-18);
    EXPECT_EQ(uint32_t(got[k]) | uint32_t(root[k]), 0u);
  }
}

} // namespace attn::ptx::test
