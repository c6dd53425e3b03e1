//===- OpHelpers.h - Loops over lanes, choices by type
//----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_OPS_OPHELPERS_H
#define ATTN_LIB_PTXSIM_OPS_OPHELPERS_H

#include "PTXSim/Exec/Exec.h"
#include "PTXSim/Exec/OpTable.h"

#include <cstring>
#include <type_traits>

namespace attn::ptx {

/// The element of a register array that holds a T.
template <typename T>
using Slot = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T> T fromSlot(Slot<T> slot) {
  if constexpr (std::is_floating_point_v<T>)
    return llvm::bit_cast<T>(slot);
  else
    return T(slot);
}

template <typename T> Slot<T> toSlot(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return llvm::bit_cast<Slot<T>>(value);
  else
    return Slot<T>(std::make_unsigned_t<T>(value));
}

/// d = f(a)
template <typename D, typename A, typename F>
Step mapUnary(Exec &x, const Inst &i, F f) {
  auto *d = x.dst<Slot<D>>(i.ops[0]);
  auto *a = x.src<Slot<A>>(i.ops[1]);
  x.forLanes([&](unsigned l) { d[l] = toSlot<D>(f(fromSlot<A>(a[l]))); });
  return Step::Next;
}

/// d = f(a, b)
template <typename D, typename A, typename F>
Step mapBinary(Exec &x, const Inst &i, F f) {
  auto *d = x.dst<Slot<D>>(i.ops[0]);
  auto *a = x.src<Slot<A>>(i.ops[1]);
  auto *b = x.src<Slot<A>>(i.ops[2]);
  x.forLanes([&](unsigned l) {
    d[l] = toSlot<D>(f(fromSlot<A>(a[l]), fromSlot<A>(b[l])));
  });
  return Step::Next;
}

/// d = f(a, b, c) with c of the type of d.
template <typename D, typename A, typename F>
Step mapTernary(Exec &x, const Inst &i, F f) {
  auto *d = x.dst<Slot<D>>(i.ops[0]);
  auto *a = x.src<Slot<A>>(i.ops[1]);
  auto *b = x.src<Slot<A>>(i.ops[2]);
  auto *c = x.src<Slot<D>>(i.ops[3]);
  x.forLanes([&](unsigned l) {
    d[l] =
        toSlot<D>(f(fromSlot<A>(a[l]), fromSlot<A>(b[l]), fromSlot<D>(c[l])));
  });
  return Step::Next;
}

/// Operand of an instruction as each family wants it; `_` as a destination
/// becomes a register nobody reads.
Opnd destinationOf(Decoder &d, const ir::Operand &op, ir::Type type);

/// Checks the number of operands; decode functions return when it is wrong.
bool hasOperands(Decoder &d, const ir::Instruction &inst, size_t count);
bool hasOperands(Decoder &d, const ir::Instruction &inst, size_t least,
                 size_t most);

/// Refuses modifiers that are neither types nor in `allowed`.
bool onlyModifiers(Decoder &d, const ir::Instruction &inst,
                   std::initializer_list<llvm::StringRef> allowed);

/// All operands of one type, the destination first.
void setOps(Decoder &d, const ir::Instruction &inst, Inst &out, ir::Type type);

bool isFloatType(ir::Type type); ///< f16 and the like included.
bool isSignedType(ir::Type type);

/// Rounding modes by modifier: rn, rz, rm, rp.
enum class Rounding : uint8_t { Nearest, Zero, Down, Up };
Rounding roundingOf(const ir::Instruction &inst);

// Families that share an opcode with the integer instructions.
void decodeFloatArithmetic(Decoder &d, const ir::Instruction &inst, Inst &out);
void decodeHalfArithmetic(Decoder &d, const ir::Instruction &inst, Inst &out);
void decodeCarry(Decoder &d, const ir::Instruction &inst, Inst &out);
// lib/PTXSim/Async: st.async, red.async
void decodeStoreAsync(Decoder &d, const ir::Instruction &inst, Inst &out);
void decodeReduceAsync(Decoder &d, const ir::Instruction &inst, Inst &out);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_OPS_OPHELPERS_H
