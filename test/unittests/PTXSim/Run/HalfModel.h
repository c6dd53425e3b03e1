//===- HalfModel.h - f16 and bf16 by definition ---------------------------===//
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

#ifndef ATTN_TEST_PTXSIM_RUN_HALFMODEL_H
#define ATTN_TEST_PTXSIM_RUN_HALFMODEL_H

#include "OneInstruction.h"

#include <cmath>

namespace attn::ptx::test::half {

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
inline const Format f16{5, 10}, bf16{8, 7};

struct Named {
  std::string name;
  const Format *format;
};
inline const Named both[] = {{"f16", &f16}, {"bf16", &bf16}};

inline Values samples(const Format &f) {
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

/// a + b, and the part of it that the double does not hold.
inline uint64_t sum(const Format &f, double a, double b) {
  double s = a + b, back = s - a;
  double error = std::isfinite(s) ? (a - (s - back)) + (b - back) : 0;
  return f.encode(s, error);
}
inline uint64_t fused(const Format &f, double a, double b, double c) {
  return sum(f, a * b, c);
}
inline double flushed(const Format &f, uint64_t bits) {
  return bits & f.infinity() ? f.decode(bits)
                             : std::copysign(0.0, f.decode(bits));
}
inline uint64_t flushBits(const Format &f, uint64_t bits) {
  return bits & f.infinity() ? bits : bits & 0x8000;
}
inline uint64_t relu(uint64_t bits) {
  return bits == 0x7fff ? bits : bits & 0x8000 ? 0 : bits;
}
inline uint64_t saturated(const Format &f, uint64_t bits) {
  if (bits == 0x7fff || bits & 0x8000)
    return 0;
  return bits > f.encode(1) ? f.encode(1) : bits;
}

/// Checks the scalar form and the pair of the same operation; the pair's upper
/// half has the operands in reverse.
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

} // namespace attn::ptx::test::half

#endif // ATTN_TEST_PTXSIM_RUN_HALFMODEL_H
