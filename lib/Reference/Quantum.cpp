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

void quantise(double *values, int64_t count, Quantum quantum) {
  switch (quantum) {
  case Quantum::None:
    return;
  case Quantum::F32:
    for (int64_t i = 0; i < count; ++i)
      values[i] = double(float(values[i]));
    return;
  case Quantum::F16:
    for (int64_t i = 0; i < count; ++i)
      values[i] = roundNarrow(values[i], 11, -14, 65504.0);
    return;
  case Quantum::BF16:
    for (int64_t i = 0; i < count; ++i)
      values[i] = roundNarrow(values[i], 8, -126, 0x1.FEp127);
    return;
  }
}

} // namespace attn::reference::detail
