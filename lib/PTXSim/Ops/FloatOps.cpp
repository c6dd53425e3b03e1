//===- FloatOps.cpp - f32 and f64 arithmetic and functions
//------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Approximate functions return the correctly rounded value or one next to it,
// which is inside every bound that PTX states.
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/FloatMath.h"

#include <algorithm>

using namespace llvm;

namespace attn::ptx {

namespace {
enum FloatFlags : uint8_t { Ftz = 1, Sat = 2, Directed = 4, KeepNaN = 8 };

float narrow(double value, Rounding rounding) {
  return bit_cast<float>(encodeFloat(formatF32, value, rounding));
}

/// Rounded down, an exact sum of zero is -0 unless both parts are +0.
float narrowSum(double sum, bool bothPositive, Rounding rounding) {
  if (sum == 0 && rounding == Rounding::Down && !bothPositive)
    return -0.0f;
  return narrow(sum, rounding);
}

//===----------------------------------------------------------------------===//
// The operations: nearest(), and directed() for the other roundings.
//===----------------------------------------------------------------------===//

struct AddOp {
  static constexpr unsigned arity = 2;
  template <typename T> static T nearest(T a, T b, T) { return a + b; }
  static float directed(float a, float b, float, Rounding r) {
    return narrowSum(addOdd(a, b), !std::signbit(a) && !std::signbit(b), r);
  }
  static double directed(double a, double b, double, Rounding r) {
    return roundedDouble(Wide::Add, a, b, 0, r);
  }
};
struct SubOp {
  static constexpr unsigned arity = 2;
  template <typename T> static T nearest(T a, T b, T) { return a - b; }
  static float directed(float a, float b, float, Rounding r) {
    return narrowSum(addOdd(a, -double(b)), !std::signbit(a) && std::signbit(b),
                     r);
  }
  static double directed(double a, double b, double, Rounding r) {
    return roundedDouble(Wide::Sub, a, b, 0, r);
  }
};
struct MulOp {
  static constexpr unsigned arity = 2;
  template <typename T> static T nearest(T a, T b, T) { return a * b; }
  static float directed(float a, float b, float, Rounding r) {
    return narrow(double(a) * b, r);
  }
  static double directed(double a, double b, double, Rounding r) {
    return roundedDouble(Wide::Mul, a, b, 0, r);
  }
};
struct FmaOp {
  static constexpr unsigned arity = 3;
  static float nearest(float a, float b, float c) {
    return float(fmaOdd(a, b, c));
  }
  static double nearest(double a, double b, double c) {
    return std::fma(a, b, c);
  }
  static float directed(float a, float b, float c, Rounding r) {
    bool positive = std::signbit(a) == std::signbit(b) && !std::signbit(c);
    return narrowSum(fmaOdd(a, b, c), positive, r);
  }
  static double directed(double a, double b, double c, Rounding r) {
    return roundedDouble(Wide::Fma, a, b, c, r);
  }
};
struct DivOp {
  static constexpr unsigned arity = 2;
  template <typename T> static T nearest(T a, T b, T) { return a / b; }
  static float directed(float a, float b, float, Rounding r) {
    return narrow(divOdd(a, b), r);
  }
  static double directed(double a, double b, double, Rounding r) {
    return roundedDouble(Wide::Div, a, b, 0, r);
  }
};
/// div.approx multiplies with the reciprocal, which is zero for the largest
/// divisors.
struct DivApproxOp {
  static constexpr unsigned arity = 2;
  static float nearest(float a, float b, float) {
    bool huge = std::fabs(b) > 0x1p126f && !std::isinf(b);
    return huge ? a * std::copysign(0.0f, b) : a / b;
  }
  static float directed(float a, float b, float c, Rounding) {
    return nearest(a, b, c);
  }
};
struct SqrtOp {
  static constexpr unsigned arity = 1;
  template <typename T> static T nearest(T a, T, T) { return std::sqrt(a); }
  static float directed(float a, float, float, Rounding r) {
    return narrow(sqrtOdd(a), r);
  }
  static double directed(double a, double, double, Rounding r) {
    return roundedDouble(Wide::Sqrt, a, 0, 0, r);
  }
};
struct RcpOp {
  static constexpr unsigned arity = 1;
  template <typename T> static T nearest(T a, T, T) { return T(1) / a; }
  static float directed(float a, float, float, Rounding r) {
    return narrow(divOdd(1, a), r);
  }
  static double directed(double a, double, double, Rounding r) {
    return roundedDouble(Wide::Rcp, a, 0, 0, r);
  }
};

template <typename F> struct Plain {
  template <typename T> static T directed(T a, T b, T c, Rounding) {
    return F::nearest(a, b, c);
  }
};
struct RsqrtOp : Plain<RsqrtOp> {
  static constexpr unsigned arity = 1;
  template <typename T> static T nearest(T a, T, T) {
    return T(1.0 / std::sqrt(double(a)));
  }
};
struct Ex2Op : Plain<Ex2Op> {
  static constexpr unsigned arity = 1;
  template <typename T> static T nearest(T a, T, T) { return std::exp2(a); }
};
struct Lg2Op : Plain<Lg2Op> {
  static constexpr unsigned arity = 1;
  template <typename T> static T nearest(T a, T, T) { return std::log2(a); }
};
struct SinOp : Plain<SinOp> {
  static constexpr unsigned arity = 1;
  template <typename T> static T nearest(T a, T, T) { return std::sin(a); }
};
struct CosOp : Plain<CosOp> {
  static constexpr unsigned arity = 1;
  template <typename T> static T nearest(T a, T, T) { return std::cos(a); }
};
struct TanhOp : Plain<TanhOp> {
  static constexpr unsigned arity = 1;
  template <typename T> static T nearest(T a, T, T) { return std::tanh(a); }
};

/// With a zero of each sign the smaller one is -0.
template <bool isMin> struct Extremum : Plain<Extremum<isMin>> {
  static constexpr unsigned arity = 2;
  template <typename T> static T nearest(T a, T b, T) {
    if (a != a)
      return b;
    if (b != b)
      return a;
    if (a == b)
      return std::signbit(a) == isMin ? a : b;
    return (a < b) == isMin ? a : b;
  }
};
template <bool isMin> struct ExtremumNaN : Plain<ExtremumNaN<isMin>> {
  static constexpr unsigned arity = 2;
  template <typename T> static T nearest(T a, T b, T c) {
    return a != a || b != b ? T(NAN) : Extremum<isMin>::nearest(a, b, c);
  }
};
/// .xorsign.abs: of the magnitudes, with the product's sign.
template <typename F> struct XorSign : Plain<XorSign<F>> {
  static constexpr unsigned arity = 2;
  template <typename T> static T nearest(T a, T b, T c) {
    T value = F::nearest(std::fabs(a), std::fabs(b), c);
    return value != value
               ? value
               : std::copysign(
                     value, std::signbit(a) != std::signbit(b) ? T(-1) : T(1));
  }
};
template <typename F> struct Three : Plain<Three<F>> {
  static constexpr unsigned arity = 3;
  template <typename T> static T nearest(T a, T b, T c) {
    return F::nearest(F::nearest(a, b, c), c, c);
  }
};
template <typename F> struct Magnitudes : Plain<Magnitudes<F>> {
  static constexpr unsigned arity = F::arity;
  template <typename T> static T nearest(T a, T b, T c) {
    return F::nearest(std::fabs(a), std::fabs(b), std::fabs(c));
  }
};

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

template <typename Op, typename T> Step floatOp(Exec &x, const Inst &i) {
  auto *d = x.dst<Slot<T>>(i.ops[0]);
  auto *a = x.src<Slot<T>>(i.ops[1]);
  auto *b = x.src<Slot<T>>(i.ops[Op::arity >= 2 ? 2 : 1]);
  auto *c = x.src<Slot<T>>(i.ops[Op::arity >= 3 ? 3 : 1]);
  constexpr bool single = std::is_same_v<T, float>;
  auto finish = [](T value) {
    if constexpr (single)
      return canonical(value);
    return value;
  };
  if (i.flags == 0) {
    x.forLanes([&](unsigned l) {
      d[l] = toSlot<T>(finish(Op::nearest(fromSlot<T>(a[l]), fromSlot<T>(b[l]),
                                          fromSlot<T>(c[l]))));
    });
    return Step::Next;
  }
  bool ftz = single && (i.flags & Ftz), sat = i.flags & Sat;
  bool directed = i.flags & Directed;
  Rounding rounding = Rounding(i.imm);
  auto flush = [&](T value) {
    if constexpr (single)
      return ftz ? flushSubnormal(value) : value;
    return value;
  };
  x.forLanes([&](unsigned l) {
    T va = flush(fromSlot<T>(a[l])), vb = flush(fromSlot<T>(b[l]));
    T vc = flush(fromSlot<T>(c[l]));
    T value =
        directed ? Op::directed(va, vb, vc, rounding) : Op::nearest(va, vb, vc);
    value = flush(value);
    // NaN saturates to zero, and so does -0.
    if (sat)
      value = value > 0 ? (value < 1 ? value : T(1)) : T(0);
    d[l] = toSlot<T>(finish(value));
  });
  return Step::Next;
}

/// rcp and rsqrt .approx.ftz.f64: of the upper half of the operand, to the
/// upper half of the result. Subnormal numbers count as zeros.
template <typename Op> Step upperHalf(Exec &x, const Inst &i) {
  auto upper = [](double value) {
    constexpr uint64_t exponent = uint64_t(0x7ff) << 52, sign = uint64_t(1)
                                                                << 63;
    uint64_t bits = bit_cast<uint64_t>(value) & 0xffffffff00000000;
    if (value != value)
      bits = 0x7fffffff00000000;
    return bit_cast<double>(bits & exponent ? bits : bits & sign);
  };
  return mapUnary<double, double>(
      x, i, [&](double a) { return upper(Op::nearest(upper(a), 0.0, 0.0)); });
}

template <typename Op> Handler pick(ir::Type type) {
  return type == ir::Type::F32   ? Handler(floatOp<Op, float>)
         : type == ir::Type::F64 ? Handler(floatOp<Op, double>)
                                 : nullptr;
}

/// abs and neg act on the sign bit, NaN included.
template <typename U, bool negate> Step signOp(Exec &x, const Inst &i) {
  constexpr U sign = U(1) << (8 * sizeof(U) - 1);
  auto *d = x.dst<U>(i.ops[0]);
  auto *a = x.src<U>(i.ops[1]);
  bool ftz = sizeof(U) == 4 && (i.flags & Ftz);
  x.forLanes([&](unsigned l) {
    U bits = a[l];
    if (ftz && !(bits & 0x7f800000))
      bits &= sign;
    d[l] = negate ? bits ^ sign : bits & ~sign;
  });
  return Step::Next;
}

/// d = magnitude of b, sign of a.
template <typename U> Step copySign(Exec &x, const Inst &i) {
  constexpr U sign = U(1) << (8 * sizeof(U) - 1);
  auto *d = x.dst<U>(i.ops[0]);
  auto *a = x.src<U>(i.ops[1]), *b = x.src<U>(i.ops[2]);
  x.forLanes([&](unsigned l) { d[l] = (b[l] & ~sign) | (a[l] & sign); });
  return Step::Next;
}

/// imm: bit 0 three operands, 1 NaN, 2 xorsign, 3 abs
template <bool isMin> Handler pickExtremum(ir::Type type, unsigned form) {
  using E = Extremum<isMin>;
  using N = ExtremumNaN<isMin>;
  switch (form) {
  case 0:
    return pick<E>(type);
  case 1:
    return pick<Three<E>>(type);
  case 2:
    return pick<N>(type);
  case 3:
    return pick<Three<N>>(type);
  case 12:
    return pick<XorSign<E>>(type);
  case 14:
    return pick<XorSign<N>>(type);
  case 9:
    return pick<Magnitudes<Three<E>>>(type);
  case 11:
    return pick<Magnitudes<Three<N>>>(type);
  default:
    return nullptr;
  }
}

struct Named {
  StringLiteral opcode;
  unsigned arity;
  Handler (*pick)(ir::Type);
};
constexpr Named named[] = {
    {"add", 2, pick<AddOp>},     {"sub", 2, pick<SubOp>},
    {"mul", 2, pick<MulOp>},     {"fma", 3, pick<FmaOp>},
    {"mad", 3, pick<FmaOp>},     {"div", 2, pick<DivOp>},
    {"sqrt", 1, pick<SqrtOp>},   {"rcp", 1, pick<RcpOp>},
    {"rsqrt", 1, pick<RsqrtOp>}, {"ex2", 1, pick<Ex2Op>},
    {"lg2", 1, pick<Lg2Op>},     {"sin", 1, pick<SinOp>},
    {"cos", 1, pick<CosOp>},     {"tanh", 1, pick<TanhOp>}};

Handler pickFloat(Decoder &d, const ir::Instruction &inst, ir::Type type) {
  StringRef name = inst.opcode;
  size_t n = inst.operands.size();
  if (name == "min" || name == "max") {
    if (!hasOperands(d, inst, 3, 4))
      return nullptr;
    unsigned form = (n == 4 ? 1 : 0) | (inst.has("NaN") ? 2 : 0) |
                    (inst.has("xorsign") ? 4 : 0) | (inst.has("abs") ? 8 : 0);
    return name == "min" ? pickExtremum<true>(type, form)
                         : pickExtremum<false>(type, form);
  }
  if (name == "abs" || name == "neg") {
    if (!hasOperands(d, inst, 2))
      return nullptr;
    bool negate = name == "neg";
    if (type == ir::Type::F32)
      return negate ? signOp<uint32_t, true> : signOp<uint32_t, false>;
    if (type == ir::Type::F64)
      return negate ? signOp<uint64_t, true> : signOp<uint64_t, false>;
    return nullptr;
  }
  if (name == "div" && inst.has("approx") && type == ir::Type::F32)
    return hasOperands(d, inst, 3) ? floatOp<DivApproxOp, float> : nullptr;
  for (const Named &entry : named)
    if (entry.opcode == name)
      return hasOperands(d, inst, entry.arity + 1) ? entry.pick(type) : nullptr;
  return nullptr;
}
} // namespace

void decodeFloatArithmetic(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type type = inst.type();
  if (type != ir::Type::F32 && type != ir::Type::F64)
    return decodeHalfArithmetic(d, inst, out);
  // A second type (add.f32.f16, PTX 8.6 on newer targets) is not known here.
  if (inst.type(1) != ir::Type::None) {
    d.error("unsupported mixed types");
    return;
  }
  if (!onlyModifiers(d, inst,
                     {"rn", "rz", "rm", "rp", "ftz", "sat", "approx", "full",
                      "NaN", "xorsign", "abs"}))
    return;
  Handler handler = pickFloat(d, inst, type);
  if (!handler)
    return;
  if (type == ir::Type::F64 && inst.has("approx") && inst.has("ftz"))
    handler = inst.opcode == "rcp" ? upperHalf<RcpOp> : upperHalf<RsqrtOp>;
  setOps(d, inst, out, type);
  Rounding rounding = roundingOf(inst);
  out.imm = uint64_t(rounding);
  out.flags = (inst.has("ftz") ? Ftz : 0) | (inst.has("sat") ? Sat : 0) |
              (rounding != Rounding::Nearest ? Directed : 0);
  out.handler = handler;
}

static void decodeCopySign(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type type = inst.type();
  if (!hasOperands(d, inst, 3) || !onlyModifiers(d, inst, {}))
    return;
  setOps(d, inst, out, type);
  out.handler = type == ir::Type::F32   ? copySign<uint32_t>
                : type == ir::Type::F64 ? copySign<uint64_t>
                                        : nullptr;
}

void registerFloatOps(OpTable &table) {
  for (StringRef name :
       {"fma", "sqrt", "rcp", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh"})
    table.add(name, decodeFloatArithmetic);
  table.add("copysign", decodeCopySign);
}

} // namespace attn::ptx
