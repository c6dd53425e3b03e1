//===- attn-ptx-run.cpp - Run a PTX kernel on the CPU ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "Session.h"
#include "attn/Support/CrashGuard.h"
#include "attn/Support/ExitCode.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn;
using namespace attn::ptxrun;

static int fail(llvm::Error error) {
  llvm::errs() << "attn-ptx-run: error: " << llvm::toString(std::move(error))
               << "\n";
  return kBadInput;
}

int main(int argc, char **argv) {
  CrashGuard guard("attn-ptx-run", argc, argv);
  llvm::Expected<Flags> flags = parseFlags(argc, argv);
  if (!flags)
    return fail(flags.takeError());
  llvm::Expected<SessionResult> result = runSession(*flags);
  if (!result)
    return fail(result.takeError());
  if (!flags->reportFile.empty())
    if (llvm::Error error = writeReport(flags->reportFile, *flags, *result))
      return fail(std::move(error));
  bool clean = result->clean();
  printReport(clean ? llvm::outs() : llvm::errs(), *flags, *result);
  return clean ? kGood : kMismatch;
}
