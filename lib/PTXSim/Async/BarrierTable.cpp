//===- BarrierTable.cpp - The mbarriers of a cluster ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/BarrierTable.h"

#include "PTXSim/Exec/Exec.h"

#include "llvm/ADT/StringExtras.h"

namespace attn::ptx {

static std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

ClusterMemory &BarrierTable::memory() const {
  return static_cast<ClusterMemory &>(*cluster.memory);
}

bool BarrierTable::misuse(const Issuer &who,
                          llvm::function_ref<std::string()> message) {
  memory().report(FindingKind::BarrierMisuse, who.warp, who.lane, who.line, 0,
                  message);
  return false;
}

BarrierTable::Entry *BarrierTable::find(uint64_t address) {
  auto it = entries.find(address);
  return it == entries.end() ? nullptr : it->second.get();
}

bool BarrierTable::init(const Issuer &who, uint64_t address, uint32_t count) {
  if (!MBarrier::validCount(count))
    return misuse(who, [&] {
      return "mbarrier.init with a count of " + llvm::utostr(count) +
             ", which is not in 1 to 2^20-1.";
    });
  if (Entry *old = find(address))
    return misuse(who, [&] {
      return "mbarrier.init at " + hex(address) +
             ", where an mbarrier lives that line " +
             llvm::utostr(old->init.line) +
             " initialised and nothing invalidated.";
    });
  ByteRange range{MemSpace::Shared, address, 8};
  if (!memory().checkRange(who, range, /*write=*/true))
    return false;
  WarpClocks &clocks = memory().clocks(who.warp);
  auto entry = std::make_unique<Entry>(count);
  entry->component = memory().newComponent(
      "an operation that the mbarrier at " + hex(address) + " tracks",
      *who.warp.cta);
  entry->init.time = clocks.now();
  entry->init.line = who.line;
  entry->init.lanes = 1u << who.lane;
  entry->init.component = clocks.component(WarpClocks::Self);
  entry->initWarp = &who.warp;
  memory().recordRange(who, range, /*write=*/true, entry->init.component,
                       entry->init.time, entry->init.lanes);
  memory().setBarrier(address, true);
  entries[address] = std::move(entry);
  return true;
}

bool BarrierTable::invalidate(const Issuer &who, uint64_t address) {
  Entry *entry = use(who, address, "mbarrier.inval");
  if (!entry)
    return false;
  if (entry->state.pendingBytes() != 0)
    misuse(who, [&] {
      return "mbarrier.inval at " + hex(address) + " while it tracks " +
             llvm::itostr(entry->state.pendingBytes()) + " bytes in flight.";
    });
  memory().setBarrier(address, false);
  WarpClocks &clocks = memory().clocks(who.warp);
  ByteRange range{MemSpace::Shared, address, 8};
  memory().recordRange(who, range, /*write=*/true,
                       clocks.component(WarpClocks::Self), clocks.now(),
                       1u << who.lane);
  entries.erase(address);
  return true;
}

void BarrierTable::checkInit(const Issuer &who, Entry &entry, uint64_t address,
                             llvm::StringRef what) {
  if (!memory().racesChecked())
    return;
  const WarpClocks &clocks = memory().clocks(who.warp);
  if (!clocks.knows(who.lane, entry.init) &&
      !memory().initMet(*entry.initWarp, entry.init))
    return memory().report(
        FindingKind::Race, who.warp, who.lane, who.line, entry.init.line, [&] {
          return what.str() + " uses the mbarrier at " + hex(address) +
                 ", but nothing orders it after the mbarrier.init of line " +
                 llvm::utostr(entry.init.line) + ".";
        });
  if (who.proxy != Proxy::Async || entry.unfencedNoted ||
      memory().initFenced(*entry.initWarp, entry.init) ||
      clocks.knowsFenced(who.lane, entry.init, /*global=*/false))
    return;
  entry.unfencedNoted = true;
  // Triton goes without a fence where a CTA is alone, and is not known to fail.
  memory().report(
      FindingKind::MissingProxyFence, who.warp, who.lane, who.line,
      entry.init.line,
      [&] {
        return what.str() + " completes on the mbarrier at " + hex(address) +
               " through the async proxy without a fence.mbarrier_init or "
               "fence.proxy.async after the mbarrier.init of line " +
               llvm::utostr(entry.init.line) + ".";
      },
      /*isNote=*/cluster.ctas.size() == 1);
}

BarrierTable::Entry *BarrierTable::use(const Issuer &who, uint64_t address,
                                       llvm::StringRef what) {
  if (address % 8 != 0) {
    memory().report(FindingKind::Misaligned, who.warp, who.lane, who.line, 0,
                    [&] {
                      return what.str() + ": mbarrier address " + hex(address) +
                             " is not a multiple of 8.";
                    });
    return nullptr;
  }
  if (Entry *entry = find(address)) {
    checkInit(who, *entry, address, what);
    return entry;
  }
  uint32_t index;
  if (!memory().shared(who, address, 8, what, index))
    return nullptr;
  misuse(who, [&] {
    return what.str() + " on shared address " + hex(address) +
           ", where no mbarrier is initialised.";
  });
  return nullptr;
}

bool BarrierTable::settle(const Issuer &who, Entry &entry,
                          uint64_t phasesBefore, llvm::StringRef problem) {
  if (!problem.empty())
    return misuse(who, [&] {
      return "mbarrier: " + problem.str() + " (" + entry.state.describe() +
             ").";
    });
  ++cluster.progress;
  if (entry.state.completedPhases() == phasesBefore)
    return true;
  entry.completed.join(entry.pending);
  entry.pending.clear();
  entry.completed.generic.raiseAll(entry.component,
                                   uint32_t(entry.state.completedPhases()));
  // Completion of an operation carries its proxy fence with it.
  entry.completed.fenced.raiseAll(entry.component,
                                  uint32_t(entry.state.completedPhases()));
  entry.snapshot = std::make_unique<KnowledgeSnapshot>(entry.completed);
  return true;
}

bool BarrierTable::arrive(const Issuer &who, Entry &entry,
                          const Arrival &arrival, uint64_t &token) {
  if (arrival.expects && !expect(who, entry, arrival.expectedBytes))
    return false;
  token = entry.state.token();
  uint64_t before = entry.state.completedPhases();
  std::string problem =
      entry.state.arrive(arrival.count, arrival.drop, arrival.noComplete);
  return settle(who, entry, before, problem);
}

bool BarrierTable::expect(const Issuer &who, Entry &entry, uint32_t bytes) {
  uint64_t before = entry.state.completedPhases();
  return settle(who, entry, before, entry.state.expectTx(bytes));
}

bool BarrierTable::complete(const Issuer &who, Entry &entry, uint64_t bytes) {
  uint64_t before = entry.state.completedPhases();
  return settle(who, entry, before, entry.state.completeTx(bytes));
}

bool BarrierTable::increment(const Issuer &who, Entry &entry) {
  uint64_t before = entry.state.completedPhases();
  return settle(who, entry, before, entry.state.increment());
}

void BarrierTable::acquire(Warp &warp, uint32_t mask, Entry &entry) {
  if (memory().racesChecked() && entry.snapshot)
    memory().clocks(warp).acquire(mask, *entry.snapshot);
}

void BarrierTable::describe(std::vector<BarrierState> &states) const {
  for (const auto &[address, entry] : entries) {
    std::string name = "mbarrier " + hex(address & 0xffffff);
    if (cluster.ctas.size() > 1)
      name += " of CTA " + llvm::utostr(address >> 24) + " of the cluster";
    states.push_back(
        {name + " (init at line " + llvm::utostr(entry->init.line) + ")",
         entry->state.describe()});
  }
}

} // namespace attn::ptx
