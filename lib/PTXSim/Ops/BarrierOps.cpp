//===- BarrierOps.cpp - bar, barrier, barrier.cluster, fences
//---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Exec/Barriers.h"
#include "PTXSim/Ops/OpHelpers.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace attn::ptx {

namespace {
enum BarrierFlags : uint8_t {
  Aligned = 1,
  ArriveOnly = 2,
  Reduces = 4,
  NegatedInput = 8
};
enum class Reduction : uint64_t { None, Count, And, Or };

/// The value of an operand that must be the same in all lanes.
bool uniform(Exec &x, Opnd op, uint32_t &value) {
  if (!op)
    return true;
  const auto *a = x.src<uint32_t>(op);
  value = a[x.firstLane()];
  bool same = true;
  x.forLanes([&](unsigned l) { same &= a[l] == value; });
  return same;
}

/// Threads that an arrival stands for: 32 for a warp as a whole.
uint32_t weight(const Exec &x) {
  return x.active == x.warp.alive ? kLanes : uint32_t(popcount(x.active));
}

//===----------------------------------------------------------------------===//
// Named barriers
//===----------------------------------------------------------------------===//

/// First attempt: the lanes are counted. ops: id, count, d, p.
Step arriveNamed(Exec &x, const Inst &i, Barrier &barrier, uint32_t count) {
  uint32_t expected = count ? count : NamedBarriers::wholeCta(x.cta);
  if (count % kLanes)
    return x.fault(i, FindingKind::BarrierMisuse,
                   "the thread count " + std::to_string(count) +
                       " of a barrier is not a multiple of 32");
  if (barrier.arrived && barrier.expected != count)
    return x.fault(i, FindingKind::BarrierMisuse,
                   "the threads of a barrier disagree about their number: " +
                       std::to_string(count) + " here, " +
                       std::to_string(barrier.expected) + " at line " +
                       std::to_string(barrier.openLine));
  if (!barrier.arrived)
    barrier.openLine = i.line;
  barrier.expected = count;
  barrier.arrived += weight(x);
  if (barrier.arrived > expected)
    return x.fault(i, FindingKind::BarrierMisuse,
                   std::to_string(barrier.arrived) +
                       " threads arrive at a barrier of " +
                       std::to_string(expected));
  x.memory.arrive(*barrier.sync, x.warp, x.active, Scope::Cta);
  if (!(i.flags & ArriveOnly))
    barrier.parties.push_back({&x.warp, x.active, true, true});
  if (i.flags & Reduces) {
    uint32_t input = x.pred(i.ops[3]) & x.active;
    barrier.sum += uint32_t(popcount(input));
    barrier.all &= input == x.active;
    barrier.any |= input != 0;
  }
  x.noteProgress();
  if (barrier.arrived == expected)
    barrier.complete(x.memory, Scope::Cta);
  return Step::Next;
}

void deliverReduction(Exec &x, const Inst &i, const Barrier &barrier) {
  switch (Reduction(i.imm)) {
  case Reduction::None:
    return;
  case Reduction::Count: {
    auto *d = x.dst<uint32_t>(i.ops[2]);
    x.forLanes([&](unsigned l) { d[l] = barrier.lastSum; });
    return;
  }
  case Reduction::And:
    x.setPred(i.ops[2], barrier.lastAll ? ~0u : 0);
    return;
  case Reduction::Or:
    x.setPred(i.ops[2], barrier.lastAny ? ~0u : 0);
    return;
  }
}

Step namedBarrier(Exec &x, const Inst &i) {
  uint32_t id = 0, count = 0;
  if (!uniform(x, i.ops[0], id) || !uniform(x, i.ops[1], count))
    return x.fault(i, FindingKind::BarrierMisuse,
                   "the lanes of a warp name different barriers");
  if (id >= 16)
    return x.fault(i, FindingKind::BarrierMisuse,
                   "there is no barrier " + std::to_string(id));
  Barrier &barrier = x.cta.barriers->barriers[id];
  uint64_t &slot = x.waitSlot();
  if (slot == 0) {
    if ((i.flags & Aligned) && !x.requireAligned(i))
      return Step::Fault;
    uint64_t phase = barrier.phase;
    if (Step step = arriveNamed(x, i, barrier, count); step != Step::Next)
      return step;
    if (i.flags & ArriveOnly)
      return Step::Next;
    slot = phase;
  }
  if (barrier.phase == slot)
    return Step::Retry;
  deliverReduction(x, i, barrier);
  return Step::Next;
}

/// bar{rier}{.cta}.sync|arrive|red{.aligned} a{, b}; red: d, a{, b}, {!}c
void decodeNamed(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!onlyModifiers(
          d, inst,
          {"cta", "sync", "arrive", "red", "aligned", "popc", "and", "or"}))
    return;
  bool red = inst.has("red"), arrive = inst.has("arrive");
  if (!hasOperands(d, inst, red ? 3 : arrive ? 2 : 1, red ? 4 : 2))
    return;
  const auto &in = inst.operands;
  ir::Type u32 = ir::Type::U32;
  size_t at = red ? 1 : 0;
  Opnd result, input;
  if (red) {
    Reduction how = inst.has("popc")  ? Reduction::Count
                    : inst.has("and") ? Reduction::And
                                      : Reduction::Or;
    result =
        destinationOf(d, in[0], how == Reduction::Count ? u32 : ir::Type::Pred);
    input = d.predicate(in.back());
    out.imm = uint64_t(how);
  }
  size_t end = in.size() - (red ? 1 : 0);
  Opnd id = d.source(in[at], u32);
  Opnd count = at + 1 < end ? d.source(in[at + 1], u32) : Opnd();
  d.setOps(out, {id, count, result, input});
  // bar is short for barrier.aligned.
  bool aligned = inst.opcode == "bar" || inst.has("aligned");
  out.flags =
      (aligned ? Aligned : 0) | (arrive ? ArriveOnly : 0) | (red ? Reduces : 0);
  out.handler = namedBarrier;
}

