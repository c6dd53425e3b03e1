//===- InputFile.h - Reads a module's file ----------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_INPUTFILE_H
#define ATTN_COMPILER_INPUTFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace attn {

/// What messages call a file: itself, or `<stdin>` for `-`.
llvm::StringRef getInputName(llvm::StringRef file);

/// Reads text or bytecode of MLIR from a file, a pipe, or standard input for
/// `-`. Never waits for the end of what has none.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInputFile(llvm::StringRef file);

/// Fails for what is neither text nor bytecode of MLIR.
llvm::Error checkContents(llvm::MemoryBufferRef buffer);

/// Brackets of text may be nested this deep: the parser and the passes call
/// themselves for each level.
constexpr unsigned kMaxNesting = 2000;

/// Fails where brackets are nested deeper. Bytecode passes.
llvm::Error checkNesting(llvm::MemoryBufferRef buffer);

/// Fails at the first op of a dialect that frameworks export and `isKnown`
/// does not accept; the message says how to get what this project reads.
/// Bytecode passes.
llvm::Error
checkFrameworkDialects(llvm::MemoryBufferRef buffer,
                       llvm::function_ref<bool(llvm::StringRef)> isKnown);

} // namespace attn

#endif // ATTN_COMPILER_INPUTFILE_H
