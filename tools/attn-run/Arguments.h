//===- Arguments.h - The kernel's input arrays ------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUN_ARGUMENTS_H
#define ATTN_RUN_ARGUMENTS_H

#include "Options.h"
#include "attn/Compiler/Program.h"

namespace attn::run {

/// The arrays for all arguments: read from --inputs, or drawn at random.
llvm::Expected<std::vector<HostArray>> makeArguments(const Options &options,
                                                     const Program &program);

/// Arrays PREFIX0, PREFIX1, ... of NumPy files, checked against `types`.
/// An unsigned 16-bit array passes for bf16. .npy files count in order.
llvm::Expected<std::vector<HostArray>>
readArrays(llvm::ArrayRef<std::string> paths, llvm::StringRef prefix,
           llvm::ArrayRef<TensorInfo> types);

/// Random arrays of the given shapes: normal numbers, and for the integer
/// params of attention policies values that are legal there.
llvm::Expected<std::vector<HostArray>>
makeRandomArguments(const Program &program,
                    llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes,
                    uint64_t seed);

} // namespace attn::run

#endif // ATTN_RUN_ARGUMENTS_H
