//===- MoveOps.cpp - mov, selp, slct, cvta, isspacep, mapa
//------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/OpHelpers.h"

using namespace llvm;

namespace attn::ptx {

using Kind = ir::Operand::Kind;

namespace {
template <typename T> Step move(Exec &x, const Inst &i) {
  auto *d = x.dst<T>(i.ops[0]);
  auto *a = x.src<T>(i.ops[1]);
  x.forLanes([&](unsigned l) { d[l] = a[l]; });
  return Step::Next;
}

Step movePred(Exec &x, const Inst &i) {
  x.setPred(i.ops[0], x.pred(i.ops[1]));
  return Step::Next;
}

Step move128(Exec &x, const Inst &i) {
  auto *d = x.dst<uint64_t>(i.ops[0]);
  auto *a = x.src<uint64_t>(i.ops[1]);
  x.forLanes([&](unsigned l) {
    d[l] = a[l];
    d[l + kLanes] = a[l + kLanes];
  });
  return Step::Next;
}

/// Parts of `bits` bits each to one register: ops are the whole, then parts.
Step pack(Exec &x, const Inst &i) {
  unsigned bits = unsigned(i.imm);
  // A register that nothing has written may hold more than its bits.
  uint64_t mask = bits < 64 ? (uint64_t(1) << bits) - 1 : ~uint64_t(0);
  const Opnd &whole = i.ops[0];
  x.forLanes([&](unsigned l) {
    uint64_t words[2] = {0, 0};
    for (unsigned k = 1; k != i.numOps; ++k) {
      unsigned at = (k - 1) * bits;
      words[at / 64] |= (x.lane(i.ops[k], l) & mask) << (at % 64);
    }
    if (whole.cls == RegClass::R32)
      x.dst<uint32_t>(whole)[l] = uint32_t(words[0]);
    else
      x.dst<uint64_t>(whole)[l] = words[0];
    if (whole.cls == RegClass::R128)
      x.dst<uint64_t>(whole)[l + kLanes] = words[1];
  });
  return Step::Next;
}

Step unpack(Exec &x, const Inst &i) {
  unsigned bits = unsigned(i.imm);
  const Opnd &whole = i.ops[0];
  x.forLanes([&](unsigned l) {
    uint64_t words[2] = {x.lane(whole, l), 0};
    if (whole.cls == RegClass::R128)
      words[1] = x.src<uint64_t>(whole)[l + kLanes];
    for (unsigned k = 1; k != i.numOps; ++k) {
      if (!i.ops[k])
        continue;
      unsigned at = (k - 1) * bits;
      uint64_t part = words[at / 64] >> (at % 64);
      if (i.ops[k].cls == RegClass::R64)
        x.dst<uint64_t>(i.ops[k])[l] = part;
      else
        x.dst<uint32_t>(i.ops[k])[l] =
            uint32_t(bits < 32 ? part & ((1u << bits) - 1) : part);
    }
  });
  return Step::Next;
}

ir::Type bitsType(unsigned bits) {
  return bits == 8    ? ir::Type::B8
         : bits == 16 ? ir::Type::B16
         : bits == 32 ? ir::Type::B32
         : bits == 64 ? ir::Type::B64
                      : ir::Type::None;
}

/// mov.b64 %rd, {%r0, %r1} and the other way round.
void decodePack(Decoder &d, const ir::Instruction &inst, Inst &out) {
  bool packing = inst.operands[1].is(Kind::Vector);
  const ir::Operand &parts = inst.operands[packing ? 1 : 0];
  const ir::Operand &whole = inst.operands[packing ? 0 : 1];
  unsigned bits = ir::bitWidth(inst.type());
  size_t n = parts.elements.size();
  ir::Type part =
      n == 2 || n == 4 ? bitsType(bits / unsigned(n)) : ir::Type::None;
  if (part == ir::Type::None) {
    d.error("cannot take registers apart this way");
    return;
  }
  SmallVector<Opnd, 5> ops{packing ? destinationOf(d, whole, inst.type())
                                   : d.source(whole, inst.type())};
  for (const ir::Operand &op : parts.elements)
    ops.push_back(packing ? d.source(op, part) : d.destination(op, part));
  d.setOps(out, ops);
  out.imm = ir::bitWidth(part);
  out.handler = packing ? pack : unpack;
}

void decodeMov(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 2) || !onlyModifiers(d, inst, {}))
    return;
  if (inst.operands[0].is(Kind::Vector) || inst.operands[1].is(Kind::Vector))
    return decodePack(d, inst, out);
  ir::Type type = inst.type();
  setOps(d, inst, out, type);
  unsigned bits = ir::bitWidth(type);
  out.handler = type == ir::Type::Pred ? movePred
                : bits == 128          ? move128
                : bits == 64           ? move<uint64_t>
                : bits                 ? move<uint32_t>
                                       : nullptr;
}

