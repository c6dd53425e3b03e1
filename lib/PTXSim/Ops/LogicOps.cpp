//===- LogicOps.cpp - Bits: logic, shifts, fields, permutations
//-------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/BitMath.h"
#include "PTXSim/Ops/OpHelpers.h"

using namespace llvm;

namespace attn::ptx {

namespace {
//===----------------------------------------------------------------------===//
// and, or, xor, not, cnot
//===----------------------------------------------------------------------===//

struct AndBits {
  template <typename T> T operator()(T a, T b) const { return a & b; }
};
struct OrBits {
  template <typename T> T operator()(T a, T b) const { return a | b; }
};
struct XorBits {
  template <typename T> T operator()(T a, T b) const { return a ^ b; }
};

template <typename F> Step logicPred(Exec &x, const Inst &i) {
  x.setPred(i.ops[0], F()(x.pred(i.ops[1]), x.pred(i.ops[2])));
  return Step::Next;
}
template <typename T, typename F> Step logic(Exec &x, const Inst &i) {
  return mapBinary<T, T>(x, i, F());
}
template <typename F> Handler pickLogic(ir::Type type) {
  switch (type) {
  case ir::Type::Pred:
    return logicPred<F>;
  case ir::Type::B16:
  case ir::Type::B32:
    return logic<uint32_t, F>;
  case ir::Type::B64:
    return logic<uint64_t, F>;
  default:
    return nullptr;
  }
}

void decodeLogic(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 3) || !onlyModifiers(d, inst, {}))
    return;
  setOps(d, inst, out, inst.type());
  out.handler = inst.opcode == "and"  ? pickLogic<AndBits>(inst.type())
                : inst.opcode == "or" ? pickLogic<OrBits>(inst.type())
                                      : pickLogic<XorBits>(inst.type());
}

Step notPred(Exec &x, const Inst &i) {
  x.setPred(i.ops[0], ~x.pred(i.ops[1]));
  return Step::Next;
}
template <typename T> Step notBits(Exec &x, const Inst &i) {
  return mapUnary<T, T>(x, i, [](T a) { return T(~a); });
}
template <typename T> Step notLogical(Exec &x, const Inst &i) {
  return mapUnary<T, T>(x, i, [](T a) { return T(a == 0); });
}

void decodeNot(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 2) || !onlyModifiers(d, inst, {}))
    return;
  setOps(d, inst, out, inst.type());
  bool logical = inst.opcode == "cnot";
  switch (inst.type()) {
  case ir::Type::Pred:
    out.handler = logical ? nullptr : notPred;
    break;
  case ir::Type::B16:
    out.handler = logical ? notLogical<uint16_t> : notBits<uint16_t>;
    break;
  case ir::Type::B32:
    out.handler = logical ? notLogical<uint32_t> : notBits<uint32_t>;
    break;
  case ir::Type::B64:
    out.handler = logical ? notLogical<uint64_t> : notBits<uint64_t>;
    break;
  default:
    break;
  }
}

//===----------------------------------------------------------------------===//
// lop3
//===----------------------------------------------------------------------===//

uint32_t lop3Value(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (unsigned k = 0; k != 8; ++k)
    if (table >> k & 1)
      result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  return result;
}

Step lop3(Exec &x, const Inst &i) {
  uint32_t table = uint32_t(i.imm);
  return mapTernary<uint32_t, uint32_t>(
      x, i, [=](uint32_t a, uint32_t b, uint32_t c) {
        return lop3Value(a, b, c, table);
      });
}

/// lop3.or / lop3.and: also p = (result != 0) op q.
Step lop3Bool(Exec &x, const Inst &i) {
  lop3(x, i);
  auto *d = x.src<uint32_t>(i.ops[0]);
  uint32_t set = 0;
  x.forLanes([&](unsigned l) { set |= uint32_t(d[l] != 0) << l; });
  uint32_t q = x.pred(i.ops[5]);
  x.setPred(i.ops[4], i.flags ? set & q : set | q);
  return Step::Next;
}

