//===- QueryGroup.h - Queries in the lanes of vectors -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Queries lie in the lanes: three vectors of 16 are a group. Both products add
// numbers of rows that are read as they lie, keys or values, times vectors of a
// panel, queries or weights, in a register tile of 8 x 3. Maxima and sums need
// nothing across lanes.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_BENCHMARKS_CEILINGS_QUERYGROUP_H
#define ATTN_BENCHMARKS_CEILINGS_QUERYGROUP_H

#include "Exponentials.h"

#include <algorithm>

namespace ceilings {

/// Rows of keys or columns of values in a register tile.
constexpr int kTile = 8;

/// Keys whose scores are computed before their weights: with 48 queries 12 KiB.
constexpr long kBlock = 64;

/// sums[i] += number(i, term) * panel[term], over all terms.
template <int Vectors, long RowStride, long TermStride>
[[gnu::always_inline]] inline void addProducts(Lanes (&sums)[kTile][Vectors],
                                               const float *numbers,
                                               const float *panel, long terms) {
#pragma GCC unroll 1
  for (long term = 0; term < terms; ++term) {
    Lanes columns[Vectors];
#pragma GCC unroll 3
    for (int v = 0; v < Vectors; ++v)
      columns[v] = _mm512_load_ps(panel + (term * Vectors + v) * kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < kTile; ++i) {
      Lanes number =
          inRegister(splat(numbers[i * RowStride + term * TermStride]));
#pragma GCC unroll 3
      for (int v = 0; v < Vectors; ++v)
        sums[i][v] = multiplyAdd(number, columns[v], sums[i][v]);
    }
  }
}

/// A group of queries on its way over the keys.
template <int Depth, int Vectors> class QueryGroup {
public:
  static constexpr int kRows = Vectors * kLanes;
  static constexpr size_t kScratch = 2 * Depth * kRows;

  /// `query` are the rows, of which `row` is the first one's number.
  void begin(const float *query, long row, float *scratch) {
    firstRow = row;
    queries = scratch;
    outputs = scratch + Depth * kRows;
    packQueries(query);
    std::fill_n(outputs, Depth * kRows, 0.0f);
    for (int v = 0; v < Vectors; ++v) {
      peak[v] = splat(kLowest);
      total[v] = _mm512_setzero_ps();
    }
  }

  /// Adds `count` keys, of which `firstKey` is the first one's number.
  template <bool Causal>
  [[gnu::always_inline]] void add(const float *keys, const float *values,
                                  float *weights, long firstKey, long count) {
    if (Causal) {
      long visible = firstRow + kRows - firstKey;
      if (visible <= 0)
        return;
      count = std::min(count, (visible + kTile - 1) / kTile * kTile);
    }
    scoreKeys<Causal>(keys, weights, firstKey, count);
    exponentiate(weights, values, count);
    addValues(values, weights, count);
  }

  void end(float *output) {
    for (int v = 0; v < Vectors; ++v) {
      Lanes share = _mm512_div_ps(splat(1.0f), total[v]);
      for (int column = 0; column < Depth; column += kLanes) {
        Lanes square[kLanes];
#pragma GCC unroll 16
        for (int i = 0; i < kLanes; ++i)
          square[i] = _mm512_load_ps(at(outputs, column + i, v)) * share;
        transpose(square);
#pragma GCC unroll 16
        for (int i = 0; i < kLanes; ++i)
          _mm512_storeu_ps(output + (v * kLanes + i) * Depth + column,
                           square[i]);
      }
    }
  }

private:
  [[gnu::always_inline]] static float *at(float *panel, long term, int v) {
    return panel + (term * Vectors + v) * kLanes;
  }

  /// Puts the rows into lanes, and the scale to them.
  void packQueries(const float *query) {
    Lanes scale = splat(kLog2E / std::sqrt(float(Depth)));
    for (int column = 0; column < Depth; column += kLanes) {
      for (int v = 0; v < Vectors; ++v) {
        Lanes square[kLanes];
#pragma GCC unroll 16
        for (int i = 0; i < kLanes; ++i)
          square[i] =
              _mm512_loadu_ps(query + (v * kLanes + i) * Depth + column) *
              scale;
        transpose(square);
#pragma GCC unroll 16
        for (int i = 0; i < kLanes; ++i)
          _mm512_store_ps(at(queries, column + i, v), square[i]);
      }
    }
  }

  /// Writes the scores, and raises the maximum where that is due.
  template <bool Causal>
  [[gnu::always_inline]] void scoreKeys(const float *keys, float *scores,
                                        long firstKey, long count) {
    Lanes highest[Vectors];
    for (int v = 0; v < Vectors; ++v)
      highest[v] = splat(kLowest);
    for (long key = 0; key < count; key += kTile) {
      Lanes tile[kTile][Vectors] = {};
      addProducts<Vectors, Depth, 1>(tile, keys + key * Depth, queries, Depth);
      if (Causal && firstKey + key + kTile - 1 > firstRow)
        hideKeys(tile, firstKey + key);
#pragma GCC unroll 8
      for (int i = 0; i < kTile; ++i) {
#pragma GCC unroll 3
        for (int v = 0; v < Vectors; ++v) {
          highest[v] = _mm512_max_ps(highest[v], tile[i][v]);
          _mm512_store_ps(at(scores, key + i, v), tile[i][v]);
        }
      }
    }
    int above = 0;
    for (int v = 0; v < Vectors; ++v)
      above |=
          _mm512_cmp_ps_mask(highest[v], peak[v] + splat(kSlack), _CMP_GT_OQ);
    if (__builtin_expect(above != 0, 0))
      raisePeak(highest);
  }

  /// Hides the keys of a tile from the rows that lie before them.
  [[gnu::always_inline]] void hideKeys(Lanes (&tile)[kTile][Vectors],
                                       long firstKey) {
    const __m512i lane =
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#pragma GCC unroll 8
    for (int i = 0; i < kTile; ++i) {
#pragma GCC unroll 3
      for (int v = 0; v < Vectors; ++v) {
        // The lane whose row has the number of the key.
        int own = static_cast<int>(firstKey + i - firstRow - v * kLanes);
        __mmask16 before =
            _mm512_cmplt_epi32_mask(lane, _mm512_set1_epi32(own));
        tile[i][v] = _mm512_mask_mov_ps(tile[i][v], before, splat(-INFINITY));
      }
    }
  }

  /// Weights so far are relative to the maximum so far.
  [[gnu::noinline]] void raisePeak(const Lanes (&highest)[Vectors]) {
    Lanes factor[Vectors];
    for (int v = 0; v < Vectors; ++v) {
      Lanes raised = _mm512_max_ps(peak[v], highest[v]);
      factor[v] = exp2F32(peak[v] - raised);
      total[v] *= factor[v];
      peak[v] = raised;
    }
    for (int column = 0; column < Depth; ++column) {
      for (int v = 0; v < Vectors; ++v) {
        float *place = at(outputs, column, v);
        _mm512_store_ps(place, _mm512_load_ps(place) * factor[v]);
      }
    }
  }

  /// Asks for the values, too, which are needed next.
  [[gnu::always_inline]] void exponentiate(float *scores, const float *values,
                                           long count) {
    Lanes sum[Vectors], top[Vectors];
    for (int v = 0; v < Vectors; ++v) {
      sum[v] = total[v];
      top[v] = peak[v];
    }
#pragma GCC unroll 1
    for (long key = 0; key < count; ++key) {
      for (int column = 0; column < Depth; column += kLanes)
        _mm_prefetch(
            reinterpret_cast<const char *>(values + key * Depth + column),
            _MM_HINT_T0);
#pragma GCC unroll 3
      for (int v = 0; v < Vectors; ++v) {
        float *place = at(scores, key, v);
        Lanes weight = exp2F32(_mm512_load_ps(place) - top[v]);
        sum[v] += weight;
        _mm512_store_ps(place, weight);
      }
    }
    for (int v = 0; v < Vectors; ++v)
      total[v] = sum[v];
  }

  [[gnu::always_inline]] void addValues(const float *values,
                                        const float *weights, long count) {
    for (int column = 0; column < Depth; column += kTile) {
      Lanes tile[kTile][Vectors];
#pragma GCC unroll 8
      for (int i = 0; i < kTile; ++i) {
#pragma GCC unroll 3
        for (int v = 0; v < Vectors; ++v)
          tile[i][v] = _mm512_load_ps(at(outputs, column + i, v));
      }
      addProducts<Vectors, 1, Depth>(tile, values + column, weights, count);
#pragma GCC unroll 8
      for (int i = 0; i < kTile; ++i) {
#pragma GCC unroll 3
        for (int v = 0; v < Vectors; ++v)
          _mm512_store_ps(at(outputs, column + i, v), tile[i][v]);
      }
    }
  }

  long firstRow;
  float *queries, *outputs;
  Lanes peak[Vectors], total[Vectors];
};

} // namespace ceilings

#endif // ATTN_BENCHMARKS_CEILINGS_QUERYGROUP_H
