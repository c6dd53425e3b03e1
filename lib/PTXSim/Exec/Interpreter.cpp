//===- Interpreter.cpp - Runs warps of one cluster
//--------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/Interpreter.h"
#include "PTXSim/Exec/Barriers.h"

using namespace llvm;

namespace attn::ptx {

ClusterRun::ClusterRun(Grid &grid, uint64_t index)
    : cluster(std::make_unique<Cluster>()), grid(grid) {
  const Dim3 shape = grid.clusterShape, blocks = grid.launch->grid;
  const Dim3 block = grid.launch->block;
  cluster->grid = &grid;
  cluster->index = index;
  uint32_t nx = blocks.x / shape.x, ny = blocks.y / shape.y;
  cluster->id = {uint32_t(index % nx), uint32_t(index / nx % ny),
                 uint32_t(index / nx / ny)};
  cluster->random.state = grid.options->schedule.seed * 0x9e3779b97f4a7c15ull +
                          index * 0xd1b54a32d192ed03ull + 1;
  cluster->diagnostics.limit = grid.options->maxFindings;
  cluster->barrier = std::make_shared<ClusterBarrier>();
  uint64_t threads = block.count();
  uint32_t warps = uint32_t((threads + kLanes - 1) / kLanes);
  for (uint32_t rank = 0; rank != shape.count(); ++rank) {
    auto cta = std::make_unique<Cta>();
    cta->cluster = cluster.get();
    cta->rank = rank;
    cta->id = {cluster->id.x * shape.x + rank % shape.x,
               cluster->id.y * shape.y + rank / shape.x % shape.y,
               cluster->id.z * shape.z + rank / shape.x / shape.y};
    cta->liveWarps = warps;
    cta->barriers = std::make_shared<NamedBarriers>();
    for (uint32_t w = 0; w != warps; ++w) {
      auto warp = std::make_unique<Warp>();
      uint64_t rest = threads - uint64_t(w) * kLanes;
      warp->cta = cta.get();
      warp->index = w;
      warp->globalIndex = rank * warps + w;
      warp->existing = rest >= kLanes ? ~0u : (1u << rest) - 1;
      warp->alive = warp->existing;
      warp->paths = std::make_shared<WarpPaths>();
      warp->paths->start(*grid.program->kernel, warp->existing);
      live.push_back(warp.get());
      cta->warps.push_back(std::move(warp));
    }
    cluster->ctas.push_back(std::move(cta));
  }
  cluster->memory = createMemoryModel(*cluster, *grid.memory);
  cluster->async = createAsyncEngine(*cluster);
  for (auto &cta : cluster->ctas) {
    cluster->memory->addCta(*cta, grid.sharedBytes);
    for (Barrier &barrier : cta->barriers->barriers)
      barrier.sync = cluster->memory->createSync();
  }
  cluster->barrier->barrier.sync = cluster->memory->createSync();
  cluster->barrier->finished = cluster->memory->createSync();
  cluster->barrier->pending.assign(live.size(), 0);
  if (grid.options->profile) {
    counts.opcodes.resize(grid.program->opcodeNames.size());
    cluster->profile = &counts.lines;
  }
}

bool ClusterRun::runnable(const Path &path) const {
  if (path.blocked)
    return path.blockedAt != cluster->progress;
  return path.polls < kPollLimit || path.pollsAt != cluster->progress;
}

/// Makes a runnable path of the warp the current one.
bool ClusterRun::selectPath(WarpPaths &paths) {
  for (size_t i = 0; i != paths.paths.size(); ++i) {
    if (runnable(paths.path()))
      return true;
    paths.rotate();
  }
  return false;
}

bool ClusterRun::breakMeeting() {
  return llvm::any_of(live,
                      [](Warp *warp) { return warp->paths->breakMeeting(); });
}

/// Complains when an instruction touches registers of an operation in flight.
void ClusterRun::checkInFlight(Warp &warp, const Inst &inst,
                               uint32_t frameBase) {
  auto check = [&](const Opnd &op, bool write) {
    if (op.bank != BankRegister || !op ||
        (frameBase + op.offset) / 128 >= warp.registerUses.size())
      return true;
    const Warp::RegisterUse &use = warp.registerUse(frameBase + op.offset);
    if (!use.writes && !(write && use.reads))
      return true;
    cluster->diagnostics.report(
        FindingKind::InFlight, &warp, 0, inst.line,
        "a register of the asynchronous operation of line " +
            std::to_string(use.line) +
            " is used before a wait has completed it",
        use.line);
    return false;
  };
  for (unsigned k = 0; k != inst.numOps; ++k)
    if (!check(inst.ops[k], /*write=*/false))
      return;
  if (inst.written)
    for (const Opnd &op : grid.program->operandLists[inst.written - 1])
      if (!check(op, /*write=*/true))
        return;
}

/// Registers of wgmma change: a wgmma.fence must follow before it uses them.
void ClusterRun::noteWrites(Warp &warp, const Inst &inst, uint32_t frameBase) {
  for (const Opnd &op : grid.program->operandLists[inst.written - 1])
    warp.registerUse(frameBase + op.offset).written = inst.line;
}

Step ClusterRun::step(Warp &warp, Path &path, const Inst &inst) {
  uint32_t active = path.mask;
  WarpPaths &paths = *warp.paths;
  uint8_t *registers = paths.registers.data() + path.frame().registerBase;
  warp.registers = registers;
  if (inst.guard) {
    uint32_t guard =
        *reinterpret_cast<uint32_t *>(registers + inst.guard.offset);
    active &= inst.guard.negated ? ~guard : guard;
    if (!active && !inst.watched)
      return Step::Next;
  }
  Cta &cta = *warp.cta;
  // The bank of constants is never written: destinations are registers.
  auto *constants =
      const_cast<uint8_t *>(grid.program->constants[cta.rank].data());
  Exec x{{registers, constants}, active,         warp, cta, *cluster,
         *cluster->memory,       *cluster->async};
  if (inst.watched) {
    grid.program->registerChecks[inst.watched - 1].run(x, inst.line, path.mask);
    if (!active)
      return Step::Next;
  }
  if (warp.anyInFlight)
    checkInFlight(warp, inst, path.frame().registerBase);
  if (inst.written)
    noteWrites(warp, inst, path.frame().registerBase);
  ++cluster->cycle;
  ++counts.warpInstructions;
  counts.laneInstructions += unsigned(llvm::popcount(active));
  if (!counts.opcodes.empty()) {
    ++counts.opcodes[inst.opcode];
    LineProfile &line = counts.lines[inst.line];
    ++line.warpInstructions;
    line.laneInstructions += unsigned(llvm::popcount(active));
  }
  return inst.handler(x, inst);
}

ClusterRun::Slice ClusterRun::runWarp(Warp &warp, unsigned budget) {
  WarpPaths &paths = *warp.paths;
  if (!selectPath(paths))
    return Slice::Idle;
  uint64_t polls = 0;
  for (; budget; --budget) {
    if (!cluster->async->advance())
      return Slice::Faulted;
    Path &path = paths.path();
    if (path.pc == path.stop) {
      paths.arrive();
      if (!selectPath(paths))
        return Slice::Ran;
      continue;
    }
    const Inst &inst = path.frame().function->code[path.pc];
    path.blocked = false;
    polls = path.polls;
    switch (step(warp, path, inst)) {
    case Step::Next: {
      // A handler that widened a .sync may have moved other paths, not this.
      Path &now = paths.path();
      now.wait = 0;
      ++now.pc;
      break;
    }
    case Step::Jump:
      break;
    case Step::Retry: {
      Path &now = paths.path();
      now.blocked = true;
      now.blockedAt = cluster->progress;
      if (!selectPath(paths))
        return Slice::Ran;
      continue;
    }
    case Step::Fault:
      return Slice::Faulted;
    }
    if (!warp.alive) {
      retire(warp);
      return Slice::Ran;
    }
    // A path that polls lets others run.
    if (paths.path().polls > polls) {
      paths.path().pollLine = inst.line;
      break;
    }
  }
  if (paths.paths.size() > 1)
    paths.rotate();
  return Slice::Ran;
}

void ClusterRun::retire(Warp &warp) {
  llvm::erase(live, &warp);
  --warp.cta->liveWarps;
  ++cluster->progress;
  warp.cta->barriers->warpEnded(*warp.cta);
  cluster->barrier->warpEnded(*cluster);
  if (warp.cta->liveWarps == 0)
    cluster->memory->ctaEnded(*warp.cta);
  warp.paths->registers = {};
  warp.paths->stack = {};
}

unsigned ClusterRun::sliceLength() {
  if (grid.options->schedule.kind != Schedule::Kind::Seeded)
    return 32;
  return 1u << cluster->random.below(7);
}

Warp *ClusterRun::pickWarp() {
  size_t n = live.size();
  size_t first = grid.options->schedule.kind == Schedule::Kind::Seeded
                     ? cluster->random.below(n)
                     : turn++ % n;
  for (size_t i = 0; i != n; ++i) {
    Warp *warp = live[(first + i) % n];
    for (const Path &path : warp->paths->paths)
      if (runnable(path))
        return warp;
  }
  return nullptr;
}

ClusterState ClusterRun::run(uint64_t budget, std::atomic<bool> &timeout,
                             std::chrono::steady_clock::time_point deadline) {
  uint64_t end = counts.warpInstructions + budget;
  uint64_t limit = grid.options->maxInstructions;
  for (unsigned slice = 0; counts.warpInstructions < end; ++slice) {
    if (live.empty())
      return finishPending();
    if (slice % 256 == 0 && (std::chrono::steady_clock::now() > deadline ||
                             counts.warpInstructions > limit))
      timeout = true;
    if (timeout)
      return ClusterState::Running;
    Warp *warp = pickWarp();
    if (!warp) {
      if (!cluster->async->completeOne())
        return ClusterState::Stuck;
      ++cluster->progress;
      continue;
    }
    if (runWarp(*warp, sliceLength()) == Slice::Faulted)
      return ClusterState::Faulted;
  }
  return live.empty() ? finishPending() : ClusterState::Running;
}

/// Stores that nobody waited for still write.
ClusterState ClusterRun::finishPending() {
  while (cluster->async->anyPending())
    if (!cluster->async->completeOne() || !cluster->async->advance())
      return ClusterState::Faulted;
  return ClusterState::Done;
}

} // namespace attn::ptx
