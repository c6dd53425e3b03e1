//===- Support.h - What all hand-written kernels share ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_BENCHMARKS_CEILINGS_SUPPORT_H
#define ATTN_BENCHMARKS_CEILINGS_SUPPORT_H

#include <immintrin.h>
#include <sys/mman.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace ceilings {

using Lanes = __m512;
constexpr int kLanes = 16;

/// Scores are in units of log 2, so that weights are powers of two.
constexpr float kLog2E = 1.44269504f;

/// What a maximum begins with: below all scores, and finite.
constexpr float kLowest = -1.0e30f;

/// A new maximum counts only when it is that much above the one in use. Weights
/// stay below 2^8 times their number, and sums are hardly ever rescaled.
constexpr float kSlack = 8.0f;

/// How a kernel is called: heads lie one after the other, each row-major. A row
/// of a causal problem sees the keys up to its own number.
struct Problem {
  long heads, rows, keys, depth;
  bool causal;
};

/// Memory on large pages, where the system has any to give.
inline void *allocateLarge(size_t bytes) {
  constexpr size_t kPage = 2 << 20;
  bytes = (bytes + kPage - 1) / kPage * kPage;
  void *data = std::aligned_alloc(kPage, bytes);
  madvise(data, bytes, MADV_HUGEPAGE);
  return data;
}

/// Memory that a kernel keeps between its calls, and that only grows.
template <typename T> class Scratch {
public:
  Scratch() = default;
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() { std::free(data); }

  T *get(size_t count) {
    if (count > capacity) {
      std::free(data);
      data = static_cast<T *>(allocateLarge(count * sizeof(T)));
      capacity = count;
    }
    return data;
  }

private:
  T *data = nullptr;
  size_t capacity = 0;
};

[[gnu::always_inline]] inline Lanes splat(float number) {
  return _mm512_set1_ps(number);
}

[[gnu::always_inline]] inline Lanes multiplyAdd(Lanes a, Lanes b, Lanes c) {
  return _mm512_fmadd_ps(a, b, c);
}

[[gnu::always_inline]] inline Lanes asFloats(__m512i bits) {
  return _mm512_castsi512_ps(bits);
}

[[gnu::always_inline]] inline __m512i asBits(Lanes lanes) {
  return _mm512_castps_si512(lanes);
}

/// Keeps the compiler from reading a number once per use from memory.
[[gnu::always_inline]] inline Lanes inRegister(Lanes lanes) {
  asm("" : "+v"(lanes));
  return lanes;
}

/// Exchanges rows and columns of 16 x 16 numbers: within pairs, within fours,
/// then whole quarters of vectors.
[[gnu::always_inline]] inline void transpose(Lanes (&rows)[kLanes]) {
  Lanes pairs[kLanes];
#pragma GCC unroll 8
  for (int i = 0; i < kLanes; i += 2) {
    pairs[i] = _mm512_unpacklo_ps(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_ps(rows[i], rows[i + 1]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < kLanes; i += 4) {
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      __m512d upper = _mm512_castps_pd(pairs[i + j]);
      __m512d lower = _mm512_castps_pd(pairs[i + j + 2]);
      rows[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(upper, lower));
      rows[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(upper, lower));
    }
  }
  // Twice: vectors that are `distance` apart give their even and odd quarters.
  constexpr int kEven = 0x88, kOdd = 0xdd;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 2
    for (int half = 0; half < kLanes; half += 8) {
      pairs[half + i] =
          _mm512_shuffle_f32x4(rows[half + i], rows[half + i + 4], kEven);
      pairs[half + i + 4] =
          _mm512_shuffle_f32x4(rows[half + i], rows[half + i + 4], kOdd);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    rows[i] = _mm512_shuffle_f32x4(pairs[i], pairs[i + 8], kEven);
    rows[i + 8] = _mm512_shuffle_f32x4(pairs[i], pairs[i + 8], kOdd);
  }
}

} // namespace ceilings

#endif // ATTN_BENCHMARKS_CEILINGS_SUPPORT_H
