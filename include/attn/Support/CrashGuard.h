//===- CrashGuard.h - How a tool ends when it cannot go on ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_SUPPORT_CRASHGUARD_H
#define ATTN_SUPPORT_CRASHGUARD_H

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace attn {

/// The first object of a tool's main, in place of llvm::InitLLVM. From here on
/// the process ends by an exit status and not by a signal: kInternalError after
/// a fault, an abort or an overflow of the stack, with a report and a copy of
/// the input; kBadInput when there is no memory. Gives the main thread a stack
/// that nested input fits on.
///
/// Only for programs: a library must leave the signals to its host.
class CrashGuard {
public:
  CrashGuard(llvm::StringRef tool, int &argc, char **&argv);

private:
  llvm::InitLLVM init;
};

/// What the tool works on, for the copy. Stays in memory.
void setCrashInput(std::shared_ptr<llvm::MemoryBuffer> input);

/// What the tool is doing, as `parse`. The text has to stay; null for nothing.
void setCrashPhase(const char *phase);

/// A name for a file that shows a failure. Nothing is created.
std::string makeReproducerPath(llvm::StringRef tool, llvm::StringRef phase,
                               llvm::StringRef folder = "");

} // namespace attn

#endif // ATTN_SUPPORT_CRASHGUARD_H
