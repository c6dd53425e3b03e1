//===- Tiles.h - The tile unit, and operands as it reads them ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile has 16 rows of 64 bytes. A product adds, to 16 x 16 sums of f32, rows
// of 32 numbers of bf16 times columns of 32, which lie as 16 rows of pairs.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_BENCHMARKS_CEILINGS_TILES_H
#define ATTN_BENCHMARKS_CEILINGS_TILES_H

#include "Support.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace ceilings {

using BF16 = uint16_t;

/// Numbers of a tile, as terms and as sums, and bytes of a row.
constexpr int kTileTerms = 512, kTileSums = 256, kTileBytes = 64;

/// Terms of a product.
constexpr int kTerms = 32;

/// The upper halves of 32-bit lanes, as a mask of 16-bit lanes.
constexpr __mmask32 kUpperHalves = 0xAAAAAAAA;

/// Asks the kernel once for the state of tiles.
inline bool mayUseTiles() {
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  static const bool allowed =
      syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return allowed;
}

/// Eight full tiles, while it lives.
class TileUnit {
public:
  TileUnit() {
    alignas(64) Configuration configuration;
    for (int i = 0; i < 8; ++i) {
      configuration.bytes[i] = kTileBytes;
      configuration.rows[i] = 16;
    }
    _tile_loadconfig(&configuration);
  }
  TileUnit(const TileUnit &) = delete;
  TileUnit &operator=(const TileUnit &) = delete;
  ~TileUnit() { _tile_release(); }

private:
  struct Configuration {
    uint8_t palette = 1, startRow = 0, reserved[14] = {};
    uint16_t bytes[16] = {};
    uint8_t rows[16] = {};
  };
};

/// 32 queries as columns: tiles [terms / 32][two of 16 queries] of pairs.
template <int Depth> void packQueries(const BF16 *rows, BF16 *packed) {
  for (int term = 0; term < Depth; term += kTerms) {
    for (int half = 0; half < 2; ++half, packed += kTileTerms) {
      Lanes square[kLanes];
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i)
        square[i] = _mm512_loadu_ps(rows + (half * kLanes + i) * Depth + term);
      transpose(square);
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i)
        _mm512_store_ps(packed + i * kTerms, square[i]);
    }
  }
}

/// All values with keys as terms: tiles [keys / 32][columns / 16], of which
/// each row is a column of 32 keys.
template <int Depth>
void packValues(const BF16 *values, long keys, BF16 *packed) {
  auto widen = [](const BF16 *numbers) {
    return _mm512_cvtepu16_epi32(
        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(numbers)));
  };
  for (long key = 0; key < keys; key += kTerms) {
    for (int column = 0; column < Depth; column += kLanes) {
      Lanes square[kLanes];
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) {
        const BF16 *even = values + (key + 2 * i) * Depth + column;
        __m512i odd = _mm512_slli_epi32(widen(even + Depth), 16);
        square[i] = asFloats(_mm512_or_si512(widen(even), odd));
      }
      transpose(square);
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i)
        _mm512_store_ps(packed + i * kTerms, square[i]);
      packed += kTileTerms;
    }
  }
}

[[gnu::always_inline]] inline void storeNumbers(float *place, Lanes lanes) {
  _mm512_storeu_ps(place, lanes);
}

[[gnu::always_inline]] inline void storeNumbers(BF16 *place, Lanes lanes) {
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(place),
                      (__m256i)_mm512_cvtneps_pbh(lanes));
}

/// Writes 32 rows from sums [columns / 16][two of 16 queries] with the queries
/// in the lanes, each times its factor.
template <int Depth, typename Number>
void unpackOutputs(const float *sums, const Lanes (&factors)[2], Number *rows) {
  for (int column = 0; column < Depth; column += kLanes) {
    for (int half = 0; half < 2; ++half, sums += kTileSums) {
      Lanes square[kLanes];
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i)
        square[i] = _mm512_load_ps(sums + i * kLanes) * factors[half];
      transpose(square);
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i)
        storeNumbers(rows + (half * kLanes + i) * Depth + column, square[i]);
    }
  }
}

} // namespace ceilings

#endif // ATTN_BENCHMARKS_CEILINGS_TILES_H
