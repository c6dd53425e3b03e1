//===- Exponentials.h - Powers of two -----------------------------*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_BENCHMARKS_CEILINGS_EXPONENTIALS_H
#define ATTN_BENCHMARKS_CEILINGS_EXPONENTIALS_H

#include "Support.h"

namespace ceilings {

/// x - floor(x), which is 0 for an infinity.
[[gnu::always_inline]] inline Lanes fraction(Lanes x) {
  constexpr int kDown = 1, kQuiet = 8;
  return _mm512_reduce_ps(x, kDown | kQuiet);
}

/// 2^x with a relative error of 7.5e-8 before rounding. The polynomial has the
/// smallest largest error on [0, 1); scaling takes floor(x) by itself.
[[gnu::always_inline]] inline Lanes exp2F32(Lanes x) {
  Lanes f = fraction(x);
  Lanes power = multiplyAdd(splat(0.0018775767f), f, splat(0.008989340024f));
  power = multiplyAdd(power, f, splat(0.05582631812f));
  power = multiplyAdd(power, f, splat(0.240153617f));
  power = multiplyAdd(power, f, splat(0.6931530732f));
  power = multiplyAdd(power, f, splat(0.9999999251f));
  return _mm512_scalef_ps(power, x);
}

/// 2^x for a result of bf16: a relative error of 7.5e-5, and half a unit of
/// bf16 on top. So cutting the lower half of the bits off rounds to nearest:
/// the polynomial is at least 1 and hardly above 2, where scaling does not
/// round.
[[gnu::always_inline]] inline Lanes exp2ToBeCut(Lanes x) {
  constexpr float kHalfUnit = 1.0f / 256.0f;
  Lanes f = fraction(x);
  Lanes power = multiplyAdd(splat(0.07802452269f), f, splat(0.2260671554f));
  power = multiplyAdd(power, f, splat(0.6958335405f));
  power = multiplyAdd(power, f, splat(0.9999252186f + kHalfUnit));
  return _mm512_scalef_ps(power, x);
}

} // namespace ceilings

#endif // ATTN_BENCHMARKS_CEILINGS_EXPONENTIALS_H
