//===- FloatTest.cpp - f32 and f64 arithmetic -----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values are the host's IEEE arithmetic, in the rounding mode that the
// instruction names. A NaN may be any NaN.
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
const Mode modes[] = {{"rn", FE_TONEAREST},
                      {"rz", FE_TOWARDZERO},
                      {"rm", FE_DOWNWARD},
                      {"rp", FE_UPWARD}};

/// Computes in a rounding mode; volatile keeps the compiler from doing it
/// earlier.
template <typename T, typename F> T rounded(int mode, F f, T a, T b, T c) {
  volatile T x = a, y = b, z = c;
  std::fesetround(mode);
  volatile T result = f(x, y, z);
  std::fesetround(FE_TONEAREST);
  return result;
}

float toFloat(uint64_t bits) { return llvm::bit_cast<float>(uint32_t(bits)); }
double toDouble(uint64_t bits) { return llvm::bit_cast<double>(bits); }

/// f32 NaN results are canonical; f64 ones are compared as "some NaN".
uint64_t bitsOf(float value) {
  return value != value ? 0x7fffffff : f32(value);
}
float flush(float v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
}
float saturate(float v) { return v > 0 ? (v < 1 ? v : 1.0f) : 0.0f; }
const std::vector<std::string> f1{"b32", "b32"}, f2{"b32", "b32", "b32"},
    f3{"b32", "b32", "b32", "b32"}, d1{"b64", "b64"}, d2{"b64", "b64", "b64"},
    d3{"b64", "b64", "b64", "b64"};

template <typename F> void binaryF32(const std::string &name, F f) {
  for (const Mode &m : modes) {
    std::string op = name + "." + m.name;
    check2(op + ".f32", f2, edgeFloats(), [&](uint64_t a, uint64_t b) {
      return bitsOf(rounded<float>(m.round, f, toFloat(a), toFloat(b), 0));
    });
    check2(op + ".ftz.f32", f2, edgeFloats(), [&](uint64_t a, uint64_t b) {
      return bitsOf(flush(
          rounded<float>(m.round, f, flush(toFloat(a)), flush(toFloat(b)), 0)));
    });
  }
}

/// Doubles without NaN, so that results can be compared bit by bit.
Values numbers() {
  Values result;
  for (uint64_t v : edgeDoubles())
    if (!std::isnan(toDouble(v)))
      result.push_back(v);
  return result;
}
uint64_t bitsOf(double value) { return f64(value); }

/// The bits that came out when both are NaN.
template <typename F> void binaryF64(const std::string &name, F f) {
  for (const Mode &m : modes) {
    std::string op = name + "." + m.name + ".f64";
    Values a, b;
    for (uint64_t x : numbers())
      for (uint64_t y : numbers()) {
        double r = rounded<double>(m.round, f, toDouble(x), toDouble(y), 0);
        if (std::isnan(r))
          continue;
        a.push_back(x);
        b.push_back(y);
      }
    Values got = evaluate(op + " %d, %a, %b;", d2, {a, b});
    for (size_t i = 0; i != a.size(); ++i)
      EXPECT_EQ(got[i], bitsOf(rounded<double>(m.round, f, toDouble(a[i]),
                                               toDouble(b[i]), 0)))
          << op << " " << toDouble(a[i]) << " " << toDouble(b[i]);
  }
}
} // namespace

TEST(Float, AddSubMul) {
  auto add = [](auto a, auto b, auto) { return a + b; };
  auto sub = [](auto a, auto b, auto) { return a - b; };
  auto mul = [](auto a, auto b, auto) { return a * b; };
  binaryF32("add", add);
  binaryF32("sub", sub);
  binaryF32("mul", mul);
  binaryF64("add", add);
  binaryF64("sub", sub);
  binaryF64("mul", mul);
}

TEST(Float, DefaultsAndSaturation) {
  check2("add.f32", f2, edgeFloats(), [](uint64_t a, uint64_t b) {
    return bitsOf(toFloat(a) + toFloat(b));
  });
  check2("add.sat.f32", f2, edgeFloats(), [](uint64_t a, uint64_t b) {
    return f32(saturate(toFloat(a) + toFloat(b)));
  });
  check2("sub.ftz.sat.f32", f2, edgeFloats(), [](uint64_t a, uint64_t b) {
    return f32(saturate(flush(flush(toFloat(a)) - flush(toFloat(b)))));
  });
  check2("mul.sat.f32", f2, edgeFloats(), [](uint64_t a, uint64_t b) {
    return f32(saturate(toFloat(a) * toFloat(b)));
  });
  check3("fma.rn.sat.f32", f3, edgeFloats(),
         [](uint64_t a, uint64_t b, uint64_t c) {
           return f32(saturate(std::fma(toFloat(a), toFloat(b), toFloat(c))));
         });
}

TEST(Float, Fma) {
  auto fma = [](auto a, auto b, auto c) { return std::fma(a, b, c); };
  for (const Mode &m : modes) {
    for (const char *name : {"fma.", "mad."})
      check3(std::string(name) + m.name + ".f32", f3, edgeFloats(),
             [&](uint64_t a, uint64_t b, uint64_t c) {
               return bitsOf(rounded<float>(m.round, fma, toFloat(a),
                                            toFloat(b), toFloat(c)));
             });
    check3(std::string("fma.") + m.name + ".ftz.f32", f3, edgeFloats(),
           [&](uint64_t a, uint64_t b, uint64_t c) {
             return bitsOf(
                 flush(rounded<float>(m.round, fma, flush(toFloat(a)),
                                      flush(toFloat(b)), flush(toFloat(c)))));
           });
    // A product whose low half decides: 1 + 2^-52 squared minus its top.
    for (const char *name : {"fma.", "mad."}) {
      double a = 1 + 0x1p-52, c = -(1 + 0x1p-51);
      EXPECT_EQ(evaluate(std::string(name) + m.name + ".f64 %d, %a, %a, %b;",
                         d2, {{f64(a), f64(3.0)}, {f64(c), f64(0.1)}}),
                (Values{f64(rounded<double>(m.round, fma, a, a, c)),
                        f64(rounded<double>(m.round, fma, 3.0, 3.0, 0.1))}));
    }
  }
}

