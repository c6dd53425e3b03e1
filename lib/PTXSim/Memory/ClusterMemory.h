//===- ClusterMemory.h - Memory as one cluster sees it ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks of every access: bounds, alignment, poison, bytes in flight and
// the order of accesses.
// lib/PTXSim/Async uses the second half of the class for what asynchronous
// operations touch.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MEMORY_CLUSTERMEMORY_H
#define ATTN_LIB_PTXSIM_MEMORY_CLUSTERMEMORY_H

#include "PTXSim/Exec/Async.h"
#include "PTXSim/Exec/Exec.h"
#include "PTXSim/Exec/Memory.h"
#include "PTXSim/Memory/DeviceMemory.h"
#include "PTXSim/Memory/SharedMemory.h"
#include "attn-ptxsim/PTXSim.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <utility>

namespace attn::ptx {

/// The lane that issued an operation, for checks and messages.
struct Issuer {
  Warp &warp;
  unsigned lane;
  uint32_t line;
  Proxy proxy;
  /// Not the issuer's own access but an operation's, which is remembered when
  /// it is done.
  bool asynchronous = false;
  /// A reduction: each element is indivisible.
  bool reduces = false;
};

class ClusterMemory final : public MemoryModel {
public:
  ClusterMemory(Cluster &cluster, DeviceMemory &device);

  void addCta(Cta &cta, uint32_t sharedBytes) override;
  uint8_t *sharedBytes(Cta &cta) override;
  bool load(const Access &access, uint8_t *data) override;
  bool store(const Access &access, const uint8_t *data) override;
  bool atomic(const Access &access,
              llvm::function_ref<bool(unsigned, uint8_t *)> update) override;
  void fence(Warp &warp, uint32_t mask, uint32_t line,
             const FenceInfo &info) override;
  void warpSync(Warp &warp, uint32_t mask) override;
  std::unique_ptr<SyncObject> createSync() override;
  void arrive(SyncObject &sync, Warp &warp, uint32_t mask,
              Scope scope) override;
  void depart(SyncObject &sync, Warp &warp, uint32_t mask,
              Scope scope) override;
  void reset(SyncObject &sync) override;
  void exited(Warp &warp, uint32_t mask) override;
  void metRelaxed(Warp &warp, uint32_t mask) override;
  void ctaEnded(Cta &cta) override;

  //===--- For asynchronous operations and mbarriers ---===//

  WarpClocks &clocks(Warp &warp);
  /// A component for the lanes' operations of this channel, or for anything
  /// else that `name` describes in messages.
  Component channel(Warp &warp, WarpClocks::Channel channel);
  Component newComponent(std::string name, const Cta &cta);

  /// Where an address of .shared lies. Null, after a finding, when the bytes
  /// are outside: `what` begins the message ("mbarrier.init").
  SharedMemory *shared(const Issuer &who, uint64_t address, uint64_t bytes,
                       llvm::StringRef what, uint32_t &index);
  Allocation *global(const Issuer &who, uint64_t address, uint64_t bytes,
                     bool write);

  /// Checks a range that an operation is about to use: bounds, bytes in flight
  /// and, for reads, poison; and that the issuer comes after what it must come
  /// after. False: out of bounds.
  bool checkRange(const Issuer &who, const ByteRange &range, bool write);
  /// Two operations that write the same bytes without an order are no race if
  /// both write the same values: CUTLASS lets all lanes of a warp issue one
  /// copy. checkRange leaves here what the writes must show.
  struct DoubleWrite {
    uint64_t address, bytes;
    Conflict conflict;
    std::vector<uint8_t> before;
  };
  std::vector<DoubleWrite> takeDoubleWrites() {
    return std::exchange(doubleWrites, {});
  }
  /// Before the operation writes, and after it.
  void beforeWrites(std::vector<DoubleWrite> &writes);
  void afterWrites(const Issuer &who, const std::vector<DoubleWrite> &writes);
  /// checkRange for many reads of shared memory. `writers` gets what last wrote
  /// the bytes.
  bool checkReads(const Issuer &who, llvm::ArrayRef<ByteRange> ranges,
                  std::vector<AccessRecord> &writers);
  /// The issuer may read what these wrote. If it may not, checkRange says why.
  bool comesAfter(const Issuer &who, llvm::ArrayRef<AccessRecord> writers);
  /// The ranges are in flight until endOperation with the same number.
  void beginOperation(uint64_t id, uint32_t line,
                      llvm::ArrayRef<ByteRange> reads,
                      llvm::ArrayRef<ByteRange> writes, bool reduces);
  /// `reads`/`writes`: which of the two are done.
  void endOperation(uint64_t id, bool reads, bool writes);
  /// Remembers a finished access; the range was checked before.
  void recordRange(const Issuer &who, const ByteRange &range, bool write,
                   Component component, uint32_t time, uint32_t lanes);
  /// The bytes of a checked range; writes become initialised by recordRange.
  uint8_t *bytes(MemSpace space, uint64_t address, uint64_t count);