void decodeLop3(Decoder &d, const ir::Instruction &inst, Inst &out) {
  bool isBool = inst.has("or") || inst.has("and");
  if (!hasOperands(d, inst, isBool ? 6 : 5) ||
      !onlyModifiers(d, inst, {"or", "and"}))
    return;
  const auto &in = inst.operands;
  ir::Type b32 = ir::Type::B32;
  out.imm = d.immediate(in[4]) & 0xff;
  SmallVector<Opnd, 6> ops;
  bool pair = in[0].is(ir::Operand::Kind::Pair);
  ops.push_back(destinationOf(d, pair ? in[0].elements[0] : in[0], b32));
  for (unsigned k = 1; k != 4; ++k)
    ops.push_back(d.source(in[k], b32));
  if (isBool) {
    if (!pair) {
      d.error("expected d|p");
      return;
    }
    ops.push_back(destinationOf(d, in[0].elements[1], ir::Type::Pred));
    ops.push_back(d.predicate(in[5]));
    out.flags = inst.has("and");
  }
  d.setOps(out, ops);
  out.handler = isBool ? lop3Bool : lop3;
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

template <typename T, bool left> Step shift(Exec &x, const Inst &i) {
  auto *d = x.dst<Slot<T>>(i.ops[0]);
  auto *a = x.src<Slot<T>>(i.ops[1]);
  auto *b = x.src<uint32_t>(i.ops[2]);
  x.forLanes([&](unsigned l) {
    d[l] = toSlot<T>(left ? shiftLeft<T>(fromSlot<T>(a[l]), b[l])
                          : shiftRight<T>(fromSlot<T>(a[l]), b[l]));
  });
  return Step::Next;
}

void decodeShift(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 3) || !onlyModifiers(d, inst, {}))
    return;
  ir::Type type = inst.type();
  d.setOps(out, {destinationOf(d, inst.operands[0], type),
                 d.source(inst.operands[1], type),
                 d.source(inst.operands[2], ir::Type::U32)});
  bool left = inst.opcode == "shl";
  switch (type) {
  case ir::Type::B16:
  case ir::Type::U16:
    out.handler = left ? shift<uint16_t, true> : shift<uint16_t, false>;
    break;
  case ir::Type::B32:
  case ir::Type::U32:
    out.handler = left ? shift<uint32_t, true> : shift<uint32_t, false>;
    break;
  case ir::Type::B64:
  case ir::Type::U64:
    out.handler = left ? shift<uint64_t, true> : shift<uint64_t, false>;
    break;
  case ir::Type::S16:
    out.handler = left ? nullptr : shift<int16_t, false>;
    break;
  case ir::Type::S32:
    out.handler = left ? nullptr : shift<int32_t, false>;
    break;
  case ir::Type::S64:
    out.handler = left ? nullptr : shift<int64_t, false>;
    break;
  default:
    break;
  }
}

template <bool left, bool wrap> Step funnel(Exec &x, const Inst &i) {
  return mapTernary<uint32_t, uint32_t>(
      x, i, [](uint32_t low, uint32_t high, uint32_t amount) {
        uint32_t n = wrap ? amount & 31 : std::min(amount, 32u);
        uint64_t both = uint64_t(high) << 32 | low;
        return uint32_t(left ? both << n >> 32 : both >> n);
      });
}

void decodeFunnel(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 4) ||
      !onlyModifiers(d, inst, {"l", "r", "wrap", "clamp"}) ||
      inst.type() != ir::Type::B32)
    return;
  setOps(d, inst, out, ir::Type::B32);
  bool wrap = inst.has("wrap");
  out.handler = inst.has("l")
                    ? (wrap ? funnel<true, true> : funnel<true, false>)
                    : (wrap ? funnel<false, true> : funnel<false, false>);
}

//===----------------------------------------------------------------------===//
// Counting and fields
//===----------------------------------------------------------------------===//

template <typename A, typename F> Step count(Exec &x, const Inst &i) {
  return mapUnary<uint32_t, A>(x, i, F());
}

