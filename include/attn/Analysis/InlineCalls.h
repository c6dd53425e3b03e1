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

/// Puts the bodies of `functions` of one block into the places of their calls
/// in `function`, one of them or a copy, and into those of the calls that they
/// make. Everything may be looked at in another place. What a function calls
/// while it is called stays a call, and so does what `mayInline` is false of.
void inlineCalls(mlir::func::FuncOp function, mlir::SymbolTable &functions,
                 llvm::function_ref<bool(mlir::func::FuncOp)> mayInline);

} // namespace attn

#endif // ATTN_ANALYSIS_INLINECALLS_H
