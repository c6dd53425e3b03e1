//===- MemoryOps.cpp - ld, st, prefetch and cache control
//-------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/AddressSpaces.h"

using namespace llvm;

namespace attn::ptx {

namespace {
struct LoadStore : MemoryForm {
  uint8_t elementBytes = 0;
  bool isSigned = false;
  bool polls = false;
  /// Width of each register, for sign extension into 16-bit registers.
  SmallVector<uint8_t, 8> registerBits;
};

/// Element k of every lane to register k.
template <typename E, typename T>
void scatter(Exec &x, const uint8_t *data, uint32_t stride, T *d, T keep) {
  using Slot = T;
  x.forLanes([&](unsigned l) {
    E value;
    std::memcpy(&value, data + l * stride, sizeof(E));
    d[l] = Slot(std::make_signed_t<Slot>(value)) & keep;
  });
}

template <typename E>
void scatterTo(Exec &x, Opnd op, const uint8_t *data, uint32_t stride,
               unsigned registerBits) {
  if (op.cls == RegClass::R64)
    scatter<E, uint64_t>(x, data, stride, x.dst<uint64_t>(op), ~0ull);
  else
    scatter<E, uint32_t>(x, data, stride, x.dst<uint32_t>(op),
                         registerBits < 32 ? (1u << registerBits) - 1 : ~0u);
}

void scatter128(Exec &x, Opnd op, const uint8_t *data, uint32_t stride) {
  auto *d = x.dst<uint64_t>(op);
  x.forLanes([&](unsigned l) {
    std::memcpy(&d[l], data + l * stride, 8);
    std::memcpy(&d[l + kLanes], data + l * stride + 8, 8);
  });
}

Step load(Exec &x, const Inst &i) {
  const auto &form = *static_cast<const LoadStore *>(i.extra);
  alignas(64) uint8_t data[kLanes * 32];
  if (!loadBytes(x, i, form, data))
    return Step::Fault;
  if (form.polls)
    x.notePoll();
  for (unsigned k = 0; k != i.numOps; ++k) {
    Opnd op = i.ops[k];
    if (!op)
      continue;
    const uint8_t *element = data + k * form.elementBytes;
    unsigned bits = form.registerBits[k];
    switch (form.elementBytes) {
    case 1:
      form.isSigned ? scatterTo<int8_t>(x, op, element, form.bytes, bits)
                    : scatterTo<uint8_t>(x, op, element, form.bytes, bits);
      break;
    case 2:
      form.isSigned ? scatterTo<int16_t>(x, op, element, form.bytes, bits)
                    : scatterTo<uint16_t>(x, op, element, form.bytes, bits);
      break;
    case 4:
      form.isSigned ? scatterTo<int32_t>(x, op, element, form.bytes, bits)
                    : scatterTo<uint32_t>(x, op, element, form.bytes, bits);
      break;
    case 8:
      scatterTo<uint64_t>(x, op, element, form.bytes, bits);
      break;
    case 16:
      scatter128(x, op, element, form.bytes);
      break;
    }
  }
  return Step::Next;
}

template <typename E>
void gather(Exec &x, Opnd op, uint8_t *data, uint32_t stride) {
  auto copy = [&](auto *a) {
    x.forLanes([&](unsigned l) {
      E value = E(a[l]);
      std::memcpy(data + l * stride, &value, sizeof(E));
    });
  };
  if (op.cls == RegClass::R64)
    copy(x.src<uint64_t>(op));
  else
    copy(x.src<uint32_t>(op));
}

Step store(Exec &x, const Inst &i) {
  const auto &form = *static_cast<const LoadStore *>(i.extra);
  alignas(64) uint8_t data[kLanes * 32];
  for (unsigned k = 0; k != i.numOps; ++k) {
    Opnd op = i.ops[k];
    uint8_t *element = data + k * form.elementBytes;
    switch (form.elementBytes) {
    case 1:
      gather<uint8_t>(x, op, element, form.bytes);
      break;
    case 2:
      gather<uint16_t>(x, op, element, form.bytes);
      break;
    case 4:
      gather<uint32_t>(x, op, element, form.bytes);
      break;
    case 8:
      gather<uint64_t>(x, op, element, form.bytes);
      break;
    case 16: {
      auto *a = x.src<uint64_t>(op);
      x.forLanes([&](unsigned l) {
        std::memcpy(element + l * form.bytes, &a[l], 8);
        std::memcpy(element + l * form.bytes + 8, &a[l + kLanes], 8);
      });
      break;
    }
    }
  }
  return storeBytes(x, i, form, data) ? Step::Next : Step::Fault;
}

/// ld and st differ in the order of their operands only.
void decodeLoadStore(Decoder &d, const ir::Instruction &inst, Inst &out) {
  bool isLoad = inst.opcode != "st";
  if (!isLoad && inst.has("async"))
    return decodeStoreAsync(d, inst, out);
  // A third operand is a cache policy.
  if (!hasOperands(d, inst, 2, 3))
    return;
  auto *form = d.extra<LoadStore>(out);
  if (!decodeMemoryForm(d, inst, *form, {"v2", "v4", "v8"}))
    return;
  unsigned vector = inst.has("v2")   ? 2
                    : inst.has("v4") ? 4
                    : inst.has("v8") ? 8
                                     : 1;
  ir::Type type = inst.type();
  if (type == ir::Type::None || type == ir::Type::Pred) {
    d.error("a load or store needs a type");
    return;
  }
  form->elementBytes = uint8_t(ir::bitWidth(type) / 8);
  form->bytes = form->alignment = form->elementBytes * vector;
  form->isSigned = isSignedType(type);
  form->polls = isLoad && form->order != Order::Weak;
  form->address = d.address(inst.operands[isLoad ? 1 : 0]);
  const ir::Operand &value = inst.operands[isLoad ? 0 : 1];
  bool isVector = value.is(ir::Operand::Kind::Vector);
  if ((isVector ? value.elements.size() : 1) != vector || form->bytes > 32) {
    d.error("wrong number of elements");
    return;
  }
  SmallVector<Opnd, 8> ops;
  for (unsigned k = 0; k != vector; ++k) {
    const ir::Operand &op = isVector ? value.elements[k] : value;
    ops.push_back(isLoad ? d.wideDestination(op, type)
                         : d.wideSource(op, type));
    unsigned bits = 64;
    if (op.is(ir::Operand::Kind::Register))
      bits = ir::bitWidth(d.function().registers[op.reg].type);
    form->registerBits.push_back(uint8_t(bits));
  }
  d.setOps(out, ops);
  out.handler = isLoad ? load : store;
}

Step nothing(Exec &, const Inst &) { return Step::Next; }

/// Hints that change no value: prefetch, applypriority, discard.
void decodeHint(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (hasOperands(d, inst, 1, 2)) {
    d.address(inst.operands[0]);
    out.handler = nothing;
  }
}

/// createpolicy makes a value that only cache hints read.
Step makePolicy(Exec &x, const Inst &i) {
  auto *d = x.dst<uint64_t>(i.ops[0]);
  x.forLanes([&](unsigned l) { d[l] = 0x12f0000000000000; });
  return Step::Next;
}

void decodePolicy(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (inst.operands.empty() || inst.operands.size() > 4) {
    d.error("wrong number of operands");
    return;
  }
  d.setOps(out, destinationOf(d, inst.operands[0], ir::Type::B64));
  out.handler = makePolicy;
}
} // namespace

void registerMemoryOps(OpTable &table) {
  table.add("ld", decodeLoadStore);
  table.add("ldu", decodeLoadStore);
  table.add("st", decodeLoadStore);
  table.add("prefetch", decodeHint);
  table.add("prefetchu", decodeHint);
  table.add("applypriority", decodeHint);
  table.add("discard", decodeHint);
  table.add("createpolicy", decodePolicy);
}

} // namespace attn::ptx
