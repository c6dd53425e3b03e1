//===- GPUDescription.cpp - The GPUs there are ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/GPUDescription.h"
#include "llvm/ADT/STLExtras.h"

using namespace attn;

static GPUDescription getAmpere() {
  GPUDescription gpu;
  gpu.arch = "sm_80";
  gpu.sm = 80;
  gpu.ptxVersion = 70;
  gpu.hasCpAsync = true;
  gpu.sharedBytesBlock = 166912;
  gpu.sharedBytesSM = 167936;
  gpu.threadsSM = 2048;
  gpu.blocksSM = 32;
  gpu.multiprocessors = 108;
  gpu.tensorProducts = 1024;
  gpu.fma32 = 64;
  return gpu;
}

/// GeForce and workstation cards: less shared memory, half the tensor cores.
static GPUDescription getSmallAmpere() {
  GPUDescription gpu = getAmpere();
  gpu.arch = "sm_86";
  gpu.sm = 86;
  gpu.ptxVersion = 71;
  gpu.sharedBytesBlock = 101376;
  gpu.sharedBytesSM = 102400;
  gpu.threadsSM = 1536;
  gpu.blocksSM = 16;
  gpu.multiprocessors = 84;
  gpu.tensorProducts = 512;
  gpu.fma32 = 128;
  return gpu;
}

static GPUDescription getAda() {
  GPUDescription gpu = getSmallAmpere();
  gpu.arch = "sm_89";
  gpu.sm = 89;
  gpu.ptxVersion = 78;
  gpu.blocksSM = 24;
  gpu.multiprocessors = 142;
  return gpu;
}

static GPUDescription getHopper(bool isSpecific) {
  GPUDescription gpu = getAmpere();
  gpu.arch = isSpecific ? "sm_90a" : "sm_90";
  gpu.sm = 90;
  gpu.ptxVersion = isSpecific ? 80 : 78;
  gpu.hasTMA = true;
  gpu.hasWgmma = isSpecific;
  gpu.sharedBytesBlock = 232448;
  gpu.sharedBytesSM = 233472;
  gpu.multiprocessors = 132;
  // mma.sync reaches half of what wgmma does.
  gpu.tensorProducts = isSpecific ? 2048 : 1024;
  gpu.fma32 = 128;
  return gpu;
}

llvm::ArrayRef<GPUDescription> attn::getGPUs() {
  static const GPUDescription all[] = {getAmpere(), getSmallAmpere(), getAda(),
                                       getHopper(false), getHopper(true)};
  return all;
}

const GPUDescription *attn::findGPU(llvm::StringRef arch) {
  const auto *found = llvm::find_if(
      getGPUs(), [&](const GPUDescription &gpu) { return gpu.arch == arch; });
  return found == getGPUs().end() ? nullptr : found;
}
