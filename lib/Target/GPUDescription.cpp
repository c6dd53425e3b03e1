//===- GPUDescription.cpp - The GPUs there are ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/GPUDescription.h"
#include "llvm/ADT/STLExtras.h"

using namespace attn;

/// Numbers of multiprocessors and of what each of them has: bytes of shared
/// memory for a block, threads, blocks, products a cycle.
static GPUDescription describe(llvm::StringRef arch, unsigned sm,
                               unsigned ptxVersion, int64_t multiprocessors,
                               int64_t sharedBytes, int64_t threads,
                               int64_t blocks, int64_t tensorProducts,
                               int64_t fma32) {
  GPUDescription gpu;
  gpu.arch = arch;
  gpu.sm = sm;
  gpu.ptxVersion = ptxVersion;
  gpu.hasCpAsync = true;
  gpu.hasTMA = sm >= 90;
  gpu.hasWgmma = arch.ends_with("a");
  gpu.sharedBytesBlock = sharedBytes;
  gpu.sharedBytesSM = sharedBytes + gpu.reservedShared;
  gpu.threadsSM = threads;
  gpu.blocksSM = blocks;
  gpu.multiprocessors = multiprocessors;
  gpu.tensorProducts = tensorProducts;
  gpu.fma32 = fma32;
  return gpu;
}

llvm::ArrayRef<GPUDescription> attn::getGPUs() {
  // GeForce and workstation cards (sm_86, sm_89) have less shared memory and
  // half the tensor cores. On Hopper mma.sync reaches half of what wgmma does.
  static const GPUDescription all[] = {
      describe("sm_80", 80, 70, 108, 166912, 2048, 32, 1024, 64),
      describe("sm_86", 86, 71, 84, 101376, 1536, 16, 512, 128),
      describe("sm_89", 89, 78, 142, 101376, 1536, 24, 512, 128),
      describe("sm_90", 90, 78, 132, 232448, 2048, 32, 1024, 128),
      describe("sm_90a", 90, 80, 132, 232448, 2048, 32, 2048, 128)};
  return all;
}

const GPUDescription *attn::findGPU(llvm::StringRef arch) {
  const auto *found = llvm::find_if(
      getGPUs(), [&](const GPUDescription &gpu) { return gpu.arch == arch; });
  return found == getGPUs().end() ? nullptr : found;
}
