//===- ConvertOps.cpp - cvt between all number types
//------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/FloatMath.h"

using namespace llvm;

namespace attn::ptx {

namespace {
struct ConvertInfo {
  ir::Type to, from;
  unsigned toBits, fromBits;
  Rounding rounding = Rounding::Nearest;
  bool integral = false; ///< .rni and the like between floats.
  bool away = false;     ///< .rna
  bool ftz = false, sat = false, finite = false, relu = false;
  unsigned registerBits = 64; ///< Of the destination.
  const Format *toFormat = nullptr, *fromFormat = nullptr;
};

const Format *formatOf(ir::Type type) {
  switch (type) {
  case ir::Type::F16:
  case ir::Type::F16x2:
    return &formatF16;
  case ir::Type::BF16:
  case ir::Type::BF16x2:
    return &formatBF16;
  case ir::Type::F32:
    return &formatF32;
  case ir::Type::TF32:
    return &formatTF32;
  case ir::Type::E4M3:
  case ir::Type::E4M3x2:
    return &formatE4M3;
  case ir::Type::E5M2:
  case ir::Type::E5M2x2:
    return &formatE5M2;
  default:
    return nullptr;
  }
}

bool isSubnormalF32(uint32_t bits) { return !(bits & 0x7f800000); }

double readFloat(const ConvertInfo &c, uint64_t bits) {
  if (c.from == ir::Type::F64)
    return bit_cast<double>(bits);
  if (c.from == ir::Type::F32) {
    if (c.ftz && isSubnormalF32(uint32_t(bits)))
      bits &= 0x80000000;
    return bit_cast<float>(uint32_t(bits));
  }
  return decodeFloat(*c.fromFormat,
                     uint32_t(bits & ((uint64_t(1) << c.fromBits) - 1)));
}

uint64_t writeFloat(const ConvertInfo &c, double value) {
  if (c.sat)
    value = value > 0 ? std::min(value, 1.0) : 0;
  if (c.relu && (value < 0 || (value == 0 && std::signbit(value))))
    value = 0;
  if (c.to == ir::Type::F64)
    return bit_cast<uint64_t>(value);
  if (c.to == ir::Type::TF32) {
    if (std::isnan(value))
      return 0x7fffffff;
    return uint64_t(
               encodeFloat(formatTF32, value, c.rounding, c.finite, c.away))
           << 13;
  }
  uint32_t bits = c.to == ir::Type::F32 && c.rounding == Rounding::Nearest
                      ? bit_cast<uint32_t>(canonical(float(value)))
                      : encodeFloat(*c.toFormat, value, c.rounding, c.finite);
  if (c.to == ir::Type::F32 && c.ftz && isSubnormalF32(bits))
    bits &= 0x80000000;
  return bits;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The integer's value, wide enough for both signs.
__int128 readInteger(const ConvertInfo &c, uint64_t bits) {
  if (isSignedType(c.from))
    return SignExtend64(bits, c.fromBits);
  return c.fromBits < 64 ? bits & ((uint64_t(1) << c.fromBits) - 1) : bits;
}

__int128 least(const ConvertInfo &c) {
  return isSignedType(c.to) ? -(__int128(1) << (c.toBits - 1)) : 0;
}
__int128 most(const ConvertInfo &c) {
  return (__int128(1) << (c.toBits - isSignedType(c.to))) - 1;
}

/// What the destination register gets: extended by the sign of the type.
uint64_t writeInteger(const ConvertInfo &c, __int128 value) {
  uint64_t bits = uint64_t(value);
  if (c.toBits < 64)
    bits = isSignedType(c.to) ? uint64_t(SignExtend64(bits, c.toBits))
                              : bits & ((uint64_t(1) << c.toBits) - 1);
  return c.registerBits < 64 ? bits & ((uint64_t(1) << c.registerBits) - 1)
                             : bits;
}

uint64_t integerToInteger(const ConvertInfo &c, uint64_t bits) {
  __int128 value = readInteger(c, bits);
  if (c.sat)
    value = std::min(std::max(value, least(c)), most(c));
  return writeInteger(c, value);
}

/// A double that rounds like the integer: odd where bits are lost.
double integerToOdd(__int128 value) {
  bool negative = value < 0;
  unsigned __int128 magnitude = negative ? -(unsigned __int128)value : value;
  unsigned cut = 0;
  while (magnitude >> 53) {
    magnitude = magnitude >> 1 | (magnitude & 1);
    ++cut;
  }
  double result = std::ldexp(double(uint64_t(magnitude)), int(cut));
  return negative ? -result : result;
}

uint64_t integerToFloat(const ConvertInfo &c, uint64_t bits) {
  __int128 value = readInteger(c, bits);
  if (c.to != ir::Type::F64)
    return writeFloat(c, integerToOdd(value));
  double result =
      isSignedType(c.from) ? double(int64_t(value)) : double(uint64_t(value));
  if (c.rounding != Rounding::Nearest) {
    // 2^64 as a double does not fit back, but is only ever rounded up to.
    __int128 rounded = __int128(result);
    bool tooLow = rounded<value, tooHigh = rounded> value;
    bool wantsDown = c.rounding == Rounding::Down ||
                     (c.rounding == Rounding::Zero && value > 0);
    if (tooHigh && wantsDown)
      result = std::nextafter(result, -HUGE_VAL);
    if (tooLow && !wantsDown)
      result = std::nextafter(result, HUGE_VAL);
  }
  return writeFloat(c, result);
}

uint64_t floatToInteger(const ConvertInfo &c, uint64_t bits) {
  double value = readFloat(c, bits);
  if (std::isnan(value)) {
    bool wide = c.from == ir::Type::F64 || c.toBits == 64;
    return wide ? writeInteger(c, __int128(1) << (c.toBits - 1)) : 0;
  }
  value = roundToInteger(value, c.rounding);
  __int128 result = value >= 0x1p64    ? most(c)
                    : value <= -0x1p64 ? least(c)
                                       : __int128(value);
  return writeInteger(c, std::min(std::max(result, least(c)), most(c)));
}

uint64_t floatToFloat(const ConvertInfo &c, uint64_t bits) {
  double value = readFloat(c, bits);
  if (c.integral)
    value = roundToInteger(value, c.rounding);
  return writeFloat(c, value);
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

using Convert = uint64_t (*)(const ConvertInfo &, uint64_t);

template <Convert convert> Step convertOne(Exec &x, const Inst &i) {
  const auto &info = *static_cast<const ConvertInfo *>(i.extra);
  Opnd to = i.ops[0], from = i.ops[1];
  auto run = [&](auto *d, auto *a) {
    using D = std::remove_reference_t<decltype(*d)>;
    x.forLanes([&](unsigned l) { d[l] = D(convert(info, a[l])); });
  };
  auto source = [&](auto *d) {
    if (from.cls == RegClass::R64)
      run(d, x.src<uint64_t>(from));
    else
      run(d, x.src<uint32_t>(from));
  };
  if (to.cls == RegClass::R64)
    source(x.dst<uint64_t>(to));
  else
    source(x.dst<uint32_t>(to));
  return Step::Next;
}

/// cvt.f16x2.f32 d, a, b: a to the upper half, b to the lower.
Step convertTwo(Exec &x, const Inst &i) {
  const auto &info = *static_cast<const ConvertInfo *>(i.extra);
  auto *d = x.dst<uint32_t>(i.ops[0]);
  auto *a = x.src<uint32_t>(i.ops[1]), *b = x.src<uint32_t>(i.ops[2]);
  unsigned bits = info.toBits / 2;
  x.forLanes([&](unsigned l) {
    d[l] =
        uint32_t(floatToFloat(info, a[l]) << bits | floatToFloat(info, b[l]));
  });
  return Step::Next;
}

/// cvt.f16x2.e4m3x2 and back: element by element.
Step convertPair(Exec &x, const Inst &i) {
  ConvertInfo info = *static_cast<const ConvertInfo *>(i.extra);
  unsigned toBits = info.toBits / 2, fromBits = info.fromBits / 2;
  info.fromBits = fromBits;
  auto *d = x.dst<uint32_t>(i.ops[0]);
  auto *a = x.src<uint32_t>(i.ops[1]);
  x.forLanes([&](unsigned l) {
    d[l] = uint32_t(floatToFloat(info, a[l] >> fromBits) << toBits |
                    floatToFloat(info, a[l]));
  });
  return Step::Next;
}

bool isPair(ir::Type type) {
  switch (type) {
  case ir::Type::F16x2:
  case ir::Type::BF16x2:
  case ir::Type::E4M3x2:
  case ir::Type::E5M2x2:
    return true;
  default:
    return false;
  }
}

struct PackInfo {
  unsigned bits = 0; ///< Of each of the two numbers.
  int64_t least = 0, most = 0;
};

/// cvt.pack.sat.t.s32{.b32} d, a, b{, c}
Step convertPack(Exec &x, const Inst &i) {
  const auto &info = *static_cast<const PackInfo *>(i.extra);
  auto *d = x.dst<uint32_t>(i.ops[0]);
  auto *a = x.src<uint32_t>(i.ops[1]), *b = x.src<uint32_t>(i.ops[2]);
  auto field = [&](uint32_t value) {
    int64_t clamped =
        std::min(std::max<int64_t>(int32_t(value), info.least), info.most);
    return uint64_t(clamped) & ((uint64_t(1) << info.bits) - 1);
  };
  x.forLanes([&](unsigned l) {
    uint64_t above = i.ops[3] ? x.lane(i.ops[3], l) << (2 * info.bits) : 0;
    d[l] = uint32_t(above | field(a[l]) << info.bits | field(b[l]));
  });
  return Step::Next;
}

void decodePack(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (!onlyModifiers(d, inst, {"pack", "sat", "u2", "s2", "u4", "s4"}) ||
      !inst.has("sat") || inst.modifiers.size() < 4 ||
      inst.modifiers[3] != "s32")
    return;
  StringRef type = inst.modifiers[2];
  bool isSigned = type.starts_with("s");
  auto &info = *d.extra<PackInfo>(out);
  if (type.drop_front().getAsInteger(10, info.bits) || info.bits > 16)
    return;
  info.least = isSigned ? -(int64_t(1) << (info.bits - 1)) : 0;
  info.most = (int64_t(1) << (info.bits - isSigned)) - 1;
  // Only numbers of up to 8 bits leave room for a third source.
  bool narrow = info.bits <= 8;
  if (inst.has("b32") != narrow || !hasOperands(d, inst, narrow ? 4 : 3))
    return;
  ir::Type b32 = ir::Type::B32;
  Opnd above;
  if (narrow)
    above = d.source(inst.operands[3], b32);
  d.setOps(out, {destinationOf(d, inst.operands[0], b32),
                 d.source(inst.operands[1], b32),
                 d.source(inst.operands[2], b32), above});
  out.handler = convertPack;
}

bool isInteger(ir::Type type) {
  return !formatOf(type) && type != ir::Type::F64 && ir::bitWidth(type) >= 8;
}

void decodeFlags(const ir::Instruction &inst, ConvertInfo &info) {
  info.to = inst.type(0);
  info.from = inst.type(1);
  info.toBits = ir::bitWidth(info.to);
  info.fromBits = ir::bitWidth(info.from);
  info.rounding = roundingOf(inst);
  info.integral =
      inst.has("rni") || inst.has("rzi") || inst.has("rmi") || inst.has("rpi");
  info.away = inst.has("rna");
  info.ftz = inst.has("ftz");
  info.sat = inst.has("sat");
  info.finite = inst.has("satfinite");
  info.relu = inst.has("relu");
  info.toFormat = formatOf(info.to);
  info.fromFormat = formatOf(info.from);
}

/// Which of the roundings, .ftz and .sat PTX has between two types.
bool isLegal(const ir::Instruction &inst, const ConvertInfo &info) {
  using T = ir::Type;
  bool toInteger = isInteger(info.to), fromInteger = isInteger(info.from);
  bool integerRounding = info.integral;
  bool floatRounding =
      inst.has("rn") || inst.has("rz") || inst.has("rm") || inst.has("rp");
  bool single = info.to == T::F32 || info.from == T::F32;
  bool bfloat = info.to == T::BF16 || info.from == T::BF16;
  if ((info.ftz && !single) || (info.sat && bfloat) ||
      (info.sat && info.finite) || (info.relu && info.sat))
    return false;
  bool narrow = info.to == T::F16 || info.to == T::BF16 || info.to == T::TF32;
  if (info.away || info.to == T::TF32)
    return info.from == T::F32 && info.to == T::TF32 && !info.ftz &&
           !info.sat && !integerRounding && !(info.away && info.relu) &&
           !inst.has("rm") && !inst.has("rp") && (info.away || floatRounding);
  if (info.relu || info.finite)
    return info.from == T::F32 && narrow && !info.ftz &&
           (inst.has("rn") || inst.has("rz"));
  if (toInteger && fromInteger)
    return !floatRounding && !integerRounding && !info.ftz;
  if (toInteger || fromInteger) {
    bool byte = info.toBits == 8 || info.fromBits == 8;
    return !(bfloat && byte) && (toInteger ? integerRounding && !floatRounding
                                           : floatRounding && !integerRounding);
  }
  if (info.to == info.from)
    return !floatRounding;
  if (integerRounding)
    return false;
  // bf16 and f16 are not wider or narrower than each other; whatever bf16
  // becomes may have a rounding.
  if (info.from == T::BF16 || (bfloat && info.from == T::F16))
    return true;
  return floatRounding == (info.toBits < info.fromBits);
}

void decodeCvt(Decoder &d, const ir::Instruction &inst, Inst &out) {
  if (inst.has("pack"))
    return decodePack(d, inst, out);
  if (!onlyModifiers(d, inst,
                     {"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi",
                      "ftz", "sat", "satfinite", "relu"}))
    return;
  auto *info = d.extra<ConvertInfo>(out);
  decodeFlags(inst, *info);
  if (info->to == ir::Type::None || info->from == ir::Type::None ||
      info->to == ir::Type::Pred || info->from == ir::Type::Pred)
    return;
  if (isPair(info->to)) {
    bool two = info->from == ir::Type::F32;
    if (!two && !isPair(info->from))
      return;
    if (!hasOperands(d, inst, two ? 3 : 2))
      return;
    SmallVector<Opnd, 3> ops{destinationOf(d, inst.operands[0], info->to)};
    for (const ir::Operand &op : ArrayRef(inst.operands).drop_front())
      ops.push_back(d.source(op, info->from));
    d.setOps(out, ops);
    out.handler = two ? convertTwo : convertPair;
    return;
  }
  if (isPair(info->from) || !hasOperands(d, inst, 2))
    return;
  if (!isLegal(inst, *info))
    return d.error("these types do not have this rounding, .ftz or .sat");
  const ir::Operand &target = inst.operands[0];
  if (target.is(ir::Operand::Kind::Register))
    info->registerBits = ir::bitWidth(d.function().registers[target.reg].type);
  d.setOps(out, {target.is(ir::Operand::Kind::Sink)
                     ? destinationOf(d, target, info->to)
                     : d.wideDestination(target, info->to),
                 d.wideSource(inst.operands[1], info->from)});
  bool toInteger = isInteger(info->to), fromInteger = isInteger(info->from);
  out.handler = toInteger     ? (fromInteger ? convertOne<integerToInteger>
                                             : convertOne<floatToInteger>)
                : fromInteger ? convertOne<integerToFloat>
                              : convertOne<floatToFloat>;
}
} // namespace

void registerConvertOps(OpTable &table) { table.add("cvt", decodeCvt); }

} // namespace attn::ptx
