//===- Lowering.h - A module through the phases of the pipeline -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_LOWERING_H
#define ATTN_COMPILER_LOWERING_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>
#include <vector>

namespace mlir {
class PassManager;
} // namespace mlir

namespace attn {

/// An attention op of the plan and the schedule it got.
struct KernelInfo {
  std::string name;
  std::string schedule;
};

/// What all compilations have in common.
struct CompilationOptions {
  /// Take the portable path, without any schedule.
  bool portable = false;
  /// Check inside of kernels, too, what their entries cannot know of sizes and
  /// indices.
  bool innerChecks = true;
  /// Threads that matrix products are blocked for, 0 if their number is not
  /// known. Any number may run the result, which does not depend on it.
  int64_t threads = 0;
  /// Kernels count what their steps take.
  bool profile = false;
  /// Begins the names of the files that failing phases leave behind; empty for
  /// none.
  std::string tool = "attn";
  /// Where they go; empty for the folder of temporary files.
  std::string reproducerFolder;
  /// Called when a phase begins, for each target: `raise`, `schedule`, `plan`,
  /// `lower`, and `codegen` where code is made.
  std::function<void(const char *phase)> beforePhase;
  /// Called with what each phase made: `input`, `raise`, `schedule`, `plan`,
  /// `lower`.
  std::function<llvm::Error(llvm::StringRef phase, mlir::ModuleOp)> afterPhase;
  /// Asked before each pass, and before and after the code of a target is
  /// generated, by the thread that compiles; once it says so, the compilation
  /// ends with a CancelledError. LLVM's code generator is not interrupted. May
  /// be empty.
  std::function<bool()> isCancelled;

  /// The CancelledError, once it was cancelled.
  llvm::Error checkCancelled() const;
};

struct LoweringOptions : CompilationOptions {
  /// As parseTargetDescription reads it.
  std::string target = "cpu";
  /// Take arguments with attn.packed in panels, which functions that are added
  /// make (attn-pack-weights).
  bool packs = false;
};

/// Takes a module on tensors to the LLVM dialect in place, with the C entries
/// of attn-runtime/attn_runtime.h. Returns the attention ops it met. Remarks
/// and errors go to the context's diagnostics; a failure names a reproducer.
llvm::Expected<std::vector<KernelInfo>>
lowerToLLVMDialect(mlir::ModuleOp module, const LoweringOptions &options);

/// Makes the report of a CrashGuard say which pass was running.
void nameCrashPasses(mlir::PassManager &manager);

/// An InternalError with the text of `error` and the file that now holds the
/// module; without a tool there is no file.
llvm::Error blameCompiler(llvm::Error error, mlir::ModuleOp module,
                          llvm::StringRef tool, llvm::StringRef folder = "");

} // namespace attn

#endif // ATTN_COMPILER_LOWERING_H
