//===- WarpClocks.h - What the lanes of one warp know -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The happens-before side of a warp. Lanes of a warp are threads of their own:
// one that synchronised alone knows more than the others until they meet in a
// bar.warp.sync. Nearly always all lanes know the same, and then they share one
// clock.
//
// Time is counted per warp and moves on whenever lanes publish what they did.
// Besides its own accesses a warp has one component for each kind of group of
// asynchronous operations; their time counts groups.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MEMORY_WARPCLOCKS_H
#define ATTN_LIB_PTXSIM_MEMORY_WARPCLOCKS_H

#include "PTXSim/Memory/VectorClock.h"

namespace attn::ptx {

/// One remembered access. Reads of several lanes of a warp share a record.
struct AccessRecord {
  enum Flags : uint8_t {
    AsyncProxy = 1, ///< Done by the async proxy.
    Atomic = 2,     ///< Atomic, relaxed or volatile: no race among these.
    ReadSet = 4,    ///< Not a record: `line` is the index of a set of reads.
    Split = 8,      ///< Not a record: `line` is the index of four byte cells.
    CtaAtomic = 16  ///< Atomic for the threads of its CTA only.
  };
  uint32_t time = 0; ///< 0: no access.
  uint32_t line = 0;
  uint32_t lanes = 0;
  Component component : 24;
  uint32_t flags : 8;

  AccessRecord() : component(0), flags(0) {}
};
static_assert(sizeof(AccessRecord) == 16, "there is one for every word");

/// A clock for each lane, shared while they are the same.
class LaneClocks {
public:
  LaneClocks();
  const VectorClock &of(unsigned lane) const {
    return *clocks[uniform ? 0 : lane];
  }
  bool isUniform() const { return uniform; }
  /// Applies `change` (old clock -> new clock) once for each distinct clock of
  /// the lanes in `mask`. `alive` are all lanes that still run.
  template <typename Change>
  void update(uint32_t mask, uint32_t alive, Change &&change) {
    if (uniform && (mask & alive) == alive) {
      clocks[0] = change(clocks[0]);
      return;
    }
    separate();
    for (uint32_t rest = mask; rest;)
      replaceGroup(rest, change);
    reunite(alive);
  }
  /// Calls `visit` once for each distinct clock of the lanes in `mask`.
  template <typename Visit> void forEach(uint32_t mask, Visit &&visit) const {
    if (uniform)
      return visit(*clocks[0]);
    const VectorClock *last = nullptr;
    for (unsigned l = 0; l != 32; ++l)
      if (((mask >> l) & 1) && clocks[l].get() != last)
        visit(*(last = clocks[l].get()));
  }

private:
  template <typename Change>
  void replaceGroup(uint32_t &rest, Change &&change) {
    ClockRef old, fresh;
    for (unsigned l = 0; l != 32; ++l) {
      if (!((rest >> l) & 1) || (old && clocks[l] != old))
        continue;
      if (!old) {
        old = clocks[l];
        fresh = change(old);
      }
      clocks[l] = fresh;
      rest &= ~(1u << l);
    }
  }
  void separate();
  void reunite(uint32_t alive);

  bool uniform = true;
  std::array<ClockRef, 32> clocks;
};

/// A fixed state of some Knowledge, to be learnt by many warps.
struct KnowledgeSnapshot {
  ClockRef generic, fenced;
  ClockRef fencedGlobal; ///< Null: nothing.
  explicit KnowledgeSnapshot(const Knowledge &k);
};

class WarpClocks {
public:
  /// What a lane may know without telling its neighbours: its accesses and its
  /// groups of operations. Of bulk copies the writes to global memory count
  /// apart, since there are waits for the reads only.
  enum Channel : uint8_t {
    Self,
    CpAsync,
    Bulk,
    BulkWrites,
    Wgmma,
    NumChannels
  };
  static constexpr Component kNone = 0xffffff;

  WarpClocks(Component self, uint32_t existing);

  Component component(Channel c) const { return own[c]; }
  void setComponent(Channel c, Component id) { own[c] = id; }
  uint32_t now() const { return time; }

  /// The access is ordered before what `lane` does next.
  bool knows(unsigned lane, const AccessRecord &r) const {
    if (r.time == 0)
      return true;
    if (r.component == own[Self] &&
        ((r.lanes & ~(1u << lane)) == 0 || r.time <= synced))
      return true;
    const VectorClock &clock = generic.of(lane);
    if (clock.all(r.component) >= r.time)
      return true;
    return knowsSlowly(clock, known, lane, r);
  }
  /// Every lane knows it. False only says that this is not plain to see.
  bool allKnow(const AccessRecord &r) const {
    if (r.time == 0 || (r.component == own[Self] && r.time <= synced))
      return true;
    return generic.isUniform() && generic.of(0).all(r.component) >= r.time;
  }
  /// ... and visible to an operation of the async proxy that `lane` issues.
  bool knowsFenced(unsigned lane, const AccessRecord &r, bool global) const;
  /// Every lane of this warp has the access behind it.
  bool syncedPast(uint32_t time) const { return time <= synced; }

  /// The lanes publish all they know and did.
  void release(uint32_t mask, Knowledge &into);
  /// The lanes learn what was published.
  void acquire(uint32_t mask, const KnowledgeSnapshot &from);
  /// fence.proxy.async of shared or of global memory.
  void fenceAsync(uint32_t mask, bool global);
  void warpSync(uint32_t mask);
  /// Lane `lane` waited for its operations of channel `c` up to `time`.
  void learnOwn(Channel c, uint32_t lanes, uint32_t time);
  void exited(uint32_t mask);

private:
  bool knowsSlowly(const VectorClock &clock,
                   const uint32_t (&own)[NumChannels][32], unsigned lane,
                   const AccessRecord &r) const;
  void publishChannels(VectorClock &into, uint32_t mask,
                       const uint32_t (&times)[NumChannels][32],
                       unsigned first) const;

  std::array<Component, NumChannels> own;
  uint32_t absent; ///< Lanes that never were or have exited.
  uint32_t time = 1;
  uint32_t synced = 0; ///< Up to here all lanes know each other's accesses.
  bool privateNews = false; ///< known or fenced changed since warpSync.
  /// What the async proxy can see of one space.
  struct Visible {
    LaneClocks clocks;
    uint32_t times[NumChannels][32] = {};
  };
  LaneClocks generic;
  Visible fenced;
  /// Null until a fence of global memory matters.
  std::unique_ptr<Visible> fencedGlobal;
  /// [Channel][lane]; known[Self] is not used: a lane knows what it did.
  uint32_t known[NumChannels][32] = {};
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MEMORY_WARPCLOCKS_H
