//===- TileUnit.h - The tiles of one thread ---------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_RUNTIME_TILEEMULATOR_TILEUNIT_H
#define ATTN_LIB_RUNTIME_TILEEMULATOR_TILEUNIT_H

#include "FaultText.h"
#include "TileInstruction.h"
#include "TileProducts.h"
#include "attn/Runtime/TileEmulator.h"

namespace attn {

constexpr unsigned kNumTiles = 8;

/// Memory of LDTILECFG and STTILECFG.
struct TileConfiguration {
  uint8_t palette;
  uint8_t startRow;
  uint8_t reserved[14];
  uint16_t rowBytes[16];
  uint8_t rows[16];
};
static_assert(sizeof(TileConfiguration) == 64);

/// Zero bytes are a unit that has not been configured: it comes from fresh
/// pages, and no constructor runs in a signal handler.
class TileUnit {
public:
  /// False after a fault, which `fault` then names; nothing else has changed.
  bool execute(const TileInstruction &instruction,
               const GeneralRegisters &registers, FaultText &fault);

  bool isConfigured() const { return configuration.palette != 0; }
  void release() {
    configuration = TileConfiguration();
    wasReleased = true;
  }

  /// Has the configuration that a processor gave its tiles itself.
  void adopt(const void *configuration);

  TileCounts counts;

private:
  bool configure(const void *memory, FaultText &fault);
  bool load(const TileInstruction &instruction,
            const GeneralRegisters &registers, FaultText &fault);
  bool store(const TileInstruction &instruction,
             const GeneralRegisters &registers, FaultText &fault);
  bool multiply(const TileInstruction &instruction, FaultText &fault);

  bool checkConfigured(unsigned tile, FaultText &fault) const;
  bool checkWritten(unsigned tile, FaultText &fault) const;
  bool checkShapes(const TileInstruction &product, FaultText &fault) const;

  Tile tiles[kNumTiles];
  TileConfiguration configuration;
  /// A bit for each tile that was written since the configuration.
  uint8_t written;
  bool wasReleased;
};

} // namespace attn

#endif // ATTN_LIB_RUNTIME_TILEEMULATOR_TILEUNIT_H
