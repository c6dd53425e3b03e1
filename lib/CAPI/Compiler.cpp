//===- Compiler.cpp - Compilers and what they tell ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"

using namespace attn;
using namespace attn::capi;

attn_code attn_compiler_create(const attn_compiler_options *options,
                               attn_compiler **compiler) {
  if (!compiler)
    return ATTN_BAD_INPUT;
  *compiler = nullptr;
  attn_compiler scratch;
  return run(scratch, [&](Session &) -> llvm::Error {
    auto given = readOptions(options);
    if (!given)
      return given.takeError();
    auto made = std::make_unique<attn_compiler>();
    made->options = *given;
    // The host's string need not stay.
    if (const char *folder = made->options.reproducer_folder)
      made->reproducerFolder = folder;
    *compiler = made.release();
    return llvm::Error::success();
  });
}

void attn_compiler_destroy(attn_compiler *compiler) { delete compiler; }

const char *attn_compiler_error(const attn_compiler *compiler) {
  return compiler ? compiler->error.c_str() : "the compiler is null";
}

void attn_compiler_cancel(attn_compiler *compiler) {
  if (compiler)
    compiler->isCancelled = true;
}
