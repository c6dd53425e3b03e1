//===- TileHead.h - One head on the tile unit -------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tile products and weights are mixed: while weights of a chunk of keys are
// made, the scores of the next one are. Beside tile products vectors have about
// half their speed, but the products come for nothing.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_BENCHMARKS_CEILINGS_TILEHEAD_H
#define ATTN_BENCHMARKS_CEILINGS_TILEHEAD_H

#include "TileGroup.h"

namespace ceilings {

template <int Depth, int Parts, bool Causal> class TileHead {
public:
  /// Values are packed already.
  TileHead(PartArray query, PartArray keys, PartArray values,
           const Problem &problem)
      : query(query), keys(keys), values(values), problem(problem) {}

  template <typename Number> void attend(Number *output) {
    static Scratch<float> memory;
    scores = memory.get(kFloats);
    weights = reinterpret_cast<BF16 *>(scores + 3 * kChunk);
    float *panels = scores + 3 * kChunk + kShared * Parts * kWeights / 2;
    for (long row = 0; row < problem.rows; row += kShared * kGroup) {
      count =
          std::min<long>(kShared, (problem.rows - row + kGroup - 1) / kGroup);
      for (long i = 0; i < count; ++i) {
        // The last group may have rows of the one before.
        long start = std::min(row + i * kGroup, problem.rows - kGroup);
        groups[i].begin(query, start, panels + i * Group::kFloats);
      }
      visitKeys();
      for (long i = 0; i < count; ++i)
        groups[i].end(output);
    }
  }

private:
  using Group = TileGroup<Depth, Parts>;
  using Maker = WeightMaker<Parts>;

  /// Groups that visit the same keys one after the other, and keys between two
  /// visits to the outputs. Weights of a block come from the second-level
  /// cache, which leaves the first one to scores and keys.
  static constexpr int kShared = 8, kBlockKeys = 512;

  /// Numbers of a group's weights, for each part.
  static constexpr int kWeights = kBlockKeys * kGroup;
  static constexpr size_t kFloats =
      3 * kChunk + kShared * Parts * kWeights / 2 + kShared * Group::kFloats;

  /// Keys that a group sees. Its rows are as many as keys of a chunk.
  long getEnd(const Group &group) const {
    return Causal ? group.getRow() + kChunkKeys : problem.keys;
  }

  void visitKeys() {
    // The maximum of a few keys is hardly ever raised. The first group's scores
    // stay, for the first weights.
    current = 0;
    for (long i = count - 1; i >= 0; --i) {
      scoreKeys(groups[i], 0, scores, [](int) {});
      groups[i].raisePeak(scores);
    }
    long keyCount = getEnd(groups[count - 1]), first = 0;
    for (long key = 0; key < keyCount; key += kBlockKeys) {
      long end = std::min<long>(key + kBlockKeys, keyCount);
      makeWeights(first, key, end);
      for (int column = 0; column < Depth; column += kTerms)
        for (long i = first; i < count; ++i)
          groups[i].addValues(values, key, std::min(end, getEnd(groups[i])),
                              column, getWeights(i), kWeights);
      while (first < count && getEnd(groups[first]) <= end)
        ++first;
    }
  }

  BF16 *getWeights(long group) { return weights + group * Parts * kWeights; }

  /// Makes the weights of a block, of which groups from `first` on see keys.
  /// The first chunk's scores are there, and those of the next block are left.
  [[gnu::noinline]] void makeWeights(long first, long begin, long end) {
    Maker makers[kShared];
    for (long i = first; i < count; ++i)
      makers[i] = Maker(groups[i].softmax, Group::getScale());
    long i = first, turn = first;
    for (long key = begin; key < end;) {
      BF16 *place = getWeights(i) + (key - begin) * kGroup;
      Maker &maker = makers[i];
      if (++i == count) {
        key += kChunkKeys;
        while (turn < count && getEnd(groups[turn]) <= key)
          ++turn;
        i = turn;
      }
      // Behind the last key, any scores will do.
      bool isEnd = i == count;
      mix(maker, place, groups[isEnd ? 0 : i], isEnd ? 0 : key);
    }
    for (long i = first; i < count; ++i) {
      if (__builtin_expect(makers[i].isAbove(), 0))
        makeAgain(groups[i], makers[i], getWeights(i), begin,
                  std::min(end, getEnd(groups[i])));
      for (int half = 0; half < 2; ++half)
        groups[i].softmax.total[half] = makers[i].total[half];
    }
  }

  /// Weights from the scores that are there, while others are made.
  [[gnu::always_inline]] void mix(Maker &maker, BF16 *place, const Group &group,
                                  long key) {
    constexpr int kPairs = kChunkKeys / 2, kCalls = Group::kScoreCalls;
    const float *made = scores + current * kChunk;
    Maker held = maker;
    current ^= 1;
    scoreKeys(group, key, scores + current * kChunk,
              [&](int call) __attribute__((always_inline)) {
#pragma GCC unroll 4
                for (int pair = kPairs * call / kCalls;
                     pair < kPairs * (call + 1) / kCalls; ++pair)
                  held.add(made, place, pair, kWeights);
              });
    maker = held;
  }

  template <typename Meanwhile>
  [[gnu::always_inline]] void scoreKeys(const Group &group, long key,
                                        float *place, Meanwhile meanwhile) {
    group.scoreKeys(keys, key, place, meanwhile);
    if (Causal && key == group.getRow())
      hideKeys(place);
  }

  /// Of a chunk on the diagonal.
  [[gnu::noinline]] static void hideKeys(float *place) {
    for (int key = 0; key < kChunkKeys; ++key)
      std::fill_n(place + key * kGroup, key, -INFINITY);
  }

  /// The same where a score was above the maximum by more than the slack.
  [[gnu::noinline]] void makeAgain(Group &group, Maker &maker, BF16 *place,
                                   long begin, long end) {
    float *spare = scores + 2 * kChunk;
    for (long key = begin; key < end; key += kChunkKeys) {
      scoreKeys(group, key, spare, [](int) {});
      group.raisePeak(spare);
    }
    maker = Maker(group.softmax, Group::getScale());
    for (long key = begin; key < end; key += kChunkKeys, place += kChunk) {
      scoreKeys(group, key, spare, [](int) {});
      for (int pair = 0; pair < kChunkKeys / 2; ++pair)
        maker.add(spare, place, pair, kWeights);
    }
  }

  PartArray query, keys, values;
  const Problem &problem;
  Group groups[kShared];
  long count = 0;
  /// Chunks of scores: two in turn, and one to make weights again.
  float *scores = nullptr;
  int current = 0;
  BF16 *weights = nullptr;
};

/// Null, or why there is no kernel of the tile unit.
inline const char *findMissing(const Problem &problem) {
  if (problem.rows < kGroup || problem.keys % kChunkKeys != 0)
    return "tiles: rows have to be 32 at least, keys a multiple of 32";
  if (problem.causal && problem.rows != problem.keys)
    return "tiles: a causal problem needs as many rows as keys";
  if (problem.depth != 64 && problem.depth != 128)
    return "tiles: the depth has to be 64 or 128";
  return mayUseTiles() ? nullptr
                       : "tiles: the operating system gives no state to them";
}

} // namespace ceilings

#endif // ATTN_BENCHMARKS_CEILINGS_TILEHEAD_H
