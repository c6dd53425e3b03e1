//===- TilesParts.cpp - f32 attention by parts of bf16 --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number is the sum of two or three numbers of bf16. Operands are cut once a
// head, and then are read as those of bf16.
//
//===----------------------------------------------------------------------===//

#include "TileHead.h"

namespace {

using namespace ceilings;

/// Each part is the nearest number to what is left.
template <int Parts>
void cutNumbers(const float *numbers, long count, BF16 *parts) {
  for (long i = 0; i < count; i += kLanes) {
    Lanes rest = _mm512_loadu_ps(numbers + i);
#pragma GCC unroll 3
    for (int part = 0; part < Parts; ++part) {
      __m256i nearest = (__m256i)_mm512_cvtneps_pbh(rest);
      _mm256_storeu_si256(reinterpret_cast<__m256i *>(parts + part * count + i),
                          nearest);
      rest -= asFloats(_mm512_slli_epi32(_mm512_cvtepu16_epi32(nearest), 16));
    }
  }
}

template <int Depth, int Parts, bool Causal>
void attendHeads(const Problem &problem, const float *query, const float *keys,
                 const float *values, float *output) {
  static Scratch<BF16> memory;
  long rowNumbers = problem.rows * Depth, keyNumbers = problem.keys * Depth;
  BF16 *cutQuery = memory.get(Parts * (rowNumbers + 3 * keyNumbers));
  BF16 *cutKeys = cutQuery + Parts * rowNumbers;
  BF16 *cutValues = cutKeys + Parts * keyNumbers;
  BF16 *packed = cutValues + Parts * keyNumbers;
  for (long head = 0; head < problem.heads; ++head) {
    cutNumbers<Parts>(query + head * rowNumbers, rowNumbers, cutQuery);
    cutNumbers<Parts>(keys + head * keyNumbers, keyNumbers, cutKeys);
    cutNumbers<Parts>(values + head * keyNumbers, keyNumbers, cutValues);
    for (int part = 0; part < Parts; ++part)
      packValues<Depth>(cutValues + part * keyNumbers, problem.keys,
                        packed + part * keyNumbers);
    TileHead<Depth, Parts, Causal>({cutQuery, rowNumbers},
                                   {cutKeys, keyNumbers}, {packed, keyNumbers},
                                   problem)
        .attend(output + head * rowNumbers);
  }
}

template <int Depth, int Parts>
void attend(const Problem &problem, const float *query, const float *keys,
            const float *values, float *output) {
  (problem.causal ? attendHeads<Depth, Parts, true>
                  : attendHeads<Depth, Parts, false>)(problem, query, keys,
                                                      values, output);
}

} // namespace

/// In two or three parts. Null, or why there is no kernel.
extern "C" const char *ceilingParts(const Problem *problem, const float *query,
                                    const float *keys, const float *values,
                                    float *output, int parts) {
  if (const char *missing = findMissing(*problem))
    return missing;
  TileUnit unit;
  if (problem->depth == 64)
    (parts == 2 ? attend<64, 2> : attend<64, 3>)(*problem, query, keys, values,
                                                 output);
  else
    (parts == 2 ? attend<128, 2> : attend<128, 3>)(*problem, query, keys,
                                                   values, output);
  return nullptr;
}
