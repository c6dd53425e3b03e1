//===- ScheduleKind.h - Which ops a schedule is one of ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_SCHEDULEKIND_H
#define ATTN_LIB_DIALECT_ATTN_IR_SCHEDULEKIND_H

#include "mlir/IR/Operation.h"

namespace attn {

/// Schedules look alike, but each is one for certain ops.
template <typename... OpTys>
mlir::LogicalResult verifyKind(mlir::Operation *op, llvm::StringRef mnemonic) {
  if (llvm::isa<OpTys...>(op))
    return mlir::success();
  return op->emitOpError("schedule_c1: #attn.")
         << mnemonic << " is no schedule of this op";
}

/// The product of numbers of a schedule, `what` in words, is at most `most`.
/// Each has been checked, so that it has no overflow.
mlir::LogicalResult
verifyProduct(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
              llvm::StringRef what, llvm::ArrayRef<int64_t> factors,
              int64_t most);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_SCHEDULEKIND_H