/// bar.warp.sync mask
Step warpBarrier(Exec &x, const Inst &i) {
  const auto *masks = x.src<uint32_t>(i.ops[0]);
  uint32_t members = masks[x.firstLane()];
  uint32_t inside = x.active & members;
  if (inside != x.active)
    return x.fault(i, FindingKind::BarrierMisuse,
                   "a lane executes bar.warp.sync with a mask that does not "
                   "contain it");
  if (!x.converge(i, members))
    return Step::Retry;
  x.memory.warpSync(x.warp, x.active);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// barrier.cluster
//===----------------------------------------------------------------------===//

enum ClusterFlags : uint8_t { ClusterAligned = 1, ClusterRelaxed = 2 };

Step clusterArrive(Exec &x, const Inst &i) {
  if ((i.flags & ClusterAligned) && !x.requireAligned(i))
    return Step::Fault;
  ClusterBarrier &all = *x.cluster.barrier;
  Barrier &barrier = all.barrier;
  uint64_t &pending = all.pending[x.warp.globalIndex];
  if (pending)
    return x.fault(i, FindingKind::BarrierMisuse,
                   "barrier.cluster.arrive again without a wait in between");
  pending = barrier.phase;
  if (!barrier.arrived)
    barrier.openLine = i.line;
  barrier.arrived += weight(x);
  // A relaxed arrival orders nothing: its clocks are not handed over.
  if (i.flags & ClusterRelaxed)
    x.memory.metRelaxed(x.warp, x.active);
  else
    x.memory.arrive(*barrier.sync, x.warp, x.active, Scope::Cluster);
  x.noteProgress();
  if (barrier.arrived >= ClusterBarrier::wholeCluster(x.cluster))
    all.complete(x.memory);
  return Step::Next;
}

Step clusterWait(Exec &x, const Inst &i) {
  if ((i.flags & ClusterAligned) && !x.requireAligned(i))
    return Step::Fault;
  ClusterBarrier &all = *x.cluster.barrier;
  uint64_t &pending = all.pending[x.warp.globalIndex];
  if (!pending)
    return x.fault(i, FindingKind::BarrierMisuse,
                   "barrier.cluster.wait without an arrive before it");
  if (pending == all.barrier.phase)
    return Step::Retry;
  pending = 0;
  all.depart(x.memory, x.warp, x.active);
  return Step::Next;
}

void decodeCluster(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 0) ||
      !onlyModifiers(d, inst,
                     {"cluster", "arrive", "wait", "release", "relaxed",
                      "acquire", "aligned"}))
    return;
  out.flags = (inst.has("aligned") ? ClusterAligned : 0) |
              (inst.has("relaxed") ? ClusterRelaxed : 0);
  out.handler = inst.has("arrive") ? clusterArrive
                : inst.has("wait") ? clusterWait
                                   : nullptr;
}

