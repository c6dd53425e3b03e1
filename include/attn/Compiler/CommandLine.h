//===- CommandLine.h - What the tools' command lines share ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_COMMANDLINE_H
#define ATTN_COMPILER_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace attn {

/// Forgets the hundreds of flags that the LLVM library brings for its own
/// passes, some under the names of ours. Call it before a tool makes its own.
void removeForeignFlags();

/// Makes --version say what this project is.
void setVersionPrinter();

/// Fills the flags that exist at this moment. Leaves the process for --help and
/// --version.
llvm::Error parseFlags(int argc, char **argv, llvm::StringRef overview);

/// Finding out after minutes of work that a result cannot be written would
/// waste them. An empty path passes.
llvm::Error checkWritable(llvm::StringRef flag, llvm::StringRef path);

/// An output takes the place of no file that is read, and of no other output:
/// `others` are their paths, of which empty ones are left out. Devices and
/// pipes take all that comes.
llvm::Error checkDistinct(llvm::StringRef flag, llvm::StringRef path,
                          llvm::ArrayRef<std::string> others);

} // namespace attn

#endif // ATTN_COMPILER_COMMANDLINE_H
