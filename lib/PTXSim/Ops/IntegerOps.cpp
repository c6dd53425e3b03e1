//===- IntegerOps.cpp - add, sub, mul, mad, div, min, max, ...
//--------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/IntegerMath.h"
#include "PTXSim/Ops/OpHelpers.h"

using namespace llvm;

namespace attn::ptx {

namespace {
template <typename D, typename A, typename F>
Step unaryOp(Exec &x, const Inst &i) {
  return mapUnary<D, A>(x, i, F());
}
template <typename D, typename A, typename F>
Step binaryOp(Exec &x, const Inst &i) {
  return mapBinary<D, A>(x, i, F());
}
template <typename D, typename A, typename F>
Step ternaryOp(Exec &x, const Inst &i) {
  return mapTernary<D, A>(x, i, F());
}

template <template <typename> class F> Handler pickUnary(ir::Type type) {
  switch (type) {
  case ir::Type::S16:
    return unaryOp<int16_t, int16_t, F<int16_t>>;
  case ir::Type::S32:
    return unaryOp<int32_t, int32_t, F<int32_t>>;
  case ir::Type::S64:
    return unaryOp<int64_t, int64_t, F<int64_t>>;
  default:
    return nullptr;
  }
}

template <template <typename> class F> Handler pickBinary(ir::Type type) {
  switch (type) {
  case ir::Type::U16:
    return binaryOp<uint16_t, uint16_t, F<uint16_t>>;
  case ir::Type::U32:
    return binaryOp<uint32_t, uint32_t, F<uint32_t>>;
  case ir::Type::U64:
    return binaryOp<uint64_t, uint64_t, F<uint64_t>>;
  case ir::Type::S16:
    return binaryOp<int16_t, int16_t, F<int16_t>>;
  case ir::Type::S32:
    return binaryOp<int32_t, int32_t, F<int32_t>>;
  case ir::Type::S64:
    return binaryOp<int64_t, int64_t, F<int64_t>>;
  default:
    return nullptr;
  }
}

/// F works on the halves of 32-bit registers.
template <typename T, typename F> Step packedOp(Exec &x, const Inst &i) {
  return mapBinary<uint32_t, uint32_t>(x, i, [](uint32_t a, uint32_t b) {
    uint32_t low = uint16_t(F()(T(a), T(b)));
    return low | uint32_t(uint16_t(F()(T(a >> 16), T(b >> 16)))) << 16;
  });
}

template <template <typename> class F> Handler pickPacked(ir::Type type) {
  if (type == ir::Type::U16x2)
    return packedOp<uint16_t, F<uint16_t>>;
  if (type == ir::Type::S16x2)
    return packedOp<int16_t, F<int16_t>>;
  return pickBinary<F>(type);
}

template <template <typename> class F> Handler pickTernary(ir::Type type) {
  switch (type) {
  case ir::Type::U16:
    return ternaryOp<uint16_t, uint16_t, F<uint16_t>>;
  case ir::Type::U32:
    return ternaryOp<uint32_t, uint32_t, F<uint32_t>>;
  case ir::Type::U64:
    return ternaryOp<uint64_t, uint64_t, F<uint64_t>>;
  case ir::Type::S16:
    return ternaryOp<int16_t, int16_t, F<int16_t>>;
  case ir::Type::S32:
    return ternaryOp<int32_t, int32_t, F<int32_t>>;
  case ir::Type::S64:
    return ternaryOp<int64_t, int64_t, F<int64_t>>;
  default:
    return nullptr;
  }
}

/// mul.wide and mad.wide: the result has twice the bits.
template <typename D, typename A> struct WideMul {
  D operator()(A a, A b) const { return D(a) * D(b); }
};
template <typename D, typename A> struct WideMad {
  D operator()(A a, A b, D c) const {
    using U = std::make_unsigned_t<D>;
    return D(U(D(a) * D(b)) + U(c));
  }
};
template <template <typename, typename> class F, bool ternary>
Handler pickWide(ir::Type type) {
  auto pick = [](auto d, auto a) -> Handler {
    using D = decltype(d);
    using A = decltype(a);
    if constexpr (ternary)
      return ternaryOp<D, A, F<D, A>>;
    else
      return binaryOp<D, A, F<D, A>>;
  };
  switch (type) {
  case ir::Type::U16:
    return pick(uint32_t(), uint16_t());
  case ir::Type::S16:
    return pick(int32_t(), int16_t());
  case ir::Type::U32:
    return pick(uint64_t(), uint32_t());
  case ir::Type::S32:
    return pick(int64_t(), int32_t());
  default:
    return nullptr;
  }
}

ir::Type widened(ir::Type type) {
  return type == ir::Type::U16   ? ir::Type::U32
         : type == ir::Type::S16 ? ir::Type::S32
         : type == ir::Type::U32 ? ir::Type::U64
                                 : ir::Type::S64;
}

void decodeAddSub(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type type = inst.type();
  if (isFloatType(type))
    return decodeFloatArithmetic(d, inst, out);
  if (inst.has("cc"))
    return decodeCarry(d, inst, out);
  if (!hasOperands(d, inst, 3) || !onlyModifiers(d, inst, {"sat"}))
    return;
  bool isAdd = inst.opcode == "add";
  setOps(d, inst, out, type);
  if (!inst.has("sat"))
    out.handler = isAdd ? pickPacked<AddInt>(type) : pickPacked<SubInt>(type);
  else if (type == ir::Type::S32)
    out.handler = isAdd ? binaryOp<int32_t, int32_t, AddSat>
                        : binaryOp<int32_t, int32_t, SubSat>;
}

void decodeMul(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type type = inst.type();
  if (isFloatType(type))
    return decodeFloatArithmetic(d, inst, out);
  if (!hasOperands(d, inst, 3) || !onlyModifiers(d, inst, {"lo", "hi", "wide"}))
    return;
  if (inst.has("wide")) {
    d.setOps(out, {destinationOf(d, inst.operands[0], widened(type)),
                   d.source(inst.operands[1], type),
                   d.source(inst.operands[2], type)});
    out.handler = pickWide<WideMul, false>(type);
    return;
  }
  setOps(d, inst, out, type);
  out.handler =
      inst.has("hi") ? pickBinary<MulHigh>(type) : pickBinary<MulLow>(type);
}

void decodeMad(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type type = inst.type();
  if (isFloatType(type))
    return decodeFloatArithmetic(d, inst, out);
  if (inst.has("cc"))
    return decodeCarry(d, inst, out);
  if (!hasOperands(d, inst, 4) ||
      !onlyModifiers(d, inst, {"lo", "hi", "wide", "sat"}))
    return;
  if (inst.has("wide")) {
    ir::Type wide = widened(type);
    d.setOps(out, {destinationOf(d, inst.operands[0], wide),
                   d.source(inst.operands[1], type),
                   d.source(inst.operands[2], type),
                   d.source(inst.operands[3], wide)});
    out.handler = pickWide<WideMad, true>(type);
    return;
  }
  setOps(d, inst, out, type);
  if (inst.has("sat")) {
    if (type == ir::Type::S32 && inst.has("hi"))
      out.handler = ternaryOp<int32_t, int32_t, MadHighSat>;
    return;
  }
  out.handler =
      inst.has("hi") ? pickTernary<MadHigh>(type) : pickTernary<MadLow>(type);
}

void decodeMul24(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type type = inst.type();
  bool isMad = inst.opcode == "mad24", high = inst.has("hi");
  if (!hasOperands(d, inst, isMad ? 4 : 3) ||
      !onlyModifiers(d, inst, {"lo", "hi", "sat"}))
    return;
  setOps(d, inst, out, type);
  bool isSigned = type == ir::Type::S32;
  if (!isSigned && type != ir::Type::U32)
    return;
  if (inst.has("sat")) {
    if (isMad && high && isSigned)
      out.handler = ternaryOp<int32_t, int32_t, Mad24HighSat>;
    return;
  }
  if (isMad)
    out.handler =
        isSigned
            ? (high ? ternaryOp<int32_t, int32_t, Mad24<int32_t, true>>
                    : ternaryOp<int32_t, int32_t, Mad24<int32_t, false>>)
            : (high ? ternaryOp<uint32_t, uint32_t, Mad24<uint32_t, true>>
                    : ternaryOp<uint32_t, uint32_t, Mad24<uint32_t, false>>);
  else
    out.handler =
        isSigned
            ? (high ? binaryOp<int32_t, int32_t, Mul24<int32_t, true>>
                    : binaryOp<int32_t, int32_t, Mul24<int32_t, false>>)
            : (high ? binaryOp<uint32_t, uint32_t, Mul24<uint32_t, true>>
                    : binaryOp<uint32_t, uint32_t, Mul24<uint32_t, false>>);
}

void decodeDivRem(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type type = inst.type();
  if (isFloatType(type))
    return decodeFloatArithmetic(d, inst, out);
  if (!hasOperands(d, inst, 3) || !onlyModifiers(d, inst, {}))
    return;
  setOps(d, inst, out, type);
  out.handler = inst.opcode == "div" ? pickBinary<DivInt>(type)
                                     : pickBinary<RemInt>(type);
}

void decodeMinMax(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type type = inst.type();
  if (isFloatType(type))
    return decodeFloatArithmetic(d, inst, out);
  if (!hasOperands(d, inst, 3) || !onlyModifiers(d, inst, {"relu"}))
    return;
  setOps(d, inst, out, type);
  bool isMin = inst.opcode == "min";
  if (!inst.has("relu"))
    out.handler = isMin ? pickPacked<MinInt>(type) : pickPacked<MaxInt>(type);
  else if (type == ir::Type::S32)
    out.handler = isMin ? binaryOp<int32_t, int32_t, Relu<MinInt<int32_t>>>
                        : binaryOp<int32_t, int32_t, Relu<MaxInt<int32_t>>>;
  else if (type == ir::Type::S16x2)
    out.handler = isMin ? packedOp<int16_t, Relu<MinInt<int16_t>>>
                        : packedOp<int16_t, Relu<MaxInt<int16_t>>>;
}

void decodeAbsNeg(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type type = inst.type();
  if (isFloatType(type))
    return decodeFloatArithmetic(d, inst, out);
  if (!hasOperands(d, inst, 2) || !onlyModifiers(d, inst, {}))
    return;
  setOps(d, inst, out, type);
  out.handler =
      inst.opcode == "abs" ? pickUnary<AbsInt>(type) : pickUnary<NegInt>(type);
}

void decodeSad(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!hasOperands(d, inst, 4) || !onlyModifiers(d, inst, {}))
    return;
  setOps(d, inst, out, inst.type());
  out.handler = pickTernary<SumAbsDiff>(inst.type());
}

/// dp4a.atype.btype and dp2a.mode.atype.btype: imm bit 0, 1: a, b signed.
template <bool four, bool high> Step dotProduct(Exec &x, const Inst &i) {
  bool aSigned = i.imm & 1, bSigned = i.imm & 2;
  return mapTernary<uint32_t, uint32_t>(
      x, i, [&](uint32_t a, uint32_t b, uint32_t c) {
        auto part = [](uint32_t v, unsigned at, unsigned bits, bool isSigned) {
          uint32_t field = v >> at & ((1u << bits) - 1);
          return isSigned ? int64_t(SignExtend64(field, bits)) : int64_t(field);
        };
        int64_t sum = 0;
        for (unsigned k = 0; k != (four ? 4u : 2u); ++k)
          sum += four ? part(a, 8 * k, 8, aSigned) * part(b, 8 * k, 8, bSigned)
                      : part(a, 16 * k, 16, aSigned) *
                            part(b, 8 * k + (high ? 16 : 0), 8, bSigned);
        return uint32_t(c + uint32_t(sum));
      });
}

void decodeDot(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type a = inst.type(0), b = inst.type(1);
  if (!hasOperands(d, inst, 4) || !onlyModifiers(d, inst, {"lo", "hi"}))
    return;
  setOps(d, inst, out, ir::Type::B32);
  out.imm = (a == ir::Type::S32 ? 1 : 0) | (b == ir::Type::S32 ? 2 : 0);
  if ((a != ir::Type::S32 && a != ir::Type::U32) ||
      (b != ir::Type::S32 && b != ir::Type::U32))
    return;
  out.handler = inst.opcode == "dp4a" ? dotProduct<true, false>
                : inst.has("hi")      ? dotProduct<false, true>
                                      : dotProduct<false, false>;
}

/// vabsdiff4 d, a, b, c: differences of four bytes, or c and their sum.
template <bool isSigned, bool sum>
Step absoluteDifferences(Exec &x, const Inst &i) {
  return mapTernary<uint32_t, uint32_t>(
      x, i, [](uint32_t a, uint32_t b, uint32_t c) {
        uint32_t result = sum ? c : 0;
        for (unsigned at = 0; at != 32; at += 8) {
          auto byte = [&](uint32_t v) {
            return isSigned ? int32_t(int8_t(v >> at)) : int32_t(v >> at & 255);
          };
          auto difference = uint32_t(std::abs(byte(a) - byte(b)));
          result += sum ? difference : (difference & 255) << at;
        }
        return result;
      });
}

/// The forms without selectors, mask and saturation that nvcc emits.
void decodeAbsoluteDifferences(Decoder &d, const ir::Instruction &inst,
                               Inst &out) {
  ir::Type type = inst.type(1);
  bool isSigned = type == ir::Type::S32, sum = inst.has("add");
  if (!hasOperands(d, inst, 4) || !onlyModifiers(d, inst, {"add"}) ||
      (!isSigned && type != ir::Type::U32) || inst.type(2) != type ||
      ir::bitWidth(inst.type(0)) != 32)
    return;
  setOps(d, inst, out, ir::Type::B32);
  out.handler = isSigned ? (sum ? absoluteDifferences<true, true>
                                : absoluteDifferences<true, false>)
                         : (sum ? absoluteDifferences<false, true>
                                : absoluteDifferences<false, false>);
}
} // namespace

void registerIntegerOps(OpTable &table) {
  table.add("add", decodeAddSub);
  table.add("sub", decodeAddSub);
  table.add("addc", decodeCarry);
  table.add("subc", decodeCarry);
  table.add("madc", decodeCarry);
  table.add("mul", decodeMul);
  table.add("mad", decodeMad);
  table.add("mul24", decodeMul24);
  table.add("mad24", decodeMul24);
  table.add("div", decodeDivRem);
  table.add("rem", decodeDivRem);
  table.add("min", decodeMinMax);
  table.add("max", decodeMinMax);
  table.add("abs", decodeAbsNeg);
  table.add("neg", decodeAbsNeg);
  table.add("sad", decodeSad);
  table.add("dp4a", decodeDot);
  table.add("dp2a", decodeDot);
  table.add("vabsdiff4", decodeAbsoluteDifferences);
}

} // namespace attn::ptx
