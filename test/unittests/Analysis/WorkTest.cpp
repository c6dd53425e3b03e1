//===- WorkTest.cpp - Counting of visible pairs ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/Work.h"
#include "gtest/gtest.h"

using namespace attn;

namespace {

using Bound = std::optional<int64_t>;

int64_t countOneByOne(int64_t rows, int64_t keys, int64_t first, Bound left,
                      Bound right) {
  int64_t pairs = 0;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t key = 0; key < keys; ++key) {
      int64_t distance = key - (first + row);
      pairs += (!left || -distance <= *left) && (!right || distance <= *right);
    }
  return pairs;
}

TEST(Work, VisiblePairsMatchTheirDefinition) {
  for (int64_t rows : {0, 1, 5, 9})
    for (int64_t keys : {0, 1, 4, 11})
      for (int64_t first : {int64_t(0), keys - rows})
        for (Bound left : {Bound(), Bound(0), Bound(2)})
          for (Bound right : {Bound(), Bound(0), Bound(3)})
            EXPECT_EQ(countVisiblePairs(
                          rows, keys, first,
                          [&](int64_t) { return KeyBand{left, right}; }),
                      countOneByOne(rows, keys, first, left, right))
                << rows << " rows, " << keys << " keys, first " << first;
}

} // namespace
