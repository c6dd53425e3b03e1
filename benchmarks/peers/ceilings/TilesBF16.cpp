//===- TilesBF16.cpp - bf16 attention on the tile unit --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys are read as they lie. Values are packed, once a head.
//
//===----------------------------------------------------------------------===//

#include "TileHead.h"

namespace {

using namespace ceilings;

template <int Depth, bool Causal>
void attendHeads(const Problem &problem, const BF16 *query, const BF16 *keys,
                 const BF16 *values, BF16 *output) {
  static Scratch<BF16> memory;
  BF16 *packed = memory.get(problem.keys * Depth);
  for (long head = 0; head < problem.heads; ++head) {
    long rows = head * problem.rows * Depth,
         other = head * problem.keys * Depth;
    packValues<Depth>(values + other, problem.keys, packed);
    TileHead<Depth, 1, Causal>({query + rows, 0}, {keys + other, 0},
                               {packed, 0}, problem)
        .attend(output + rows);
  }
}

} // namespace

/// Null, or why there is no kernel.
extern "C" const char *ceilingBF16(const Problem *problem, const BF16 *query,
                                   const BF16 *keys, const BF16 *values,
                                   BF16 *output) {
  if (const char *missing = findMissing(*problem))
    return missing;
  TileUnit unit;
  if (problem->depth == 64)
    (problem->causal
         ? attendHeads<64, true>
         : attendHeads<64, false>)(*problem, query, keys, values, output);
  else
    (problem->causal
         ? attendHeads<128, true>
         : attendHeads<128, false>)(*problem, query, keys, values, output);
  return nullptr;
}
