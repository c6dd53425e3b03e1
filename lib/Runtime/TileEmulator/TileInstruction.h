//===- TileInstruction.h - Instructions of AMX, decoded ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_RUNTIME_TILEEMULATOR_TILEINSTRUCTION_H
#define ATTN_LIB_RUNTIME_TILEEMULATOR_TILEINSTRUCTION_H

#include <cstdint>

namespace attn {

enum class TileOp : uint8_t {
  LoadConfig,
  StoreConfig,
  Release,
  Zero,
  Load,
  LoadOnce,
  Store,
  ProductBF16,
  ProductF16,
};

/// As an assembler writes it.
const char *getTileOpName(TileOp op);

/// General registers by their number in encodings (rax, rcx, rdx, rbx, rsp,
/// ...), and where the instruction begins.
struct TileRegisters {
  uint64_t general[16];
  uint64_t address;
};

struct TileInstruction {
  TileOp op;
  /// In bytes.
  uint8_t length = 0;
  /// Of a product: tile += first * second. Else the one tile there is.
  uint8_t tile = 0, first = 0, second = 0;

  /// Of memory: -1 for no register.
  int8_t base = -1, index = -1;
  uint8_t scale = 0;
  bool isRelative = false;
  int32_t displacement = 0;

  uint64_t getBase(const TileRegisters &registers) const {
    uint64_t from = isRelative ? registers.address + length
                    : base < 0 ? 0
                               : registers.general[base];
    return from + int64_t(displacement);
  }
  uint64_t getIndex(const TileRegisters &registers) const {
    return index < 0 ? 0 : registers.general[index] << scale;
  }
};

/// Reads no byte behind the instruction. False if `code` is none, as it is
/// where an encoding is reserved.
bool decodeTileInstruction(const uint8_t *code, TileInstruction &decoded);

} // namespace attn

#endif // ATTN_LIB_RUNTIME_TILEEMULATOR_TILEINSTRUCTION_H
