//===- WarpClocks.cpp - What the lanes of one warp know -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Memory/WarpClocks.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

namespace attn::ptx {

//===----------------------------------------------------------------------===//
// LaneClocks
//===----------------------------------------------------------------------===//

LaneClocks::LaneClocks() {
  clocks[0] = llvm::makeIntrusiveRefCnt<VectorClock>();
}

void LaneClocks::separate() {
  if (!uniform)
    return;
  for (unsigned l = 1; l != 32; ++l)
    clocks[l] = clocks[0];
  uniform = false;
}

void LaneClocks::reunite(uint32_t alive) {
  if (!alive)
    return;
  unsigned first = llvm::countr_zero(alive);
  for (unsigned l = first + 1; l != 32; ++l)
    if (((alive >> l) & 1) && clocks[l] != clocks[first])
      return;
  clocks[0] = clocks[first];
  for (unsigned l = 1; l != 32; ++l)
    clocks[l] = nullptr;
  uniform = true;
}

KnowledgeSnapshot::KnowledgeSnapshot(const Knowledge &k)
    : generic(llvm::makeIntrusiveRefCnt<VectorClock>(k.generic)),
      fenced(llvm::makeIntrusiveRefCnt<VectorClock>(k.fenced)) {
  if (!k.fencedGlobal.empty())
    fencedGlobal = llvm::makeIntrusiveRefCnt<VectorClock>(k.fencedGlobal);
}

//===----------------------------------------------------------------------===//
// WarpClocks
//===----------------------------------------------------------------------===//

WarpClocks::WarpClocks(Component self, uint32_t existing) : absent(~existing) {
  own.fill(kNone);
  own[Self] = self;
}

bool WarpClocks::knowsSlowly(const VectorClock &clock,
                             const uint32_t (&times)[NumChannels][32],
                             unsigned lane, const AccessRecord &r) const {
  for (unsigned c = CpAsync; c != NumChannels; ++c) {
    if (own[c] != r.component)
      continue;
    // A warp's wgmma groups belong to all its lanes.
    if ((c == Wgmma || r.lanes == 1u << lane) && r.time <= times[c][lane])
      return true;
  }
  for (uint32_t lanes = r.lanes; lanes; lanes &= lanes - 1) {
    unsigned other = llvm::countr_zero(lanes);
    if (r.component == own[Self] && other == lane)
      continue;
    if (!clock.covers(r.component, other, r.time))
      return false;
  }
  return true;
}

bool WarpClocks::knowsFenced(unsigned lane, const AccessRecord &r,
                             bool global) const {
  if (r.time == 0)
    return true;
  if (global && !fencedGlobal)
    return false;
  const Visible &visible = global ? *fencedGlobal : fenced;
  const VectorClock &clock = visible.clocks.of(lane);
  if (clock.all(r.component) >= r.time)
    return true;
  if (r.component == own[Self]) {
    for (uint32_t lanes = r.lanes; lanes; lanes &= lanes - 1) {
      unsigned other = llvm::countr_zero(lanes);
      bool mine = other == lane && r.time <= visible.times[Self][lane];
      if (!mine && !clock.covers(r.component, other, r.time))
        return false;
    }
    return true;
  }
  return knowsSlowly(clock, visible.times, lane, r);
}

void WarpClocks::publishChannels(VectorClock &into, uint32_t mask,
                                 const uint32_t (&times)[NumChannels][32],
                                 unsigned first) const {
  for (unsigned c = first; c != NumChannels; ++c) {
    if (own[c] == kNone)
      continue;
    // Lanes of equal time are raised together.
    for (uint32_t rest = mask; rest;) {
      uint32_t time = times[c][llvm::countr_zero(rest)], same = 0;
      for (unsigned l = 0; l != 32; ++l)
        if (((rest >> l) & 1) && times[c][l] == time)
          same |= 1u << l;
      rest &= ~same;
      if (time)
        into.raiseLanes(own[c], same | absent, time);
    }
  }
}

void WarpClocks::release(uint32_t mask, Knowledge &into) {
  generic.forEach(mask, [&](const VectorClock &c) { into.generic.join(c); });
  fenced.clocks.forEach(mask,
                        [&](const VectorClock &c) { into.fenced.join(c); });
  into.generic.raiseAll(own[Self], synced);
  into.generic.raiseLanes(own[Self], mask | absent, time);
  publishChannels(into.generic, mask, known, CpAsync);
  publishChannels(into.fenced, mask, fenced.times, Self);
  if (fencedGlobal) {
    fencedGlobal->clocks.forEach(
        mask, [&](const VectorClock &c) { into.fencedGlobal.join(c); });
    publishChannels(into.fencedGlobal, mask, fencedGlobal->times, Self);
  }
  ++time;
}

void WarpClocks::acquire(uint32_t mask, const KnowledgeSnapshot &from) {
  auto learn = [](const ClockRef &news) {
    return [&news](const ClockRef &old) -> ClockRef {
      if (old->includes(*news))
        return old;
      if (news->includes(*old))
        return news;
      auto joined = llvm::makeIntrusiveRefCnt<VectorClock>(*old);
      joined->join(*news);
      return joined;
    };
  };
  generic.update(mask, ~absent, learn(from.generic));
  fenced.clocks.update(mask, ~absent, learn(from.fenced));
  if (from.fencedGlobal) {
    if (!fencedGlobal)
      fencedGlobal = std::make_unique<Visible>();
    fencedGlobal->clocks.update(mask, ~absent, learn(from.fencedGlobal));
  }
  if ((mask | absent) == ~0u)
    synced = std::max(synced, from.generic->all(own[Self]));
}

void WarpClocks::fenceAsync(uint32_t mask, bool global) {
  if (global && !fencedGlobal)
    fencedGlobal = std::make_unique<Visible>();
  Visible &visible = global ? *fencedGlobal : fenced;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned l = llvm::countr_zero(lanes);
    visible.times[Self][l] = time;
    for (unsigned c = CpAsync; c != NumChannels; ++c)
      visible.times[c][l] = known[c][l];
  }
  // What is known becomes known to be visible. Lanes that share their general
  // knowledge share the result.
  ClockRef last;
  const VectorClock *lastSource = nullptr;
  for (uint32_t lanes = mask; lanes;) {
    unsigned l = llvm::countr_zero(lanes);
    const VectorClock *source = &generic.of(l);
    uint32_t same = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
      if (unsigned o = llvm::countr_zero(rest); &generic.of(o) == source)
        same |= 1u << o;
    lanes &= ~same;
    if (source != lastSource) {
      last = llvm::makeIntrusiveRefCnt<VectorClock>(*source);
      last->raiseAll(own[Self], synced);
      lastSource = source;
    }
    visible.clocks.update(same, ~absent,
                          [&](const ClockRef &) { return last; });
  }
  privateNews = true;
  ++time;
}

void WarpClocks::warpSync(uint32_t mask) {
  if ((mask | absent) == ~0u && !privateNews) {
    bool one = true;
    const VectorClock *first = nullptr;
    auto compare = [&](const VectorClock &c) {
      one &= !first || first == &c;
      first = &c;
    };
    generic.forEach(~absent, compare);
    first = nullptr;
    fenced.clocks.forEach(~absent, compare);
    first = nullptr;
    if (fencedGlobal)
      fencedGlobal->clocks.forEach(~absent, compare);
    if (one) {
      synced = time++;
      return;
    }
  }
  Knowledge met;
  release(mask, met);
  acquire(mask, KnowledgeSnapshot(met));
  if ((mask | absent) == ~0u)
    privateNews = false;
}

void WarpClocks::learnOwn(Channel c, uint32_t lanes, uint32_t upTo) {
  for (; lanes; lanes &= lanes - 1) {
    uint32_t &slot = known[c][llvm::countr_zero(lanes)];
    if (slot < upTo) {
      slot = upTo;
      privateNews = true;
    }
  }
}

void WarpClocks::exited(uint32_t mask) { absent |= mask; }

} // namespace attn::ptx
