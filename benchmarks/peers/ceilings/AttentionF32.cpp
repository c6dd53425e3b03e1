//===- AttentionF32.cpp - f32 attention by vectors ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QueryGroup.h"

namespace {

using namespace ceilings;

/// One head. Several groups visit a block of keys while it lies in a cache.
template <int Depth, bool Causal> class Head {
public:
  const float *query, *keys, *values;
  float *output;
  long rows, keyCount;

  void attend() {
    constexpr long kWide = QueryGroup<Depth, 3>::kRows;
    long row = 0;
    while (rows - row >= kWide) {
      long groups = std::min<long>(kShared, (rows - row) / kWide);
      visit<3>(row, groups);
      row += groups * kWide;
    }
    if (rows - row > kLanes)
      visit<2>(row, 1);
    else if (rows > row)
      visit<1>(row, 1);
  }

private:
  static constexpr int kShared = 6;

  template <int Vectors> [[gnu::noinline]] void visit(long row, long count) {
    using Group = QueryGroup<Depth, Vectors>;
    static Scratch<float> memory;
    float *weights =
        memory.get(kBlock * Group::kRows + kShared * Group::kScratch);
    float *panels = weights + kBlock * Group::kRows;
    Group groups[kShared];
    for (long i = 0; i < count; ++i)
      groups[i].begin(query + (row + i * Group::kRows) * Depth,
                      row + i * Group::kRows, panels + i * Group::kScratch);
    long end =
        Causal ? std::min(keyCount, row + count * Group::kRows) : keyCount;
    for (long key = 0; key < end; key += kBlock)
      for (long i = 0; i < count; ++i)
        groups[i].template add<Causal>(keys + key * Depth, values + key * Depth,
                                       weights, key,
                                       std::min(kBlock, keyCount - key));
    for (long i = 0; i < count; ++i)
      groups[i].end(output + (row + i * Group::kRows) * Depth);
  }
};

template <int Depth, bool Causal>
void attendHeads(const Problem &problem, const float *query, const float *keys,
                 const float *values, float *output) {
  for (long head = 0; head < problem.heads; ++head) {
    long rows = head * problem.rows * Depth,
         other = head * problem.keys * Depth;
    Head<Depth, Causal>{query + rows,  keys + other, values + other,
                        output + rows, problem.rows, problem.keys}
        .attend();
  }
}

} // namespace

/// Null, or why there is no kernel.
extern "C" const char *ceilingF32(const Problem *problem, const float *query,
                                  const float *keys, const float *values,
                                  float *output) {
  if (problem->rows % kLanes != 0 || problem->keys % kLanes != 0)
    return "f32: rows and keys have to be multiples of 16";
  if (problem->causal && problem->rows != problem->keys)
    return "f32: a causal problem needs as many rows as keys";
  if (problem->depth == 64)
    (problem->causal
         ? attendHeads<64, true>
         : attendHeads<64, false>)(*problem, query, keys, values, output);
  else if (problem->depth == 128)
    (problem->causal
         ? attendHeads<128, true>
         : attendHeads<128, false>)(*problem, query, keys, values, output);
  else
    return "f32: the depth has to be 64 or 128";
  return nullptr;
}
