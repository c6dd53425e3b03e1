//===- MemoryOperand.h - Addresses in instructions --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_RUNTIME_TILEEMULATOR_MEMORYOPERAND_H
#define ATTN_LIB_RUNTIME_TILEEMULATOR_MEMORYOPERAND_H

#include <cstdint>

namespace attn {

/// General registers by their number in encodings (rax, rcx, rdx, rbx, rsp,
/// ...), and where the instruction begins.
struct GeneralRegisters {
  uint64_t general[16];
  uint64_t address;
};

struct ModRM {
  uint8_t mod, reg, rm;

  explicit ModRM(uint8_t byte)
      : mod(byte >> 6), reg((byte >> 3) & 7), rm(byte & 7) {}
  bool isMemory() const { return mod != 3; }
};

struct MemoryOperand {
  /// -1 for no register.
  int8_t base = -1, index = -1;
  uint8_t scale = 0;
  /// To what is behind the instruction, whose length is here.
  bool isRelative = false;
  uint8_t length = 0;
  int32_t displacement = 0;

  uint64_t getBase(const GeneralRegisters &registers) const {
    uint64_t from = isRelative ? registers.address + length
                    : base < 0 ? 0
                               : registers.general[base];
    return from + int64_t(displacement);
  }
  uint64_t getIndex(const GeneralRegisters &registers) const {
    return index < 0 ? 0 : registers.general[index] << scale;
  }
  uint64_t getAddress(const GeneralRegisters &registers) const {
    return getBase(registers) + getIndex(registers);
  }
};

/// Takes SIB and displacement from `at`, which is behind ModRM; returns what is
/// behind them. `x` and `b` extend the registers' numbers; a displacement of a
/// byte counts in units of `unit` bytes.
const uint8_t *decodeMemory(const uint8_t *at, const ModRM &modRM, bool x,
                            bool b, unsigned unit, MemoryOperand &memory);

} // namespace attn

#endif // ATTN_LIB_RUNTIME_TILEEMULATOR_MEMORYOPERAND_H
