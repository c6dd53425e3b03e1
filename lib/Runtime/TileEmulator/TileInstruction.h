//===- TileInstruction.h - Instructions of AMX, decoded ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_RUNTIME_TILEEMULATOR_TILEINSTRUCTION_H
#define ATTN_LIB_RUNTIME_TILEEMULATOR_TILEINSTRUCTION_H

#include "MemoryOperand.h"

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

struct TileInstruction {
  TileOp op;
  /// In bytes.
  uint8_t length = 0;
  /// Of a product: tile += first * second. Else the one tile there is.
  uint8_t tile = 0, first = 0, second = 0;

  MemoryOperand memory;
};

/// Reads no byte behind the instruction. False if `code` is none, as it is
/// where an encoding is reserved.
bool decodeTileInstruction(const uint8_t *code, TileInstruction &decoded);

} // namespace attn

#endif // ATTN_LIB_RUNTIME_TILEEMULATOR_TILEINSTRUCTION_H
