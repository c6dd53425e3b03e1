//===- Compile.h - One run of attn-compile ----------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILE_COMPILE_H
#define ATTN_COMPILE_COMPILE_H

#include "Options.h"

namespace attn::compile {

/// Loads, compiles and writes what was asked for, all of it or nothing.
llvm::Error run(const Options &options);

} // namespace attn::compile

#endif // ATTN_COMPILE_COMPILE_H
