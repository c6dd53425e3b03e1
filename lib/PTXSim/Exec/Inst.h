//===- Inst.h - Decoded instructions
//----------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compact form the interpreter runs. Every operand, immediate or register,
// is an array of 32 lane values in one of two banks:
//
//   Pred   one uint32_t, a bit a lane
//   R32    uint32_t[32]: all types up to 32 bits; 8- and 16-bit values are
//          kept zero-extended
//   R64    uint64_t[32]
//   R128   uint64_t[2][32], the low halves first
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_EXEC_INST_H
#define ATTN_LIB_PTXSIM_EXEC_INST_H

#include <cstdint>

namespace attn::ptx {

constexpr unsigned kLanes = 32;

struct Exec;
struct Inst;

enum class RegClass : uint8_t { None, Pred, R32, R64, R128 };

constexpr uint32_t storageBytes(RegClass c) {
  return c == RegClass::None   ? 0
         : c == RegClass::Pred ? 4
         : c == RegClass::R32  ? 4 * kLanes
         : c == RegClass::R64  ? 8 * kLanes
                               : 16 * kLanes;
}

enum Bank : uint8_t { BankRegister = 0, BankConstant = 1 };

/// Where the 32 values of an operand lie. RegClass::None: the operand is
/// absent or the sink `_`.
struct Opnd {
  uint32_t offset = 0;
  Bank bank = BankRegister;
  RegClass cls = RegClass::None;
  bool negated = false; ///< !%p
  explicit operator bool() const { return cls != RegClass::None; }
};

/// A memory operand: base register or constant (R32 or R64) plus offset.
struct AddressOpnd {
  Opnd base;
  int64_t offset = 0;
};

/// What the interpreter does after a handler.
enum class Step : uint8_t {
  Next,  ///< Go on with the instruction that follows.
  Jump,  ///< The handler has set where the lanes go on.
  Retry, ///< Not possible yet: run this instruction again later. Must have
         ///< changed nothing that the next attempt would change again.
  Fault, ///< A finding was reported after which the run cannot go on.
};

using Handler = Step (*)(Exec &, const Inst &);

struct Inst {
  Handler handler = nullptr;
  const Opnd *ops = nullptr;   ///< numOps of them, in the decoder's order.
  const void *extra = nullptr; ///< The family's own data, Decoder::extra<T>().
  uint64_t imm = 0;            ///< Free for the family.
  uint32_t target = 0;         ///< Instruction index of a branch or call.
  uint32_t line = 0;
  Opnd guard; ///< @p or @!p; the handler is not called when no lane is left.
  uint16_t opcode = 0; ///< Index for counts: Program::opcodeNames.
  uint8_t numOps = 0;
  uint8_t flags = 0;    ///< Free for the family.
  uint32_t written = 0; ///< Index in Program::operandLists + 1 of the registers
                        ///< of wgmma it writes; 0: none.
  uint32_t watched = 0; ///< Index in Program::registerChecks + 1; 0: none.
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_EXEC_INST_H
