//===- Exec.cpp - Services for instruction handlers
//-------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/Exec.h"
#include "PTXSim/Exec/Barriers.h"
#include "PTXSim/Exec/Paths.h"

using namespace llvm;

namespace attn::ptx {

Step Exec::fault(const Inst &inst, FindingKind kind, std::string message) {
  cluster.diagnostics.report(kind, &warp, firstLane(), inst.line,
                             std::move(message));
  return Step::Fault;
}

void Exec::warn(const Inst &inst, FindingKind kind, std::string message) {
  cluster.diagnostics.report(kind, &warp, firstLane(), inst.line,
                             std::move(message));
}

void Exec::notePoll() {
  Path &path = warp.paths->path();
  if (path.pollsAt != cluster.progress) {
    path.pollsAt = cluster.progress;
    path.polls = 0;
  }
  ++path.polls;
}

/// Lanes of the warp that poll while the current path, which should have met
/// them, went on alone because nothing else could run.
static const Path *endlessPoll(const WarpPaths &paths, const Path &self) {
  if (self.gaveUp)
    for (const Path &other : paths.paths)
      if (&other != &self && other.pollLine)
        return &other;
  return nullptr;
}

bool Exec::requireAligned(const Inst &inst) {
  if (active == warp.alive)
    return true;
  const Program &program = *cluster.grid->program;
  WarpPaths &paths = *warp.paths;
  if (const Path *other = endlessPoll(paths, paths.path())) {
    if (Finding *finding = cluster.diagnostics.report(
            FindingKind::Deadlock, &warp, unsigned(countr_zero(other->mask)),
            other->pollLine,
            "deadlock: " + std::to_string(popcount(other->mask)) +
                " lanes spin here without any progress, and '" +
                program.opcodeNames[inst.opcode] + "' of line " +
                std::to_string(inst.line) + " needs them",
            inst.line))
      finding->barriers = describeBarriers(cluster);
    return false;
  }
  cluster.diagnostics.report(
      FindingKind::DivergentAligned, &warp, firstLane(), inst.line,
      "'" + program.opcodeNames[inst.opcode] +
          "' must be executed by all threads of the warp together; only " +
          std::to_string(popcount(active)) + " of " +
          std::to_string(popcount(warp.alive)) + " are here");
  return false;
}

uint64_t &Exec::waitSlot() { return warp.paths->path().wait; }

bool Exec::converge(const Inst &inst, uint32_t members) {
  WarpPaths &paths = *warp.paths;
  uint32_t need = members & warp.alive;
  if ((need & ~active) == 0)
    return true;
  Path &self = paths.path();
  uint32_t together = active;
  auto matches = [&](const Path &other) {
    return &other != &self && other.inSync && other.syncMembers == members &&
           other.pc == self.pc &&
           other.frame().function == self.frame().function &&
           other.frame().registerBase == self.frame().registerBase;
  };
  for (const Path &other : paths.paths)
    if (matches(other))
      together |= other.syncLanes;
  if (need & ~together) {
    self.inSync = true;
    self.syncLanes = active;
    self.syncMembers = members;
    return false;
  }
  self.inSync = false;
  active = together;
  for (Path &other : paths.paths) {
    if (!matches(other))
      continue;
    other.inSync = false;
    other.blocked = false;
    other.wait = 0;
    ++other.pc;
  }
  noteProgress();
  return true;
}

} // namespace attn::ptx
