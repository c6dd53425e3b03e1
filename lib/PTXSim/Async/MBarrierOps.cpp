//===- MBarrierOps.cpp - The mbarrier instructions ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/AsyncHandlers.h"

#include "llvm/ADT/StringExtras.h"

namespace attn::ptx {

namespace {
enum class Verb : uint8_t {
  Init,
  Inval,
  Arrive,
  ExpectTx,
  CompleteTx,
  Wait,
  PendingCount
};

struct MBarrierOp {
  Verb verb = Verb::Init;
  AddressOpnd address;
  Opnd result, operand; ///< Count, transaction bytes, state or parity.
  bool generic = false, parity = false, relaxed = false, isTry = false;
  BarrierTable::Arrival arrival;
  std::string name;
};
} // namespace

static const MBarrierOp &extraOf(const Inst &inst) {
  return *static_cast<const MBarrierOp *>(inst.extra);
}

/// Calls `run(lane, address)` for each active lane; false from it is a fault.
template <typename Run>
static Step forEachBarrier(Exec &x, const MBarrierOp &op, Run &&run) {
  uint64_t address[kLanes];
  x.addresses(op.address, address);
  for (uint32_t mask = x.active; mask; mask &= mask - 1) {
    unsigned l = llvm::countr_zero(mask);
    if (!run(l, sharedAddress(address[l], op.generic)))
      return Step::Fault;
  }
  return Step::Next;
}

static Step runInit(Exec &x, const Inst &inst) {
  const MBarrierOp &op = extraOf(inst);
  return forEachBarrier(x, op, [&](unsigned l, uint64_t address) {
    Issuer who = issuerOf(x, inst, l);
    if (address % 8 != 0) {
      engineOf(x).barriers.use(who, address, op.name); // says so
      return false;
    }
    return engineOf(x).barriers.init(who, address,
                                     uint32_t(x.lane(op.operand, l)));
  });
}

static Step runInval(Exec &x, const Inst &inst) {
  return forEachBarrier(x, extraOf(inst), [&](unsigned l, uint64_t address) {
    return engineOf(x).barriers.invalidate(issuerOf(x, inst, l), address);
  });
}

/// Lanes that arrive on one barrier publish what they know together.
static bool releaseLanes(Exec &x, const Inst &inst, const MBarrierOp &op) {
  if (op.relaxed || !memoryOf(x).racesChecked())
    return true;
  uint64_t address[kLanes];
  x.addresses(op.address, address);
  for (uint32_t rest = x.active; rest;) {
    uint32_t same = takeLanesOfOneAddress(address, rest);
    unsigned first = llvm::countr_zero(same);
    auto *entry = engineOf(x).barriers.use(
        issuerOf(x, inst, first), sharedAddress(address[first], op.generic),
        op.name);
    if (!entry)
      return false;
    if (!memoryOf(x).visitBarrier(issuerOf(x, inst, first),
                                  sharedAddress(address[first], op.generic),
                                  same))
      return false;
    memoryOf(x).clocks(x.warp).release(same, entry->pending);
  }
  return true;
}

static Step runArrive(Exec &x, const Inst &inst) {
  const MBarrierOp &op = extraOf(inst);
  if (!releaseLanes(x, inst, op))
    return Step::Fault;
  BarrierTable &table = engineOf(x).barriers;
  return forEachBarrier(x, op, [&](unsigned l, uint64_t address) {
    Issuer who = issuerOf(x, inst, l);
    auto *entry = table.use(who, address, op.name);
    if (!entry)
      return false;
    BarrierTable::Arrival arrival = op.arrival;
    uint32_t operand = op.operand ? uint32_t(x.lane(op.operand, l)) : 1;
    (arrival.expects ? arrival.expectedBytes : arrival.count) = operand;
    uint64_t token;
    if (!table.arrive(who, *entry, arrival, token))
      return false;
    if (op.result)
      x.dst<uint64_t>(op.result)[l] = token;
    return true;
  });
}

static Step runTx(Exec &x, const Inst &inst) {
  const MBarrierOp &op = extraOf(inst);
  BarrierTable &table = engineOf(x).barriers;
  return forEachBarrier(x, op, [&](unsigned l, uint64_t address) {
    Issuer who = issuerOf(x, inst, l);
    auto *entry = table.use(who, address, op.name);
    auto bytes = uint32_t(x.lane(op.operand, l));
    return entry &&
           (op.verb == Verb::ExpectTx ? table.expect(who, *entry, bytes)
                                      : table.complete(who, *entry, bytes));
  });
}

/// Whether the phase that a lane asks for is over; false in `good` after a
/// finding.
static bool phaseOver(Exec &x, const Inst &inst, const MBarrierOp &op,
                      unsigned lane, uint64_t address,
                      const BarrierTable::Entry &entry, bool &good) {
  uint64_t asked = x.lane(op.operand, lane);
  if (address >> 24 != x.cta.rank) {
    good = false;
    x.fault(inst, FindingKind::BarrierMisuse,
            op.name + " on an mbarrier of another CTA of the cluster.");
    return false;
  }
  if (op.parity) {
    // Only 0 and 1 are parities; compilers also pass a predicate as 0 or -1.
    if (asked <= 1 || asked == 0xffffffff)
      return entry.state.completedParity(uint32_t(asked) & 1);
    good = false;
    x.fault(inst, FindingKind::BarrierMisuse,
            op.name + " with a phase parity of " + llvm::utostr(asked) + ".");
    return false;
  }
  if (entry.state.tokenIsRecent(asked))
    return entry.state.completedToken(asked);
  good = false;
  x.fault(inst, FindingKind::BarrierMisuse,
          op.name + " with a state that is neither of the current phase nor of "
                    "the one before it.");
  return false;
}

static Step runWait(Exec &x, const Inst &inst) {
  const MBarrierOp &op = extraOf(inst);
  BarrierTable &table = engineOf(x).barriers;
  uint32_t done = 0;
  Step step = forEachBarrier(x, op, [&](unsigned l, uint64_t address) {
    auto *entry = table.use(issuerOf(x, inst, l), address, op.name);
    bool good = entry != nullptr;
    if (good && phaseOver(x, inst, op, l, address, *entry, good))
      done |= 1u << l;
    return good;
  });
  if (step != Step::Next)
    return step;
  uint64_t address[kLanes];
  x.addresses(op.address, address);
  for (uint32_t rest = op.relaxed ? 0 : done; rest;) {
    uint32_t same = takeLanesOfOneAddress(address, rest);
    unsigned first = llvm::countr_zero(same);
    table.acquire(x.warp, same,
                  *table.find(sharedAddress(address[first], op.generic)));
  }
  x.setPred(op.result, done);
  if (done != x.active)
    x.notePoll();
  return Step::Next;
}

static Step runPendingCount(Exec &x, const Inst &inst) {
  const MBarrierOp &op = extraOf(inst);
  x.forLanes([&](unsigned l) {
    x.dst<uint32_t>(op.result)[l] = MBarrier::pendingOf(x.lane(op.operand, l));
  });
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// The operands around the address: [result,] [address], operand...
static bool takeOperands(Decoder &d, const ir::Instruction &inst,
                         MBarrierOp &op, size_t &at) {
  at = 0;
  while (at < inst.operands.size() &&
         !inst.operands[at].is(ir::Operand::Kind::Address))
    ++at;
  if (at == inst.operands.size() || at > 1)
    return false;
  op.address = d.address(inst.operands[at]);
  op.generic = !hasPrefix(inst, "shared");
  return true;
}

static Handler decodeWait(Decoder &d, const ir::Instruction &inst,
                          MBarrierOp &op) {
  size_t at;
  op.verb = Verb::Wait;
  if (!takeOperands(d, inst, op, at) || at != 1 || inst.operands.size() < 3)
    return nullptr;
  op.parity = inst.has("parity");
  op.isTry = inst.has("try_wait");
  op.result = d.destination(inst.operands[0], ir::Type::Pred);
  op.operand =
      d.source(inst.operands[2], op.parity ? ir::Type::B32 : ir::Type::B64);
  return runWait;
}

static Handler decodeArrive(Decoder &d, const ir::Instruction &inst,
                            MBarrierOp &op) {
  size_t at;
  op.verb = Verb::Arrive;
  if (!takeOperands(d, inst, op, at) || inst.operands.size() > at + 2)
    return nullptr;
  op.arrival.drop = inst.has("arrive_drop");
  op.arrival.noComplete = inst.has("noComplete");
  op.arrival.expects = inst.has("expect_tx");
  if (at == 1)
    op.result = d.destination(inst.operands[0], ir::Type::B64);
  if (inst.operands.size() == at + 2)
    op.operand = d.source(inst.operands[at + 1], ir::Type::B32);
  else if (op.arrival.expects || op.arrival.noComplete)
    return nullptr;
  return runArrive;
}

static Handler decodeTx(Decoder &d, const ir::Instruction &inst,
                        MBarrierOp &op) {
  size_t at;
  op.verb = inst.has("expect_tx") ? Verb::ExpectTx : Verb::CompleteTx;
  if (!takeOperands(d, inst, op, at) || at != 0 || inst.operands.size() != 2)
    return nullptr;
  op.operand = d.source(inst.operands[1], ir::Type::B32);
  return runTx;
}

static Handler decodeVerb(Decoder &d, const ir::Instruction &inst,
                          MBarrierOp &op) {
  llvm::StringRef verb = inst.modifiers.empty() ? "" : inst.modifiers[0];
  if (verb == "arrive" || verb == "arrive_drop")
    return decodeArrive(d, inst, op);
  if (verb == "test_wait" || verb == "try_wait")
    return decodeWait(d, inst, op);
  if (verb == "expect_tx" || verb == "complete_tx")
    return decodeTx(d, inst, op);
  size_t at;
  if (verb == "pending_count" && inst.operands.size() == 2) {
    op.result = d.destination(inst.operands[0], ir::Type::B32);
    op.operand = d.source(inst.operands[1], ir::Type::B64);
    return op.result ? runPendingCount : nullptr;
  }
  if (verb == "init" && inst.operands.size() == 2 &&
      takeOperands(d, inst, op, at)) {
    op.operand = d.source(inst.operands[1], ir::Type::B32);
    return runInit;
  }
  if (verb == "inval" && inst.operands.size() == 1 &&
      takeOperands(d, inst, op, at))
    return runInval;
  return nullptr;
}

void decodeMBarrier(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!inst.has("b64"))
    return;
  auto &op = *d.extra<MBarrierOp>(out);
  op.name = "mbarrier";
  if (!inst.modifiers.empty())
    op.name += "." + inst.modifiers[0].str();
  op.relaxed = inst.has("relaxed");
  out.handler = decodeVerb(d, inst, op);
  d.setOps(out, {op.result, op.address.base, op.operand});
}

} // namespace attn::ptx
