//===- StoreAsync.cpp - st.async and red.async ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores and reductions into the shared memory of the cluster that count as
// transactions of an mbarrier beside their target. Each lane's is an operation
// of its own, in the generic proxy.
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/AsyncHandlers.h"
#include "PTXSim/Async/Destinations.h"
#include "PTXSim/Ops/OpHelpers.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

namespace attn::ptx {

namespace {
struct StoreAsync {
  AddressOpnd target, barrier;
  llvm::SmallVector<Opnd, 4> values;
  uint32_t elementBytes = 0;
  bool generic = false;
  ReduceFn reduce = nullptr; ///< Null: a store.

  uint32_t bytes() const { return elementBytes * uint32_t(values.size()); }
};
} // namespace

/// The operation of one lane, which has its value from the start.
static std::unique_ptr<Operation> makeStore(Exec &x, const Inst &inst,
                                            const StoreAsync &s, unsigned lane,
                                            uint64_t target, uint64_t barrier) {
  auto op = std::make_unique<Operation>(x.warp);
  op->lanes = 1u << lane;
  op->line = inst.line;
  op->proxy = Proxy::Generic;
  op->reduces = s.reduce != nullptr;
  Operation::Range range;
  range.lane = uint8_t(lane);
  range.space = MemSpace::Shared;
  range.address = target;
  range.bytes = s.bytes();
  op->writes.push_back(range);
  op->completions.push_back({barrier, s.bytes()});
  std::array<uint8_t, 32> data{};
  for (size_t k = 0; k != s.values.size(); ++k) {
    uint64_t bits = x.lane(s.values[k], lane);
    std::memcpy(data.data() + k * s.elementBytes, &bits, s.elementBytes);
  }
  op->write = [&memory = memoryOf(x), &self = *op, data, reduce = s.reduce] {
    const Operation::Range &r = self.writes[0];
    uint8_t *to = memory.bytes(r.space, r.address, r.bytes);
    if (!to)
      return memory.reportGone(*self.warp, r.lane, self.line);
    if (reduce)
      reduce(to, data.data());
    else
      std::memcpy(to, data.data(), r.bytes);
    return true;
  };
  return op;
}

static Step runStoreAsync(Exec &x, const Inst &inst) {
  const auto &s = *static_cast<const StoreAsync *>(inst.extra);
  const char *name = s.reduce ? "red.async" : "st.async";
  uint64_t target[kLanes], barrier[kLanes];
  x.addresses(s.target, target);
  x.addresses(s.barrier, barrier);
  for (uint32_t mask = x.active; mask; mask &= mask - 1) {
    unsigned l = llvm::countr_zero(mask);
    uint64_t to = sharedAddress(target[l], s.generic);
    uint64_t at = sharedAddress(barrier[l], s.generic);
    if (to % s.bytes())
      return x.fault(inst, FindingKind::Misaligned,
                     std::string(name) + ": address 0x" +
                         llvm::utohexstr(to, true) + " is not a multiple of " +
                         llvm::utostr(s.bytes()) + ".");
    if (to >> 24 != at >> 24)
      return x.fault(inst, FindingKind::AsyncMisuse,
                     std::string(name) + " into the shared memory of CTA " +
                         llvm::utostr(to >> 24) +
                         " of the cluster with an mbarrier of CTA " +
                         llvm::utostr(at >> 24) + ".");
    auto op = makeStore(x, inst, s, l, to, at);
    if (!checkCompletions(x, inst, *op) || !engineOf(x).issue(std::move(op)))
      return Step::Fault;
  }
  return Step::Next;
}

/// [a], b or {b, ...}, [mbar]
static void decodeOperands(Decoder &d, const ir::Instruction &inst, Inst &out,
                           StoreAsync &s, unsigned elements) {
  ir::Type type = inst.type();
  s.elementBytes = ir::bitWidth(type) / 8;
  s.generic = !inst.has("shared::cluster");
  s.target = d.address(inst.operands[0]);
  const ir::Operand &value = inst.operands[1];
  bool isVector = value.is(ir::Operand::Kind::Vector);
  if ((isVector ? value.elements.size() : 1) != elements ||
      s.elementBytes * elements > 16)
    return d.error("wrong number of elements");
  for (unsigned k = 0; k != elements; ++k)
    s.values.push_back(d.source(isVector ? value.elements[k] : value, type));
  s.barrier = d.address(inst.operands[2]);
  llvm::SmallVector<Opnd, 6> reads{s.target.base, s.barrier.base};
  reads.append(s.values.begin(), s.values.end());
  d.setOps(out, reads);
  out.handler = runStoreAsync;
}

void decodeStoreAsync(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 3) ||
      !onlyModifiers(d, inst,
                     {"async", "weak", "shared::cluster",
                      "mbarrier::complete_tx::bytes", "v2", "v4"}))
    return;
  unsigned width = ir::bitWidth(inst.type());
  if ((width != 32 && width != 64) || !inst.has("mbarrier::complete_tx::bytes"))
    return;
  unsigned elements = inst.has("v2") ? 2 : inst.has("v4") ? 4 : 1;
  decodeOperands(d, inst, out, *d.extra<StoreAsync>(out), elements);
}

void decodeReduceAsync(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 3) ||
      !onlyModifiers(d, inst,
                     {"async", "relaxed", "cluster", "shared::cluster",
                      "mbarrier::complete_tx::bytes", "inc", "dec", "min",
                      "max", "and", "or", "xor", "add"}))
    return;
  ir::Type type = inst.type();
  llvm::StringRef name;
  for (llvm::StringRef op :
       {"inc", "dec", "min", "max", "and", "or", "xor", "add"})
    if (inst.has(op))
      name = op;
  bool counts = name == "inc" || name == "dec";
  bool orders = name == "min" || name == "max";
  bool fits =
      type == ir::Type::U32   ? counts || orders || name == "add"
      : type == ir::Type::S32 ? orders || name == "add"
      : type == ir::Type::B32
          ? name == "and" || name == "or" || name == "xor"
          : (type == ir::Type::U64 || type == ir::Type::S64) && name == "add";
  if (!fits || !inst.has("relaxed") || !inst.has("cluster") ||
      !inst.has("mbarrier::complete_tx::bytes"))
    return;
  auto &s = *d.extra<StoreAsync>(out);
  s.reduce = findReduction(name, type == ir::Type::U32   ? ReduceType::U32
                                 : type == ir::Type::S32 ? ReduceType::S32
                                 : type == ir::Type::B32 ? ReduceType::B32
                                                         : ReduceType::U64);
  decodeOperands(d, inst, out, s, 1);
}

} // namespace attn::ptx