  /// A tensor copy wrote the bytes with this swizzle (0: none).
  void noteSwizzle(uint64_t address, uint64_t bytes, uint8_t width,
                   uint32_t line);
  /// Line of the tensor copy with a swizzle other than `width` that wrote one
  /// of the bytes of the range, and its swizzle; 0: none.
  uint32_t otherSwizzle(const ByteRange &range, uint8_t &width) const;

  /// One element of an asynchronous reduction, indivisible in global memory.
  void reduceElement(MemSpace space, uint64_t address, uint8_t *target,
                     const uint8_t *value,
                     void (*reduce)(uint8_t *, const uint8_t *));
  /// An operation finds that the CTA whose shared memory it writes has exited.
  /// Always false.
  bool reportGone(const Warp &warp, unsigned lane, uint32_t line);

  /// Messages repeat often; only the first of a (kind, line, other line) is
  /// put together.
  void report(FindingKind kind, const Warp &warp, unsigned lane, uint32_t line,
              uint32_t otherLine, llvm::function_ref<std::string()> message,
              bool isNote = false);
  bool racesChecked() const { return checkRaces; }
  /// Lanes arrive at an mbarrier. Where it is another CTA's, that may not exit
  /// before; false if it has, after a finding.
  bool visitBarrier(const Issuer &who, uint64_t address, uint32_t lanes);
  /// The 8 bytes become, or cease to be, an mbarrier object.
  void setBarrier(uint64_t address, bool live);
  /// A fence.mbarrier_init of the same thread follows the mbarrier.init, ...
  bool initFenced(Warp &warp, const AccessRecord &init);
  /// ... and a relaxed barrier of the cluster follows that: the only thing that
  /// such a barrier orders.
  bool initMet(Warp &warp, const AccessRecord &init);

private:
  /// What a fence published for relaxed stores that follow, and what relaxed
  /// loads saw for fences that follow.
  struct Fences {
    std::unique_ptr<Knowledge> atFence, seen;
    uint32_t fencedLanes = 0;
  };
  using Locations = llvm::DenseMap<uint64_t, std::unique_ptr<Knowledge>>;
  struct WarpState {
    WarpClocks clocks;
    Fences fences;     ///< Of any scope, for the threads of this cluster, ...
    Fences gridFences; ///< ... and those that other clusters can rely on.
    /// Time of each lane's last fence.mbarrier_init, and of the last that an
    /// arrival at the cluster's barrier followed.
    std::array<uint32_t, 32> initFence{}, initMet{};
  };
  struct Operation {
    uint32_t line;
    llvm::SmallVector<ByteRange, 4> reads, writes;
    bool reduces; ///< Its writes do not exclude those of other reductions.
  };

