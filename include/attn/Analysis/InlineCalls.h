//===- InlineCalls.h - Functions in the places of their calls ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_INLINECALLS_H
#define ATTN_ANALYSIS_INLINECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace attn {

/// Puts the bodies of `functions` of one block into the places of their calls,
/// in their order, and those that a body makes before those behind it.
/// Everything may be looked at in another place; calls that `mayInline` is
/// false of stay.
void inlineCalls(
    mlir::Region &region, mlir::SymbolTable &functions,
    llvm::function_ref<bool(mlir::func::CallOp, mlir::func::FuncOp)> mayInline);

} // namespace attn

#endif // ATTN_ANALYSIS_INLINECALLS_H
