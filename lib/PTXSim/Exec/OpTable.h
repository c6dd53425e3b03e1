//===- OpTable.h - From opcodes to specialised handlers
//---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family of instructions is one file with one function
//
//   void registerShuffleOps(OpTable &table) { table.add("shfl", decodeShuffle);
//   }
//
// named in OpTable.cpp. A decode function looks at modifiers and types once and
// picks a handler made for them; it refuses forms it does not know.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_EXEC_OPTABLE_H
#define ATTN_LIB_PTXSIM_EXEC_OPTABLE_H

#include "PTXSim/Exec/Inst.h"
#include "PTXSim/IR/Module.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <memory>
#include <vector>

namespace attn::ptx {

struct Program;
struct DecodedFunction;
class FunctionDecoder;

/// Given to decode functions; turns IR operands into places in the banks.
class Decoder {
public:
  explicit Decoder(FunctionDecoder &impl) : impl(impl) {}

  /// A register or immediate of this type; immediates become constants (for
  /// float types integers and doubles are converted as PTX says). Reports an
  /// error when the register's size does not fit.
  Opnd source(const ir::Operand &op, ir::Type type);
  Opnd destination(const ir::Operand &op, ir::Type type); ///< `_` gives None.
  /// Any register at least as wide as `type` (ld, st, cvt).
  Opnd wideSource(const ir::Operand &op, ir::Type type);
  Opnd wideDestination(const ir::Operand &op, ir::Type type);
  Opnd predicate(const ir::Operand &op);      ///< Register, negated or not.
  AddressOpnd address(const ir::Operand &op); ///< [reg + imm], [var + imm]
  /// An operand that must be a literal.
  uint64_t immediate(const ir::Operand &op);
  /// Fresh register that no other instruction uses.
  Opnd temporary(RegClass cls);
  Opnd constant(uint64_t value, RegClass cls);

  /// Stores the operands of `out` in the program.
  void setOps(Inst &out, llvm::ArrayRef<Opnd> ops);
  /// Memory of a T that lives as long as the program.
  template <typename T> T *extra(Inst &out) {
    auto owned = std::make_shared<T>();
    T *result = owned.get();
    keep(std::move(owned));
    out.extra = result;
    return result;
  }

  /// Place of a .local or .param variable on this function's stack.
  bool stackOffset(llvm::StringRef name, uint32_t &offset) const;
  /// The function of this name, which will be decoded too.
  const DecodedFunction *callee(llvm::StringRef name);

  /// The instruction is refused: "LINE: MESSAGE: 'cp.async.foo'".
  void error(const llvm::Twine &message);
  const ir::Module &module() const;
  const ir::Function &function() const;
  const ir::Instruction &instruction() const;

private:
  void keep(std::shared_ptr<void> data);
  FunctionDecoder &impl;
};

/// Sets out.handler, out.ops, out.imm, ...; line, guard and opcode are set by
/// the caller. Leaves out.handler null to say "not this form", which becomes
/// the error "unsupported form of instruction".
using DecodeFn = void (*)(Decoder &, const ir::Instruction &, Inst &out);

class OpTable {
public:
  /// `opcode` is the part before the first dot: "cp", "mbarrier", "wgmma".
  void add(llvm::StringRef opcode, DecodeFn decode) { table[opcode] = decode; }
  DecodeFn find(llvm::StringRef opcode) const { return table.lookup(opcode); }
  /// All families.
  static const OpTable &get();

private:
  llvm::StringMap<DecodeFn> table;
};

// lib/PTXSim/Ops
void registerControlOps(OpTable &table);
void registerIntegerOps(OpTable &table);
void registerLogicOps(OpTable &table);
void registerFloatOps(OpTable &table);
void registerCompareOps(OpTable &table);
void registerConvertOps(OpTable &table);
void registerMoveOps(OpTable &table);
void registerMemoryOps(OpTable &table);
void registerAtomicOps(OpTable &table);
void registerBarrierOps(OpTable &table);
void registerWarpOps(OpTable &table);
void registerMiscOps(OpTable &table);
// lib/PTXSim/Async: cp (async, bulk, reduce), mbarrier, prefetch of tensors
void registerAsyncOps(OpTable &table);
// lib/PTXSim/Matrix: mma, ldmatrix, stmatrix, movmatrix, wgmma
void registerMatrixOps(OpTable &table);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_EXEC_OPTABLE_H