TEST(Float, DivRcpSqrt) {
  auto div = [](auto a, auto b, auto) { return a / b; };
  binaryF32("div", div);
  binaryF64("div", div);
  for (const Mode &m : modes) {
    std::string mode = std::string(".") + m.name;
    check1("rcp" + mode + ".f32", f1, edgeFloats(), [&](uint64_t a) {
      return bitsOf(rounded<float>(m.round, div, 1, toFloat(a), 0));
    });
    check1("rcp" + mode + ".ftz.f32", f1, edgeFloats(), [&](uint64_t a) {
      return bitsOf(
          flush(rounded<float>(m.round, div, 1, flush(toFloat(a)), 0)));
    });
    auto root = [](auto a, auto, auto) { return std::sqrt(a); };
    check1("sqrt" + mode + ".f32", f1, edgeFloats(), [&](uint64_t a) {
      return bitsOf(rounded<float>(m.round, root, toFloat(a), 0, 0));
    });
    check1("sqrt" + mode + ".ftz.f32", f1, edgeFloats(), [&](uint64_t a) {
      return bitsOf(rounded<float>(m.round, root, flush(toFloat(a)), 0, 0));
    });
    Values positive;
    for (uint64_t v : numbers())
      if (!std::signbit(toDouble(v)))
        positive.push_back(v);
    check1("sqrt" + mode + ".f64", d1, positive, [&](uint64_t a) {
      return f64(rounded<double>(m.round, root, toDouble(a), 0, 0));
    });
    check1("rcp" + mode + ".f64", d1, positive, [&](uint64_t a) {
      return f64(rounded<double>(m.round, div, 1, toDouble(a), 0));
    });
  }
}

// Bits of the sign alone; NaN keeps its payload.
TEST(Float, Signs) {
  check1("abs.f32", f1, edgeFloats(),
         [](uint64_t a) { return a & 0x7fffffff; });
  check1("neg.f32", f1, edgeFloats(),
         [](uint64_t a) { return a ^ 0x80000000; });
  check1("abs.ftz.f32", f1, edgeFloats(),
         [](uint64_t a) { return f32(flush(toFloat(a))) & 0x7fffffff; });
  check1("neg.ftz.f32", f1, edgeFloats(),
         [](uint64_t a) { return f32(flush(toFloat(a))) ^ 0x80000000; });
  check1("abs.f64", d1, edgeDoubles(),
         [](uint64_t a) { return a & ~0ull >> 1; });
  check1("neg.f64", d1, edgeDoubles(),
         [](uint64_t a) { return a ^ 0x8000000000000000; });
  check2("copysign.f32", f2, edgeFloats(), [](uint64_t a, uint64_t b) {
    return (a & 0x80000000) | (b & 0x7fffffff);
  });
  check2("copysign.f64", d2, edgeDoubles(), [](uint64_t a, uint64_t b) {
    return (a & 0x8000000000000000) | (b & ~0ull >> 1);
  });
}

/// As the ISA's text: a number wins over NaN, +0 is more than -0.
static float extremum(float a, float b, bool least) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  if (a == 0 && b == 0) {
    bool one = std::signbit(a) || std::signbit(b);
    bool both = std::signbit(a) && std::signbit(b);
    return (least ? one : both) ? -0.0f : 0.0f;
  }
  return least ? std::fmin(a, b) : std::fmax(a, b);
}

TEST(Float, MinMax) {
  for (bool least : {true, false}) {
    std::string name = least ? "min" : "max";
    check2(name + ".f32", f2, edgeFloats(), [&](uint64_t a, uint64_t b) {
      return bitsOf(extremum(toFloat(a), toFloat(b), least));
    });
    check2(name + ".ftz.f32", f2, edgeFloats(), [&](uint64_t a, uint64_t b) {
      return bitsOf(extremum(flush(toFloat(a)), flush(toFloat(b)), least));
    });
    auto strict = [&](uint64_t a, uint64_t b) {
      return std::isnan(toFloat(a)) || std::isnan(toFloat(b))
                 ? uint64_t(0x7fffffff)
                 : bitsOf(extremum(toFloat(a), toFloat(b), least));
    };
    check2(name + ".NaN.f32", f2, edgeFloats(), strict);
    Values few{f32(-2), f32(1), f32(3), f32(0), f32(NAN), f32(-INFINITY)};
    check3(name + ".f32", f3, few, [&](uint64_t a, uint64_t b, uint64_t c) {
      return bitsOf(
          extremum(extremum(toFloat(a), toFloat(b), least), toFloat(c), least));
    });
    check2(name + ".xorsign.abs.f32", f2, few, [&](uint64_t a, uint64_t b) {
      float x = toFloat(a), y = toFloat(b);
      float m = extremum(std::fabs(x), std::fabs(y), least);
      bool negative = std::signbit(x) != std::signbit(y);
      return bitsOf(negative ? -m : m);
    });
    check2(name + ".f64", d2, numbers(), [&](uint64_t a, uint64_t b) {
      double x = toDouble(a), y = toDouble(b);
      if (x == 0 && y == 0)
        return std::signbit(x) == std::signbit(y) ? a : f64(least ? -0.0 : 0.0);
      return f64(least ? std::fmin(x, y) : std::fmax(x, y));
    });
  }
}

} // namespace attn::ptx::test
