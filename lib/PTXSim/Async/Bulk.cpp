//===- Bulk.cpp - cp.async.bulk, cp.reduce.async.bulk ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/AsyncHandlers.h"
#include "PTXSim/Async/Destinations.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

namespace attn::ptx {

namespace {
struct Bulk {
  AddressOpnd target, source, barrier;
  Opnd size, ctaMask;
  bool toShared = false, fromShared = false;
  ReduceFn reduce = nullptr;
  unsigned elementBytes = 1;
};
} // namespace

bool forEachDestination(Exec &x, const Inst &inst, uint64_t target,
                        uint64_t barrier, uint64_t mask, bool multicast,
                        llvm::function_ref<void(uint64_t, uint64_t)> visit) {
  if (!multicast) {
    visit(target, barrier);
    return true;
  }
  if (mask == 0 || (mask >> x.cluster.ctas.size()) != 0) {
    x.fault(inst, FindingKind::AsyncMisuse,
            "The CTA mask 0x" + llvm::utohexstr(mask, true) +
                " of the multicast names CTAs that the cluster of " +
                llvm::utostr(x.cluster.ctas.size()) + " does not have.");
    return false;
  }
  // The same offsets in the shared memory of every CTA of the mask.
  for (uint64_t rank = 0; rank != x.cluster.ctas.size(); ++rank)
    if ((mask >> rank) & 1)
      visit(rank << 24 | (target & 0xffffff),
            rank << 24 | (barrier & 0xffffff));
  return true;
}

bool checkCompletions(Exec &x, const Inst &inst, const Operation &op) {
  for (const Operation::Completion &c : op.completions) {
    Issuer who = issuerOf(x, inst, llvm::countr_zero(op.lanes), Proxy::Async);
    uint64_t own = op.completions.size() == 1;
    // The barriers of other CTAs were initialised by them; a cluster barrier
    // orders that as well.
    if (!engineOf(x).barriers.use(who, c.barrier,
                                  own ? "The copy" : "The multicast"))
      return false;
  }
  return true;
}

static bool misaligned(Exec &x, const Inst &inst, unsigned lane,
                       llvm::StringRef what, uint64_t value) {
  if (value % 16 == 0)
    return false;
  memoryOf(x).report(FindingKind::Misaligned, x.warp, lane, inst.line, 0, [&] {
    return "cp.async.bulk: the " + what.str() + " 0x" +
           llvm::utohexstr(value, true) + " is not a multiple of 16.";
  });
  return true;
}

/// The operation of one lane, without its work.
static std::unique_ptr<Operation> makeBulk(Exec &x, const Inst &inst,
                                           const Bulk &b, unsigned lane,
                                           uint64_t target, uint64_t source,
                                           uint64_t barrier, uint64_t size) {
  auto op = std::make_unique<Operation>(x.warp);
  op->lanes = 1u << lane;
  op->line = inst.line;
  op->group = b.toShared ? GroupKind::None : GroupKind::Bulk;
  Operation::Range range;
  range.lane = uint8_t(lane);
  range.bytes = size;
  range.space = b.fromShared ? MemSpace::Shared : MemSpace::Global;
  range.address = source;
  op->reads.push_back(range);
  range.space = b.toShared ? MemSpace::Shared : MemSpace::Global;
  uint64_t mask = b.ctaMask ? x.lane(b.ctaMask, lane) & 0xffff : 0;
  bool good =
      forEachDestination(x, inst, target, barrier, mask, bool(b.ctaMask),
                         [&](uint64_t to, uint64_t at) {
                           range.address = to;
                           range.completion = uint8_t(op->completions.size());
                           op->writes.push_back(range);
                           if (b.toShared)
                             op->completions.push_back({at, size});
                         });
  if (!good || !checkCompletions(x, inst, *op))
    return nullptr;
  return op;
}

static void addWork(ClusterMemory &memory, Operation &op, ReduceFn reduce,
                    unsigned elementBytes) {
  auto data = std::make_shared<std::vector<uint8_t>>();
  op.read = [&memory, &op, data] {
    const Operation::Range &r = op.reads[0];
    if (const uint8_t *from = memory.bytes(r.space, r.address, r.bytes))
      data->assign(from, from + r.bytes);
    else
      data->assign(r.bytes, 0xff);
    return true;
  };
  op.write = [&memory, &op, data, reduce, elementBytes] {
    for (const Operation::Range &r : op.writes) {
      uint8_t *to = memory.bytes(r.space, r.address, r.bytes);
      if (!to)
        return memory.reportGone(*op.warp, llvm::countr_zero(op.lanes),
                                 op.line);
      if (!reduce) {
        std::memcpy(to, data->data(), r.bytes);
        continue;
      }
      for (uint64_t i = 0; i + elementBytes <= r.bytes; i += elementBytes)
        memory.reduceElement(r.space, r.address + i, to + i, data->data() + i,
                             reduce);
    }
    return true;
  };
}

static Step runBulk(Exec &x, const Inst &inst) {
  const auto &b = *static_cast<const Bulk *>(inst.extra);
  uint64_t target[kLanes], source[kLanes], barrier[kLanes] = {};
  x.addresses(b.target, target);
  x.addresses(b.source, source);
  if (b.barrier.base)
    x.addresses(b.barrier, barrier);
  for (uint32_t mask = x.active; mask; mask &= mask - 1) {
    unsigned l = llvm::countr_zero(mask);
    uint64_t size = uint32_t(x.lane(b.size, l));
    if (misaligned(x, inst, l, "target address", target[l]) ||
        misaligned(x, inst, l, "source address", source[l]) ||
        misaligned(x, inst, l, "size", size))
      return Step::Fault;
    auto op = makeBulk(x, inst, b, l, target[l], source[l], barrier[l], size);
    if (!op)
      return Step::Fault;
    op->reduces = b.reduce != nullptr;
    addWork(memoryOf(x), *op, b.reduce, b.elementBytes);
    if (!engineOf(x).issue(std::move(op)))
      return Step::Fault;
  }
  return Step::Next;
}

static Step runCommit(Exec &x, const Inst &) {
  x.async.commit(x.warp, x.active, GroupKind::Bulk);
  return Step::Next;
}

static Step runWait(Exec &x, const Inst &inst) {
  bool good = x.async.wait(x.warp, x.active, GroupKind::Bulk, inst.imm,
                           /*readOnly=*/inst.flags != 0, inst.line);
  return good ? Step::Next : Step::Fault;
}

static Step runNothing(Exec &, const Inst &) { return Step::Next; }

static bool decodeReduction(Decoder &d, const ir::Instruction &inst, Bulk &b) {
  static const std::pair<const char *, ReduceType> types[] = {
      {"u32", ReduceType::U32}, {"s32", ReduceType::S32},
      {"u64", ReduceType::U64}, {"s64", ReduceType::S64},
      {"f16", ReduceType::F16}, {"bf16", ReduceType::BF16},
      {"f32", ReduceType::F32}, {"f64", ReduceType::F64},
      {"b32", ReduceType::B32}, {"b64", ReduceType::B64}};
  for (const auto &[name, type] : types) {
    if (!inst.has(name))
      continue;
    b.elementBytes = reduceBytes(type);
    for (llvm::StringRef m : inst.modifiers)
      if (ReduceFn f = findReduction(m, type))
        b.reduce = f;
  }
  return b.reduce != nullptr;
}

static void decodeCopy(Decoder &d, const ir::Instruction &inst, Inst &out) {
  auto &b = *d.extra<Bulk>(out);
  // The first of the two spaces is the target's.
  llvm::SmallVector<llvm::StringRef, 2> spaces;
  for (llvm::StringRef m : inst.modifiers)
    if (m == "global" || m.starts_with("shared::"))
      spaces.push_back(m);
  if (spaces.size() != 2)
    return;
  b.toShared = spaces[0] != "global";
  b.fromShared = spaces[1] != "global";
  bool tracked = inst.has("mbarrier::complete_tx::bytes");
  bool grouped = inst.has("bulk_group");
  if (b.toShared ? !tracked : (!grouped || !b.fromShared))
    return;
  if (inst.has("cp_mask"))
    return d.error("cp.async.bulk with .cp_mask is not supported");
  if (inst.has("reduce") && !decodeReduction(d, inst, b))
    return;
  bool multicast = inst.has("multicast::cluster");
  size_t count = 3 + tracked + multicast + inst.has("L2::cache_hint");
  if (inst.operands.size() != count)
    return;
  b.target = d.address(inst.operands[0]);
  b.source = d.address(inst.operands[1]);
  b.size = d.source(inst.operands[2], ir::Type::B32);
  if (tracked)
    b.barrier = d.address(inst.operands[3]);
  if (multicast)
    b.ctaMask = d.source(inst.operands[4], ir::Type::B16);
  d.setOps(out,
           {b.target.base, b.source.base, b.size, b.barrier.base, b.ctaMask});
  out.handler = runBulk;
}

void decodeBulk(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (inst.has("commit_group")) {
    out.handler = runCommit;
  } else if (inst.has("wait_group")) {
    if (inst.operands.size() != 1)
      return;
    out.imm = d.immediate(inst.operands[0]);
    out.flags = inst.has("read");
    out.handler = runWait;
  } else if (inst.has("prefetch")) {
    out.handler = runNothing;
  } else {
    decodeCopy(d, inst, out);
  }
}

} // namespace attn::ptx
