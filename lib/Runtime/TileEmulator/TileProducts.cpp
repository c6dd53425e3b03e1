//===- TileProducts.cpp - What a product of tiles computes ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileProducts.h"

#if defined(__x86_64__)
#include <cstring>
#include <immintrin.h>

using namespace attn;

namespace {

constexpr unsigned kPairs = kTileRowBytes / 4;

/// The elements of a tile as f32, the first ones of all pairs apart from the
/// second ones.
struct alignas(64) Factor {
  float parts[2][kTileRows][kPairs];
};

#define ATTN_INLINE inline __attribute__((always_inline))

ATTN_INLINE float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

ATTN_INLINE float widenBF16(uint32_t bits) { return fromBits(bits << 16); }

/// Denormals of f16 are numbers to this unit, and normal ones as f32.
ATTN_INLINE float widenF16(uint32_t bits) {
  uint32_t sign = (bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31, mantissa = bits & 0x3ff;
  uint32_t normal = ((exponent + 112) << 23) | (mantissa << 13);
  uint32_t special = 0x7f800000 | (mantissa << 13);
  float denormal = float(int32_t(mantissa)) * 0x1p-24f;
  uint32_t small;
  std::memcpy(&small, &denormal, sizeof(small));
  return fromBits(sign | (exponent == 0    ? small
                          : exponent == 31 ? special
                                           : normal));
}

template <float Widen(uint32_t)>
ATTN_INLINE void widenRow(const uint8_t *row, float *even, float *odd) {
  uint32_t pairs[kPairs];
  std::memcpy(pairs, row, sizeof(pairs));
  for (unsigned i = 0; i < kPairs; ++i) {
    even[i] = Widen(pairs[i] & 0xffff);
    odd[i] = Widen(pairs[i] >> 16);
  }
}

ATTN_INLINE void widen(TileElement type, const Tile &tile, unsigned rows,
                       Factor &factor) {
  for (unsigned row = 0; row < rows; ++row) {
    float *even = factor.parts[0][row], *odd = factor.parts[1][row];
    if (type == TileElement::BF16)
      widenRow<widenBF16>(tile.rows[row], even, odd);
    else
      widenRow<widenF16>(tile.rows[row], even, odd);
  }
}

ATTN_INLINE void multiply(TileElement type, Tile &sums, const Tile &first,
                          const Tile &second, unsigned rows, unsigned pairs,
                          unsigned columns) {
  Factor left, right;
  widen(type, first, rows, left);
  widen(type, second, pairs, right);
  for (unsigned row = 0; row < rows; ++row) {
    float parts[2][kPairs] = {};
    for (unsigned part = 0; part < 2; ++part)
      for (unsigned k = 0; k < pairs; ++k)
        for (unsigned n = 0; n < kPairs; ++n)
          parts[part][n] =
              __builtin_fmaf(left.parts[part][row][k], right.parts[part][k][n],
                             parts[part][n]);
    float sum[kPairs];
    std::memcpy(sum, sums.rows[row], sizeof(sum));
    for (unsigned n = 0; n < kPairs; ++n)
      sum[n] = n < columns ? sum[n] + (parts[0][n] + parts[1][n]) : 0.0f;
    std::memcpy(sums.rows[row], sum, sizeof(sum));
  }
}

__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma"), noinline)) void
multiply512(TileElement type, Tile &sums, const Tile &first, const Tile &second,
            unsigned rows, unsigned pairs, unsigned columns) {
  multiply(type, sums, first, second, rows, pairs, columns);
}

__attribute__((target("avx2,fma"), noinline)) void
multiply256(TileElement type, Tile &sums, const Tile &first, const Tile &second,
            unsigned rows, unsigned pairs, unsigned columns) {
  multiply(type, sums, first, second, rows, pairs, columns);
}

__attribute__((target("avx2,fma"), noinline)) void
addPairsFused(float *sums, const uint8_t *first, const uint8_t *second) {
  float left[2][kPairs], right[2][kPairs];
  widenRow<widenBF16>(first, left[0], left[1]);
  widenRow<widenBF16>(second, right[0], right[1]);
  for (unsigned part = 2; part-- > 0;)
    for (unsigned i = 0; i < kPairs; ++i)
      sums[i] = __builtin_fmaf(left[part][i], right[part][i], sums[i]);
}

/// To nearest, all exceptions masked, denormals to zero on both sides.
constexpr unsigned kTileUnitMXCSR = 0x9fc0;

} // namespace

void attn::addPairs(float *sums, const uint8_t *first, const uint8_t *second) {
  unsigned before = _mm_getcsr();
  _mm_setcsr(kTileUnitMXCSR);
  addPairsFused(sums, first, second);
  _mm_setcsr(before);
}

bool attn::canMultiplyTiles() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

void attn::multiplyTiles(TileElement type, Tile &sums, const Tile &first,
                         const Tile &second, unsigned rows, unsigned pairs,
                         unsigned columns) {
  unsigned before = _mm_getcsr();
  _mm_setcsr(kTileUnitMXCSR);
  bool has512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  (has512 ? multiply512 : multiply256)(type, sums, first, second, rows, pairs,
                                       columns);
  _mm_setcsr(before);
}
#endif
