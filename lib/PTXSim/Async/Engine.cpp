//===- Engine.cpp - When asynchronous operations happen -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/Engine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace attn::ptx {

Engine::Engine(Cluster &cluster)
    : barriers(cluster), cluster(cluster),
      schedule(cluster.grid->options->schedule.kind) {
  random.state = cluster.grid->options->schedule.seed * 0x9e3779b97f4a7c15ull +
                 cluster.index * 0xd1342543de82ef95ull + 1;
}

Groups &Engine::groups(Warp &warp, GroupKind kind) {
  return groupsOf[{warp.globalIndex, kind}];
}

WarpClocks::Channel Engine::channelOf(GroupKind kind) {
  switch (kind) {
  case GroupKind::CpAsync:
    return WarpClocks::CpAsync;
  case GroupKind::Wgmma:
    return WarpClocks::Wgmma;
  case GroupKind::Bulk:
  case GroupKind::None:
    break;
  }
  return WarpClocks::Bulk;
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

/// Seeded delays span from none to longer than any kernel runs, all orders of
/// magnitude alike.
void Engine::chooseTimes(Operation &op) {
  op.readAt = op.writeAt = schedule == Schedule::Kind::Latest ? kNever : tick;
  if (schedule != Schedule::Kind::Seeded)
    return;
  auto delay = [&]() -> uint64_t {
    uint64_t magnitude = random.below(16);
    return magnitude == 15 ? kNever : random.below(uint64_t(1) << magnitude);
  };
  auto later = [](uint64_t from, uint64_t by) {
    return by == kNever || from == kNever ? kNever : from + by;
  };
  op.readAt = later(tick, delay());
  op.writeAt = later(op.readAt, delay());
}

bool Engine::checkRanges(const Operation &op) {
  for (bool write : {false, true})
    for (const Operation::Range &r : write ? op.writes : op.reads) {
      Issuer who{*op.warp,  r.lane, op.line, op.proxy, /*asynchronous=*/true,
                 op.reduces};
      if (!memory().checkRange(who, r, write))
        return false;
    }
  return true;
}

bool Engine::issue(std::unique_ptr<Operation> op) {
  if (!op->checked && !checkRanges(*op)) {
    ended = true;
    return false;
  }
  op->id = nextId++;
  op->doubleWrites = memory().takeDoubleWrites();
  if (op->group != GroupKind::None) {
    Groups &g = groups(*op->warp, op->group);
    for (unsigned l = 0; l != kLanes; ++l)
      op->times[l] = g.timeOf(l);
    for (const Operation::Range &r : op->reads)
      if (op->group == GroupKind::Bulk && r.space == MemSpace::Shared)
        g.noteRead(r.lane, op->line);
    // Copies that follow are not covered by the arrival.
    if (op->arriveOn != Operation::kNoBarrier)
      g.mark(op->lanes);
  }
  llvm::SmallVector<ByteRange, 32> reads(op->reads.begin(), op->reads.end());
  llvm::SmallVector<ByteRange, 32> writes(op->writes.begin(), op->writes.end());
  memory().beginOperation(op->id, op->line, reads, writes, op->reduces);
  op->warp->markRegisters(op->registerReads, /*write=*/false, op->line);
  op->warp->markRegisters(op->registerWrites, /*write=*/true, op->line);
  chooseTimes(*op);
  nextDue = std::min(nextDue, op->readAt);
  pending.push_back(std::move(op));
  return nextDue > tick || advance();
}

void Engine::issue(AsyncOp op) {
  auto own = std::make_unique<Operation>(*op.warp);
  own->lanes = op.lanes;
  own->line = op.line;
  own->proxy = op.proxy;
  own->group = op.group;
  auto lane = uint8_t(op.lanes ? llvm::countr_zero(op.lanes) : 0);
  for (bool write : {false, true})
    for (const ByteRange &r : write ? op.writes : op.reads) {
      Operation::Range range;
      static_cast<ByteRange &>(range) = r;
      range.lane = lane;
      (write ? own->writes : own->reads).push_back(range);
    }
  own->registerReads = std::move(op.registerReads);
  own->registerWrites = std::move(op.registerWrites);
  own->read = std::move(op.perform);
  issue(std::move(own));
}

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

bool Engine::advance() {
  ++tick;
  if (nextDue > tick || ended)
    return !ended;
  for (size_t i = 0; i != pending.size() && !ended; ++i) {
    Operation &op = *pending[i];
    if (op.writeAt <= tick)
      finish(op);
    else if (op.readAt <= tick)
      performReads(op);
  }
  forgetFinished();
  return !ended;
}

void Engine::forgetFinished() {
  llvm::erase_if(pending, [](const auto &op) { return op->id == 0; });
  nextDue = kNever;
  for (const auto &op : pending)
    nextDue = std::min(nextDue, op->readDone ? op->writeAt : op->readAt);
}

bool Engine::completeOne() {
  if (pending.empty())
    return false;
  size_t which = pending.size() - 1;
  if (schedule == Schedule::Kind::Seeded)
    which = random.below(pending.size());
  finish(*pending[which]);
  forgetFinished();
  return true;
}

/// The tensor cores take the matrix products of a warp in order, and an arrival
/// that stands for copies comes after them.
bool Engine::finishEarlier(const Operation &op) {
  bool arrival = op.arriveOn != Operation::kNoBarrier;
  if (op.group != GroupKind::Wgmma && !arrival)
    return true;
  for (const auto &other : pending) {
    if (other.get() == &op)
      return true;
    if (other->id == 0 || other->warp != op.warp || other->group != op.group)
      continue;
    if (other->arriveOn != Operation::kNoBarrier ||
        (arrival && !(other->lanes & op.lanes)))
      continue;
    if (!finish(*other))
      return false;
  }
  return true;
}

void Engine::recordRanges(Operation &op, bool write) {
  bool grouped = op.group != GroupKind::None;
  Component channel = memory().channel(*op.warp, channelOf(op.group));
  for (const Operation::Range &r : write ? op.writes : op.reads) {
    Issuer who{*op.warp,  r.lane, op.line, op.proxy, /*asynchronous=*/true,
               op.reduces};
    Component component = channel;
    uint32_t time = grouped ? op.times[r.lane] : ~0u;
    if (write && r.space == MemSpace::Global && op.group == GroupKind::Bulk)
      component = memory().channel(*op.warp, WarpClocks::BulkWrites);
    if (r.completion < op.completions.size())
      if (auto *b = barriers.find(op.completions[r.completion].barrier)) {
        component = b->component;
        time = uint32_t(b->state.completedPhases() + 1);
      }
    memory().recordRange(who, r, write, component, time, 1u << r.lane);
  }
}

bool Engine::performReads(Operation &op) {
  if (op.readDone || op.id == 0)
    return !ended;
  // Products of a warp add up in order, but may read in any.
  if (op.group != GroupKind::Wgmma && !finishEarlier(op))
    return false;
  op.readDone = true;
  if (op.read && !op.read()) {
    ended = true;
    return false;
  }
  memory().endOperation(op.id, /*reads=*/true, /*writes=*/false);
  recordRanges(op, /*write=*/false);
  return true;
}

bool Engine::finishCompletions(Operation &op) {
  for (const Operation::Completion &c : op.completions) {
    Issuer who{*op.warp, unsigned(llvm::countr_zero(op.lanes)), op.line,
               op.proxy};
    BarrierTable::Entry *entry = barriers.find(c.barrier);
    if (!entry) {
      memory().report(
          FindingKind::BarrierMisuse, who.warp, who.lane, who.line, 0, [&] {
            return "The mbarrier at 0x" + llvm::utohexstr(c.barrier, true) +
                   " is gone when the operation it tracks ends.";
          });
      return false;
    }
    if (!barriers.complete(who, *entry, c.bytes))
      return false;
  }
  return true;
}

bool Engine::finishArrival(Operation &op) {
  Issuer first{*op.warp, unsigned(llvm::countr_zero(op.lanes)), op.line,
               op.proxy};
  BarrierTable::Entry *entry =
      barriers.use(first, op.arriveOn, "cp.async.mbarrier.arrive");
  if (!entry)
    return false;
  Component copies = memory().channel(*op.warp, WarpClocks::CpAsync);
  for (uint32_t mask = op.lanes; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    Issuer who{*op.warp, lane, op.line, op.proxy};
    entry->pending.generic.raiseLanes(copies, 1u << lane, op.times[lane]);
    uint64_t token;
    if (!barriers.arrive(who, *entry, {}, token))
      return false;
  }
  return true;
}

bool Engine::finish(Operation &op) {
  if (op.id == 0)
    return !ended;
  if (op.group == GroupKind::Wgmma && !finishEarlier(op))
    return false;
  if (!performReads(op))
    return false;
  memory().beforeWrites(op.doubleWrites);
  bool good = !op.write || op.write();
  memory().afterWrites({*op.warp, unsigned(llvm::countr_zero(op.lanes)),
                        op.line, op.proxy, /*asynchronous=*/true},
                       op.doubleWrites);
  memory().endOperation(op.id, /*reads=*/true, /*writes=*/true);
  op.warp->unmarkRegisters(op.registerReads, /*write=*/false);
  op.warp->unmarkRegisters(op.registerWrites, /*write=*/true);
  op.id = 0;
  recordRanges(op, /*write=*/true);
  good = good && finishCompletions(op);
  if (good && op.arriveOn != Operation::kNoBarrier)
    good = finishArrival(op);
  ++cluster.progress;
  ended |= !good;
  return !ended;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

void Engine::commit(Warp &warp, uint32_t mask, GroupKind kind) {
  groups(warp, kind).commit(mask);
}

bool Engine::wait(Warp &warp, uint32_t mask, GroupKind kind, uint64_t allowed,
                  bool readOnly, uint32_t) {
  Groups &g = groups(warp, kind);
  std::array<uint32_t, 32> upTo{};
  memory().channel(warp, channelOf(kind));
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = llvm::countr_zero(lanes);
    upTo[lane] = g.endOfAllBut(lane, allowed);
    g.noteWaited(lane, upTo[lane]);
    memory().clocks(warp).learnOwn(channelOf(kind), 1u << lane, upTo[lane]);
    if (kind == GroupKind::Bulk && !readOnly) {
      memory().channel(warp, WarpClocks::BulkWrites);
      memory().clocks(warp).learnOwn(WarpClocks::BulkWrites, 1u << lane,
                                     upTo[lane]);
    }
  }
  for (size_t i = 0; i != pending.size() && !ended; ++i) {
    Operation &op = *pending[i];
    if (op.warp != &warp || op.group != kind ||
        op.arriveOn != Operation::kNoBarrier)
      continue;
    bool concerned = false;
    for (uint32_t lanes = op.lanes & mask; lanes; lanes &= lanes - 1) {
      unsigned lane = llvm::countr_zero(lanes);
      concerned |= op.times[lane] <= upTo[lane];
    }
    if (concerned)
      readOnly ? performReads(op) : finish(op);
  }
  forgetFinished();
  return !ended;
}

bool Engine::finishReads(Warp &peer, uint64_t allowed) {
  uint32_t upTo = groups(peer, GroupKind::Wgmma).endOfAllBut(0, allowed);
  for (size_t i = 0; i != pending.size() && !ended; ++i)
    if (pending[i]->warp == &peer && pending[i]->group == GroupKind::Wgmma &&
        pending[i]->times[0] <= upTo)
      performReads(*pending[i]);
  return !ended;
}

void Engine::learnReads(Warp &warp, uint64_t allowed) {
  Knowledge done;
  done.generic.raiseAll(memory().channel(warp, WarpClocks::Wgmma),
                        groups(warp, GroupKind::Wgmma).endOfAllBut(0, allowed));
  memory().clocks(warp).acquire(~0u, KnowledgeSnapshot(done));
}

bool Engine::waitAll(Warp &warp, uint32_t mask, GroupKind kind, uint32_t line) {
  commit(warp, mask, kind);
  return wait(warp, mask, kind, 0, /*readOnly=*/false, line);
}

void Engine::exited(Warp &warp, uint32_t mask) {
  auto it = groupsOf.find({warp.globalIndex, GroupKind::Bulk});
  if (it == groupsOf.end())
    return;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = llvm::countr_zero(lanes);
    uint32_t line = it->second.unwaitedRead(lane);
    if (!line)
      continue;
    memory().report(FindingKind::AsyncMisuse, warp, lane, line, 0, [&] {
      return std::string("The thread exits without waiting until this "
                         "operation has read its shared memory "
                         "(cp.async.bulk.commit_group and wait_group).");
    });
  }
  for (size_t i = 0; i != pending.size() && !ended; ++i)
    if (pending[i]->warp == &warp && pending[i]->group == GroupKind::Bulk &&
        (pending[i]->lanes & mask))
      performReads(*pending[i]);
  forgetFinished();
}

void Engine::describe(std::vector<BarrierState> &states) const {
  barriers.describe(states);
  static const char *const names[] = {"", "cp.async", "bulk", "wgmma"};
  for (const auto &[key, group] : groupsOf) {
    uint64_t open = 0;
    for (unsigned l = 0; l != kLanes; ++l)
      open = std::max(open, group.openGroups(l));
    if (open)
      states.push_back({std::string(names[unsigned(key.second)]) +
                            " groups of warp " + llvm::utostr(key.first) +
                            " of the cluster",
                        llvm::utostr(open) + " not waited for"});
  }
}

std::unique_ptr<AsyncEngine> createAsyncEngine(Cluster &cluster) {
  return std::make_unique<Engine>(cluster);
}

} // namespace attn::ptx
