//===- WgmmaState.h - The protocol of wgmma ---------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma instructions are executed by the four warps of a warpgroup alike.
// Each warp here runs at its own pace; what they did is compared step by step.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MATRIX_WGMMASTATE_H
#define ATTN_LIB_PTXSIM_MATRIX_WGMMASTATE_H

#include "PTXSim/Exec/Exec.h"

#include <array>
#include <deque>

namespace attn::ptx {

struct SharedMatrix;

/// What one warp did at one step.
struct WgmmaStep {
  uint32_t line = 0;
  std::array<uint64_t, 3> values{}; ///< That must be the same in all warps.
  std::shared_ptr<SharedMatrix> b;  ///< Of a product.
};

/// The steps of the four warps, from the first that not all have reached.
struct Warpgroup {
  std::deque<WgmmaStep> steps;
  uint64_t first = 0;              ///< Number of steps.front().
  std::array<uint64_t, 4> next{};  ///< Number of each warp's next step.
  std::array<uint32_t, 4> ended{}; ///< Line where the warp ended, or 0.
};

/// Of one warp.
struct WgmmaState {
  std::shared_ptr<Warpgroup> group;
  bool fenced = false;  ///< Some wgmma.fence was executed.
  uint64_t commits = 0; ///< Number of wgmma.commit_group.
  /// Line of the first wgmma of each group that was not waited for; the last
  /// one is open. 0: none.
  std::deque<uint32_t> groups{0};
};

/// The state of the running warp. Null, after a finding, when the instruction
/// cannot be executed here: lanes or warps are missing.
WgmmaState *wgmmaState(Exec &x, const Inst &inst);

/// The warp takes a step. False, after a finding, when another warp of the
/// group did something else. `b` gets the matrix that the four warps share at
/// this step.
bool wgmmaStep(Exec &x, const Inst &inst, WgmmaState &state,
               std::array<uint64_t, 3> values = {},
               std::shared_ptr<SharedMatrix> *b = nullptr);

/// All lanes of a warp that used wgmma end.
void wgmmaWarpEnds(Exec &x, const Inst &inst);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MATRIX_WGMMASTATE_H
