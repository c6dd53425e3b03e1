//===- FeatureBits.h - Where CPUID tells of each feature --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_TARGET_CPU_FEATUREBITS_H
#define ATTN_LIB_TARGET_CPU_FEATUREBITS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace attn {

/// A register of one CPUID leaf, in the order in which they are queried.
enum class FeatureWord : uint8_t {
  Leaf1ECX,
  Leaf1EDX,
  Leaf7EBX,
  Leaf7ECX,
  Leaf7EDX,
  Leaf71EAX,
  Leaf71EDX,
  Leaf80000001ECX,
  LeafD1EAX,
};
constexpr unsigned kNumFeatureWords = 9;

struct CPUIDQuery {
  uint32_t leaf;
  uint32_t subleaf;
  /// 0 to 3: EAX, EBX, ECX, EDX.
  unsigned reg;
};
/// What fills each word.
extern const CPUIDQuery kFeatureQueries[kNumFeatureWords];

/// Bits of XCR0: the configuration of tiles, and the tiles.
constexpr uint32_t kTileRegisters = 0x60000;

struct FeatureBit {
  /// LLVM's name.
  const char *name;
  FeatureWord word;
  uint8_t bit;
  /// Bits of XCR0 that the operating system must have set: it saves those
  /// registers.
  uint32_t xcr0;
};

/// Null for features that CPUID does not tell of.
const FeatureBit *findFeatureBit(llvm::StringRef name);

} // namespace attn

#endif // ATTN_LIB_TARGET_CPU_FEATUREBITS_H
