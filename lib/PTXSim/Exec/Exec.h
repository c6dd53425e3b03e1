//===- Exec.h - State of warps, CTAs, clusters and the grid
//-----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What instruction handlers see. A handler gets an Exec: the warp and the lanes
// that take part (guard predicate applied). It loops over lanes on plain
// arrays:
//
//   static Step addS32(Exec &x, const Inst &i) {
//     auto *d = x.dst<uint32_t>(i.ops[0]);
//     auto *a = x.src<uint32_t>(i.ops[1]);
//     auto *b = x.src<uint32_t>(i.ops[2]);
//     x.forLanes([&](unsigned l) { d[l] = a[l] + b[l]; });
//     return Step::Next;
//   }
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_EXEC_EXEC_H
#define ATTN_LIB_PTXSIM_EXEC_EXEC_H

#include "PTXSim/Exec/Async.h"
#include "PTXSim/Exec/Inst.h"
#include "PTXSim/Exec/Memory.h"
#include "attn-ptxsim/PTXSim.h"

#include "llvm/ADT/bit.h"

#include <memory>
#include <vector>

namespace attn::ptx {

struct Program;
struct WarpPaths;
class NamedBarriers;
class ClusterBarrier;
struct WgmmaState;

/// splitmix64: each cluster owns one stream, so threads do not change a run.
struct Random {
  uint64_t state = 0;
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t n) { return n < 2 ? 0 : next() % n; }
};

/// Gathers the findings and notes of one cluster; joined in cluster order at
/// the end.
class Diagnostics {
public:
  /// Fills in CTA and warp and merges repeats of (kind, line, otherLine).
  /// `lane` is the first concerned lane. An empty message only counts again
  /// what is known. Returns the finding, null when none was kept.
  Finding *report(FindingKind kind, const Warp *warp, unsigned lane,
                  uint32_t line, std::string message, uint32_t otherLine = 0,
                  bool isNote = false);
  std::vector<Finding> findings, notes;
  uint64_t limit = 32;
};

struct Warp {
  Cta *cta = nullptr;
  uint32_t index = 0;       ///< In its CTA: threads index*32 .. index*32+31.
  uint32_t globalIndex = 0; ///< In its cluster: dense, for clock vectors.
  uint32_t existing = 0;    ///< Lanes that the block size gives it.
  uint32_t alive = 0;       ///< Lanes that have not exited.
  uint32_t carry = 0;       ///< The carry flag of each lane.
  /// Registers in flight. The engine calls these, with offsets in the warp's
  /// whole storage; the core looks only while anyInFlight.
  void markRegisters(llvm::ArrayRef<Opnd> ops, bool write, uint32_t line);
  void unmarkRegisters(llvm::ArrayRef<Opnd> ops, bool write);
  uint32_t anyInFlight = 0;
  struct RegisterUse {
    uint16_t reads = 0, writes = 0; ///< By operations in flight, ...
    uint32_t line = 0;              ///< ... the latest of which is there.
    uint32_t written = 0; ///< Line of the last instruction that wrote it, 0:
                          ///< none since the last wgmma.fence.
    uint32_t shape = 0;   ///< Of the last wgmma that accumulated in it since.
  };
  /// By offset in the storage / 128, as every register starts on 128 bytes.
  RegisterUse &registerUse(uint32_t offset) {
    if (offset / 128 >= registerUses.size())
      registerUses.resize(offset / 128 + 1);
    return registerUses[offset / 128];
  }
  std::vector<RegisterUse> registerUses;
  std::shared_ptr<WgmmaState> wgmma; ///< Null until the warpgroup uses it.
  uint8_t *registers = nullptr;      ///< Of the running path's frame.
  std::shared_ptr<WarpPaths> paths;
};

struct Cta {
  Cluster *cluster = nullptr;
  Dim3 id{0, 0, 0};
  uint32_t rank = 0; ///< In its cluster.
  std::vector<std::unique_ptr<Warp>> warps;
  uint32_t liveWarps = 0;
  std::shared_ptr<NamedBarriers> barriers;
};

