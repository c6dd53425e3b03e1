//===- attn-run.cpp - Compile in memory, run, check, measure --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Session.h"
#include "attn/Compiler/Errors.h"
#include "attn/Support/CrashGuard.h"

using namespace attn;
using namespace attn::run;

int main(int argc, char **argv) {
  CrashGuard guard("attn-run", argc, argv);
  llvm::Expected<Options> options = parseOptions(argc, argv);
  if (!options)
    return reportFailure("attn-run", options.takeError());
  llvm::Expected<bool> matches = runSession(*options);
  if (!matches)
    return reportFailure("attn-run", matches.takeError());
  return *matches ? kGood : kMismatch;
}
