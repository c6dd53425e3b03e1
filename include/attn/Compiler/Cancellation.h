//===- Cancellation.h - Ends a compilation before its end -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_COMPILER_CANCELLATION_H
#define ATTN_COMPILER_CANCELLATION_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace attn {

/// Whoever asked for the compilation does not want it any more.
class CancelledError : public llvm::ErrorInfo<CancelledError> {
public:
  static char ID;
  void log(llvm::raw_ostream &os) const override { os << "cancelled"; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
};

/// As long as it lives, passes on the context's modules do nothing once
/// `isCancelled` has said so, which it then has to say for good. What runs them
/// asks it as well.
class CancelScope {
public:
  CancelScope(mlir::MLIRContext *context, std::function<bool()> isCancelled);
  ~CancelScope();
  CancelScope(const CancelScope &) = delete;
  CancelScope &operator=(const CancelScope &) = delete;

private:
  mlir::MLIRContext *context;
};

} // namespace attn

#endif // ATTN_COMPILER_CANCELLATION_H
