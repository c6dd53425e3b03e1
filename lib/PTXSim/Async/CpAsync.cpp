//===- CpAsync.cpp - cp.async and its groups ------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/AsyncHandlers.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

namespace attn::ptx {

namespace {
struct CpAsync {
  AddressOpnd target, source;
  Opnd sourceSize, ignoreSource;
  uint32_t size = 0;
};
} // namespace

static bool misaligned(Exec &x, const Inst &inst, unsigned lane,
                       uint64_t address, uint32_t size) {
  if (address % size == 0)
    return false;
  memoryOf(x).report(FindingKind::Misaligned, x.warp, lane, inst.line, 0, [&] {
    return "cp.async: address 0x" + llvm::utohexstr(address, true) +
           " is not a multiple of " + llvm::utostr(size) + ".";
  });
  return true;
}

/// How many bytes a lane reads; the rest of cp-size is zero.
static uint32_t sourceBytes(Exec &x, const CpAsync &cp, unsigned lane) {
  if (cp.ignoreSource)
    return x.lane(cp.ignoreSource, lane) ? 0 : cp.size;
  if (!cp.sourceSize)
    return cp.size;
  return uint32_t(x.lane(cp.sourceSize, lane));
}

static Step runCpAsync(Exec &x, const Inst &inst) {
  const auto &cp = *static_cast<const CpAsync *>(inst.extra);
  uint64_t target[kLanes], source[kLanes];
  x.addresses(cp.target, target);
  x.addresses(cp.source, source);
  auto op = std::make_unique<Operation>(x.warp);
  op->lanes = x.active;
  op->line = inst.line;
  op->proxy = Proxy::Generic;
  op->group = GroupKind::CpAsync;
  for (uint32_t mask = x.active; mask; mask &= mask - 1) {
    unsigned l = llvm::countr_zero(mask);
    uint32_t bytes = sourceBytes(x, cp, l);
    if (bytes > cp.size)
      return x.fault(inst, FindingKind::AsyncMisuse,
                     "cp.async: the source size of " + llvm::utostr(bytes) +
                         " is larger than " + llvm::utostr(cp.size) + ".");
    if (misaligned(x, inst, l, target[l], cp.size) ||
        (bytes && misaligned(x, inst, l, source[l], cp.size)))
      return Step::Fault;
    Operation::Range range;
    range.lane = uint8_t(l);
    range.space = MemSpace::Shared;
    range.address = target[l];
    range.bytes = cp.size;
    op->writes.push_back(range);
    range.space = MemSpace::Global;
    range.address = source[l];
    range.bytes = bytes;
    if (bytes)
      op->reads.push_back(range);
  }
  auto data = std::make_shared<std::vector<uint8_t>>(kLanes * cp.size, 0);
  ClusterMemory &memory = memoryOf(x);
  Operation &self = *op;
  op->read = [&memory, &self, data, size = cp.size] {
    for (const Operation::Range &r : self.reads)
      std::memcpy(data->data() + r.lane * size,
                  memory.bytes(r.space, r.address, r.bytes), r.bytes);
    return true;
  };
  op->write = [&memory, &self, data, size = cp.size] {
    for (const Operation::Range &r : self.writes)
      if (uint8_t *at = memory.bytes(r.space, r.address, size))
        std::memcpy(at, data->data() + r.lane * size, size);
    return true;
  };
  return engineOf(x).issue(std::move(op)) ? Step::Next : Step::Fault;
}

static Step runCommit(Exec &x, const Inst &) {
  x.async.commit(x.warp, x.active, GroupKind::CpAsync);
  return Step::Next;
}

static Step runWaitGroup(Exec &x, const Inst &inst) {
  bool good = x.async.wait(x.warp, x.active, GroupKind::CpAsync, inst.imm,
                           /*readOnly=*/false, inst.line);
  return good ? Step::Next : Step::Fault;
}

static Step runWaitAll(Exec &x, const Inst &inst) {
  bool good =
      engineOf(x).waitAll(x.warp, x.active, GroupKind::CpAsync, inst.line);
  return good ? Step::Next : Step::Fault;
}

/// One operation for all lanes that name the same barrier.
static Step runMBarrierArrive(Exec &x, const Inst &inst) {
  const auto &address = *static_cast<const AddressOpnd *>(inst.extra);
  bool noinc = inst.flags & 1, generic = inst.flags & 2;
  uint64_t barrier[kLanes];
  x.addresses(address, barrier);
  for (uint32_t rest = x.active; rest;) {
    uint32_t same = takeLanesOfOneAddress(barrier, rest);
    unsigned first = llvm::countr_zero(same);
    uint64_t at = barrier[first];
    Issuer who = issuerOf(x, inst, first);
    BarrierTable &table = engineOf(x).barriers;
    auto *entry =
        table.use(who, sharedAddress(at, generic), "cp.async.mbarrier.arrive");
    if (!entry)
      return Step::Fault;
    for (uint32_t m = noinc ? 0 : same; m; m &= m - 1)
      if (!table.increment(who, *entry))
        return Step::Fault;
    auto op = std::make_unique<Operation>(x.warp);
    op->lanes = same;
    op->line = inst.line;
    op->proxy = Proxy::Generic;
    op->group = GroupKind::CpAsync;
    op->arriveOn = sharedAddress(at, generic);
    if (!engineOf(x).issue(std::move(op)))
      return Step::Fault;
  }
  return Step::Next;
}

static void decodeCopy(Decoder &d, const ir::Instruction &inst, Inst &out) {
  bool cached = inst.has("L2::cache_hint");
  size_t count = inst.operands.size() - (cached ? 1 : 0);
  bool through = inst.has("ca"), bypass = inst.has("cg");
  if (through == bypass || count < 3 || count > 4 ||
      !hasPrefix(inst, "shared") || !inst.has("global"))
    return;
  auto &cp = *d.extra<CpAsync>(out);
  cp.target = d.address(inst.operands[0]);
  cp.source = d.address(inst.operands[1]);
  cp.size = uint32_t(d.immediate(inst.operands[2]));
  if (cp.size != 16 && (bypass || (cp.size != 4 && cp.size != 8)))
    return d.error("cp.async copies 16 bytes, with .ca also 4 or 8");
  if (count == 4) {
    const ir::Operand &last = inst.operands[3];
    bool predicate = last.is(ir::Operand::Kind::Register) &&
                     d.function().registers[last.reg].type == ir::Type::Pred;
    if (predicate)
      cp.ignoreSource = d.predicate(last);
    else
      cp.sourceSize = d.source(last, ir::Type::B32);
  }
  // The operands whose registers the instruction reads.
  d.setOps(out,
           {cp.target.base, cp.source.base, cp.sourceSize, cp.ignoreSource});
  out.handler = runCpAsync;
}

void decodeCpAsync(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (inst.has("commit_group")) {
    out.handler = runCommit;
  } else if (inst.has("wait_group")) {
    if (inst.operands.size() != 1)
      return;
    out.imm = d.immediate(inst.operands[0]);
    out.handler = runWaitGroup;
  } else if (inst.has("wait_all")) {
    out.handler = runWaitAll;
  } else if (inst.has("mbarrier")) {
    if (!inst.has("arrive") || inst.operands.size() != 1)
      return;
    *d.extra<AddressOpnd>(out) = d.address(inst.operands[0]);
    out.flags =
        (inst.has("noinc") ? 1 : 0) | (hasPrefix(inst, "shared") ? 0 : 2);
    out.handler = runMBarrierArrive;
  } else {
    decodeCopy(d, inst, out);
  }
}

} // namespace attn::ptx
