//===- TileGroup.h - 32 queries on the tile unit ----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_BENCHMARKS_CEILINGS_TILEGROUP_H
#define ATTN_BENCHMARKS_CEILINGS_TILEGROUP_H

#include "TileProducts.h"
#include "TileWeights.h"

#include <algorithm>

namespace ceilings {

/// A group of queries on its way over the keys.
template <int Depth, int Parts> class TileGroup {
public:
  /// Floats of memory: outputs, and the parts of packed queries.
  static constexpr int kNumbers = Depth * kGroup;
  static constexpr int kFloats = kNumbers + Parts * kNumbers / 2;

  Softmax softmax;

  static Lanes getScale() { return splat(kLog2E / std::sqrt(float(Depth))); }

  long getRow() const { return row; }

  /// Begins with rows from `first` on.
  void begin(PartArray query, long first, float *memory) {
    row = first;
    outputs = memory;
    queries = reinterpret_cast<BF16 *>(memory + kNumbers);
    for (int part = 0; part < Parts; ++part)
      packQueries<Depth>(query.data + part * query.stride + row * Depth,
                         queries + part * kNumbers);
    std::fill_n(outputs, kNumbers, 0.0f);
    for (int half = 0; half < 2; ++half) {
      softmax.peak[half] = splat(kLowest);
      softmax.total[half] = _mm512_setzero_ps();
    }
  }

  template <typename Number> void end(Number *output) const {
    Lanes shares[2];
    for (int half = 0; half < 2; ++half)
      shares[half] = _mm512_div_ps(splat(1.0f), softmax.total[half]);
    unpackOutputs<Depth>(outputs, shares, output + row * Depth);
  }

  /// Calls of meanwhile(0), meanwhile(1), ... by scoreKeys.
  static constexpr int kScoreProducts = Depth / kTerms * kStepProducts<Parts>;
  static constexpr int kScoreCalls = kScoreProducts + 4;

  /// The scores of a chunk of keys.
  template <typename Meanwhile>
  [[gnu::always_inline]] void scoreKeys(PartArray keys, long key, float *scores,
                                        Meanwhile meanwhile) const {
    const BF16 *own = keys.data + key * Depth;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    repeat<Depth / kTerms>([&](auto step) __attribute__((always_inline)) {
      auto left = [&](int part, int i) __attribute__((always_inline)) {
        return own + part * keys.stride + i * 16 * Depth + step * kTerms;
      };
      auto right = [&](int part, int i) __attribute__((always_inline)) {
        return queries + part * kNumbers + (step * 2 + i) * kTileTerms;
      };
      addTiles<Parts>(left, Depth * sizeof(BF16), right,
                      [&](int n) __attribute__((always_inline)) {
                        meanwhile(step * kStepProducts<Parts> + n);
                      });
    });
    constexpr int kRowBytes = kGroup * sizeof(float);
    _tile_stored(0, scores, kRowBytes);
    meanwhile(kScoreProducts);
    _tile_stored(1, scores + kLanes, kRowBytes);
    meanwhile(kScoreProducts + 1);
    _tile_stored(2, scores + 16 * kGroup, kRowBytes);
    meanwhile(kScoreProducts + 2);
    _tile_stored(3, scores + 16 * kGroup + kLanes, kRowBytes);
    meanwhile(kScoreProducts + 3);
  }

  /// Adds keys to 32 columns of the outputs. Weights lie in chunks, parts of
  /// them `partStride` apart.
  void addValues(PartArray values, long key, long end, int column,
                 const BF16 *weights, long partStride) {
    const BF16 *own = values.data + key * Depth + column * kTerms;
    float *sums = outputs + column * kGroup;
    _tile_loadd(0, sums, kTileBytes);
    _tile_loadd(1, sums + kTileSums, kTileBytes);
    _tile_loadd(2, sums + 2 * kTileSums, kTileBytes);
    _tile_loadd(3, sums + 3 * kTileSums, kTileBytes);
#pragma GCC unroll 4
    for (; key < end; key += kTerms) {
      auto left = [&](int part, int i) __attribute__((always_inline)) {
        return own + part * values.stride + i * kTileTerms;
      };
      auto right = [&](int part, int i) __attribute__((always_inline)) {
        return weights + part * partStride + i * kTileTerms;
      };
      addTiles<Parts>(left, kTileBytes, right, [](int) {});
      own += kTerms * Depth;
      weights += kChunk;
    }
    _tile_stored(0, sums, kTileBytes);
    _tile_stored(1, sums + kTileSums, kTileBytes);
    _tile_stored(2, sums + 2 * kTileSums, kTileBytes);
    _tile_stored(3, sums + 3 * kTileSums, kTileBytes);
  }

  /// Raises the maxima to those of a chunk. Weights so far are relative to the
  /// maxima so far.
  void raisePeak(const float *scores) {
    for (int half = 0; half < 2; ++half) {
      Lanes raised = softmax.peak[half];
      for (int key = 0; key < kChunkKeys; ++key)
        raised = _mm512_max_ps(
            raised,
            _mm512_load_ps(scores + key * kGroup + half * kLanes) * getScale());
      Lanes factor = exp2F32(softmax.peak[half] - raised);
      softmax.peak[half] = raised;
      softmax.total[half] *= factor;
      for (int tile = half; tile < 2 * Depth / kLanes; tile += 2) {
        for (int i = 0; i < kTileSums; i += kLanes) {
          float *place = outputs + tile * kTileSums + i;
          _mm512_store_ps(place, _mm512_load_ps(place) * factor);
        }
      }
    }
  }

private:
  long row;
  /// Tiles [columns / 16][two of 16 queries], and [parts][terms / 32][two].
  float *outputs;
  BF16 *queries;
};

} // namespace ceilings

#endif // ATTN_BENCHMARKS_CEILINGS_TILEGROUP_H
