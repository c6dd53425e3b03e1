//===- ClusterSync.cpp - Fences, barriers and releases --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Memory/ClusterMemory.h"

#include "PTXSim/Exec/Exec.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

namespace attn::ptx {

namespace {
/// A barrier gathers clocks; the first to leave fixes what all of them learn.
struct BarrierSync final : SyncObject {
  Knowledge gathered;
  std::unique_ptr<KnowledgeSnapshot> result;
};
} // namespace

static std::string ctaName(const Cta &cta) {
  std::string text = "(";
  text += llvm::utostr(cta.id.x) + ",";
  text += llvm::utostr(cta.id.y) + ",";
  return text + llvm::utostr(cta.id.z) + ")";
}

ClusterMemory::ClusterMemory(Cluster &cluster, DeviceMemory &device)
    : cluster(cluster), device(device),
      checkRaces(cluster.grid->options->checkRaces) {
  if (device.shared)
    for (size_t rank = 0; rank != cluster.grid->clusterShape.count(); ++rank)
      footprints.push_back(std::make_unique<Footprint>());
}

void ClusterMemory::addCta(Cta &cta, uint32_t sharedBytes) {
  if (cta.rank >= memories.size())
    memories.resize(cta.rank + 1);
  memories[cta.rank] = std::make_unique<SharedMemory>(cta, sharedBytes);
}

uint8_t *ClusterMemory::sharedBytes(Cta &cta) {
  return memories[cta.rank]->data(0);
}

ClusterMemory::WarpState &ClusterMemory::state(Warp &warp) {
  if (warp.globalIndex >= warps.size())
    warps.resize(warp.globalIndex + 1);
  std::unique_ptr<WarpState> &slot = warps[warp.globalIndex];
  if (!slot) {
    Component self = newComponent("warp " + llvm::utostr(warp.index) +
                                      " of CTA " + ctaName(*warp.cta),
                                  *warp.cta);
    slot.reset(new WarpState{WarpClocks(self, warp.existing), {}, {}, {}, {}});
  }
  return *slot;
}

WarpClocks &ClusterMemory::clocks(Warp &warp) { return state(warp).clocks; }

Component ClusterMemory::channel(Warp &warp, WarpClocks::Channel channel) {
  static const char *const names[] = {"", "a cp.async", "a bulk copy",
                                      "a bulk copy", "a wgmma"};
  WarpClocks &c = clocks(warp);
  if (c.component(channel) != WarpClocks::kNone)
    return c.component(channel);
  std::string who = "warp " + llvm::utostr(warp.index);
  if (channel == WarpClocks::Wgmma) {
    // Products belong to a warpgroup: its first warp stands for all four.
    uint32_t first = warp.index & ~3u;
    if (first != warp.index) {
      c.setComponent(channel, this->channel(*warp.cta->warps[first], channel));
      return c.component(channel);
    }
    who = "warps " + llvm::utostr(first) + " to " + llvm::utostr(first + 3);
  }
  c.setComponent(channel,
                 newComponent(std::string(names[channel]) + " operation of " +
                                  who + " of CTA " + ctaName(*warp.cta),
                              *warp.cta));
  return c.component(channel);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

std::unique_ptr<SyncObject> ClusterMemory::createSync() {
  return std::make_unique<BarrierSync>();
}

void ClusterMemory::arrive(SyncObject &sync, Warp &warp, uint32_t mask, Scope) {
  if (checkRaces)
    state(warp).clocks.release(mask, static_cast<BarrierSync &>(sync).gathered);
}

void ClusterMemory::depart(SyncObject &sync, Warp &warp, uint32_t mask, Scope) {
  if (!checkRaces)
    return;
  auto &barrier = static_cast<BarrierSync &>(sync);
  if (!barrier.result)
    barrier.result = std::make_unique<KnowledgeSnapshot>(barrier.gathered);
  state(warp).clocks.acquire(mask, *barrier.result);
}

void ClusterMemory::reset(SyncObject &sync) {
  auto &barrier = static_cast<BarrierSync &>(sync);
  barrier.gathered.clear();
  barrier.result.reset();
}

void ClusterMemory::metRelaxed(Warp &warp, uint32_t mask) {
  relaxed = true;
  WarpState &s = state(warp);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = llvm::countr_zero(lanes);
    s.initMet[lane] = s.initFence[lane];
  }
}

void ClusterMemory::warpSync(Warp &warp, uint32_t mask) {
  if (checkRaces)
    state(warp).clocks.warpSync(mask);
}

//===----------------------------------------------------------------------===//
// Fences, and loads and stores that synchronise
//===----------------------------------------------------------------------===//

void ClusterMemory::fence(Warp &warp, uint32_t mask, uint32_t line,
                          const FenceInfo &info) {
  if (!checkRaces)
    return;
  WarpState &s = state(warp);
  if (info.kind == FenceInfo::Kind::ProxyAsync) {
    if (info.shared)
      s.clocks.fenceAsync(mask, /*global=*/false);
    if (info.global && device.order)
      s.clocks.fenceAsync(mask, /*global=*/true);
    return;
  }
  // What an mbarrier.init needs is looked after where the mbarrier is used.
  if (info.kind == FenceInfo::Kind::MBarrierInit)
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
      s.initFence[llvm::countr_zero(lanes)] = s.clocks.now();
  if (info.kind != FenceInfo::Kind::Memory)
    return;
  fenceFor(s.fences, s.clocks, mask, info.order);
  if (device.order && info.scope >= Scope::Gpu)
    fenceFor(s.gridFences, s.clocks, mask, info.order);
}

void ClusterMemory::fenceFor(Fences &fences, WarpClocks &clocks, uint32_t mask,
                             Order order) {
  if (order != Order::Release && fences.seen) {
    clocks.acquire(mask, KnowledgeSnapshot(*fences.seen));
    fences.seen.reset();
  }
  if (order == Order::Acquire)
    return;
  if (!fences.atFence)
    fences.atFence = std::make_unique<Knowledge>();
  clocks.release(mask, *fences.atFence);
  fences.fencedLanes |= mask;
}

static bool acquires(Order order) {
  return order == Order::Acquire || order == Order::AcqRel ||
         order == Order::SeqCst;
}

static bool releases(Order order) {
  return order == Order::Release || order == Order::AcqRel ||
         order == Order::SeqCst;
}

void ClusterMemory::acquireFrom(const Access &access, unsigned lane,
                                Fences &fences, const Locations &from) {
  auto it = from.find(access.address[lane]);
  if (it == from.end())
    return;
  if (acquires(access.order))
    return clocks(access.warp)
        .acquire(1u << lane, KnowledgeSnapshot(*it->second));
  if (!fences.seen)
    fences.seen = std::make_unique<Knowledge>();
  fences.seen->join(*it->second);
}

void ClusterMemory::releaseTo(const Access &access, unsigned lane,
                              const Fences &fences, Locations &to) {
  bool fenced = fences.atFence && ((fences.fencedLanes >> lane) & 1);
  if (!releases(access.order) && !fenced)
    return;
  std::unique_ptr<Knowledge> &at = to[access.address[lane]];
  if (!at)
    at = std::make_unique<Knowledge>();
  if (releases(access.order))
    clocks(access.warp).release(1u << lane, *at);
  else
    at->join(*fences.atFence);
}

void ClusterMemory::synchronise(const Access &access, bool reads, bool writes) {
  // Other clusters see global memory, and of that what has .gpu scope.
  bool grid = device.order && access.space == MemSpace::Global &&
              access.scope >= Scope::Gpu;
  if (!checkRaces || (locations.empty() && !grid && !writes))
    return;
  WarpState &s = state(access.warp);
  for (uint32_t mask = access.mask; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    if (reads)
      acquireFrom(access, lane, s.fences, locations);
    if (reads && grid)
      acquireFrom(access, lane, s.gridFences, device.order->locations);
    if (writes)
      releaseTo(access, lane, s.fences, locations);
    if (writes && grid)
      releaseTo(access, lane, s.gridFences, device.order->locations);
  }
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

void ClusterMemory::exited(Warp &warp, uint32_t mask) {
  if (checkRaces)
    state(warp).clocks.exited(mask);
}

/// Of an mbarrier.
static constexpr uint32_t kBarrierBytes = 8;

bool ClusterMemory::visitBarrier(const Issuer &who, uint64_t address,
                                 uint32_t lanes) {
  uint32_t index;
  SharedMemory *memory =
      shared(who, address, kBarrierBytes, "Arrival at an mbarrier", index);
  if (!memory || memory == memories[who.warp.cta->rank].get())
    return memory;
  const WarpClocks &c = clocks(who.warp);
  recordRange(who, {MemSpace::Shared, address, kBarrierBytes},
              /*write=*/false, c.component(WarpClocks::Self), c.now(), lanes);
  return true;
}

/// Shared memory goes away with its CTA. What others did there must be known
/// to one of its threads, or they could as well have come too late.
void ClusterMemory::checkVisitors(const Cta &cta) {
  auto known = [&](const AccessRecord &record) {
    return llvm::any_of(cta.warps, [&](const std::unique_ptr<Warp> &warp) {
      const WarpClocks &c = clocks(*warp);
      for (unsigned lane = 0; lane != 32; ++lane)
        if (c.knows(lane, record))
          return true;
      return false;
    });
  };
  memories[cta.rank]->shadow.forEach([&](const AccessRecord &record,
                                         size_t offset) {
    if ((record.flags & AccessRecord::AsyncProxy) ||
        belongsTo(record.component, cta) || known(record))
      return;
    report(FindingKind::Race, *cta.warps[0], 0, record.line, 0, [&] {
      return "Shared address 0x" +
             llvm::utohexstr((uint64_t(cta.rank) << 24) + kSharedBase + offset,
                             /*LowerCase=*/true) +
             " is used by " + describe(record) + ", but nothing keeps CTA " +
             ctaName(cta) + " from exiting before.";
    });
  });
}

void ClusterMemory::ctaEnded(Cta &cta) {
  if (checkRaces && cluster.ctas.size() > 1 && !relaxed)
    checkVisitors(cta);
  memories[cta.rank]->ended = true;
  if (footprints.empty())
    return;
  device.shared->merge(*footprints[cta.rank]);
  footprints[cta.rank] = nullptr;
}

std::unique_ptr<GlobalMemory> createGlobalMemory(Grid &grid) {
  auto memory = std::make_unique<DeviceMemory>();
  if (grid.options->checkRaces)
    memory->shared = std::make_unique<SharedBytes>();
  return memory;
}

std::unique_ptr<MemoryModel> createMemoryModel(Cluster &cluster,
                                               GlobalMemory &global) {
  return std::make_unique<ClusterMemory>(cluster,
                                         static_cast<DeviceMemory &>(global));
}

} // namespace attn::ptx
