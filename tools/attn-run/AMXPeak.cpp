//===- AMXPeak.cpp - What the tile unit can do at best --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AMXPeak.h"

#if defined(__x86_64__) && defined(__linux__)
#include <immintrin.h>

namespace {

/// The memory format of LDTILECFG, palette 1.
struct alignas(64) TileConfiguration {
  uint8_t palette = 1;
  uint8_t startRow = 0;
  uint8_t reserved[14] = {};
  uint16_t bytesPerRow[16] = {};
  uint8_t rows[16] = {};
};

} // namespace

__attribute__((target("amx-tile,amx-bf16"), noinline)) void
attn::run::runAMXTiles(void *operands) {
  TileConfiguration configuration;
  for (int i = 0; i < 8; ++i) {
    configuration.bytesPerRow[i] = 64;
    configuration.rows[i] = 16;
  }
  _tile_loadconfig(&configuration);
  auto *bytes = static_cast<char *>(operands);
  _tile_loadd(0, bytes + 4096, 64);
  _tile_loadd(1, bytes + 5120, 64);
  _tile_loadd(2, bytes + 6144, 64);
  _tile_loadd(3, bytes + 7168, 64);
  for (int step = 0; step < 2000; ++step) {
    _tile_loadd(4, bytes, 64);
    _tile_loadd(6, bytes + 2048, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, bytes + 3072, 64);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, bytes + 1024, 64);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, bytes + 4096, 64);
  _tile_stored(1, bytes + 5120, 64);
  _tile_stored(2, bytes + 6144, 64);
  _tile_stored(3, bytes + 7168, 64);
  _tile_release();
}
#else
void attn::run::runAMXTiles(void *) {}
#endif
