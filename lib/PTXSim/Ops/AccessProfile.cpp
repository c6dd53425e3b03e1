//===- AccessProfile.cpp - Bank conflicts and sectors
//-----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory has 32 banks of 4 bytes; a request of 8 or 16 bytes a lane is
// served in two or four groups of lanes. A pass serves one word of each bank.
// Global memory is fetched in sectors of 32 bytes.
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/AddressSpaces.h"

#include "llvm/ADT/DenseSet.h"

using namespace llvm;

namespace attn::ptx {

static void profileShared(LineProfile &line, uint32_t mask,
                          const uint64_t *address, uint32_t bytes) {
  unsigned groups = bytes <= 4 ? 1 : bytes <= 8 ? 2 : 4;
  unsigned size = kLanes / groups;
  ++line.sharedAccesses;
  for (unsigned g = 0; g != groups; ++g) {
    SmallDenseSet<uint64_t, 64> words;
    unsigned inBank[32] = {};
    unsigned passes = 0;
    for (unsigned l = g * size; l != (g + 1) * size; ++l)
      if (mask >> l & 1)
        for (uint64_t word = address[l] / 4;
             word <= (address[l] + bytes - 1) / 4; ++word)
          if (words.insert(word).second)
            passes = std::max(passes, ++inBank[word % 32]);
    line.sharedWavefronts += passes;
    line.sharedIdealWavefronts += (words.size() + 31) / 32;
  }
}

static void profileGlobal(LineProfile &line, uint32_t mask,
                          const uint64_t *address, uint32_t bytes) {
  SmallDenseSet<uint64_t, 64> sectors, cells;
  for (unsigned l = 0; l != kLanes; ++l)
    if (mask >> l & 1) {
      cells.insert(address[l]);
      for (uint64_t s = address[l] / 32; s <= (address[l] + bytes - 1) / 32;
           ++s)
        sectors.insert(s);
    }
  ++line.globalAccesses;
  line.globalSectors += sectors.size();
  line.globalIdealSectors += (cells.size() * bytes + 31) / 32;
}

void profileAccess(Exec &x, uint32_t line, uint32_t mask,
                   const uint64_t *address, uint32_t bytes, MemSpace space) {
  LineProfile &profile = (*x.cluster.profile)[line];
  if (space == MemSpace::Shared)
    profileShared(profile, mask, address, bytes);
  else
    profileGlobal(profile, mask, address, bytes);
}

} // namespace attn::ptx
