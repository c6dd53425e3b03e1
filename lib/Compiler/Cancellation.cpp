//===- Cancellation.cpp - Ends a compilation before its end ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Cancellation.h"
#include "mlir/IR/Action.h"

using namespace attn;

char CancelledError::ID = 0;

CancelScope::CancelScope(mlir::MLIRContext *context,
                         std::function<bool()> isCancelled)
    : context(context) {
  if (!isCancelled)
    return;
  context->registerActionHandler(
      [isCancelled = std::move(isCancelled)](llvm::function_ref<void()> action,
                                             const mlir::tracing::Action &) {
        if (!isCancelled())
          action();
      });
}

CancelScope::~CancelScope() { context->registerActionHandler(nullptr); }
