//===- attn-compile.cpp - Kernels ahead of time ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "attn/Compiler/Errors.h"
#include "attn/Support/CrashGuard.h"

using namespace attn;

int main(int argc, char **argv) {
  CrashGuard guard("attn-compile", argc, argv);
  llvm::Expected<compile::Options> options = compile::parseOptions(argc, argv);
  if (!options)
    return reportFailure("attn-compile", options.takeError());
  if (llvm::Error error = compile::run(*options))
    return reportFailure("attn-compile", std::move(error));
  return kGood;
}
