//===- Interpreter.h - Runs warps of one cluster
//----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_EXEC_INTERPRETER_H
#define ATTN_LIB_PTXSIM_EXEC_INTERPRETER_H

#include "PTXSim/Exec/Paths.h"

#include <atomic>
#include <chrono>

namespace attn::ptx {

/// Failed polls without any progress after which a path counts as stuck.
constexpr uint64_t kPollLimit = 200;

/// Counts of one cluster, summed up in the end.
struct Counts {
  uint64_t warpInstructions = 0, laneInstructions = 0;
  std::vector<uint64_t> opcodes; ///< By Inst::opcode; profile only.
  std::map<uint32_t, LineProfile> lines;
};

enum class ClusterState : uint8_t { Running, Stuck, Done, Faulted };

/// Runs one cluster, a slice at a time.
class ClusterRun {
public:
  ClusterRun(Grid &grid, uint64_t index);
  /// Executes up to `budget` warp instructions. Stuck: nothing can go on
  /// without another cluster.
  ClusterState run(uint64_t budget, std::atomic<bool> &timeout,
                   std::chrono::steady_clock::time_point deadline);
  /// Something outside changed: stuck warps may try again.
  void wake() { ++cluster->progress; }
  /// Lanes that wait at a meeting go on without it. To be tried only when
  /// nothing else in the whole grid can run. False if no lane waits.
  bool breakMeeting();
  void reportDeadlock();
  void reportTimeout(uint64_t seconds);

  std::unique_ptr<Cluster> cluster;
  Counts counts;

private:
  enum class Slice : uint8_t { Ran, Idle, Faulted };
  Slice runWarp(Warp &warp, unsigned budget);
  Step step(Warp &warp, Path &path, const Inst &inst);
  bool runnable(const Path &path) const;
  bool selectPath(WarpPaths &paths);
  void checkInFlight(Warp &warp, const Inst &inst, uint32_t frameBase);
  void noteWrites(Warp &warp, const Inst &inst, uint32_t frameBase);
  void retire(Warp &warp);
  ClusterState finishPending();
  Warp *pickWarp();
  unsigned sliceLength();

  Grid &grid;
  std::vector<Warp *> live;
  size_t turn = 0;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_EXEC_INTERPRETER_H
