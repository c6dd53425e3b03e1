//===- CompilerDriver.h - The C compiler of an architecture -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_COMPILER_COMPILERDRIVER_H
#define ATTN_LIB_COMPILER_COMPILERDRIVER_H

#include "llvm/TargetParser/Triple.h"
#include <optional>
#include <string>

namespace attn {

/// The C compiler in PATH that makes programs of that architecture: the
/// machine's own, or as Debian and others call their cross compilers.
std::optional<std::string> findCompilerDriver(const llvm::Triple &triple);

} // namespace attn

#endif // ATTN_LIB_COMPILER_COMPILERDRIVER_H
