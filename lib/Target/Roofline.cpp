//===- Roofline.cpp - How long work takes at least ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/Roofline.h"
#include "attn/Target/GPUCost.h"
#include <algorithm>

using namespace attn;

/// Vector instructions that a core begins in a cycle.
constexpr double kVectorUnits = 2;
/// Bytes of memory that a core reads or writes in a cycle, about: 11 to 14 GB/s
/// at 2.3 to 3 GHz (benchmarks/Results.md).
constexpr double kMemoryBytesPerCycle = 4.5;
/// A multiplication and an addition.
constexpr double kFlopsOfProduct = 2;

double Roofline::getCycles(double itsFlops, double itsBytes) const {
  return std::max(itsFlops / flops, itsBytes / bytes);
}

static Roofline scale(const GPUDescription &gpu, int64_t flops) {
  auto units = static_cast<double>(gpu.multiprocessors);
  return {units * static_cast<double>(flops),
          units * static_cast<double>(kCacheBytesPerCycle)};
}

/// Narrow elements are widened to f32.
static unsigned getComputeBits(int64_t bytes) { return bytes > 4 ? 64 : 32; }

Roofline attn::getProductRoofline(const TargetDescription &target,
                                  int64_t factorBytes) {
  if (target.gpu)
    return scale(*target.gpu, static_cast<int64_t>(kFlopsOfProduct) *
                                  getProductRate(*target.gpu, factorBytes));
  Roofline plain = getRoofline(target, factorBytes);
  return {plain.flops * (target.hasFMA ? kFlopsOfProduct : 1), plain.bytes};
}

Roofline attn::getRoofline(const TargetDescription &target,
                           int64_t elementBytes) {
  if (target.gpu)
    return scale(
        *target.gpu,
        getProductRate(*target.gpu, std::max<int64_t>(4, elementBytes)));
  return {kVectorUnits * target.getLanes(getComputeBits(elementBytes)),
          kMemoryBytesPerCycle};
}