void decodeBarrier(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (inst.has("cluster"))
    return decodeCluster(d, inst, out);
  if (!inst.has("warp"))
    return decodeNamed(d, inst, out);
  if (!hasOperands(d, inst, 1) || !onlyModifiers(d, inst, {"warp", "sync"}))
    return;
  d.setOps(out, d.source(inst.operands[0], ir::Type::B32));
  out.handler = warpBarrier;
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

Step fence(Exec &x, const Inst &i) {
  x.memory.fence(x.warp, x.active, i.line,
                 *static_cast<const FenceInfo *>(i.extra));
  return Step::Next;
}

void decodeProxyFence(Decoder &d, const ir::Instruction &inst,
                      FenceInfo &info) {
  for (StringRef m : inst.modifiers) {
    if (m == "alias")
      info.kind = FenceInfo::Kind::ProxyAlias;
    else if (m == "async" || m.starts_with("async::"))
      info.kind = FenceInfo::Kind::ProxyAsync;
    else if (m.starts_with("tensormap"))
      info.kind = FenceInfo::Kind::ProxyTensormap;
  }
  // Without a space a proxy fence covers all of them.
  bool shared = inst.has("shared::cta") || inst.has("shared::cluster");
  bool global = inst.has("global");
  if (inst.has("async") && (shared || global)) {
    info.shared = shared;
    info.global = global;
  }
}

/// fence{.sem}.scope, fence.proxy.*, fence.mbarrier_init, membar.level
void decodeFence(Decoder &d, const ir::Instruction &inst, Inst &out) {
  auto *info = d.extra<FenceInfo>(out);
  for (StringRef m : inst.modifiers) {
    int order = StringSwitch<int>(m)
                    .Case("sc", int(Order::SeqCst))
                    .Case("acq_rel", int(Order::AcqRel))
                    .Case("acquire", int(Order::Acquire))
                    .Case("release", int(Order::Release))
                    .Default(-1);
    int scope = StringSwitch<int>(m)
                    .Case("cta", int(Scope::Cta))
                    .Case("cluster", int(Scope::Cluster))
                    .Cases({"gpu", "gl"}, int(Scope::Gpu))
                    .Case("sys", int(Scope::Sys))
                    .Default(-1);
    if (order >= 0)
      info->order = Order(order);
    else if (scope >= 0)
      info->scope = Scope(scope);
    else if (m == "mbarrier_init")
      info->kind = FenceInfo::Kind::MBarrierInit;
    else if (m != "proxy" && m != "alias" && m != "async" && m != "global" &&
             m != "shared::cta" && m != "shared::cluster" &&
             !m.starts_with("tensormap::") && !m.starts_with("async::") &&
             !m.starts_with("sync_restrict")) {
      d.error("unsupported modifier '." + m + "'");
      return;
    }
  }
  if (inst.has("proxy"))
    decodeProxyFence(d, inst, *info);
  if (inst.opcode == "membar" && inst.modifiers.size() == 1 && inst.has("cta"))
    info->scope = Scope::Cta;
  out.handler = fence;
}
} // namespace

void registerBarrierOps(OpTable &table) {
  table.add("bar", decodeBarrier);
  table.add("barrier", decodeBarrier);
  table.add("fence", decodeFence);
  table.add("membar", decodeFence);
}

} // namespace attn::ptx
