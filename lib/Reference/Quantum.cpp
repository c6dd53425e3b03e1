//===- Quantum.cpp - Rounds doubles to narrower float types ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quantum.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace attn::reference::detail {

/// Rounds to `digits` significant bits with exponents of at least `minExponent`
/// (below it the spacing stays, which makes denormals), or to infinity beyond
/// `maxFinite`.
static double roundNarrow(double value, int digits, int minExponent,
                          double maxFinite) {
  if (!std::isfinite(value) || value == 0.0)
    return value;
  int exponent = int((llvm::bit_cast<uint64_t>(value) >> 52) & 0x7ff) - 1023;
  int spacing = std::max(exponent, minExponent) - (digits - 1);
  // Adding and taking away a number whose own spacing is 2^spacing rounds to
  // that spacing, ties to even.
  double magic =
      1.5 * llvm::bit_cast<double>(uint64_t(spacing + 52 + 1023) << 52);
  double rounded = std::copysign((value + magic) - magic, value);
  if (std::abs(rounded) > maxFinite)
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

/// Which neighbour a variant takes: one draw for two variants, which differ.
static bool takesUpper(double value, unsigned variant) {
  uint64_t bits = llvm::bit_cast<uint64_t>(value) + (variant + 1) / 2;
  uint64_t mixed = (bits ^ (bits >> 32)) * 0x9E3779B97F4A7C15;
  return bool(mixed >> 63) != (variant % 2 == 0);
}

static double roundFloat(double value, unsigned variant) {
  auto nearest = double(float(value));
  if (nearest == value || !std::isfinite(nearest))
    return nearest;
  bool upper = takesUpper(value, variant);
  if ((nearest > value) == upper)
    return nearest;
  float infinity = std::numeric_limits<float>::infinity();
  float other = std::nextafter(float(value), upper ? infinity : -infinity);
  return std::isfinite(other) ? double(other) : nearest;
}

static double moveDouble(double value, unsigned variant) {
  constexpr uint64_t lastDigits = (uint64_t(1) << 26) - 1;
  if ((llvm::bit_cast<uint64_t>(value) & lastDigits) == 0 ||
      !std::isfinite(value))
    return value;
  return value * (takesUpper(value, variant) ? 1 + 0x1p-45 : 1 - 0x1p-45);
}

void quantise(double *values, int64_t count, Quantum quantum) {
  auto change = [&](auto fn) {
    for (int64_t i = 0; i < count; ++i)
      values[i] = fn(values[i]);
  };
  unsigned variant = quantum.variant;
  switch (quantum.kind) {
  case Quantum::None:
    return;
  case Quantum::F32:
    if (variant == 0)
      return change([](double x) { return double(float(x)); });
    return change([variant](double x) { return roundFloat(x, variant); });
  case Quantum::F16:
    return change([](double x) { return roundNarrow(x, 11, -14, 65504.0); });
  case Quantum::BF16:
    return change([](double x) { return roundNarrow(x, 8, -126, 0x1.FEp127); });
  case Quantum::F64:
    return change([variant](double x) { return moveDouble(x, variant); });
  }
}

} // namespace attn::reference::detail
