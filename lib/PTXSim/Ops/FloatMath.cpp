//===- FloatMath.cpp - Exact rounding, in any format and direction
//----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/FloatMath.h"

#include <cfenv>

using namespace llvm;

namespace attn::ptx {

double decodeFloat(const Format &format, uint32_t bits) {
  int m = format.mantissaBits;
  uint32_t top = (1u << format.exponentBits) - 1;
  uint32_t mantissa = bits & ((1u << m) - 1);
  uint32_t exponent = bits >> m & top;
  bool negative = bits >> (m + format.exponentBits) & 1;
  int bias = int(top >> 1);
  double value;
  if (exponent == top && format.hasInfinity)
    value = mantissa ? std::nan("") : HUGE_VAL;
  else if (!format.hasInfinity && exponent == top && mantissa == (1u << m) - 1)
    value = std::nan("");
  else if (exponent == 0)
    value = std::ldexp(double(mantissa), 1 - bias - m);
  else
    value = std::ldexp(double(mantissa + (1u << m)), int(exponent) - bias - m);
  return negative ? -value : value;
}

/// Whether the bits cut off push the magnitude up by one unit.
static bool roundsUp(uint64_t kept, uint64_t rest, uint64_t half,
                     Rounding rounding, bool negative, bool away) {
  switch (rounding) {
  case Rounding::Nearest:
    return rest > half || (rest == half && (away || (kept & 1)));
  case Rounding::Zero:
    return false;
  case Rounding::Down:
    return negative && rest;
  case Rounding::Up:
    return !negative && rest;
  }
  return false;
}

uint32_t encodeFloat(const Format &format, double value, Rounding rounding,
                     bool finite, bool away) {
  int m = format.mantissaBits;
  uint32_t top = (1u << format.exponentBits) - 1;
  int bias = int(top >> 1);
  uint64_t bits = bit_cast<uint64_t>(value);
  bool negative = bits >> 63;
  uint32_t sign = uint32_t(negative) << (m + format.exponentBits);
  // The largest number; e4m3's has the top exponent.
  uint32_t largest =
      format.hasInfinity ? (top << m) - 1 : (top << m) + (1u << m) - 2;
  uint32_t infinity = format.hasInfinity ? top << m : format.nan;
  if (std::isnan(value))
    return format.nan;
  if (std::isinf(value))
    return sign | (finite ? largest : infinity);
  if (value == 0)
    return sign;
  int exponent = int(bits >> 52 & 0x7ff) - 1023;
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == -1023) { // subnormal double: below everything but f32's range
    exponent = -1022;
  } else {
    mantissa |= uint64_t(1) << 52;
  }
  // Bits to cut off: more where the result is subnormal.
  int cut = 52 - m;
  int target = exponent + bias;
  if (target < 1) {
    cut += 1 - target;
    target = 1;
  }
  if (cut > 60) { // all of it; keep it as something tiny
    mantissa = 1;
    cut = 60;
  }
  uint64_t kept = mantissa >> cut;
  uint64_t rest = mantissa & ((uint64_t(1) << cut) - 1);
  kept +=
      roundsUp(kept, rest, uint64_t(1) << (cut - 1), rounding, negative, away);
  // Without the hidden bit the exponent is one less: subnormal.
  uint64_t result = (uint64_t(target - 1) << m) + kept;
  if (result > largest) {
    bool stays = rounding == Rounding::Zero ||
                 (rounding == Rounding::Down && !negative) ||
                 (rounding == Rounding::Up && negative);
    result = finite || stays ? largest : infinity;
  }
  return sign | uint32_t(result);
}

double roundedDouble(Wide op, double a, double b, double c, Rounding rounding) {
  static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                  FE_UPWARD};
  // Volatile keeps the compiler from computing across the mode switches.
  volatile double x = a, y = b, z = c, result = 0;
  std::fesetround(modes[unsigned(rounding)]);
  switch (op) {
  case Wide::Add:
    result = x + y;
    break;
  case Wide::Sub:
    result = x - y;
    break;
  case Wide::Mul:
    result = x * y;
    break;
  case Wide::Fma:
    result = std::fma(x, y, z);
    break;
  case Wide::Div:
    result = x / y;
    break;
  case Wide::Sqrt:
    result = std::sqrt(x);
    break;
  case Wide::Rcp:
    result = 1.0 / x;
    break;
  }
  std::fesetround(FE_TONEAREST);
  return result;
}

} // namespace attn::ptx
