//===- AtomicOps.cpp - atom and red
//-----------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/AddressSpaces.h"
#include "PTXSim/Ops/FloatMath.h"
#include "PTXSim/Ops/IntegerMath.h"

using namespace llvm;

namespace attn::ptx {

using Kind = ir::Operand::Kind;

namespace {
/// One element, as bits: old value, operand b, operand c of cas.
using Update = uint64_t (*)(uint64_t old, uint64_t b, uint64_t c);

struct AtomicForm : MemoryForm {
  Update update = nullptr;
  Update updateGlobal = nullptr; ///< Where global memory differs.
  unsigned elements = 1, elementBytes = 0;
  bool returns = false, isCas = false, isExchange = false;
};

template <typename T, typename F>
uint64_t integer(uint64_t old, uint64_t b, uint64_t) {
  return uint64_t(toSlot<T>(F()(T(old), T(b))));
}
template <bool up> uint64_t count(uint64_t old, uint64_t b, uint64_t) {
  uint32_t o = uint32_t(old), limit = uint32_t(b);
  if (up)
    return o >= limit ? 0 : o + 1;
  return o == 0 || o > limit ? limit : o - 1;
}
uint64_t exchange(uint64_t, uint64_t b, uint64_t) { return b; }
uint64_t compareAndSwap(uint64_t old, uint64_t b, uint64_t c) {
  return old == b ? c : old;
}
uint64_t bitAnd(uint64_t old, uint64_t b, uint64_t) { return old & b; }
uint64_t bitOr(uint64_t old, uint64_t b, uint64_t) { return old | b; }
uint64_t bitXor(uint64_t old, uint64_t b, uint64_t) { return old ^ b; }

uint64_t addF32(uint64_t old, uint64_t b, uint64_t) {
  float sum = bit_cast<float>(uint32_t(old)) + bit_cast<float>(uint32_t(b));
  return bit_cast<uint32_t>(canonical(sum));
}
/// In global memory subnormal operands and sums are zeros.
uint64_t addFlushedF32(uint64_t old, uint64_t b, uint64_t) {
  float sum = flushSubnormal(bit_cast<float>(uint32_t(old))) +
              flushSubnormal(bit_cast<float>(uint32_t(b)));
  return bit_cast<uint32_t>(canonical(flushSubnormal(sum)));
}
uint64_t addF64(uint64_t old, uint64_t b, uint64_t) {
  return bit_cast<uint64_t>(bit_cast<double>(old) + bit_cast<double>(b));
}

enum class HalfOp : uint8_t { Add, Min, Max };
template <bool isBF16, HalfOp op> uint32_t half(uint32_t old, uint32_t b) {
  constexpr Format format = isBF16 ? formatBF16 : formatF16;
  double x = decodeFloat(format, old & 0xffff),
         y = decodeFloat(format, b & 0xffff);
  double value = op == HalfOp::Add ? addOdd(x, y)
                 : x != x          ? y
                 : y != y          ? x
                 : x == y ? (std::signbit(x) == (op == HalfOp::Min) ? x : y)
                 : (x < y) == (op == HalfOp::Min) ? x
                                                  : y;
  return encodeFloat(format, value, Rounding::Nearest);
}
template <bool isBF16, HalfOp op, bool pair>
uint64_t halfUpdate(uint64_t old, uint64_t b, uint64_t) {
  uint32_t result = half<isBF16, op>(uint32_t(old), uint32_t(b));
  if (pair)
    result |= half<isBF16, op>(uint32_t(old) >> 16, uint32_t(b) >> 16) << 16;
  return result;
}
template <HalfOp op> Update pickHalf(ir::Type type) {
  switch (type) {
  case ir::Type::F16:
    return halfUpdate<false, op, false>;
  case ir::Type::F16x2:
    return halfUpdate<false, op, true>;
  case ir::Type::BF16:
    return halfUpdate<true, op, false>;
  case ir::Type::BF16x2:
    return halfUpdate<true, op, true>;
  default:
    return nullptr;
  }
}

template <template <typename> class F> Update pickInteger(ir::Type type) {
  switch (type) {
  case ir::Type::U32:
    return integer<uint32_t, F<uint32_t>>;
  case ir::Type::S32:
    return integer<int32_t, F<int32_t>>;
  case ir::Type::U64:
    return integer<uint64_t, F<uint64_t>>;
  case ir::Type::S64:
    return integer<int64_t, F<int64_t>>;
  default:
    return nullptr;
  }
}

Update pickUpdate(const ir::Instruction &inst, ir::Type type) {
  if (inst.has("exch"))
    return exchange;
  if (inst.has("cas"))
    return compareAndSwap;
  if (inst.has("add")) {
    if (type == ir::Type::F32)
      return addF32;
    if (type == ir::Type::F64)
      return addF64;
    Update halves = pickHalf<HalfOp::Add>(type);
    return halves ? halves : pickInteger<AddInt>(type);
  }
  if (inst.has("min")) {
    Update halves = pickHalf<HalfOp::Min>(type);
    return halves ? halves : pickInteger<MinInt>(type);
  }
  if (inst.has("max")) {
    Update halves = pickHalf<HalfOp::Max>(type);
    return halves ? halves : pickInteger<MaxInt>(type);
  }
  if (type == ir::Type::U32 && (inst.has("inc") || inst.has("dec")))
    return inst.has("inc") ? count<true> : count<false>;
  if (inst.has("and"))
    return bitAnd;
  if (inst.has("or"))
    return bitOr;
  return inst.has("xor") ? bitXor : nullptr;
}

/// Whether PTX has the operation for the type.
bool isLegal(const ir::Instruction &inst, ir::Type type, unsigned elements) {
  using T = ir::Type;
  bool half = type == T::F16 || type == T::BF16 || type == T::F16x2 ||
              type == T::BF16x2;
  bool bits = type == T::B32 || type == T::B64;
  bool unsignedWord = type == T::U32;
  bool integer =
      unsignedWord || type == T::S32 || type == T::U64 || type == T::S64;
  if (half)
    return inst.has("noftz") &&
           (inst.has("add") ||
            (elements > 1 && (inst.has("min") || inst.has("max"))));
  if (inst.has("noftz") || (elements > 1 && type != T::F32))
    return false;
  if (inst.has("add"))
    return (integer && type != T::S64) || type == T::F32 || type == T::F64;
  if (elements > 1)
    return false;
  if (inst.has("min") || inst.has("max"))
    return integer;
  if (inst.has("inc") || inst.has("dec"))
    return unsignedWord;
  if (inst.has("exch"))
    return bits || type == T::B128;
  if (inst.has("cas"))
    return bits || type == T::B128 || type == T::B16;
  return bits; // and, or, xor
}

/// ops: elements of d (or none), elements of b, c of cas.
Step atomic(Exec &x, const Inst &i) {
  const auto &form = *static_cast<const AtomicForm *>(i.extra);
  const Opnd *d = i.ops, *b = i.ops + (form.returns ? form.elements : 0);
  const Opnd *c = b + form.elements;
  bool changed = false;
  bool ok =
      updateBytes(x, i, form, [&](unsigned l, uint8_t *cell, MemSpace space) {
        Update update =
            space == MemSpace::Global ? form.updateGlobal : form.update;
        bool written = false;
        for (unsigned k = 0; k != form.elements; ++k) {
          uint8_t *at = cell + k * form.elementBytes;
          uint64_t old = 0;
          std::memcpy(&old, at, form.elementBytes);
          uint64_t value =
              update(old, x.lane(b[k], l), form.isCas ? x.lane(*c, l) : 0);
          written |= !form.isCas || old == x.lane(b[k], l);
          changed |= value != old;
          std::memcpy(at, &value, form.elementBytes);
          if (!form.returns || !d[k])
            continue;
          if (d[k].cls == RegClass::R64)
            x.dst<uint64_t>(d[k])[l] = old;
          else
            x.dst<uint32_t>(d[k])[l] = uint32_t(old);
        }
        return written;
      });
  if (!ok)
    return Step::Fault;
  changed ? x.noteProgress() : x.notePoll();
  return Step::Next;
}

/// 128-bit exchange and compare-and-swap. ops: d, b, c
Step atomic128(Exec &x, const Inst &i) {
  const auto &form = *static_cast<const AtomicForm *>(i.extra);
  auto *d = x.dst<uint64_t>(i.ops[0]);
  auto *b = x.src<uint64_t>(i.ops[1]);
  auto *c = x.src<uint64_t>(i.ops[form.isCas ? 2 : 1]);
  bool changed = false;
  bool ok = updateBytes(x, i, form, [&](unsigned l, uint8_t *cell, MemSpace) {
    uint64_t old[2], value[2] = {c[l], c[l + kLanes]};
    std::memcpy(old, cell, 16);
    bool equal = old[0] == b[l] && old[1] == b[l + kLanes];
    bool write = !form.isCas || equal;
    if (write)
      std::memcpy(cell, value, 16);
    changed |= write && (old[0] != value[0] || old[1] != value[1]);
    d[l] = old[0];
    d[l + kLanes] = old[1];
    return write;
  });
  if (!ok)
    return Step::Fault;
  changed ? x.noteProgress() : x.notePoll();
  return Step::Next;
}

void decodeOperands(Decoder &d, const ir::Instruction &inst, Inst &out,
                    AtomicForm &form, ir::Type type) {
  const auto &in = inst.operands;
  size_t at = form.returns ? 1 : 0;
  form.address = d.address(in[at]);
  SmallVector<Opnd, 10> ops;
  auto add = [&](const ir::Operand &op, bool isSource) {
    bool isVector = op.is(Kind::Vector);
    if ((isVector ? op.elements.size() : 1) != form.elements)
      d.error("wrong number of elements");
    for (unsigned k = 0; k != form.elements; ++k) {
      const ir::Operand &element =
          isVector && k < op.elements.size() ? op.elements[k] : op;
      ops.push_back(isSource ? d.source(element, type)
                             : d.destination(element, type));
    }
  };
  if (form.returns)
    add(in[0], false);
  add(in[at + 1], true);
  if (form.isCas)
    ops.push_back(d.source(in[at + 2], type));
  d.setOps(out, ops);
}

void decodeAtomic(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (inst.opcode == "red" && inst.has("async"))
    return decodeReduceAsync(d, inst, out);
  auto *form = d.extra<AtomicForm>(out);
  if (!decodeMemoryForm(d, inst, *form,
                        {"add", "min", "max", "and", "or", "xor", "exch", "cas",
                         "inc", "dec", "noftz", "v2", "v4", "v8"}))
    return;
  ir::Type type = inst.type();
  form->returns = inst.opcode == "atom";
  form->isCas = inst.has("cas");
  form->isExchange = inst.has("exch");
  size_t least = 2 + form->returns + form->isCas;
  if (!hasOperands(d, inst, least, least + 1))
    return;
  // Without .sem they are relaxed, without .scope of the GPU.
  if (form->order == Order::Weak)
    form->order = Order::Relaxed;
  bool hasScope = inst.has("cta") || inst.has("cluster") || inst.has("sys");
  if (!hasScope)
    form->scope = Scope::Gpu;
  form->elements = inst.has("v2")   ? 2
                   : inst.has("v4") ? 4
                   : inst.has("v8") ? 8
                                    : 1;
  form->elementBytes = ir::bitWidth(type) / 8;
  form->bytes = form->alignment = form->elements * form->elementBytes;
  form->update = form->updateGlobal = pickUpdate(inst, type);
  if (form->update == Update(addF32))
    form->updateGlobal = addFlushedF32;
  if (!form->update || !isLegal(inst, type, form->elements) || form->bytes > 16)
    return;
  decodeOperands(d, inst, out, *form, type);
  if (form->elementBytes < 16)
    out.handler = atomic;
  else if (form->returns && (form->isCas || form->isExchange))
    out.handler = atomic128;
}
} // namespace

void registerAtomicOps(OpTable &table) {
  table.add("atom", decodeAtomic);
  table.add("red", decodeAtomic);
}

} // namespace attn::ptx