template <typename T> Step select(Exec &x, const Inst &i) {
  auto *d = x.dst<T>(i.ops[0]);
  auto *a = x.src<T>(i.ops[1]), *b = x.src<T>(i.ops[2]);
  uint32_t p = x.pred(i.ops[3]);
  x.forLanes([&](unsigned l) { d[l] = p >> l & 1 ? a[l] : b[l]; });
  return Step::Next;
}

void decodeSelp(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 4) || !onlyModifiers(d, inst, {}))
    return;
  ir::Type type = inst.type();
  d.setOps(out,
           {destinationOf(d, inst.operands[0], type),
            d.source(inst.operands[1], type), d.source(inst.operands[2], type),
            d.predicate(inst.operands[3])});
  unsigned bits = ir::bitWidth(type);
  out.handler = bits == 64                 ? select<uint64_t>
                : bits == 16 || bits == 32 ? select<uint32_t>
                                           : nullptr;
}

struct FlushedSingle {
  uint32_t bits;
  FlushedSingle(uint32_t c) : bits(c & 0x7f800000 ? c : 0) {}
  bool operator>=(int) const { return bit_cast<float>(bits) >= 0; }
};

/// slct: c >= 0 chooses a; NaN chooses b, -0 counts as 0.
template <typename T, typename C> Step chooseBySign(Exec &x, const Inst &i) {
  auto *d = x.dst<T>(i.ops[0]);
  auto *a = x.src<T>(i.ops[1]), *b = x.src<T>(i.ops[2]);
  auto *c = x.src<uint32_t>(i.ops[3]);
  x.forLanes([&](unsigned l) {
    bool first;
    if constexpr (std::is_class_v<C>)
      first = C(c[l]) >= 0;
    else
      first = fromSlot<C>(c[l]) >= 0;
    d[l] = first ? a[l] : b[l];
  });
  return Step::Next;
}

void decodeSlct(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 4) || !onlyModifiers(d, inst, {"ftz"}))
    return;
  ir::Type type = inst.type(0), by = inst.type(1);
  d.setOps(out,
           {destinationOf(d, inst.operands[0], type),
            d.source(inst.operands[1], type), d.source(inst.operands[2], type),
            d.source(inst.operands[3], by)});
  bool wide = ir::bitWidth(type) == 64;
  if (by == ir::Type::S32)
    out.handler = wide ? chooseBySign<uint64_t, int32_t>
                       : chooseBySign<uint32_t, int32_t>;
  else if (by == ir::Type::F32 && inst.has("ftz"))
    out.handler = wide ? chooseBySign<uint64_t, FlushedSingle>
                       : chooseBySign<uint32_t, FlushedSingle>;
  else if (by == ir::Type::F32)
    out.handler =
        wide ? chooseBySign<uint64_t, float> : chooseBySign<uint32_t, float>;
}

//===----------------------------------------------------------------------===//
// Address spaces
//===----------------------------------------------------------------------===//

uint64_t windowOf(const ir::Instruction &inst) {
  if (inst.has("shared") || inst.has("shared::cta") ||
      inst.has("shared::cluster"))
    return kSharedWindow;
  if (inst.has("local"))
    return kLocalWindow;
  if (inst.has("param") || inst.has("param::entry"))
    return kParamWindow;
  return 0;
}

