//===- TileLibrary.cpp - The emulator for programs that load it -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared library for test/Integration/emulated_tiles.py, which calls compiled
// objects from Python.
//
//===----------------------------------------------------------------------===//

#include "attn/Runtime/TileEmulator.h"
#include <cstring>
#include <memory>

static std::unique_ptr<attn::TileEmulator> emulator;

/// False where there is nothing to emulate.
extern "C" bool attn_tiles_begin() {
  emulator.reset();
  if (!attn::TileEmulator::canEmulate())
    return false;
  emulator = std::make_unique<attn::TileEmulator>();
  return true;
}

/// How many products there were since. `fault` becomes the first fault, or no
/// text.
extern "C" uint64_t attn_tiles_end(char *fault, size_t bytes) {
  emulator->expectReleased("a call");
  std::strncpy(fault, emulator->getFault().c_str(), bytes - 1);
  uint64_t products = emulator->getCounts().products;
  emulator.reset();
  return products;
}
