//===- CodeGenErrors.h - What LLVM complains of -----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TARGET_CODEGENERRORS_H
#define ATTN_TARGET_CODEGENERRORS_H

#include "mlir/IR/Location.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace attn {

/// Collects what LLVM complains of in a context, which would else print it, and
/// end the process after an error.
class CodeGenErrors {
public:
  explicit CodeGenErrors(llvm::LLVMContext &context);

  /// Makes warnings those of MLIR at `loc`. Fails where there was an error.
  llvm::Error take(mlir::Location loc);

private:
  struct Found {
    std::vector<std::string> errors, warnings;
  };
  class Handler;
  /// The context may live longer.
  std::shared_ptr<Found> found;
};

} // namespace attn

#endif // ATTN_TARGET_CODEGENERRORS_H
