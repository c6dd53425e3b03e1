//===- WarpKernel.h - A few instructions between two sets of registers ----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes of a warp find their input words in %i0, %i1, ... and leave their
// results in %o0, %o1, ... (all .b32). The frame declares 8 KiB of shared
// memory at `tile`, %lane, %tile (its address), %a (.b32), %g, %w<16> (.b64),
// %t<16> (.b32) and %p<4>, %f<16> (.f32), %x<32> (.f64).
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_UNITTESTS_PTXSIM_MATRIX_WARPKERNEL_H
#define ATTN_UNITTESTS_PTXSIM_MATRIX_WARPKERNEL_H

#include "attn-ptxsim/PTXSim.h"

#include "llvm/ADT/bit.h"

#include "gtest/gtest.h"

namespace attn::ptx::test {

/// One word for each lane.
using Words = std::array<uint32_t, 32>;

struct WarpKernel {
  std::string body;
  std::vector<Words> in = {};
  unsigned results = 0;
  std::string target = "sm_90a";
  uint32_t threads = 32;
  Options options = {};
  std::vector<Schedule> schedules = {Schedule::earliest(), Schedule::latest()};

  std::vector<Words> out = {}; ///< Of the last run.

  std::string text() const;
  /// The error's text instead of a report fails the test.
  Report run();
  /// The error of a module that must not load or decode.
  std::string refusal();
  /// Runs and expects no finding.
  const std::vector<Words> &clean();
  /// All of `schedules` find this kind at the line that holds `needle`, at
  /// `lane` if one is named. Returns the last one's message.
  std::string expectFinding(FindingKind kind, const std::string &needle,
                            uint32_t lane = ~0u);

private:
  llvm::Expected<Report> start();
};

/// "%i0, %i1, ..." from `first` on.
std::string names(const std::string &prefix, unsigned first, unsigned count);

/// A form of ldmatrix and stmatrix.
struct RowsForm {
  unsigned count;
  bool transposed;
  const char *space;
};
std::vector<RowsForm> rowsForms();

/// A small generator of test data.
struct Numbers {
  uint64_t state = 1;
  uint32_t next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return uint32_t(state >> 33);
  }
  int between(int low, int high) {
    return low + int(next() % uint32_t(high - low + 1));
  }
};

inline uint32_t bits(float value) { return llvm::bit_cast<uint32_t>(value); }
inline float single(uint32_t word) { return llvm::bit_cast<float>(word); }
inline Words everywhere(uint32_t word) {
  Words words;
  words.fill(word);
  return words;
}

} // namespace attn::ptx::test

#endif // ATTN_UNITTESTS_PTXSIM_MATRIX_WARPKERNEL_H