struct Cluster {
  Grid *grid = nullptr;
  Dim3 id{0, 0, 0};
  uint64_t index = 0; ///< Linear.
  std::vector<std::unique_ptr<Cta>> ctas;
  std::unique_ptr<MemoryModel> memory;
  std::unique_ptr<AsyncEngine> async;
  std::shared_ptr<ClusterBarrier> barrier;
  Diagnostics diagnostics;
  Random random;      ///< Of the scheduler.
  uint64_t cycle = 0; ///< Warp instructions executed; feeds %clock.
  /// Counts changes others may wait for (stores, arrivals, completions, exits).
  /// When it stands still while all warps wait or poll, that is a deadlock.
  uint64_t progress = 0;
  /// Counts by PTX line, null without Options::profile.
  std::map<uint32_t, LineProfile> *profile = nullptr;
};

/// One run.
struct Grid {
  const Program *program = nullptr;
  const Launch *launch = nullptr;
  const Options *options = nullptr;
  Dim3 clusterShape;           ///< 1,1,1 without clusters.
  uint32_t sharedBytes = 0;    ///< Static and dynamic together, of one CTA.
  std::vector<uint8_t> params; ///< The kernel's parameter block.
  std::vector<uint64_t> bufferAddresses; ///< By index in Launch::buffers.
  std::unique_ptr<GlobalMemory> memory;
};

/// One instruction's view: cheap to make, valid for one handler call.
struct Exec {
  uint8_t *bank[2]; ///< Indexed by Opnd::bank.
  uint32_t active;  ///< Lanes that execute; never 0 in a handler.
  Warp &warp;
  Cta &cta;
  Cluster &cluster;
  MemoryModel &memory;
  AsyncEngine &async;

  template <typename T> T *dst(Opnd o) {
    return reinterpret_cast<T *>(bank[o.bank] + o.offset);
  }
  template <typename T> const T *src(Opnd o) const {
    return reinterpret_cast<const T *>(bank[o.bank] + o.offset);
  }
  /// Predicates are masks; pred() applies `!`.
  uint32_t pred(Opnd o) const {
    uint32_t value = *src<uint32_t>(o);
    return o.negated ? ~value : value;
  }
  void setPred(Opnd o, uint32_t mask) {
    if (!o)
      return;
    uint32_t *value = dst<uint32_t>(o);
    *value = (*value & ~active) | (mask & active);
  }
  /// Value of one lane whatever the class, zero-extended.
  uint64_t lane(Opnd o, unsigned l) const {
    switch (o.cls) {
    case RegClass::Pred:
      return (pred(o) >> l) & 1;
    case RegClass::R32:
      return src<uint32_t>(o)[l];
    case RegClass::R64:
    case RegClass::R128:
      return src<uint64_t>(o)[l];
    case RegClass::None:
      break;
    }
    return 0;
  }
  /// Fills `out[lane]` for active lanes. 32-bit bases are zero-extended.
  void addresses(const AddressOpnd &a, uint64_t *out) const {
    if (a.base.cls == RegClass::R64) {
      const auto *base = src<uint64_t>(a.base);
      for (unsigned l = 0; l != kLanes; ++l)
        out[l] = base[l] + a.offset;
    } else {
      const auto *base = src<uint32_t>(a.base);
      for (unsigned l = 0; l != kLanes; ++l)
        out[l] = uint32_t(base[l] + uint32_t(a.offset));
    }
  }
  template <typename F> void forLanes(F &&f) const {
    if (active == ~0u) {
      for (unsigned l = 0; l != kLanes; ++l)
        f(l);
      return;
    }
    for (uint32_t m = active; m; m &= m - 1)
      f(unsigned(llvm::countr_zero(m)));
  }
  unsigned firstLane() const { return unsigned(llvm::countr_zero(active)); }

  /// Reports and returns Step::Fault / Step::Next.
  Step fault(const Inst &inst, FindingKind kind, std::string message);
  void warn(const Inst &inst, FindingKind kind, std::string message);
  /// Something that another warp may wait for has changed.
  void noteProgress() { ++cluster.progress; }
  /// A poll failed (test_wait, try_wait false; volatile load; failed cas).
  void notePoll();
  /// True when the instruction is executed by all living lanes of the warp;
  /// otherwise reports DivergentAligned.
  bool requireAligned(const Inst &inst);
  /// `.sync` instructions: true when all living lanes of `members` are here,
  /// with `active` widened to lanes that waited on other paths. Otherwise the
  /// handler returns Step::Retry.
  bool converge(const Inst &inst, uint32_t members);
  /// Zero when the path comes to an instruction, kept while it returns Retry:
  /// lets a handler do its arrival only once.
  uint64_t &waitSlot();
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_EXEC_EXEC_H
