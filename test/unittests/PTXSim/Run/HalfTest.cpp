//===- HalfTest.cpp - f16, bf16 and pairs of them -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results are exact sums and products in double, rounded once by the code
// here: what lies halfway between two neighbours goes to the even one.
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

#include <cmath>

namespace attn::ptx::test {

namespace {
/// A format by its exponent and mantissa bits.
struct Format {
  unsigned exponent, mantissa;

  int bias() const { return (1 << (exponent - 1)) - 1; }
  uint64_t infinity() const {
    return uint64_t((1u << exponent) - 1) << mantissa;
  }
  double decode(uint64_t bits) const {
    bool negative = bits >> 15 & 1;
    uint64_t e = bits >> mantissa & ((1u << exponent) - 1);
    uint64_t m = bits & ((1u << mantissa) - 1);
    double v = e == (1u << exponent) - 1 ? (m ? NAN : INFINITY)
               : e == 0 ? std::ldexp(double(m), 1 - bias() - int(mantissa))
                        : std::ldexp(double(m | 1u << mantissa),
                                     int(e) - bias() - int(mantissa));
    return negative ? -v : v;
  }
  /// `error` is what the double itself left out.
  uint64_t encode(double value, double error = 0) const {
    if (std::isnan(value))
      return 0x7fff;
    uint64_t sign = std::signbit(value) ? 0x8000 : 0;
    double v = std::fabs(value);
    error = sign ? -error : error;
    if (std::isinf(v))
      return sign | infinity();
    // Patterns of one sign are ordered as their values.
    uint64_t low = 0, high = infinity();
    while (high - low > 1) {
      uint64_t middle = (low + high) / 2;
      (decode(middle) < v || (decode(middle) == v && error >= 0) ? low : high) =
          middle;
    }
    double below = decode(low);
    // The step past the largest number is as large as the one before it.
    double above =
        high == infinity() ? 2 * below - decode(low - 1) : decode(high);
    double middle = (below + above) / 2;
    bool up =
        v > middle || (v == middle && (error > 0 || (error == 0 && low & 1)));
    return sign | (up ? high : low);
  }
};
const Format f16{5, 10}, bf16{8, 7};

struct Named {
  std::string name;
  const Format *format;
};
const Named both[] = {{"f16", &f16}, {"bf16", &bf16}};

Values samples(const Format &f) {
  Values v{0,
           1,
           2,
           3,
           f.infinity() - 1,
           f.infinity(),
           f.infinity() + 1,
           f.encode(1),
           f.encode(1) + 1,
           f.encode(1.5),
           f.encode(3),
           f.encode(0.1),
           f.encode(100),
           f.encode(0x1p-10),
           f.encode(0x1p-14)};
  size_t n = v.size();
  for (size_t i = 0; i != n; ++i)
    v.push_back(v[i] | 0x8000);
  return v;
}

/// Half and pair forms; the pair's upper half gets the operands the other way
/// round.
template <typename F>
void binary(const std::string &name, const Named &type, F f) {
  check2(name + "." + type.name, {"b16", "b16", "b16"}, samples(*type.format),
         f);
  Values a, b, expected;
  for (uint64_t x : samples(*type.format))
    for (uint64_t y : samples(*type.format)) {
      a.push_back(y << 16 | x);
      b.push_back(x << 16 | y);
      expected.push_back(uint64_t(f(y, x)) << 16 | uint64_t(f(x, y)));
    }
  EXPECT_EQ(evaluate(name + "." + type.name + "x2 %d, %a, %b;",
                     {"b32", "b32", "b32"}, {a, b}),
            expected)
      << name;
}

/// a + b, and the part of it that the double does not hold.
uint64_t sum(const Format &f, double a, double b) {
  double s = a + b, back = s - a;
  double error = std::isfinite(s) ? (a - (s - back)) + (b - back) : 0;
  return f.encode(s, error);
}
uint64_t fused(const Format &f, double a, double b, double c) {
  return sum(f, a * b, c);
}
double flushed(const Format &f, uint64_t bits) {
  return bits & f.infinity() ? f.decode(bits)
                             : std::copysign(0.0, f.decode(bits));
}
uint64_t flushBits(const Format &f, uint64_t bits) {
  return bits & f.infinity() ? bits : bits & 0x8000;
}
uint64_t relu(uint64_t bits) {
  return bits == 0x7fff ? bits : bits & 0x8000 ? 0 : bits;
}
uint64_t saturated(const Format &f, uint64_t bits) {
  if (bits == 0x7fff || bits & 0x8000)
    return 0;
  return bits > f.encode(1) ? f.encode(1) : bits;
}
} // namespace

TEST(Half, Arithmetic) {
  for (const Named &type : both) {
    const Format &f = *type.format;
    auto add = [&](uint64_t a, uint64_t b) {
      return sum(f, f.decode(a), f.decode(b));
    };
    auto sub = [&](uint64_t a, uint64_t b) {
      return sum(f, f.decode(a), -f.decode(b));
    };
    auto mul = [&](uint64_t a, uint64_t b) {
      return f.encode(f.decode(a) * f.decode(b));
    };
    binary("add", type, add);
    binary("add.rn", type, add);
    binary("sub", type, sub);
    binary("mul", type, mul);
    if (&f == &bf16)
      continue;
    binary("add.sat", type,
           [&](uint64_t a, uint64_t b) { return saturated(f, add(a, b)); });
    binary("mul.ftz", type, [&](uint64_t a, uint64_t b) {
      return flushBits(f, f.encode(flushed(f, a) * flushed(f, b)));
    });
    binary("sub.ftz.sat", type, [&](uint64_t a, uint64_t b) {
      return saturated(f, flushBits(f, sum(f, flushed(f, a), -flushed(f, b))));
    });
  }
}

TEST(Half, Fma) {
  for (const Named &type : both) {
    const Format &f = *type.format;
    std::vector<std::string> types{"b16", "b16", "b16", "b16"};
    check3("fma.rn." + type.name, types, samples(f),
           [&](uint64_t a, uint64_t b, uint64_t c) {
             return fused(f, f.decode(a), f.decode(b), f.decode(c));
           });
    check3("fma.rn.relu." + type.name, types, samples(f),
           [&](uint64_t a, uint64_t b, uint64_t c) {
             return relu(fused(f, f.decode(a), f.decode(b), f.decode(c)));
           });
    Values got = evaluate("fma.rn." + type.name + "x2 %d, %a, %b, %c;",
                          {"b32", "b32", "b32", "b32"},
                          {{f.encode(3) << 16 | f.encode(1.5)},
                           {f.encode(2) << 16 | f.encode(0.1)},
                           {f.encode(-7) << 16 | f.encode(100)}});
    EXPECT_EQ(got[0],
              f.encode(-1) << 16 | fused(f, 1.5, f.decode(f.encode(0.1)), 100));
  }
  check3("fma.rn.ftz.f16", {"b16", "b16", "b16", "b16"}, samples(f16),
         [](uint64_t a, uint64_t b, uint64_t c) {
           return flushBits(f16, fused(f16, flushed(f16, a), flushed(f16, b),
                                       flushed(f16, c)));
         });
  check3("fma.rn.sat.f16", {"b16", "b16", "b16", "b16"}, samples(f16),
         [](uint64_t a, uint64_t b, uint64_t c) {
           return saturated(
               f16, fused(f16, f16.decode(a), f16.decode(b), f16.decode(c)));
         });
}

TEST(Half, MinMax) {
  for (const Named &type : both)
    for (bool least : {true, false}) {
      const Format &f = *type.format;
      auto pick = [&](uint64_t a, uint64_t b) {
        double x = f.decode(a), y = f.decode(b);
        if (std::isnan(x) || std::isnan(y))
          return std::isnan(x) && std::isnan(y) ? uint64_t(0x7fff)
                 : std::isnan(x)                ? b
                                                : a;
        if (x == 0 && y == 0)
          return least ? a | b : a & b;
        return (x < y) == least ? a : b;
      };
      std::string name = least ? "min" : "max";
      binary(name, type, pick);
      binary(name + ".NaN", type, [&](uint64_t a, uint64_t b) {
        return std::isnan(f.decode(a)) || std::isnan(f.decode(b))
                   ? uint64_t(0x7fff)
                   : pick(a, b);
      });
    }
}

TEST(Half, Signs) {
  for (const Named &type : both) {
    check1("neg." + type.name, {"b16", "b16"}, samples(*type.format),
           [](uint64_t a) { return a ^ 0x8000; });
    check1("abs." + type.name, {"b16", "b16"}, samples(*type.format),
           [](uint64_t a) { return a & 0x7fff; });
    check1("neg." + type.name + "x2", {"b32", "b32"}, edgeIntegers(),
           [](uint64_t a) { return a ^ 0x80008000; });
    check1("abs." + type.name + "x2", {"b32", "b32"}, edgeIntegers(),
           [](uint64_t a) { return a & 0x7fff7fff; });
  }
}

// f16: 2^-9.9 relative; bf16: 2^-7. tanh: 2^-10.987 and 2^-8 absolute.
TEST(Half, Functions) {
  for (const Named &type : both) {
    const Format &f = *type.format;
    std::string ftz = &f == &bf16 ? ".ftz" : "";
    Values in;
    for (int k = -60; k <= 60; ++k)
      in.push_back(f.encode(k / 8.0));
    Values exps = evaluate("ex2.approx" + ftz + "." + type.name + " %d, %a;",
                           {"b16", "b16"}, {in});
    Values tanhs =
        evaluate("tanh.approx." + type.name + " %d, %a;", {"b16", "b16"}, {in});
    for (size_t i = 0; i != in.size(); ++i) {
      double x = f.decode(in[i]);
      double bound = &f == &f16 ? std::exp2(-9.9) : 0x1p-7;
      EXPECT_NEAR(f.decode(exps[i]) / std::exp2(x), 1, bound);
      EXPECT_NEAR(f.decode(tanhs[i]), std::tanh(x),
                  &f == &f16 ? std::exp2(-10.987) : 0x1p-8);
    }
    Values pair =
        evaluate("ex2.approx" + ftz + "." + type.name + "x2 %d, %a;",
                 {"b32", "b32"}, {{f.encode(3) << 16 | f.encode(-2)}});
    EXPECT_EQ(pair[0], f.encode(8) << 16 | f.encode(0.25));
    pair = evaluate("tanh.approx." + type.name + "x2 %d, %a;", {"b32", "b32"},
                    {{f.infinity() << 16 | f.encode(0)}});
    EXPECT_EQ(pair[0], f.encode(1) << 16);
  }
}

} // namespace attn::ptx::test
