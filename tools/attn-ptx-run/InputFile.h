//===- InputFile.h - Files that the command line names ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TOOLS_PTXRUN_INPUTFILE_H
#define ATTN_TOOLS_PTXRUN_INPUTFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace attn::ptxrun {

/// Of PTX and JSON. The largest PTX that a compiler is known to have made has
/// some ten megabytes.
constexpr uint64_t kMaxTextBytes = uint64_t(256) << 20;

/// An error unless the path is a file of at most `limit` bytes: devices and
/// pipes may have no end.
llvm::Error checkInput(llvm::StringRef path, uint64_t limit);

/// `-` is standard input.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInput(llvm::StringRef path, uint64_t limit);

} // namespace attn::ptxrun

#endif // ATTN_TOOLS_PTXRUN_INPUTFILE_H
