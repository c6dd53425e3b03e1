//===- attn-run.cpp - Compile in memory, run, check, measure --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Session.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn::run;

/// Prints an error and returns the exit code that goes with it.
static int fail(llvm::Error error) {
  int code = error.isA<InternalError>() ? kInternalError : kBadInput;
  llvm::errs() << "attn-run: "
               << (code == kInternalError ? "internal error: " : "error: ")
               << llvm::toString(std::move(error)) << "\n";
  return code;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::Expected<Options> options = parseOptions(argc, argv);
  if (!options)
    return fail(options.takeError());
  llvm::Expected<bool> matches = runSession(*options);
  if (!matches)
    return fail(matches.takeError());
  return *matches ? kGood : kMismatch;
}
