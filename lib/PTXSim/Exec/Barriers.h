//===- Barriers.h - Named barriers of a CTA, barrier.cluster
//----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_EXEC_BARRIERS_H
#define ATTN_LIB_PTXSIM_EXEC_BARRIERS_H

#include "PTXSim/Exec/Exec.h"

namespace attn::ptx {

/// A barrier in one of its phases. Threads are counted as the hardware does: a
/// warp that arrives as a whole counts 32.
struct Barrier {
  uint64_t phase = 1;    ///< Never 0, which is "not waiting".
  uint32_t arrived = 0;  ///< Threads of this phase.
  uint32_t expected = 0; ///< 0: all of the CTA or cluster.
  uint32_t openLine = 0; ///< Of the first arrival.
  struct Party {
    Warp *warp;
    uint32_t mask;
    bool waits;
    bool acquires;
  };
  std::vector<Party> parties;
  std::unique_ptr<SyncObject> sync;
  // bar.red: what has been gathered, and the result of the last phase.
  uint32_t sum = 0, all = 1, any = 0;
  uint32_t lastSum = 0, lastAll = 0, lastAny = 0;

  /// Joins clocks, starts the next phase.
  void complete(MemoryModel &memory, Scope scope);
};

class NamedBarriers {
public:
  std::array<Barrier, 16> barriers;
  /// By warp: what setmaxnreg has set, 0 before. Warps wait for registers as
  /// they do for barriers.
  std::vector<uint32_t> registerLimits;
  /// Number of threads a barrier without a count waits for.
  static uint32_t wholeCta(const Cta &cta);
  /// A warp of the CTA ended: barriers without a count may be complete.
  void warpEnded(Cta &cta);
  void describe(const Cta &cta, std::vector<BarrierState> &states) const;
};

/// barrier.cluster: one for the cluster. Clocks of a finished phase are kept
/// until all have waited for it, so the phases use two objects in turn.
class ClusterBarrier {
public:
  Barrier barrier;
  std::unique_ptr<SyncObject> finished;
  /// Phase in which a warp's lanes arrived and have not waited yet, by warp.
  std::vector<uint64_t> pending;
  void complete(MemoryModel &memory);
  void depart(MemoryModel &memory, Warp &warp, uint32_t mask);
  static uint32_t wholeCluster(const Cluster &cluster);
  void warpEnded(Cluster &cluster);
  void describe(const Cluster &cluster,
                std::vector<BarrierState> &states) const;
};

/// The state of every barrier and of the operations in flight, for reports.
std::vector<BarrierState> describeBarriers(const Cluster &cluster);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_EXEC_BARRIERS_H
