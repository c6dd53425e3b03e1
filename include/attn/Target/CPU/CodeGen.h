//===- CodeGen.h - LLVM IR to object code or assembly -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_CPU_CODEGEN_H
#define ATTN_TARGET_CPU_CODEGEN_H

#include "attn/Target/TargetDescription.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace attn {

/// A machine that generates code for the features of `target`.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const TargetDescription &target);

/// Runs a short pipeline of LLVM's mid-level passes. The kernels come out of
/// the lowering in their final shape; this is for the plain loops around them.
llvm::Error optimizeModule(llvm::Module &module, llvm::TargetMachine &machine);

/// Object code of the module, which the call may change.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
emitObject(llvm::Module &module, llvm::TargetMachine &machine);

/// Assembly text of the module, which the call may change.
llvm::Expected<std::string> emitAssembly(llvm::Module &module,
                                         llvm::TargetMachine &machine);

/// Names that the object expects others to define, sorted.
llvm::Expected<std::vector<std::string>>
getUndefinedSymbols(llvm::MemoryBufferRef object);

/// Fails if the object calls an exponential of the C library: kernels bring
/// their own, so one that calls libm's was lowered wrongly and is slow.
llvm::Error checkUndefinedSymbols(llvm::MemoryBufferRef object);

} // namespace attn

#endif // ATTN_TARGET_CPU_CODEGEN_H
