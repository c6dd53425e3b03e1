//===- FunctionDecoder.h - One function to its decoded form
//-----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_EXEC_FUNCTIONDECODER_H
#define ATTN_LIB_PTXSIM_EXEC_FUNCTIONDECODER_H

#include "PTXSim/Exec/OpTable.h"
#include "PTXSim/Exec/Program.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace attn::ptx {

/// What all functions of a program share while it is decoded.
struct ProgramDecoder {
  ProgramDecoder(Program &program, const ir::Module &module)
      : program(program), module(module) {}
  Program &program;
  const ir::Module &module;
  std::string error;
  std::vector<uint8_t> constants;
  llvm::DenseMap<std::pair<uint64_t, unsigned>, uint32_t> constantOffsets;
  llvm::StringMap<uint16_t> opcodeIndices;
  std::vector<DecodedFunction *> worklist;

  bool fail(uint32_t line, const llvm::Twine &message);
  Opnd constant(uint64_t value, RegClass cls, bool shared = false);
  /// The decoded form of a function, to be filled in later.
  DecodedFunction *require(const ir::Function &function);
  uint16_t opcode(const ir::Instruction &inst);
};

class FunctionDecoder {
public:
  FunctionDecoder(ProgramDecoder &shared, DecodedFunction &out)
      : shared(shared), out(out), ir(*out.ir) {}
  bool run();

  // What Decoder offers to the families.
  Opnd operand(const ir::Operand &op, ir::Type type, bool wide, bool isSource);
  Opnd registerOperand(uint32_t reg);
  Opnd immediate(const ir::Operand &op, ir::Type type);
  Opnd symbol(const ir::Operand &op, RegClass cls);
  Opnd special(const ir::Operand &op, ir::Type type, bool wide);
  AddressOpnd address(const ir::Operand &op);
  Opnd temporary(RegClass cls);
  bool fail(const llvm::Twine &message);

  ProgramDecoder &shared;
  DecodedFunction &out;
  const ir::Function &ir;
  const ir::Instruction *inst = nullptr;

private:
  void layoutRegisters();
  void findWgmmaRegisters();
  bool layoutStack();
  bool decodeInstruction(const ir::Instruction &inst);
  void linkBranches();
  void noteAccesses(const Inst &decoded);
  void watchRegisters(llvm::ArrayRef<llvm::SmallVector<uint32_t, 2>> next,
                      uint32_t prologue);
  void emit(Inst inst, llvm::StringRef opcode);

  std::vector<Opnd> registers;
  std::vector<bool> usedByWgmma; ///< By register; empty if nothing is.
  std::vector<Opnd> written;     ///< Of these, by the current instruction.
  RegisterAccesses current;      ///< Of the current instruction.
  std::vector<RegisterAccesses> accesses;         ///< By index in `body`.
  llvm::MapVector<uint32_t, Opnd> stackAddresses; ///< Made at function entry.
  std::vector<uint32_t> firstOf; ///< Index in `body` of each IR instruction.
  std::vector<Inst> body;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_EXEC_FUNCTIONDECODER_H
