//===- Engine.h - When asynchronous operations happen -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations in flight. Each reads and then writes at points that the schedule
// chooses between its issue and the wait that ends it, so that what touches the
// same bytes in between sees, or spoils, what it would on a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_ASYNC_ENGINE_H
#define ATTN_LIB_PTXSIM_ASYNC_ENGINE_H

#include "PTXSim/Async/BarrierTable.h"
#include "PTXSim/Async/Groups.h"
#include "PTXSim/Exec/Exec.h"

namespace attn::ptx {

/// An operation as the engine keeps it. The handlers of this folder fill it in
/// directly.
struct Operation {
  explicit Operation(Warp &warp) : warp(&warp) {}

  Warp *warp;
  uint32_t lanes = 0, line = 0;
  Proxy proxy = Proxy::Async;
  GroupKind group = GroupKind::None;
  /// `lane` issued it; `completion` is an index in `completions`.
  struct Range : ByteRange {
    uint8_t lane = 0, completion = 0;
  };
  std::vector<Range> reads, writes;
  bool checked = false; ///< The issuer has checked the ranges.
  bool reduces = false; ///< Each element that it writes is indivisible.
  llvm::SmallVector<Opnd, 8> registerReads, registerWrites;
  /// The two halves of the work: `read` takes what it needs, `write` stores
  /// it. Either may be empty. False: a finding ends the run.
  llvm::unique_function<bool()> read, write;
  /// Transactions that the end of the operation completes.
  struct Completion {
    uint64_t barrier, bytes;
  };
  llvm::SmallVector<Completion, 1> completions;
  /// cp.async.mbarrier.arrive: no work, but an arrival of `lanes` on this
  /// barrier after their copies.
  uint64_t arriveOn = kNoBarrier;
  static constexpr uint64_t kNoBarrier = ~uint64_t(0);

  //===--- Set by the engine ---===//
  uint64_t id = 0, readAt = 0, writeAt = 0;
  bool readDone = false;
  std::array<uint32_t, 32> times{}; ///< By lane, in the groups of `group`.
  std::vector<ClusterMemory::DoubleWrite> doubleWrites;
};

class Engine final : public AsyncEngine {
public:
  explicit Engine(Cluster &cluster);

  bool advance() override;
  bool completeOne() override;
  bool anyPending() const override { return !pending.empty(); }
  void describe(std::vector<BarrierState> &states) const override;
  void exited(Warp &warp, uint32_t mask) override;
  void issue(AsyncOp op) override;
  void commit(Warp &warp, uint32_t mask, GroupKind kind) override;
  bool wait(Warp &warp, uint32_t mask, GroupKind kind, uint64_t allowed,
            bool readOnly, uint32_t line) override;

  /// Checks what the operation will touch and takes it over. False: it was out
  /// of bounds, or its work ended the run.
  bool issue(std::unique_ptr<Operation> op);
  /// Like wait, for copies that are in no group yet as well.
  bool waitAll(Warp &warp, uint32_t mask, GroupKind kind, uint32_t line);
  /// A product of a warpgroup ends for all its warps at once: all but the
  /// latest `allowed` wgmma groups of `peer` have read their matrices. The
  /// accumulators are for `peer` to wait for.
  bool finishReads(Warp &peer, uint64_t allowed);
  /// Every lane of the warp knows that all but the latest `allowed` groups of
  /// its warpgroup have read their matrices.
  void learnReads(Warp &warp, uint64_t allowed);

  BarrierTable barriers;

private:
  static constexpr uint64_t kNever = ~uint64_t(0);

  ClusterMemory &memory() const {
    return static_cast<ClusterMemory &>(*cluster.memory);
  }
  Groups &groups(Warp &warp, GroupKind kind);
  static WarpClocks::Channel channelOf(GroupKind kind);
  void chooseTimes(Operation &op);
  bool checkRanges(const Operation &op);
  /// Performs the reads of an operation, or all of it. Earlier operations that
  /// must come first are performed too.
  bool performReads(Operation &op);
  bool finish(Operation &op);
  bool finishEarlier(const Operation &op);
  bool finishCompletions(Operation &op);
  bool finishArrival(Operation &op);
  void recordRanges(Operation &op, bool write);
  void forgetFinished();

  Cluster &cluster;
  Random random;
  Schedule::Kind schedule;
  uint64_t tick = 0, nextDue = kNever, nextId = 1;
  bool ended = false;
  std::vector<std::unique_ptr<Operation>> pending; ///< In order of issue.
  std::map<std::pair<uint32_t, GroupKind>, Groups> groupsOf;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_ASYNC_ENGINE_H
