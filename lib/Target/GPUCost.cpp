//===- GPUCost.cpp - How a launch fills a GPU -----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/GPUCost.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace attn;

constexpr int64_t kLanes = 32;
/// Registers are given to a warp in groups of so many a thread.
constexpr int64_t kRegisterGroup = 8;
/// Warps that a multiprocessor needs until one kind of unit works while warps
/// wait for another: two for each of its four schedulers.
constexpr int64_t kBusyWarps = 8;

int64_t attn::getProductRate(const GPUDescription &gpu, int64_t factorBytes) {
  if (factorBytes == 2)
    return gpu.tensorProducts;
  return factorBytes == 4 ? gpu.fma32 : std::max<int64_t>(1, gpu.fma32 / 2);
}

int64_t attn::countResidentBlocks(const GPUDescription &gpu,
                                  const BlockNeeds &needs) {
  int64_t threads = needs.warps * kLanes;
  auto registers =
      static_cast<int64_t>(llvm::alignTo(needs.registers, kRegisterGroup));
  int64_t most =
      std::min({gpu.blocksSM, gpu.threadsSM / threads,
                gpu.registersSM / (registers * threads),
                gpu.sharedBytesSM / (needs.sharedBytes + gpu.reservedShared)});
  return std::max<int64_t>(most, 1);
}

int64_t attn::countRounds(const GPUDescription &gpu, int64_t blocks) {
  return static_cast<int64_t>(llvm::divideCeil(blocks, gpu.multiprocessors));
}

double attn::getBusyShare(const GPUDescription &gpu, int64_t blocks) {
  return static_cast<double>(blocks) /
         static_cast<double>(countRounds(gpu, blocks) * gpu.multiprocessors);
}

double attn::getLaunchCycles(const GPUDescription &gpu, int64_t blocks,
                             const BlockNeeds &needs, const BlockWork &work) {
  int64_t rounds = countRounds(gpu, blocks);
  int64_t warps =
      needs.warps * std::min(rounds, countResidentBlocks(gpu, needs));
  double most = std::max({work.matrix, work.functions, work.reads});
  double all = work.matrix + work.functions + work.reads;
  // From one unit after the other with a single warp to all at once.
  double together = std::min(1.0, static_cast<double>(warps) / kBusyWarps);
  return static_cast<double>(rounds) * (all + (most - all) * together) *
         std::max(1.0, 4.0 / static_cast<double>(warps));
}
