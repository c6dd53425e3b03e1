//===- Errors.h - Whose fault a failure is ----------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_ERRORS_H
#define ATTN_COMPILER_ERRORS_H

#include "attn/Support/ExitCode.h"
#include "llvm/Support/Error.h"
#include <string>

namespace attn {

/// A fault of the compiler and not of its input. All other errors are the
/// input's.
class InternalError : public llvm::ErrorInfo<InternalError> {
public:
  static char ID;
  explicit InternalError(std::string message) : message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string message;
};

/// Prints an error in the name of `tool` and returns the exit code that goes
/// with it.
ExitCode reportFailure(llvm::StringRef tool, llvm::Error error);

} // namespace attn

#endif // ATTN_COMPILER_ERRORS_H
