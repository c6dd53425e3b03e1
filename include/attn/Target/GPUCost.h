//===- GPUCost.h - How a launch fills a GPU ---------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that only serves to choose among schedules. Work that a
// multiprocessor does is counted in cycles of its units; units work side by
// side where there are enough warps, and multiprocessors take equal numbers of
// blocks, so that a last round which is not full costs as much as a full one.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_GPUCOST_H
#define ATTN_TARGET_GPUCOST_H

#include "attn/Target/GPUDescription.h"

namespace attn {

/// What one block takes of a multiprocessor.
struct BlockNeeds {
  int64_t warps;
  /// 32-bit registers of a thread.
  int64_t registers;
  int64_t sharedBytes;
};

/// Cycles that one block keeps each kind of unit of a multiprocessor.
struct BlockWork {
  double matrix = 0;    ///< Products: tensor cores, or multiply-adds.
  double functions = 0; ///< Exponentials.
  double reads = 0;     ///< What comes from the second-level cache.
};

/// Bytes that a multiprocessor gets of the second-level cache in a cycle,
/// about.
constexpr int64_t kCacheBytesPerCycle = 32;
/// Those of shared memory: all of its banks.
constexpr int64_t kSharedBytesPerCycle = 128;

/// Products of factors of so many bytes that a multiprocessor computes and sums
/// in a cycle: by tensor cores where they have two.
int64_t getProductRate(const GPUDescription &gpu, int64_t factorBytes);

/// A smaller tile has to cost less than this share of a larger one: what else
/// it does more often is not in the model.
constexpr double kTileGain = 0.9;

/// Blocks that a multiprocessor has side by side: at least one.
int64_t countResidentBlocks(const GPUDescription &gpu, const BlockNeeds &needs);

/// Rounds of blocks: how many the busiest multiprocessor computes.
int64_t countRounds(const GPUDescription &gpu, int64_t blocks);

/// How much of the multiprocessors' time has a block, in (0, 1].
double getBusyShare(const GPUDescription &gpu, int64_t blocks);

/// Cycles of a launch of so many equal blocks.
double getLaunchCycles(const GPUDescription &gpu, int64_t blocks,
                       const BlockNeeds &needs, const BlockWork &work);

} // namespace attn

#endif // ATTN_TARGET_GPUCOST_H
