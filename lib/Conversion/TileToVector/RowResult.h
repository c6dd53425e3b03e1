//===- RowResult.h - From a finished state to output and lse ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_ROWRESULT_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_ROWRESULT_H

#include "attn/Dialect/Attn/IR/LaneBuilder.h"

namespace attn {

/// What one row's state turns into.
struct RowResult {
  /// o = acc * factor.
  mlir::Value factor;
  /// Null when it was not asked for.
  mlir::Value lse;
};

/// Adds e0 (`logExtra` is log e0, or null for 0), once, and normalises.
RowResult emitRowResult(LaneBuilder &lanes, mlir::Value max, mlir::Value total,
                        mlir::Value logExtra, bool wantsLse);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_ROWRESULT_H
