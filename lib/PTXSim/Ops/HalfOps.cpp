//===- HalfOps.cpp - f16, bf16 and their pairs
//------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/FloatMath.h"

using namespace llvm;

namespace attn::ptx {

namespace {
enum HalfFlags : uint8_t { Ftz = 1, Sat = 2, Relu = 4 };

struct AddOp {
  static constexpr unsigned arity = 2;
  static double value(double a, double b, double) { return addOdd(a, b); }
};
struct SubOp {
  static constexpr unsigned arity = 2;
  static double value(double a, double b, double) { return addOdd(a, -b); }
};
struct MulOp {
  static constexpr unsigned arity = 2;
  static double value(double a, double b, double) { return a * b; }
};
struct FmaOp {
  static constexpr unsigned arity = 3;
  static double value(double a, double b, double c) { return fmaOdd(a, b, c); }
};
template <bool isMin, bool keepNaN, bool xorSign> struct ExtremumOp {
  static constexpr unsigned arity = 2;
  static double value(double a, double b, double) {
    double x = xorSign ? std::fabs(a) : a, y = xorSign ? std::fabs(b) : b;
    double result;
    if (a != a || b != b)
      result = keepNaN ? NAN : a != a ? y : x;
    else if (x == y)
      result = std::signbit(x) == isMin ? x : y;
    else
      result = (x < y) == isMin ? x : y;
    if (xorSign && result == result)
      result = std::signbit(a) != std::signbit(b) ? -result : result;
    return result;
  }
};
struct Ex2Op {
  static constexpr unsigned arity = 1;
  static double value(double a, double, double) { return std::exp2(a); }
};
struct TanhOp {
  static constexpr unsigned arity = 1;
  static double value(double a, double, double) { return std::tanh(a); }
};

template <typename Op, bool isBF16>
uint32_t half(uint32_t a, uint32_t b, uint32_t c, unsigned flags) {
  constexpr Format format = isBF16 ? formatBF16 : formatF16;
  constexpr uint32_t exponent = isBF16 ? 0x7f80 : 0x7c00;
  auto read = [&](uint32_t bits) {
    bits &= 0xffff;
    if ((flags & Ftz) && !(bits & exponent))
      bits &= 0x8000;
    return decodeFloat(format, bits);
  };
  double value = Op::value(read(a), Op::arity >= 2 ? read(b) : 0,
                           Op::arity >= 3 ? read(c) : 0);
  if (flags & Sat)
    value = value > 0 ? std::min(value, 1.0) : 0;
  // .relu clamps below zero and keeps NaN.
  if ((flags & Relu) && (value < 0 || (value == 0 && std::signbit(value))))
    value = 0;
  uint32_t bits = encodeFloat(format, value, Rounding::Nearest);
  if ((flags & Ftz) && !(bits & exponent))
    bits &= 0x8000;
  return bits;
}

template <typename Op, bool isBF16, bool pair>
Step halfOp(Exec &x, const Inst &i) {
  auto *d = x.dst<uint32_t>(i.ops[0]);
  auto *a = x.src<uint32_t>(i.ops[1]);
  auto *b = x.src<uint32_t>(i.ops[Op::arity >= 2 ? 2 : 1]);
  auto *c = x.src<uint32_t>(i.ops[Op::arity >= 3 ? 3 : 1]);
  unsigned flags = i.flags;
  x.forLanes([&](unsigned l) {
    uint32_t result = half<Op, isBF16>(a[l], b[l], c[l], flags);
    if (pair)
      result |= half<Op, isBF16>(a[l] >> 16, b[l] >> 16, c[l] >> 16, flags)
                << 16;
    d[l] = result;
  });
  return Step::Next;
}

template <typename Op> Handler pick(ir::Type type) {
  switch (type) {
  case ir::Type::F16:
    return halfOp<Op, false, false>;
  case ir::Type::F16x2:
    return halfOp<Op, false, true>;
  case ir::Type::BF16:
    return halfOp<Op, true, false>;
  case ir::Type::BF16x2:
    return halfOp<Op, true, true>;
  default:
    return nullptr;
  }
}

/// imm: what to keep and what to flip. Only f16 has .ftz here.
Step signOp(Exec &x, const Inst &i) {
  uint32_t keep = uint32_t(i.imm), flip = uint32_t(i.imm >> 32);
  bool ftz = i.flags & Ftz;
  return mapUnary<uint32_t, uint32_t>(x, i, [=](uint32_t a) {
    for (unsigned at = 0; ftz && at != 32; at += 16)
      if (!(a >> at & 0x7c00))
        a &= ~(0x7fffu << at);
    return (a & keep) ^ flip;
  });
}

template <bool isMin> Handler pickExtremum(ir::Type type, bool nan, bool sign) {
  return nan ? (sign ? pick<ExtremumOp<isMin, true, true>>(type)
                     : pick<ExtremumOp<isMin, true, false>>(type))
             : (sign ? pick<ExtremumOp<isMin, false, true>>(type)
                     : pick<ExtremumOp<isMin, false, false>>(type));
}

struct Named {
  StringLiteral opcode;
  unsigned arity;
  Handler (*pick)(ir::Type);
};
constexpr Named named[] = {{"add", 2, pick<AddOp>}, {"sub", 2, pick<SubOp>},
                           {"mul", 2, pick<MulOp>}, {"fma", 3, pick<FmaOp>},
                           {"ex2", 1, pick<Ex2Op>}, {"tanh", 1, pick<TanhOp>}};
} // namespace

void decodeHalfArithmetic(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type type = inst.type();
  StringRef name = inst.opcode;
  if (!onlyModifiers(d, inst,
                     {"rn", "rnd", "ftz", "sat", "relu", "approx", "NaN",
                      "xorsign", "abs"}))
    return;
  if (inst.type(1) != ir::Type::None) {
    d.error("unsupported mixed types");
    return;
  }
  bool isBF16 = type == ir::Type::BF16 || type == ir::Type::BF16x2;
  bool onlyWithFtz = isBF16 && name == "ex2";
  if (isBF16 ? inst.has("sat") || inst.has("ftz") != onlyWithFtz
             : name == "ex2" && inst.has("ftz")) {
    d.error("this type does not have .ftz or .sat here, or must have .ftz");
    return;
  }
  Handler handler = nullptr;
  unsigned arity = 2;
  if (name == "min" || name == "max") {
    bool nan = inst.has("NaN"), sign = inst.has("xorsign");
    handler = name == "min" ? pickExtremum<true>(type, nan, sign)
                            : pickExtremum<false>(type, nan, sign);
  } else if (name == "abs" || name == "neg") {
    arity = 1;
    bool pair = type == ir::Type::F16x2 || type == ir::Type::BF16x2;
    uint32_t sign = pair ? 0x80008000 : 0x8000;
    out.imm = name == "abs" ? uint64_t(uint32_t(~sign))
                            : uint64_t(sign) << 32 | ~uint32_t(0);
    handler = signOp;
  } else {
    for (const Named &entry : named)
      if (entry.opcode == name) {
        handler = entry.pick(type);
        arity = entry.arity;
      }
  }
  if (!handler || !hasOperands(d, inst, arity + 1))
    return;
  setOps(d, inst, out, type);
  out.flags = (inst.has("ftz") ? Ftz : 0) | (inst.has("sat") ? Sat : 0) |
              (inst.has("relu") ? Relu : 0);
  out.handler = handler;
}

} // namespace attn::ptx