/// imm is added: the window, or its negative with `to`.
Step convertAddress(Exec &x, const Inst &i) {
  return mapUnary<uint64_t, uint64_t>(x, i,
                                      [&](uint64_t a) { return a + i.imm; });
}

void decodeCvta(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 2) || ir::bitWidth(inst.type()) != 64)
    return;
  bool to = inst.has("to");
  ir::Type type = inst.type();
  const ir::Operand &from = inst.operands[1];
  // A shared variable as such: its address has 32 bits, here widened.
  setOps(d, inst, out, type);
  (void)from;
  out.imm = to ? 0 - windowOf(inst) : windowOf(inst);
  out.handler = convertAddress;
}

Step isInSpace(Exec &x, const Inst &i) {
  auto *a = x.src<uint64_t>(i.ops[1]);
  uint32_t result = 0;
  uint64_t window = i.imm;
  x.forLanes([&](unsigned l) {
    bool inside;
    if (window) {
      inside = a[l] - window < kWindowBytes;
      // .shared::cta: this CTA's part of the window only.
      if (i.flags)
        inside &= uint32_t(a[l] - window) >> 24 == x.cta.rank;
    } else {
      inside = a[l] - kSharedWindow >= kWindowBytes &&
               a[l] - kLocalWindow >= kWindowBytes &&
               a[l] - kParamWindow >= kWindowBytes;
    }
    result |= uint32_t(inside) << l;
  });
  x.setPred(i.ops[0], result);
  return Step::Next;
}

void decodeIsSpace(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 2))
    return;
  d.setOps(out, {destinationOf(d, inst.operands[0], ir::Type::Pred),
                 d.source(inst.operands[1], ir::Type::U64)});
  out.imm = windowOf(inst);
  out.flags = inst.has("shared") || inst.has("shared::cta");
  out.handler = isInSpace;
}

/// The same offset in the shared memory of another CTA of the cluster.
template <typename T> Step mapAddress(Exec &x, const Inst &i) {
  auto *d = x.dst<T>(i.ops[0]);
  auto *a = x.src<T>(i.ops[1]);
  auto *rank = x.src<uint32_t>(i.ops[2]);
  uint32_t size = uint32_t(x.cluster.ctas.size());
  bool fits = true;
  x.forLanes([&](unsigned l) {
    fits &= rank[l] < size;
    d[l] = (a[l] & ~T(0xff000000)) | T(rank[l] << 24);
  });
  if (!fits)
    return x.fault(i, FindingKind::OutOfBounds,
                   "mapa names a CTA outside the cluster");
  return Step::Next;
}

template <typename T> Step rankOfAddress(Exec &x, const Inst &i) {
  auto *d = x.dst<uint32_t>(i.ops[0]);
  auto *a = x.src<T>(i.ops[1]);
  x.forLanes([&](unsigned l) { d[l] = uint32_t(a[l]) >> 24; });
  return Step::Next;
}

void decodeMapa(Decoder &d, const ir::Instruction &inst, Inst &out) {
  bool isMap = inst.opcode == "mapa";
  if (!hasOperands(d, inst, isMap ? 3 : 2) ||
      !onlyModifiers(d, inst, {"shared::cluster"}))
    return;
  ir::Type type = inst.type();
  bool wide = type == ir::Type::U64;
  if (!isMap) {
    d.setOps(out, {destinationOf(d, inst.operands[0], ir::Type::U32),
                   d.source(inst.operands[1], type)});
    out.handler = wide ? rankOfAddress<uint64_t> : rankOfAddress<uint32_t>;
    return;
  }
  d.setOps(out, {destinationOf(d, inst.operands[0], type),
                 d.source(inst.operands[1], type),
                 d.source(inst.operands[2], ir::Type::U32)});
  out.handler = wide ? mapAddress<uint64_t> : mapAddress<uint32_t>;
}
} // namespace

void registerMoveOps(OpTable &table) {
  table.add("mov", decodeMov);
  table.add("selp", decodeSelp);
  table.add("slct", decodeSlct);
  table.add("cvta", decodeCvta);
  table.add("isspacep", decodeIsSpace);
  table.add("mapa", decodeMapa);
  table.add("getctarank", decodeMapa);
}

} // namespace attn::ptx
