//===- MemoryOperand.cpp - Addresses in instructions ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryOperand.h"
#include <cstring>

using namespace attn;

const uint8_t *attn::decodeMemory(const uint8_t *at, const ModRM &modRM, bool x,
                                  bool b, unsigned unit,
                                  MemoryOperand &memory) {
  unsigned displacementBytes = modRM.mod == 1 ? 1 : modRM.mod == 2 ? 4 : 0;
  if (modRM.rm == 4) {
    uint8_t sib = *at++;
    unsigned index = ((sib >> 3) & 7) | (x ? 8 : 0);
    memory.scale = sib >> 6;
    // rsp is no index; r12 is one.
    memory.index = index == 4 ? -1 : int8_t(index);
    // Of mod = 0: rbp and r13 stand for an address alone.
    if ((sib & 7) == 5 && modRM.mod == 0)
      displacementBytes = 4;
    else
      memory.base = int8_t((sib & 7) | (b ? 8 : 0));
  } else if (modRM.rm == 5 && modRM.mod == 0) {
    memory.isRelative = true;
    displacementBytes = 4;
  } else {
    memory.base = int8_t(modRM.rm | (b ? 8 : 0));
  }
  if (displacementBytes == 1)
    memory.displacement = int8_t(*at) * int32_t(unit);
  else if (displacementBytes == 4)
    std::memcpy(&memory.displacement, at, sizeof(memory.displacement));
  return at + displacementBytes;
}