  WarpState &state(Warp &warp);
  SharedMemory *sharedAt(uint64_t address, uint64_t bytes, uint32_t &index);
  bool aligned(const Access &access);
  bool outOfBounds(const Access &access, unsigned lane, bool write);
  bool loadShared(const Access &access, uint8_t *data);
  bool storeShared(const Access &access, const uint8_t *data);
  bool loadGlobal(const Access &access, uint8_t *data);
  bool storeGlobal(const Access &access, const uint8_t *data);
  void complainShared(const Access &access, unsigned lane, SharedMemory &memory,
                      uint32_t index, bool write);
  void checkRead(const Access &access, uint32_t lanes, SharedMemory &memory,
                 uint32_t index, Actor &who);
  void checkOrder(const Access &access, unsigned lane, SharedMemory &memory,
                  uint32_t index, const Actor &actor, bool write);
  void reportConflict(const Warp &warp, unsigned lane, uint32_t line,
                      const Conflict &conflict, bool write, uint64_t address,
                      uint64_t bytes);
  Actor actor(const Access &access, unsigned lane, bool atomic);
  bool pendingGlobal(const Access &access, unsigned lane, bool write);
  /// The line of an operation in flight that uses the bytes.
  uint32_t operationAt(MemSpace space, uint64_t address, uint64_t bytes,
                       bool write, bool reduces = false) const;
  void fenceFor(Fences &fences, WarpClocks &clocks, uint32_t mask, Order order);
  void acquireFrom(const Access &access, unsigned lane, Fences &fences,
                   const Locations &from);
  void releaseTo(const Access &access, unsigned lane, const Fences &fences,
                 Locations &to);
  void synchronise(const Access &access, bool reads, bool writes);
  std::string describe(const AccessRecord &record) const;
  void checkVisitors(const Cta &cta);

  //===--- ClusterGlobal.cpp: order in global memory ---===//

  uint64_t numberOf(const Cta &cta) const;
  bool belongsTo(Component component, const Cta &cta) const;
  Footprint *footprintOf(const Warp &warp) {
    return footprints.empty() ? nullptr : footprints[warp.cta->rank].get();
  }
  /// For whom an access is atomic, as flags of an AccessRecord.
  static uint8_t strength(Order order, Scope scope);
  /// Every access of global memory comes here, before it happens. `value`: what
  /// a plain store writes.
  void touchGlobal(const Issuer &who, uint64_t address, uint64_t bytes,
                   bool write, uint8_t strength,
                   const uint8_t *value = nullptr) {
    if (Footprint *footprint = footprintOf(who.warp))
      footprint->add(strength == AccessRecord::Atomic ? Footprint::Strong
                     : write                          ? Footprint::Writes
                                                      : Footprint::Reads,
                     address, bytes, toucher(who));
    else if (device.order)
      orderGlobal(who, address, bytes, write, strength, value);
  }
  Footprint::Toucher toucher(const Issuer &who) {
    if (!who.asynchronous)
      return Footprint::Toucher(who.warp.index * 32 + who.lane + 1);
    // The lanes of one instruction count as one: a tensor copy that a whole
    // warp executes is done once.
    uint32_t hash = (who.warp.index * 0x9e3779b9u + who.line) * 0x85ebca6bu;
    hash = (hash ^ clocks(who.warp).now()) * 0xc2b2ae35u;
    return Footprint::kOperation | Footprint::Toucher((hash >> 16) & 0x7ffe);
  }
  void orderGlobal(const Issuer &who, uint64_t address, uint64_t bytes,
                   bool write, uint8_t strength, const uint8_t *value);
  void checkGlobal(const Issuer &who, uint64_t address, uint64_t bytes,
                   bool write, const Actor &actor, const uint8_t *value);
  void recordGlobal(const Issuer &who, uint64_t address, uint64_t bytes,
                    bool write, const AccessRecord &record);
  void reportGlobalRace(const Issuer &who, uint64_t address, uint64_t bytes,
                        bool write, const Conflict &conflict);

  Cluster &cluster;
  DeviceMemory &device;
  bool checkRaces;
  std::vector<std::unique_ptr<SharedMemory>> memories; ///< By rank.
  std::vector<std::unique_ptr<WarpState>> warps; ///< By Warp::globalIndex.
  std::vector<std::string> componentNames;
  std::vector<uint32_t> componentRanks; ///< Of the CTAs they belong to.
  bool relaxed = false; ///< Clocks do not tell who waited for whom.
  /// What is left of the components reserved in the grid's numbering.
  Component nextComponent = 0, endOfComponents = 0;
  /// By rank, until the CTA has ended; none in runs that do not collect them.
  std::vector<std::unique_ptr<Footprint>> footprints;
  std::map<uint64_t, Operation> operations; ///< In flight, by number.
  std::vector<DoubleWrite> doubleWrites;
  unsigned globalOperations = 0; ///< Of these, how many use global memory.
  Locations locations;
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, unsigned> reported;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MEMORY_CLUSTERMEMORY_H
