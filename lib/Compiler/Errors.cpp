//===- Errors.cpp - Whose fault a failure is ------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Errors.h"
#include "llvm/Support/raw_ostream.h"

using namespace attn;

char InternalError::ID = 0;

ExitCode attn::reportFailure(llvm::StringRef tool, llvm::Error error) {
  ExitCode code = error.isA<InternalError>() ? kInternalError : kBadInput;
  llvm::errs() << tool << ": "
               << (code == kInternalError ? "internal error: " : "error: ")
               << llvm::toString(std::move(error)) << "\n";
  return code;
}
