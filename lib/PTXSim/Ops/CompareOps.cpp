//===- CompareOps.cpp - setp, set, testp
//------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/FloatMath.h"

using namespace llvm;

namespace attn::ptx {

using Kind = ir::Operand::Kind;

namespace {
/// The u forms of float comparisons are true with a NaN; lo, ls, hi, hs are the
/// unsigned names of lt, le, gt, ge.
enum Comparison : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan,
  Unknown
};

Comparison comparisonOf(const ir::Instruction &inst) {
  static constexpr StringLiteral names[] = {"eq",  "ne",  "lt",  "le",  "gt",
                                            "ge",  "equ", "neu", "ltu", "leu",
                                            "gtu", "geu", "num", "nan"};
  static constexpr std::pair<StringLiteral, Comparison> unsignedNames[] = {
      {"lo", Lt}, {"ls", Le}, {"hi", Gt}, {"hs", Ge}};
  for (StringRef m : inst.modifiers) {
    for (unsigned k = 0; k != std::size(names); ++k)
      if (m == names[k])
        return Comparison(k);
    for (auto &[name, comparison] : unsignedNames)
      if (m == name)
        return comparison;
  }
  return Unknown;
}

template <Comparison op, typename T> bool compare(T a, T b) {
  switch (op) {
  case Eq:
    return a == b;
  case Ne:
    return a < b || a > b;
  case Lt:
    return a < b;
  case Le:
    return a <= b;
  case Gt:
    return a > b;
  case Ge:
    return a >= b;
  case Equ:
    return !(a < b || a > b);
  case Neu:
    return !(a == b);
  case Ltu:
    return !(a >= b);
  case Leu:
    return !(a > b);
  case Gtu:
    return !(a <= b);
  case Geu:
    return !(a < b);
  case Num:
    return a == a && b == b;
  case Nan:
    return a != a || b != b;
  case Unknown:
    break;
  }
  return false;
}

/// Reads the elements that are compared.
template <typename T> struct Whole {
  using Storage = Slot<T>;
  static T read(Storage bits) { return fromSlot<T>(bits); }
};
struct FlushedF32 {
  using Storage = uint32_t;
  static float read(uint32_t bits) {
    return flushSubnormal(bit_cast<float>(bits));
  }
};
template <bool isBF16, bool high, bool ftz = false> struct Half {
  using Storage = uint32_t;
  static float read(uint32_t bits) {
    bits = (high ? bits >> 16 : bits) & 0xffff;
    if (ftz && !(bits & 0x7c00))
      bits &= 0x8000;
    return float(decodeFloat(isBF16 ? formatBF16 : formatF16, bits));
  }
};

using Mask = uint32_t (*)(const Exec &x, Opnd a, Opnd b);

template <Comparison op, typename R>
uint32_t compareLanes(const Exec &x, Opnd a, Opnd b) {
  auto *pa = x.src<typename R::Storage>(a);
  auto *pb = x.src<typename R::Storage>(b);
  uint32_t mask = 0;
  x.forLanes([&](unsigned l) {
    mask |= uint32_t(compare<op>(R::read(pa[l]), R::read(pb[l]))) << l;
  });
  return mask;
}

template <typename R> Mask pickComparison(Comparison op) {
  static constexpr Mask table[] = {
      compareLanes<Eq, R>,  compareLanes<Ne, R>,  compareLanes<Lt, R>,
      compareLanes<Le, R>,  compareLanes<Gt, R>,  compareLanes<Ge, R>,
      compareLanes<Equ, R>, compareLanes<Neu, R>, compareLanes<Ltu, R>,
      compareLanes<Leu, R>, compareLanes<Gtu, R>, compareLanes<Geu, R>,
      compareLanes<Num, R>, compareLanes<Nan, R>};
  return op == Unknown ? nullptr : table[op];
}

Mask pickType(ir::Type type, Comparison op, bool ftz, bool high) {
  switch (type) {
  case ir::Type::B16:
  case ir::Type::U16:
    return pickComparison<Whole<uint16_t>>(op);
  case ir::Type::S16:
    return pickComparison<Whole<int16_t>>(op);
  case ir::Type::B32:
  case ir::Type::U32:
    return pickComparison<Whole<uint32_t>>(op);
  case ir::Type::S32:
    return pickComparison<Whole<int32_t>>(op);
  case ir::Type::B64:
  case ir::Type::U64:
    return pickComparison<Whole<uint64_t>>(op);
  case ir::Type::S64:
    return pickComparison<Whole<int64_t>>(op);
  case ir::Type::F32:
    return ftz ? pickComparison<FlushedF32>(op)
               : pickComparison<Whole<float>>(op);
  case ir::Type::F64:
    return pickComparison<Whole<double>>(op);
  case ir::Type::F16:
  case ir::Type::F16x2:
    if (ftz)
      return high ? pickComparison<Half<false, true, true>>(op)
                  : pickComparison<Half<false, false, true>>(op);
    return high ? pickComparison<Half<false, true>>(op)
                : pickComparison<Half<false, false>>(op);
  case ir::Type::BF16:
  case ir::Type::BF16x2:
    return high ? pickComparison<Half<true, true>>(op)
                : pickComparison<Half<true, false>>(op);
  default:
    return nullptr;
  }
}

struct CompareInfo {
  Mask low = nullptr, high = nullptr;
  enum : uint8_t { None, And, Or, Xor } combine = None;
  bool toFloat = false;
};

uint32_t combined(const Exec &x, const CompareInfo &info, uint32_t mask,
                  Opnd other) {
  switch (info.combine) {
  case CompareInfo::None:
    return mask;
  case CompareInfo::And:
    return mask & x.pred(other);
  case CompareInfo::Or:
    return mask | x.pred(other);
  case CompareInfo::Xor:
    return mask ^ x.pred(other);
  }
  return mask;
}

/// ops: p, q, a, b, c
Step setPredicate(Exec &x, const Inst &i) {
  const auto &info = *static_cast<const CompareInfo *>(i.extra);
  uint32_t mask = info.low(x, i.ops[2], i.ops[3]);
  uint32_t second = info.high ? info.high(x, i.ops[2], i.ops[3]) : ~mask;
  uint32_t p = combined(x, info, mask, i.ops[4]);
  uint32_t q = combined(x, info, second, i.ops[4]);
  x.setPred(i.ops[0], p);
  x.setPred(i.ops[1], q);
  return Step::Next;
}

/// ops: d, -, a, b, c; imm: true's value, low 32 bits.
Step setValue(Exec &x, const Inst &i) {
  const auto &info = *static_cast<const CompareInfo *>(i.extra);
  uint32_t yes = combined(x, info, info.low(x, i.ops[2], i.ops[3]), i.ops[4]);
  uint32_t high =
      info.high ? combined(x, info, info.high(x, i.ops[2], i.ops[3]), i.ops[4])
                : 0;
  auto *d = x.dst<uint32_t>(i.ops[0]);
  uint32_t lowValue = uint32_t(i.imm), highValue = uint32_t(i.imm >> 32);
  x.forLanes([&](unsigned l) {
    d[l] = (yes >> l & 1 ? lowValue : 0) | (high >> l & 1 ? highValue : 0);
  });
  return Step::Next;
}

bool decodeCommon(Decoder &d, const ir::Instruction &inst, ir::Type type,
                  CompareInfo &info, Opnd &other) {
  if (!hasOperands(d, inst, 3, 4))
    return false;
  info.combine = inst.has("and")   ? CompareInfo::And
                 : inst.has("or")  ? CompareInfo::Or
                 : inst.has("xor") ? CompareInfo::Xor
                                   : CompareInfo::None;
  if ((info.combine != CompareInfo::None) != (inst.operands.size() == 4)) {
    d.error("a predicate operand goes with .and, .or and .xor");
    return false;
  }
  if (info.combine != CompareInfo::None)
    other = d.predicate(inst.operands[3]);
  Comparison op = comparisonOf(inst);
  info.low = pickType(type, op, inst.has("ftz"), false);
  bool pair = type == ir::Type::F16x2 || type == ir::Type::BF16x2;
  info.high = pair ? pickType(type, op, inst.has("ftz"), true) : nullptr;
  return info.low != nullptr;
}

void decodeSetp(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type type = inst.type();
  auto *info = d.extra<CompareInfo>(out);
  Opnd other;
  if (!decodeCommon(d, inst, type, *info, other))
    return;
  const ir::Operand &target = inst.operands[0];
  bool pair = target.is(Kind::Pair);
  d.setOps(out,
           {d.destination(pair ? target.elements[0] : target, ir::Type::Pred),
            pair ? d.destination(target.elements[1], ir::Type::Pred) : Opnd(),
            d.source(inst.operands[1], type), d.source(inst.operands[2], type),
            other});
  out.handler = setPredicate;
}

/// set.CmpOp.dtype.stype: all ones or 1.0.
void decodeSet(Decoder &d, const ir::Instruction &inst, Inst &out) {
  ir::Type to = inst.type(0), from = inst.type(1);
  auto *info = d.extra<CompareInfo>(out);
  Opnd other;
  if (!decodeCommon(d, inst, from, *info, other))
    return;
  d.setOps(out, {destinationOf(d, inst.operands[0], to), Opnd(),
                 d.source(inst.operands[1], from),
                 d.source(inst.operands[2], from), other});
  switch (to) {
  case ir::Type::U32:
  case ir::Type::S32:
    out.imm = 0xffffffff;
    break;
  case ir::Type::U16:
  case ir::Type::S16:
    out.imm = 0xffff;
    break;
  case ir::Type::F32:
    out.imm = 0x3f800000;
    break;
  case ir::Type::F16:
    out.imm = 0x3c00;
    break;
  case ir::Type::BF16:
    out.imm = 0x3f80;
    break;
  case ir::Type::F16x2:
    out.imm = uint64_t(0x3c000000) << 32 | 0x3c00;
    break;
  case ir::Type::BF16x2:
    out.imm = uint64_t(0x3f800000) << 32 | 0x3f80;
    break;
  default:
    return;
  }
  if (info->high && ir::bitWidth(to) == 32 && out.imm == 0xffffffff)
    out.imm = uint64_t(0xffff0000) << 32 | 0xffff;
  out.handler = setValue;
}

enum TestMode : uint8_t {
  Finite,
  Infinite,
  Number,
  NotNumber,
  Normal,
  Subnormal
};

template <typename T> Step testClass(Exec &x, const Inst &i) {
  auto *a = x.src<Slot<T>>(i.ops[1]);
  uint32_t mask = 0;
  x.forLanes([&](unsigned l) {
    T value = fromSlot<T>(a[l]);
    int kind = std::fpclassify(value);
    bool yes = false;
    switch (TestMode(i.imm)) {
    case Finite:
      yes = std::isfinite(value);
      break;
    case Infinite:
      yes = kind == FP_INFINITE;
      break;
    case Number:
      yes = kind != FP_NAN;
      break;
    case NotNumber:
      yes = kind == FP_NAN;
      break;
    case Normal:
      yes = kind == FP_NORMAL || kind == FP_ZERO;
      break;
    case Subnormal:
      yes = kind == FP_SUBNORMAL;
      break;
    }
    mask |= uint32_t(yes) << l;
  });
  x.setPred(i.ops[0], mask);
  return Step::Next;
}

void decodeTestp(Decoder &d, const ir::Instruction &inst, Inst &out) {
  static constexpr StringLiteral modes[] = {
      "finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  ir::Type type = inst.type();
  if (!hasOperands(d, inst, 2) || inst.modifiers.empty())
    return;
  auto *mode = llvm::find(modes, inst.modifiers[0]);
  if (mode == std::end(modes))
    return;
  out.imm = uint64_t(mode - std::begin(modes));
  d.setOps(out, {destinationOf(d, inst.operands[0], ir::Type::Pred),
                 d.source(inst.operands[1], type)});
  out.handler = type == ir::Type::F32   ? testClass<float>
                : type == ir::Type::F64 ? testClass<double>
                                        : nullptr;
}
} // namespace

void registerCompareOps(OpTable &table) {
  table.add("setp", decodeSetp);
  table.add("set", decodeSet);
  table.add("testp", decodeTestp);
}

} // namespace attn::ptx
