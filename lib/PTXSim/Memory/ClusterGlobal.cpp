//===- ClusterGlobal.cpp - The order of accesses of global memory ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the first run of a kernel every access goes into its CTA's footprint. If
// CTAs or threads share bytes, a second run holds the accesses to these bytes
// against each other.
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Memory/ClusterMemory.h"

#include "PTXSim/Exec/Exec.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

namespace attn::ptx {

uint64_t ClusterMemory::numberOf(const Cta &cta) const {
  return cluster.index * cluster.grid->clusterShape.count() + cta.rank;
}

Component ClusterMemory::newComponent(std::string name, const Cta &cta) {
  GridOrder *order = device.order.get();
  if (!order) {
    componentNames.push_back(std::move(name));
    componentRanks.push_back(cta.rank);
    return Component(componentNames.size() - 1);
  }
  if (nextComponent == endOfComponents) {
    // Every warp has at most one of each channel; mbarriers come on top.
    Component count = 32;
    for (const auto &c : cluster.ctas)
      count += Component(c->warps.size()) * WarpClocks::NumChannels;
    nextComponent = order->reserve(count);
    endOfComponents = nextComponent + count;
  }
  order->name(nextComponent, std::move(name), numberOf(cta));
  return nextComponent++;
}

bool ClusterMemory::belongsTo(Component component, const Cta &cta) const {
  return device.order ? device.order->ctaOf(component) == numberOf(cta)
                      : componentRanks[component] == cta.rank;
}

uint8_t ClusterMemory::strength(Order order, Scope scope) {
  if (order == Order::Weak)
    return 0;
  return scope == Scope::Cta ? AccessRecord::CtaAtomic : AccessRecord::Atomic;
}

/// Calls `visit(address, count)` for the parts of a range in each page.
template <typename F>
static void eachPage(uint64_t address, uint64_t bytes, F &&visit) {
  while (bytes) {
    uint64_t count = std::min(bytes, Footprint::kPageBytes -
                                         address % Footprint::kPageBytes);
    visit(address, count);
    address += count;
    bytes -= count;
  }
}

void ClusterMemory::orderGlobal(const Issuer &who, uint64_t address,
                                uint64_t bytes, bool write, uint8_t strength,
                                const uint8_t *value) {
  WarpClocks &c = clocks(who.warp);
  Actor actor{&c, who.lane, {}, device.order.get(), numberOf(*who.warp.cta)};
  actor.self.time = c.now();
  actor.self.line = who.line;
  actor.self.lanes = 1u << who.lane;
  actor.self.component = c.component(WarpClocks::Self);
  actor.self.flags =
      strength | (who.proxy == Proxy::Async ? AccessRecord::AsyncProxy : 0);
  checkGlobal(who, address, bytes, write, actor, value);
  if (!who.asynchronous)
    recordGlobal(who, address, bytes, write, actor.self);
}

/// Threads that store the same bytes with one instruction leave one result
/// whatever their order: that is no race. A `value` is looked at word by word.
void ClusterMemory::checkGlobal(const Issuer &who, uint64_t address,
                                uint64_t bytes, bool write, const Actor &actor,
                                const uint8_t *value) {
  eachPage(address, bytes, [&](uint64_t at, uint64_t count) {
    size_t offset;
    Shadow *shadow = device.order->shadowAt(at, count, offset);
    Conflict conflict;
    if (!shadow || shadow->check(offset, count, actor, write, conflict))
      return;
    for (uint64_t done = 0, step = 0; value && done != count; done += step) {
      step = std::min(count - done, 4 - (offset + done) % 4);
      if (shadow->check(offset + done, step, actor, write, conflict))
        continue;
      bool same =
          conflict.otherWrites && conflict.other.line == who.line &&
          !(conflict.other.flags & AccessRecord::AsyncProxy) &&
          !std::memcmp(value + (at - address) + done,
                       this->bytes(MemSpace::Global, at + done, step), step);
      if (!same)
        return reportGlobalRace(who, at + done, step, write, conflict);
    }
    bool doubleWrite = who.asynchronous && write && conflict.otherWrites &&
                       !conflict.proxyOnly &&
                       (conflict.other.flags & AccessRecord::AsyncProxy);
    if (doubleWrite)
      doubleWrites.push_back({at, count, conflict, {}});
    else if (!value)
      reportGlobalRace(who, at, count, write, conflict);
  });
}

void ClusterMemory::beforeWrites(std::vector<DoubleWrite> &writes) {
  for (DoubleWrite &w : writes) {
    const uint8_t *at = bytes(MemSpace::Global, w.address, w.bytes);
    w.before.assign(at, at + w.bytes);
  }
}

void ClusterMemory::afterWrites(const Issuer &who,
                                const std::vector<DoubleWrite> &writes) {
  for (const DoubleWrite &w : writes)
    if (std::memcmp(bytes(MemSpace::Global, w.address, w.bytes),
                    w.before.data(), w.bytes) != 0)
      reportGlobalRace(who, w.address, w.bytes, /*write=*/true, w.conflict);
}

void ClusterMemory::recordGlobal(const Issuer &who, uint64_t address,
                                 uint64_t bytes, bool write,
                                 const AccessRecord &record) {
  if (!device.order)
    return;
  Actor actor{&clocks(who.warp), who.lane, record, device.order.get(),
              numberOf(*who.warp.cta)};
  eachPage(address, bytes, [&](uint64_t at, uint64_t count) {
    size_t offset;
    Shadow *shadow = device.order->shadowAt(at, count, offset);
    if (shadow && write)
      shadow->recordWrite(offset, count, actor, [](size_t, size_t) {});
    else if (shadow)
      shadow->recordRead(offset, count, actor);
  });
}

void ClusterMemory::reportGlobalRace(const Issuer &who, uint64_t address,
                                     uint64_t bytes, bool write,
                                     const Conflict &conflict) {
  const AccessRecord &other = conflict.other;
  FindingKind kind =
      conflict.proxyOnly ? FindingKind::MissingProxyFence : FindingKind::Race;
  report(kind, who.warp, who.lane, who.line, other.line, [&] {
    std::string text = std::string(write ? "Write" : "Read") + " of " +
                       llvm::utostr(bytes) + " bytes at 0x" +
                       llvm::utohexstr(address, true);
    if (Allocation *a = device.find(address, bytes))
      text += ", byte " + llvm::utostr(address - a->base) + " of '" + a->name +
              "',";
    std::string before = std::string(conflict.otherWrites ? "write" : "read") +
                         " of line " + llvm::utostr(other.line) + " by " +
                         describe(other);
    if (conflict.proxyOnly)
      return text + " by the async proxy comes after the generic " + before +
             " without a fence.proxy.async of global memory between them.";
    text += " races with the " + before;
    if (!belongsTo(other.component, *who.warp.cta))
      return text + ": no release and acquire of .gpu scope order the two "
                    "blocks.";
    if (other.flags & AccessRecord::AsyncProxy)
      return text + ", for which nothing waited.";
    return text + ": nothing orders one before the other.";
  });
}

} // namespace attn::ptx
