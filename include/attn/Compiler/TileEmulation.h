//===- TileEmulation.h - Code with tiles on any AVX-512 machine -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels for AMX in this process, with its tile unit in software
// (attn/Runtime/TileEmulator.h): all else of them runs as it is.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_TILEEMULATION_H
#define ATTN_COMPILER_TILEEMULATION_H

#include "attn/Compiler/CompiledProgram.h"
#include "attn/Runtime/TileEmulator.h"
#include <memory>

namespace attn {

class TileEmulation {
public:
  /// What --emulator calls it.
  static constexpr llvm::StringLiteral kName = "amx";

  /// Fails where `target` has no tiles, and where this machine lacks more of it
  /// than those and AVX512-BF16. One that lacks nothing runs the code by
  /// itself.
  static llvm::Expected<std::unique_ptr<TileEmulation>>
  create(const TargetDescription &target);

  /// Of code that has to be gone before this is.
  EntryLoader getLoader();

  bool isEmulated() const { return emulator != nullptr; }
  /// Of all calls so far.
  TileCounts getCounts() const;
  std::string getFault() const;

private:
  std::unique_ptr<TileEmulator> emulator;
};

} // namespace attn

#endif // ATTN_COMPILER_TILEEMULATION_H