void decodeCount(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type type = inst.type();
  if (!hasOperands(d, inst, 2) || !onlyModifiers(d, inst, {"shiftamt"}))
    return;
  d.setOps(out, {destinationOf(d, inst.operands[0], ir::Type::U32),
                 d.source(inst.operands[1], type)});
  if (inst.opcode != "bfind") {
    bool pop = inst.opcode == "popc";
    if (type == ir::Type::B32)
      out.handler =
          pop ? count<uint32_t, PopCount> : count<uint32_t, LeadZeros>;
    else if (type == ir::Type::B64)
      out.handler =
          pop ? count<uint64_t, PopCount> : count<uint64_t, LeadZeros>;
    return;
  }
  bool amount = inst.has("shiftamt");
  switch (type) {
  case ir::Type::U32:
    out.handler = amount ? count<uint32_t, FindBit<true>>
                         : count<uint32_t, FindBit<false>>;
    break;
  case ir::Type::U64:
    out.handler = amount ? count<uint64_t, FindBit<true>>
                         : count<uint64_t, FindBit<false>>;
    break;
  case ir::Type::S32:
    out.handler =
        amount ? count<int32_t, FindBit<true>> : count<int32_t, FindBit<false>>;
    break;
  case ir::Type::S64:
    out.handler =
        amount ? count<int64_t, FindBit<true>> : count<int64_t, FindBit<false>>;
    break;
  default:
    break;
  }
}

template <typename T> Step reverse(Exec &x, const Inst &i) {
  return mapUnary<T, T>(x, i, [](T a) { return reverseBits(a); });
}

void decodeReverse(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 2) || !onlyModifiers(d, inst, {}))
    return;
  setOps(d, inst, out, inst.type());
  out.handler = inst.type() == ir::Type::B32   ? reverse<uint32_t>
                : inst.type() == ir::Type::B64 ? reverse<uint64_t>
                                               : nullptr;
}

template <typename T> Step extractField(Exec &x, const Inst &i) {
  auto *d = x.dst<Slot<T>>(i.ops[0]);
  auto *a = x.src<Slot<T>>(i.ops[1]);
  auto *position = x.src<uint32_t>(i.ops[2]),
       *length = x.src<uint32_t>(i.ops[3]);
  x.forLanes([&](unsigned l) {
    d[l] = toSlot<T>(
        bitField<T>(fromSlot<T>(a[l]), position[l] & 0xff, length[l] & 0xff));
  });
  return Step::Next;
}

void decodeExtract(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type type = inst.type();
  if (!hasOperands(d, inst, 4) || !onlyModifiers(d, inst, {}))
    return;
  d.setOps(out, {destinationOf(d, inst.operands[0], type),
                 d.source(inst.operands[1], type),
                 d.source(inst.operands[2], ir::Type::U32),
                 d.source(inst.operands[3], ir::Type::U32)});
  out.handler = type == ir::Type::U32   ? extractField<uint32_t>
                : type == ir::Type::S32 ? extractField<int32_t>
                : type == ir::Type::U64 ? extractField<uint64_t>
                : type == ir::Type::S64 ? extractField<int64_t>
                                        : nullptr;
}

template <typename T> Step insertField(Exec &x, const Inst &i) {
  auto *d = x.dst<T>(i.ops[0]);
  auto *a = x.src<T>(i.ops[1]), *b = x.src<T>(i.ops[2]);
  auto *position = x.src<uint32_t>(i.ops[3]),
       *length = x.src<uint32_t>(i.ops[4]);
  x.forLanes([&](unsigned l) {
    d[l] = insertBits<T>(a[l], b[l], position[l] & 0xff, length[l] & 0xff);
  });
  return Step::Next;
}

void decodeInsert(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type type = inst.type();
  if (!hasOperands(d, inst, 5) || !onlyModifiers(d, inst, {}))
    return;
  d.setOps(out,
           {destinationOf(d, inst.operands[0], type),
            d.source(inst.operands[1], type), d.source(inst.operands[2], type),
            d.source(inst.operands[3], ir::Type::U32),
            d.source(inst.operands[4], ir::Type::U32)});
  out.handler = type == ir::Type::B32   ? insertField<uint32_t>
                : type == ir::Type::B64 ? insertField<uint64_t>
                                        : nullptr;
}

