//===- AsyncHandlers.h - What the handlers here share -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of `cp` and `mbarrier` are decoded by the function of their
// family; AsyncOps.cpp chooses among them.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_ASYNC_ASYNCHANDLERS_H
#define ATTN_LIB_PTXSIM_ASYNC_ASYNCHANDLERS_H

#include "PTXSim/Async/Engine.h"
#include "PTXSim/Exec/OpTable.h"

namespace attn::ptx {

inline Engine &engineOf(Exec &x) { return static_cast<Engine &>(x.async); }
inline ClusterMemory &memoryOf(Exec &x) {
  return static_cast<ClusterMemory &>(x.memory);
}
inline Issuer issuerOf(Exec &x, const Inst &inst, unsigned lane,
                       Proxy proxy = Proxy::Generic) {
  return {x.warp, lane, inst.line, proxy};
}

/// Shared address of an operand that may be a generic address. Others than
/// shared ones stay as they are and are found to be out of bounds.
inline uint64_t sharedAddress(uint64_t address, bool generic) {
  if (generic && address >= kSharedWindow &&
      address < kSharedWindow + kWindowBytes)
    return address - kSharedWindow;
  return address;
}

/// Takes the lanes out of `rest` that have the address of its first one.
inline uint32_t takeLanesOfOneAddress(const uint64_t (&address)[kLanes],
                                      uint32_t &rest) {
  uint64_t first = address[llvm::countr_zero(rest)];
  uint32_t same = 0;
  for (uint32_t m = rest; m; m &= m - 1)
    if (unsigned l = llvm::countr_zero(m); address[l] == first)
      same |= 1u << l;
  rest &= ~same;
  return same;
}

/// "x.y::z" of the modifiers begins with this.
inline bool hasPrefix(const ir::Instruction &inst, llvm::StringRef prefix) {
  for (llvm::StringRef m : inst.modifiers)
    if (m.starts_with(prefix))
      return true;
  return false;
}

/// The reductions of cp.reduce.async, by the element type of the tensor or the
/// instruction. Null when the type does not have the operation.
using ReduceFn = void (*)(uint8_t *target, const uint8_t *value);
enum class ReduceType : uint8_t {
  U32,
  S32,
  U64,
  S64,
  F16,
  BF16,
  F32,
  F64,
  B32,
  B64
};
ReduceFn findReduction(llvm::StringRef name, ReduceType type);
unsigned reduceBytes(ReduceType type);

void decodeCpAsync(Decoder &d, const ir::Instruction &inst, Inst &out);
void decodeBulk(Decoder &d, const ir::Instruction &inst, Inst &out);
void decodeTensor(Decoder &d, const ir::Instruction &inst, Inst &out);
void decodeMBarrier(Decoder &d, const ir::Instruction &inst, Inst &out);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_ASYNC_ASYNCHANDLERS_H
