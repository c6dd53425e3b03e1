//===- FloatMath.h - Exact rounding, in any format and direction
//------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results are computed in double precision with the last bit made odd when it
// is not exact. 53 bits are at least two more than any narrower format has, so
// one rounding from there, in any direction, is as good as one from the exact
// result.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_OPS_FLOATMATH_H
#define ATTN_LIB_PTXSIM_OPS_FLOATMATH_H

#include "PTXSim/Ops/OpHelpers.h"

#include <cmath>

namespace attn::ptx {

/// A binary floating-point format of up to 32 bits.
struct Format {
  int exponentBits, mantissaBits;
  bool hasInfinity; ///< e4m3: the largest exponent holds numbers and one NaN.
  uint32_t nan;     ///< The NaN that instructions produce.
};
constexpr Format formatF32{8, 23, true, 0x7fffffff};
constexpr Format formatTF32{8, 10, true, 0x3ffff}; ///< Before the shift by 13.
constexpr Format formatF16{5, 10, true, 0x7fff};
constexpr Format formatBF16{8, 7, true, 0x7fff};
constexpr Format formatE4M3{4, 3, false, 0x7f};
constexpr Format formatE5M2{5, 2, true, 0x7f};

double decodeFloat(const Format &format, uint32_t bits);
/// `away`: ties away from zero (.rna). `finite`: .satfinite.
uint32_t encodeFloat(const Format &format, double value, Rounding rounding,
                     bool finite = false, bool away = false);

/// Makes the last bit of an inexact result odd; `error` has the sign of what
/// the exact result has more.
inline double roundToOdd(double value, double error) {
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  if (error == 0 || (bits & 1) || !std::isfinite(value))
    return value;
  bool away = (error > 0) == (value > 0);
  return llvm::bit_cast<double>(value == 0 ? bits : away ? bits + 1 : bits - 1);
}

inline double addOdd(double a, double b) {
  double sum = a + b;
  double bb = sum - a;
  double error = (a - (sum - bb)) + (b - bb);
  return std::isfinite(sum) ? roundToOdd(sum, error) : sum;
}
/// The product of two numbers of at most 26 bits is exact.
inline double fmaOdd(double a, double b, double c) { return addOdd(a * b, c); }
inline double divOdd(double a, double b) {
  double q = a / b;
  if (!std::isfinite(q) || q == 0 || std::isinf(b))
    return q;
  double rest = std::fma(-q, b, a);
  return roundToOdd(q, b > 0 ? rest : -rest);
}
inline double sqrtOdd(double a) {
  double root = std::sqrt(a);
  return root > 0 && std::isfinite(root)
             ? roundToOdd(root, std::fma(-root, root, a))
             : root;
}

inline float flushSubnormal(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  return bits & 0x7f800000 ? value : llvm::bit_cast<float>(bits & 0x80000000u);
}

inline float canonical(float value) {
  return value != value ? llvm::bit_cast<float>(0x7fffffffu) : value;
}

/// double operations in a direction other than to nearest.
enum class Wide : uint8_t { Add, Sub, Mul, Fma, Div, Sqrt, Rcp };
double roundedDouble(Wide op, double a, double b, double c, Rounding rounding);

/// To an integral value; ties to even with Nearest.
inline double roundToInteger(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return std::nearbyint(value);
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  }
  return value;
}

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_OPS_FLOATMATH_H
