//===- SharedMemory.cpp - Shared memory of one CTA ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Memory/SharedMemory.h"

#include <algorithm>

namespace attn::ptx {

void SharedMemory::begin(uint32_t index, uint32_t count, bool write) {
  std::vector<uint16_t> &users = write ? writers : readers;
  for (uint32_t g = index / 4; g * 4 < index + count; ++g)
    ++users[g];
  set(index, count, write ? BeingWritten : BeingRead);
}

void SharedMemory::end(uint32_t index, uint32_t count, bool write) {
  std::vector<uint16_t> &users = write ? writers : readers;
  uint8_t bit = write ? BeingWritten : BeingRead;
  for (uint32_t g = index / 4; g * 4 < index + count; ++g) {
    if (--users[g] != 0)
      continue;
    if (g * 4 + 4 > size()) {
      unset(g * 4, size() - g * 4, bit);
      continue;
    }
    uint32_t four;
    std::memcpy(&four, &states[g * 4], 4);
    four &= ~(bit * 0x01010101u);
    std::memcpy(&states[g * 4], &four, 4);
  }
}

} // namespace attn::ptx
