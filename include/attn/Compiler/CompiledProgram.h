//===- CompiledProgram.h - From a program to running code -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_COMPILEDPROGRAM_H
#define ATTN_COMPILER_COMPILEDPROGRAM_H

#include "attn/Compiler/Backend.h"
#include "attn/Compiler/Lowering.h"
#include "attn/Compiler/Messages.h"
#include "attn/Compiler/Program.h"
#include "attn/Conversion/Host/Profile.h"
#include <optional>

namespace attn {

/// A function of a compiled module, ready to be called.
struct CompiledEntry {
  std::string name;
  EntryTypes types;
  LoadedCode::Invoker run;
  LoadedCode::Invoker computeShapes;
};

/// Makes an object callable that has these entries.
using EntryLoader = std::function<llvm::Expected<std::unique_ptr<LoadedCode>>(
    llvm::StringRef object, llvm::ArrayRef<CompiledEntry> entries)>;

/// A module that can be called.
struct CompiledModule {
  /// Owns the code that the functions of the entries are part of.
  std::unique_ptr<LoadedCode> code;
  std::vector<CompiledEntry> entries;
  std::vector<KernelInfo> kernels;
  /// Where LoweringOptions::profile is set: what is counted, and in pairs of
  /// ticks and runs the counts, which are part of the code.
  std::vector<ProfiledStep> steps;
  uint64_t *stepCounts = nullptr;
};

/// Compiles functions of a module, which is consumed: afterwards it is lowered.
/// `entries` come with names and types, which raising may know better: it finds
/// caches that the file does not mark. The phases of `options` are followed by
/// `codegen`, whose steps go to `dump`. Diagnostics go to the handlers of the
/// context. Without a loader, code is loaded into this process, which has to be
/// able to run it.
llvm::Expected<CompiledModule>
compileEntries(mlir::ModuleOp module, std::vector<CompiledEntry> entries,
               const LoweringOptions &options, const DumpText &dump = {},
               const EntryLoader &loader = {});

/// A program's entry, ready to be called.
struct CompiledProgram {
  /// Owns the code that the two functions below are part of.
  std::unique_ptr<LoadedCode> code;
  LoadedCode::Invoker run;
  /// Null when all results have static sizes.
  LoadedCode::Invoker computeShapes;
  std::vector<KernelInfo> kernels;
  std::vector<CompilerMessage> remarks;
  /// Of the contractions, for the arguments at hand; nothing when unknown.
  std::optional<double> flops;
  /// As in CompiledModule.
  std::vector<ProfiledStep> steps;
  uint64_t *stepCounts = nullptr;
};

/// Compiles the program's module, which is consumed: afterwards it is lowered.
/// `arguments` only serve to count operations. The phases of `options` are
/// followed by `codegen`, whose steps go to `dump`. The loader is as above.
llvm::Expected<CompiledProgram>
compileProgram(Program &program, llvm::ArrayRef<HostArray> arguments,
               const LoweringOptions &options, const DumpText &dump = {},
               const EntryLoader &loader = {});

} // namespace attn

#endif // ATTN_COMPILER_COMPILEDPROGRAM_H