/// prmt modes by name, in the order permuteBytes knows them.
Step permute(Exec &x, const Inst &i) {
  unsigned mode = unsigned(i.imm);
  return mapTernary<uint32_t, uint32_t>(
      x, i, [=](uint32_t a, uint32_t b, uint32_t c) {
        return permuteBytes(a, b, c, mode);
      });
}

void decodePermute(Decoder &d, const ir::Instruction &inst, Inst &out) {
  static constexpr StringLiteral modes[] = {"f4e", "b4e", "rc8",
                                            "ecl", "ecr", "rc16"};
  if (!hasOperands(d, inst, 4))
    return;
  for (StringRef modifier : inst.modifiers) {
    auto *mode = llvm::find(modes, modifier);
    if (mode != std::end(modes))
      out.imm = uint64_t(mode - std::begin(modes)) + 1;
    else if (modifier != "b32")
      d.error("unsupported modifier '." + modifier + "'");
  }
  setOps(d, inst, out, ir::Type::B32);
  out.handler = permute;
}

Step findNth(Exec &x, const Inst &i) {
  return mapTernary<uint32_t, uint32_t>(
      x, i, [](uint32_t mask, uint32_t base, uint32_t offset) {
        return findNthSet(mask, base, int32_t(offset));
      });
}

void decodeFns(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 4))
    return;
  setOps(d, inst, out, ir::Type::B32);
  out.handler = findNth;
}

template <bool wrap> Step bitMask(Exec &x, const Inst &i) {
  return mapBinary<uint32_t, uint32_t>(x, i, [](uint32_t a, uint32_t b) {
    uint32_t first = wrap ? a & 31 : std::min(a, 32u);
    uint32_t count = wrap ? b & 31 : std::min(b, 32u);
    return uint32_t(((uint64_t(1) << count) - 1) << first);
  });
}

void decodeBmsk(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 3) || !onlyModifiers(d, inst, {"clamp", "wrap"}))
    return;
  setOps(d, inst, out, ir::Type::B32);
  out.handler = inst.has("wrap") ? bitMask<true> : bitMask<false>;
}

template <bool isSigned, bool wrap> Step extend(Exec &x, const Inst &i) {
  return mapBinary<uint32_t, uint32_t>(x, i, [](uint32_t a, uint32_t b) {
    uint32_t bits = wrap ? b & 31 : std::min(b, 32u);
    if (bits == 0)
      return 0u;
    return isSigned ? uint32_t(SignExtend64(a, bits))
                    : uint32_t(a & ((uint64_t(1) << bits) - 1));
  });
}

void decodeSzext(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 3) || !onlyModifiers(d, inst, {"clamp", "wrap"}))
    return;
  setOps(d, inst, out, ir::Type::B32);
  bool wrap = inst.has("wrap");
  if (inst.type() == ir::Type::S32)
    out.handler = wrap ? extend<true, true> : extend<true, false>;
  else if (inst.type() == ir::Type::U32)
    out.handler = wrap ? extend<false, true> : extend<false, false>;
}
} // namespace

void registerLogicOps(OpTable &table) {
  table.add("and", decodeLogic);
  table.add("or", decodeLogic);
  table.add("xor", decodeLogic);
  table.add("not", decodeNot);
  table.add("cnot", decodeNot);
  table.add("lop3", decodeLop3);
  table.add("shl", decodeShift);
  table.add("shr", decodeShift);
  table.add("shf", decodeFunnel);
  table.add("popc", decodeCount);
  table.add("clz", decodeCount);
  table.add("bfind", decodeCount);
  table.add("brev", decodeReverse);
  table.add("bfe", decodeExtract);
  table.add("bfi", decodeInsert);
  table.add("prmt", decodePermute);
  table.add("fns", decodeFns);
  table.add("bmsk", decodeBmsk);
  table.add("szext", decodeSzext);
}

} // namespace attn::ptx
