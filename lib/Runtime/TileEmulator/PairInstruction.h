//===- PairInstruction.h - AVX512-BF16, beside the tiles --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each processor with AMX has these three, and so code for it uses them. One
// with AVX-512 alone stops at them, too.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_RUNTIME_TILEEMULATOR_PAIRINSTRUCTION_H
#define ATTN_LIB_RUNTIME_TILEEMULATOR_PAIRINSTRUCTION_H

#include "MemoryOperand.h"
#include "VectorFrame.h"

namespace attn {

enum class PairOp : uint8_t {
  Dot,       ///< VDPBF16PS
  NarrowOne, ///< VCVTNEPS2BF16
  NarrowTwo, ///< VCVTNE2PS2BF16
};

struct PairInstruction {
  PairOp op;
  /// In bytes, of the code and of a vector.
  uint8_t length = 0, vectorBytes = 0;
  uint8_t target = 0, first = 0, second = 0;
  /// 0 for none.
  uint8_t mask = 0;
  bool zeroes = false;
  /// Instead of `second`.
  bool isMemory = false;
  /// One element of memory for all.
  bool isSpread = false;
  MemoryOperand memory;
};

/// Reads no byte behind the instruction. False if `code` is none.
bool decodePairInstruction(const uint8_t *code, PairInstruction &decoded);

void executePairInstruction(const PairInstruction &instruction,
                            const GeneralRegisters &registers,
                            VectorFrame &vectors);

} // namespace attn

#endif // ATTN_LIB_RUNTIME_TILEEMULATOR_PAIRINSTRUCTION_H
