//===- ClusterGlobal.cpp - Global memory that CTAs share ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the first run of a kernel every access goes into its CTA's footprint. If
// CTAs share bytes, a second run holds the accesses to these bytes against
// each other. Accesses of one CTA are not compared.
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

bool ClusterMemory::isStrong(Order order, Scope scope) {
  return order != Order::Weak && scope != Scope::Cta;
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

void ClusterMemory::touchGlobal(const Issuer &who, uint64_t address,
                                uint64_t bytes, bool write, bool strong,
                                const uint8_t *value) {
  if (Footprint *footprint = footprintOf(who.warp))
    return footprint->add(strong  ? Footprint::Strong
                          : write ? Footprint::Writes
                                  : Footprint::Reads,
                          address, bytes);
  if (!device.order)
    return;
  WarpClocks &c = clocks(who.warp);
  Actor actor{&c, who.lane, {}};
  actor.self.time = c.now();
  actor.self.line = who.line;
  actor.self.lanes = 1u << who.lane;
  actor.self.component = c.component(WarpClocks::Self);
  actor.self.flags = strong ? AccessRecord::Atomic : 0;
  eachPage(address, bytes, [&](uint64_t at, uint64_t count) {
    size_t offset;
    Shadow *shadow = device.order->shadowAt(at, count, offset);
    Conflict conflict;
    if (!shadow || shadow->check(offset, count, actor, write, conflict) ||
        belongsTo(conflict.other.component, *who.warp.cta))
      return;
    // CTAs that store the same bytes with one instruction leave one result
    // whatever their order.
    bool same = value && conflict.otherWrites &&
                conflict.other.line == who.line &&
                !std::memcmp(value + (at - address),
                             this->bytes(MemSpace::Global, at, count), count);
    if (!same)
      reportGlobalRace(who, at, count, write, conflict);
  });
  if (!who.asynchronous)
    recordGlobal(who, address, bytes, write, actor.self);
}

void ClusterMemory::recordGlobal(const Issuer &who, uint64_t address,
                                 uint64_t bytes, bool write,
                                 const AccessRecord &record) {
  if (!device.order)
    return;
  Actor actor{&clocks(who.warp), who.lane, record};
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
  report(FindingKind::Race, who.warp, who.lane, who.line, other.line, [&] {
    std::string text = std::string(write ? "Write" : "Read") + " of " +
                       llvm::utostr(bytes) + " bytes at 0x" +
                       llvm::utohexstr(address, true);
    if (Allocation *a = device.find(address, bytes))
      text += ", byte " + llvm::utostr(address - a->base) + " of '" + a->name +
              "',";
    return text + " races with the " +
           (conflict.otherWrites ? "write" : "read") + " of line " +
           llvm::utostr(other.line) + " by " + describe(other) +
           ": no release and acquire of .gpu scope order the two blocks.";
  });
}

} // namespace attn::ptx
