//===- Deadlock.cpp - What is reported when nothing goes on
//-----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/Barriers.h"
#include "PTXSim/Exec/Interpreter.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace attn::ptx {

std::vector<BarrierState> describeBarriers(const Cluster &cluster) {
  std::vector<BarrierState> states;
  for (const auto &cta : cluster.ctas)
    cta->barriers->describe(*cta, states);
  cluster.barrier->describe(cluster, states);
  cluster.async->describe(states);
  return states;
}

/// One finding a place where warps wait, the places of most warps first.
void ClusterRun::reportDeadlock() {
  struct Place {
    Warp *warp;
    uint32_t lanes;
    unsigned warps;
    bool spins;
  };
  std::map<uint32_t, Place> places;
  for (Warp *warp : live)
    for (const Path &path : warp->paths->paths) {
      // A loop that polls is named by the poll, not by its branch.
      bool spins = !path.blocked;
      uint32_t line = spins && path.pollLine
                          ? path.pollLine
                          : path.frame().function->code[path.pc].line;
      auto [it, isNew] =
          places.try_emplace(line, Place{warp, path.mask, 0, spins});
      ++it->second.warps;
    }
  std::vector<BarrierState> states = describeBarriers(*cluster);
  for (auto &[line, place] : places) {
    std::string message =
        (Twine("deadlock: ") + Twine(place.warps) +
         (place.warps == 1 ? " warp " : " warps ") +
         (place.spins ? "spin without any progress" : "wait for ever") +
         " here; nothing else can run")
            .str();
    if (Finding *finding = cluster->diagnostics.report(
            FindingKind::Deadlock, place.warp,
            unsigned(countr_zero(place.lanes)), line, std::move(message)))
      finding->barriers = states;
  }
}

void ClusterRun::reportTimeout(uint64_t seconds) {
  if (live.empty())
    return;
  Warp *warp = live.front();
  const Path &path = warp->paths->path();
  if (Finding *finding = cluster->diagnostics.report(
          FindingKind::Timeout, warp, unsigned(countr_zero(path.mask)),
          path.frame().function->code[path.pc].line,
          "the kernel has not ended within the limit of " +
              std::to_string(seconds) + " seconds or instructions"))
    finding->barriers = describeBarriers(*cluster);
}

} // namespace attn::ptx
