//===- TileEmulator.h - AMX on machines without it --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Intel's tile unit in software, in this process: a processor without it stops
// at each of its instructions (SIGILL), a handler computes what it should have
// done and goes on behind it. All else runs as it is. So code with tiles can be
// run and compared where nobody has them, and what hardware would refuse or
// silently forgive is found and told. No MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUNTIME_TILEEMULATOR_H
#define ATTN_RUNTIME_TILEEMULATOR_H

#include <cstdint>
#include <string>

namespace attn {

/// What has been executed, on all threads.
struct TileCounts {
  uint64_t configurations = 0; ///< LDTILECFG, of palette 1.
  uint64_t releases = 0;       ///< TILERELEASE of configured tiles.
  uint64_t zeros = 0;
  uint64_t loads = 0;
  uint64_t products = 0;
  uint64_t stores = 0;
  uint64_t faults = 0;
};

/// Emulates while it lives. There may be one at a time in a process.
class TileEmulator {
public:
  TileEmulator();
  ~TileEmulator();
  TileEmulator(const TileEmulator &) = delete;
  TileEmulator &operator=(const TileEmulator &) = delete;

  /// False on other machines than x86-64 with Linux, and on processors without
  /// AVX2. On a machine with AMX instructions with tiles stop as long as the
  /// process has not asked Linux for the permission to use it.
  ///
  static bool canEmulate();

  /// Whether the machine has AMX, and so configures and releases its tiles
  /// itself without that permission. There a configuration counts where a tile
  /// is used after it, one that is as the last one counts as that, and one at
  /// fault is the processor's to report.
  static bool configuresItself();

  /// A fault if the calling thread's tiles are configured, as those of who
  /// comes back from `what` must not be: whoever runs next on the thread pays
  /// for eight kilobytes more at each switch of threads.
  void expectReleased(const char *what);

  /// Of no thread that still runs such code.
  TileCounts getCounts() const;

  /// The first fault: the instruction, its address and what is wrong. Empty if
  /// there was none. An instruction at fault does nothing.
  std::string getFault() const;
};

} // namespace attn

#endif // ATTN_RUNTIME_TILEEMULATOR_H
