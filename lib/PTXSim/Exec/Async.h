//===- Async.h - Operations that complete later
//-----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interface that lib/PTXSim/Async implements, one engine a cluster, used by one
// host thread. The core only drives it (advance, completeOne); instruction
// handlers issue operations and wait for them.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_EXEC_ASYNC_H
#define ATTN_LIB_PTXSIM_EXEC_ASYNC_H

#include "PTXSim/Exec/Memory.h"
#include "attn-ptxsim/PTXSim.h"

#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace attn::ptx {

struct ByteRange {
  MemSpace space;
  uint64_t address; ///< As in Memory.h.
  uint64_t bytes;
};

/// The kinds of groups an operation may belong to; each thread (CpAsync, Bulk)
/// or warp (Wgmma) has its own sequence of groups of each kind.
enum class GroupKind : uint8_t { None, CpAsync, Bulk, Wgmma };

struct AsyncOp {
  Warp *warp = nullptr;
  uint32_t lanes = 0; ///< The issuing lanes: one for cp.async and bulk.
  uint32_t line = 0;
  Proxy proxy = Proxy::Async;
  GroupKind group = GroupKind::None;
  /// What it will read and write; in flight from issue to completion.
  llvm::SmallVector<ByteRange, 4> reads, writes;
  /// Registers of `warp` in flight (wgmma accumulators and A fragments): the
  /// core reports a read or write of them as InFlight until completion.
  llvm::SmallVector<Opnd, 8> registerReads, registerWrites;
  /// Does the work; run once, at the seeded point, by the engine. Returns false
  /// when it reported a finding that ends the run.
  llvm::unique_function<bool()> perform;
};

class AsyncEngine {
public:
  virtual ~AsyncEngine() = default;

  //===--- Driven by the scheduler ---===//
  /// Called between warp instructions; completes what the schedule says should
  /// complete now. False: a finding ended the run.
  virtual bool advance() = 0;
  /// Every warp waits: completes one operation if any is pending. Returns
  /// whether something completed.
  virtual bool completeOne() = 0;
  virtual bool anyPending() const = 0;
  /// Appends the state of every mbarrier and group, for reports.
  virtual void describe(std::vector<BarrierState> &states) const = 0;
  /// The lanes of `mask` end (pending groups may be a finding).
  virtual void exited(Warp &warp, uint32_t mask) = 0;

  //===--- Used by instruction handlers ---===//
  /// Takes the operation over. Completion happens at a seeded point between
  /// now and the matching wait.
  virtual void issue(AsyncOp op) = 0;
  /// The lanes' open group of this kind is closed.
  virtual void commit(Warp &warp, uint32_t mask, GroupKind kind) = 0;
  /// Completes all but the latest `allowed` groups of the lanes. `readOnly`:
  /// only their reads need to be done (cp.async.bulk.wait_group.read).
  /// Never blocks: operations still pending are performed now.
  virtual bool wait(Warp &warp, uint32_t mask, GroupKind kind, uint64_t allowed,
                    bool readOnly, uint32_t line) = 0;
};

/// lib/PTXSim/Async provides this.
std::unique_ptr<AsyncEngine> createAsyncEngine(Cluster &cluster);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_EXEC_ASYNC_H
