//===- Barriers.cpp - Named barriers of a CTA, barrier.cluster
//--------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/Barriers.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace attn::ptx {

void Barrier::complete(MemoryModel &memory, Scope scope) {
  for (const Party &party : parties)
    if (party.waits && party.acquires)
      memory.depart(*sync, *party.warp, party.mask, scope);
  if (sync)
    memory.reset(*sync);
  parties.clear();
  lastSum = sum;
  lastAll = all;
  lastAny = any;
  sum = any = 0;
  all = 1;
  arrived = expected = 0;
  openLine = 0;
  ++phase;
}

uint32_t NamedBarriers::wholeCta(const Cta &cta) {
  return cta.liveWarps * kLanes;
}

void NamedBarriers::warpEnded(Cta &cta) {
  for (Barrier &barrier : barriers)
    if (barrier.arrived && !barrier.expected &&
        barrier.arrived >= wholeCta(cta)) {
      barrier.complete(*cta.cluster->memory, Scope::Cta);
      ++cta.cluster->progress;
    }
}

void NamedBarriers::describe(const Cta &cta,
                             std::vector<BarrierState> &states) const {
  for (unsigned i = 0; i != barriers.size(); ++i) {
    const Barrier &barrier = barriers[i];
    if (!barrier.arrived)
      continue;
    uint32_t expected = barrier.expected ? barrier.expected : wholeCta(cta);
    BarrierState state;
    state.name = ("named barrier " + Twine(i) + " of CTA (" + Twine(cta.id.x) +
                  "," + Twine(cta.id.y) + "," + Twine(cta.id.z) + ")")
                     .str();
    state.state =
        (Twine(barrier.arrived) + " of " + Twine(expected) +
         " threads arrived, the first at line " + Twine(barrier.openLine))
            .str();
    states.push_back(std::move(state));
  }
}

uint32_t ClusterBarrier::wholeCluster(const Cluster &cluster) {
  uint32_t threads = 0;
  for (const auto &cta : cluster.ctas)
    threads += NamedBarriers::wholeCta(*cta);
  return threads;
}

/// Nobody can arrive a second time before all have waited, so the object that
/// is reused has been read by everyone.
void ClusterBarrier::complete(MemoryModel &memory) {
  std::swap(barrier.sync, finished);
  barrier.parties.clear();
  barrier.complete(memory, Scope::Cluster);
}

void ClusterBarrier::depart(MemoryModel &memory, Warp &warp, uint32_t mask) {
  memory.depart(*finished, warp, mask, Scope::Cluster);
}

void ClusterBarrier::warpEnded(Cluster &cluster) {
  // Exited threads count as arrived.
  if (barrier.arrived && barrier.arrived >= wholeCluster(cluster)) {
    complete(*cluster.memory);
    ++cluster.progress;
  }
}

void ClusterBarrier::describe(const Cluster &cluster,
                              std::vector<BarrierState> &states) const {
  if (!barrier.arrived)
    return;
  states.push_back(
      {"barrier.cluster",
       (Twine(barrier.arrived) + " of " + Twine(wholeCluster(cluster)) +
        " threads arrived, the first at line " + Twine(barrier.openLine))
           .str()});
}

} // namespace attn::ptx
