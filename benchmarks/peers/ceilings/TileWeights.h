//===- TileWeights.h - Weights as terms of the tile unit --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_BENCHMARKS_CEILINGS_TILEWEIGHTS_H
#define ATTN_BENCHMARKS_CEILINGS_TILEWEIGHTS_H

#include "Exponentials.h"
#include "Tiles.h"

namespace ceilings {

/// Queries of a group: two tiles of 16.
constexpr int kGroup = 2 * kLanes;

/// Keys whose scores are made at once, and numbers of theirs for a group.
constexpr int kChunkKeys = 32, kChunk = kChunkKeys * kGroup;

/// Maximum, in units of log 2, and sum of the weights of each query. Weights
/// are relative to 2^7 times that of the maximum: one that is above by more
/// than the slack is 2 or more, which a bit of its exponent tells.
struct Softmax {
  Lanes peak[2], total[2];
};

/// Makes weights from scores, and pairs of two keys from them. Copies of it
/// stay in registers.
template <int Parts> class WeightMaker {
public:
  Lanes total[2];

  WeightMaker() = default;
  [[gnu::always_inline]] WeightMaker(const Softmax &state, Lanes scale)
      : seen(_mm512_setzero_si512()), scale(scale) {
    for (int half = 0; half < 2; ++half) {
      total[half] = state.total[half];
      offset[half] = splat(1.0f - kSlack) - state.peak[half];
    }
  }

  /// Keys 2 * pair and 2 * pair + 1 of a chunk. Parts lie `partStride` apart.
  [[gnu::always_inline]] void add(const float *scores, BF16 *weights, int pair,
                                  long partStride) {
    const float *even = scores + 2 * pair * kGroup, *odd = even + kGroup;
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      BF16 *place = weights + half * kTileTerms + pair * kTerms;
      Lanes a = multiplyAdd(_mm512_load_ps(even + half * kLanes), scale,
                            offset[half]);
      Lanes b =
          multiplyAdd(_mm512_load_ps(odd + half * kLanes), scale, offset[half]);
      if constexpr (Parts == 1)
        addRounded(exp2ToBeCut(a), exp2ToBeCut(b), half, place);
      else
        addParts(exp2F32(a), exp2F32(b), half, place, partStride);
    }
  }

  /// Whether a score was so high that the weights have to be made again.
  [[gnu::always_inline]] bool isAbove() const {
    constexpr int kTwoOrMore = 0x40000000;
    return _mm512_test_epi32_mask(seen, _mm512_set1_epi32(kTwoOrMore)) != 0;
  }

private:
  [[gnu::always_inline]] void see(Lanes a, Lanes b) {
    constexpr int kAnyOfThree = 0xFE;
    seen = _mm512_ternarylogic_epi32(seen, asBits(a), asBits(b), kAnyOfThree);
  }

  /// The sum is that of the rounded weights. Products of pairs with ones would
  /// be fewer instructions, but take longer beside the tile unit.
  [[gnu::always_inline]] void addRounded(Lanes a, Lanes b, int half,
                                         BF16 *place) {
    const __m512i upper = _mm512_set1_epi32(0xffff0000);
    see(a, b);
    __m512i pairs = cutToPairs(a, b);
    total[half] += asFloats(_mm512_slli_epi32(pairs, 16)) +
                   asFloats(_mm512_and_si512(pairs, upper));
    _mm512_store_si512(place, pairs);
  }

  /// All parts but the last are cut off, which is exact: the rest has fewer
  /// bits. The sum is that of the weights before.
  [[gnu::always_inline]] void addParts(Lanes a, Lanes b, int half, BF16 *place,
                                       long partStride) {
    const __m512i upper = _mm512_set1_epi32(0xffff0000);
    see(a, b);
    total[half] += a + b;
#pragma GCC unroll 2
    for (int part = 0; part < Parts - 1; ++part, place += partStride) {
      _mm512_store_si512(place, cutToPairs(a, b));
      a -= asFloats(_mm512_and_si512(asBits(a), upper));
      b -= asFloats(_mm512_and_si512(asBits(b), upper));
    }
    _mm512_store_si512(place,
                       Parts == 2 ? roundToPairs(a, b) : cutToPairs(a, b));
  }

  [[gnu::always_inline]] static __m512i cutToPairs(Lanes a, Lanes b) {
    return _mm512_mask_blend_epi16(kUpperHalves,
                                   _mm512_srli_epi32(asBits(a), 16), asBits(b));
  }

  /// Halves away from zero, for numbers that are far from the largest one.
  [[gnu::always_inline]] static __m512i roundToPairs(Lanes a, Lanes b) {
    const __m512i half = _mm512_set1_epi32(0x8000);
    return cutToPairs(asFloats(_mm512_add_epi32(asBits(a), half)),
                      asFloats(_mm512_add_epi32(asBits(b), half)));
  }

  __m512i seen;
  Lanes scale, offset[2];
};

} // namespace ceilings

#endif // ATTN_BENCHMARKS_CEILINGS_TILEWEIGHTS_H
