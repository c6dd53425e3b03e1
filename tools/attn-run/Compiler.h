//===- Compiler.h - From a program to running code --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUN_COMPILER_H
#define ATTN_RUN_COMPILER_H

#include "Options.h"
#include "attn/Compiler/Lowering.h"
#include "attn/Compiler/Phases.h"
#include "attn/Compiler/Program.h"
#include "attn/Target/CPU/JIT.h"
#include "attn/Target/TargetDescription.h"

namespace attn::run {

struct CompiledProgram {
  /// Owns the code that the two functions below are part of.
  std::optional<JITLibrary> library;
  JITLibrary::Invoker run = nullptr;
  /// Null when all results have static sizes.
  JITLibrary::Invoker computeShapes = nullptr;
  std::vector<KernelInfo> kernels;
  std::vector<std::string> remarks;
  /// Of the contractions, for the arguments at hand; nothing when unknown.
  std::optional<double> flops;
  /// From the parsed module to callable code, without the writing of dumps.
  double compileSeconds = 0;
};

/// Compiles the program's module, which is consumed: afterwards it is in the
/// LLVM dialect. `arguments` only serve to count operations.
llvm::Expected<CompiledProgram>
compileProgram(Program &program, const TargetDescription &target,
               llvm::ArrayRef<HostArray> arguments, const Options &options,
               Phases &phases);

} // namespace attn::run

#endif // ATTN_RUN_COMPILER_H
