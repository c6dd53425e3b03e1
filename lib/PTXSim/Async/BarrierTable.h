//===- BarrierTable.h - The mbarriers of a cluster --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every mbarrier object by its shared address, with the clocks that make what
// came before an arrival known to those that saw the phase end. The objects'
// bytes in shared memory are only marked: nothing else may touch them.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_ASYNC_BARRIERTABLE_H
#define ATTN_LIB_PTXSIM_ASYNC_BARRIERTABLE_H

#include "PTXSim/Async/MBarrier.h"
#include "PTXSim/Memory/ClusterMemory.h"

#include <map>

namespace attn::ptx {

class BarrierTable {
public:
  explicit BarrierTable(Cluster &cluster) : cluster(cluster) {}

  struct Entry {
    explicit Entry(uint32_t count) : state(count) {}
    MBarrier state;
    Component component = 0;
    AccessRecord init;
    Warp *initWarp = nullptr;
    bool unfencedNoted = false; ///< Said once for each object.
    /// Of the arrivals of this phase, and of all completed ones.
    Knowledge pending, completed;
    std::unique_ptr<KnowledgeSnapshot> snapshot;
  };

  //===--- Each is false after a finding that ends the run ---===//
  bool init(const Issuer &who, uint64_t address, uint32_t count);
  bool invalidate(const Issuer &who, uint64_t address);
  /// The object at `address`, known to the issuer; null after a finding.
  /// `what` is the instruction, for messages.
  Entry *use(const Issuer &who, uint64_t address, llvm::StringRef what);

  struct Arrival {
    uint32_t count = 1;
    bool drop = false, noComplete = false, releases = true;
    bool expects = false;
    uint32_t expectedBytes = 0;
  };
  /// One lane arrives; `token` is the state before it. The caller releases the
  /// lanes' knowledge into Entry::pending first.
  bool arrive(const Issuer &who, Entry &entry, const Arrival &arrival,
              uint64_t &token);
  bool expect(const Issuer &who, Entry &entry, uint32_t bytes);
  /// At the end of an operation or by mbarrier.complete_tx.
  bool complete(const Issuer &who, Entry &entry, uint64_t bytes);
  bool increment(const Issuer &who, Entry &entry);
  /// The lanes saw that a phase is complete.
  void acquire(Warp &warp, uint32_t mask, Entry &entry);

  /// The object without any check; null when there is none.
  Entry *find(uint64_t address);
  void describe(std::vector<BarrierState> &states) const;

private:
  ClusterMemory &memory() const;
  bool misuse(const Issuer &who, llvm::function_ref<std::string()> message);
  /// Reports `problem` unless it is empty, and notices the end of a phase.
  bool settle(const Issuer &who, Entry &entry, uint64_t phasesBefore,
              llvm::StringRef problem);
  void checkInit(const Issuer &who, Entry &entry, uint64_t address,
                 llvm::StringRef what);

  Cluster &cluster;
  std::map<uint64_t, std::unique_ptr<Entry>> entries;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_ASYNC_BARRIERTABLE_H
