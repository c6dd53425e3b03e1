//===- CompileOptions.cpp - Options of hosts as those of the compiler -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileOptions.h"
#include "llvm/ADT/StringExtras.h"

using namespace attn;
using namespace attn::capi;

std::vector<std::string> capi::splitTargets(const char *targets) {
  if (!targets)
    return {"cpu"};
  std::vector<std::string> names;
  for (llvm::StringRef name : llvm::split(targets, ','))
    names.push_back(name.trim().str());
  return names;
}

/// Hands the host the module as it is after a phase.
static llvm::Error show(const attn_compile_options &given,
                        llvm::StringRef phase, mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  given.on_phase(given.user, phase.str().c_str(), text.c_str(), text.size());
  return llvm::Error::success();
}

llvm::Expected<CompilationOptions>
capi::readCompilationOptions(Session &session,
                             const attn_compile_options &given) {
  if (given.threads < 0 || given.threads > kMaxThreads)
    return llvm::createStringError(
        "the option 'threads' is " + llvm::Twine(given.threads) +
        "; expected 0 (not known) to " + llvm::Twine(kMaxThreads));
  attn_compiler &compiler = session.getCompiler();
  CompilationOptions options;
  options.portable = given.portable;
  options.innerChecks = !given.no_inner_checks;
  options.threads = given.threads;
  options.reproducerFolder = compiler.reproducerFolder;
  if (options.reproducerFolder.empty())
    options.tool.clear();
  options.beforePhase = [&](const char *phase) { session.beginPhase(phase); };
  if (given.on_phase)
    options.afterPhase = [&](llvm::StringRef phase, mlir::ModuleOp module) {
      return show(given, phase, module);
    };
  options.isCancelled = [&] { return compiler.isCancelled.load(); };
  return options;
}
