//===- Program.h - A kernel decoded for one launch
//--------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_EXEC_PROGRAM_H
#define ATTN_LIB_PTXSIM_EXEC_PROGRAM_H

#include "PTXSim/Exec/Exec.h"
#include "PTXSim/Exec/RegisterCheck.h"
#include "PTXSim/IR/Module.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <deque>
#include <map>

namespace attn::ptx {

constexpr uint32_t kNoIndex = ~0u;
/// Param-space addresses from here on are places on the thread's stack
/// (parameters of device functions); below it the kernel's parameter block.
constexpr uint32_t kStackParams = 1u << 31;

/// Local memory of a thread, as GPUs limit it.
constexpr uint64_t kMostLocalBytes = 512 << 10;
/// Variables of a module in global and constant memory. GPUs allow more, but a
/// simulation that needs it is a mistake.
constexpr uint64_t kMostVariableBytes = uint64_t(1) << 30;

struct DecodedFunction {
  const ir::Function *ir = nullptr;
  uint32_t index = 0;
  std::vector<Inst> code; ///< The last one is the return all lanes meet at.
  /// Where the lanes that part at an instruction meet again, or kNoIndex.
  std::vector<uint32_t> meet;
  uint32_t registerBytes = 0;
  /// Offsets of the states of watched registers, zero at the entry.
  std::vector<uint32_t> watched;
  /// Parameters and results that are registers.
  llvm::StringMap<Opnd> registerParameters;
  uint32_t stackBytes = 0;
  /// Places on the stack of .local variables and of parameters.
  llvm::StringMap<uint32_t> stackOffsets;
};

/// One parameter of a call: copied between the stacks of caller and callee, or
/// between registers.
struct CallValue {
  Opnd reg;                  ///< The caller passes a register or constant, ...
  uint32_t callerOffset = 0; ///< ... or a place on its stack.
  uint32_t index = 0;        ///< Position in the callee's list.
};

struct CallInfo {
  std::vector<CallValue> results, arguments;
  const DecodedFunction *callee = nullptr; ///< Null: indirect.
  Opnd target;
};

struct Program {
  const ir::Module *module = nullptr;
  std::vector<std::unique_ptr<DecodedFunction>> functions;
  const DecodedFunction *kernel = nullptr;
  /// Bank of constants, one copy for each CTA rank of a cluster: the address of
  /// a shared variable holds the rank.
  std::vector<std::vector<uint8_t>> constants;
  std::vector<uint32_t> sharedConstants; ///< Offsets of 32 R32 values to rebase
  std::vector<uint32_t> sharedConstants64;
  std::deque<std::vector<Opnd>> operandLists;
  std::vector<std::shared_ptr<void>> extras;
  std::vector<RegisterCheck> registerChecks;
  std::vector<std::string> opcodeNames;

  llvm::StringMap<uint32_t> sharedOffsets; ///< Shared variables, with base.
  uint32_t staticSharedEnd = kSharedBase;
  uint32_t dynamicSharedBegin = kSharedBase;
  llvm::StringMap<uint64_t> globalAddresses; ///< Global and const variables.
  llvm::StringMap<uint32_t> paramOffsets;    ///< Of the kernel.
  uint32_t paramBytes = 0;
  /// CTAs talk to each other through global memory: they take turns on one
  /// host thread, so that the outcome does not depend on threads.
  bool communicates = false;
};

/// "Address" of a function, for indirect calls.
constexpr uint64_t kFunctionBase = 0x0000'7e00'0000'0000;

/// Decodes the kernel and what it may call. Variables get their addresses from
/// `memory`.
llvm::Expected<std::unique_ptr<Program>>
decodeProgram(const ir::Module &module, const ir::Function &kernel,
              const Launch &launch, uint32_t clusterSize, GlobalMemory &memory);

/// Fills in function.meet from immediate post-dominators.
void computeMeetingPoints(DecodedFunction &function,
                          llvm::ArrayRef<llvm::SmallVector<uint32_t, 2>> next,
                          llvm::ArrayRef<bool> ends);

/// Parameter block layout, in declaration order.
std::vector<KernelParameter> layoutParameters(const ir::Function &kernel);

// Special registers, Ops/SpecialRegisters.cpp: the handler that fills a
// register of class `cls` with the value of `name`.
Handler specialRegister(llvm::StringRef name, RegClass &cls, uint64_t &imm);

// Ops/ControlOps.cpp
Step returnFromFunction(Exec &x, const Inst &inst);
Step storeStackAddress(Exec &x, const Inst &inst);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_EXEC_PROGRAM_H
