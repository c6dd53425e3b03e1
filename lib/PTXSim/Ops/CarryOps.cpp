//===- CarryOps.cpp - add.cc, addc, sub.cc, subc, mad.cc, madc
//--------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The carry flag is one more predicate, which belongs to the warp's path like
// any register: it is kept in Warp::carry, a bit a lane.
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Ops/IntegerMath.h"
#include "PTXSim/Ops/OpHelpers.h"

using namespace llvm;

namespace attn::ptx {

namespace {
enum CarryFlags : uint8_t { CarryIn = 1, CarryOut = 2, Subtract = 4 };

/// d = a + b + carry in. Subtraction adds the complement; its flag is the
/// borrow, so it goes in and out inverted.
template <typename U>
void addWithCarry(Exec &x, const Inst &i, U *d, const U *a, const U *b) {
  bool subtract = i.flags & Subtract;
  uint32_t carry = x.warp.carry;
  x.forLanes([&](unsigned l) {
    bool in = (i.flags & CarryIn) && (carry >> l & 1);
    U right = subtract ? U(~b[l]) : b[l];
    bool first = subtract ? !in : in;
    unsigned __int128 sum = (unsigned __int128)a[l] + right + first;
    d[l] = U(sum);
    bool flag = bool(sum >> (8 * sizeof(U))) != subtract;
    carry = (carry & ~(1u << l)) | uint32_t(flag) << l;
  });
  if (i.flags & CarryOut)
    x.warp.carry = carry;
}

template <typename U> Step addCarry(Exec &x, const Inst &i) {
  addWithCarry(x, i, x.dst<U>(i.ops[0]), x.src<U>(i.ops[1]),
               x.src<U>(i.ops[2]));
  return Step::Next;
}

template <typename T, bool high> Step madCarry(Exec &x, const Inst &i) {
  using U = std::make_unsigned_t<T>;
  U product[kLanes];
  auto *a = x.src<U>(i.ops[1]), *b = x.src<U>(i.ops[2]);
  x.forLanes([&](unsigned l) {
    product[l] = U(high ? MulHigh<T>()(T(a[l]), T(b[l]))
                        : MulLow<T>()(T(a[l]), T(b[l])));
  });
  addWithCarry(x, i, x.dst<U>(i.ops[0]), product, x.src<U>(i.ops[3]));
  return Step::Next;
}

template <bool high> Handler pickMad(ir::Type type) {
  switch (type) {
  case ir::Type::U32:
  case ir::Type::B32:
    return madCarry<uint32_t, high>;
  case ir::Type::S32:
    return madCarry<int32_t, high>;
  case ir::Type::U64:
    return madCarry<uint64_t, high>;
  case ir::Type::S64:
    return madCarry<int64_t, high>;
  default:
    return nullptr;
  }
}
} // namespace

void decodeCarry(Decoder &d, const ir::Instruction &inst, Inst &out) {
  bool isMad = inst.opcode.starts_with("mad");
  ir::Type type = inst.type();
  if (!hasOperands(d, inst, isMad ? 4 : 3) ||
      !onlyModifiers(d, inst, {"cc", "lo", "hi"}))
    return;
  setOps(d, inst, out, type);
  out.flags = (inst.opcode.ends_with("c") ? CarryIn : 0) |
              (inst.has("cc") ? CarryOut : 0) |
              (inst.opcode.starts_with("sub") ? Subtract : 0);
  unsigned bits = ir::bitWidth(type);
  if (isMad)
    out.handler = inst.has("hi") ? pickMad<true>(type) : pickMad<false>(type);
  else if (bits == 32)
    out.handler = addCarry<uint32_t>;
  else if (bits == 64)
    out.handler = addCarry<uint64_t>;
}

} // namespace attn::ptx
