//===- ParallelRuntime.h - Calls of the host's parallel-for -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_HOST_PARALLELRUNTIME_H
#define ATTN_LIB_CONVERSION_HOST_PARALLELRUNTIME_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attn {

/// A call of this private function returns from the caller, after its scratch
/// is freed, with the status it is given unless that is 0. attn-place-scratch
/// turns it into a branch; structured control flow has no early exit.
constexpr llvm::StringLiteral kReturnIfFailed = "attn.return_if_failed";

/// Calls task(data, i) for each i in [0, n) through the context's parallel_for,
/// or in a loop where that is null. Creates the helper of the module that does
/// it when it is missing.
void createRunParallel(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::ModuleOp module, mlir::Value context,
                       mlir::Value task, mlir::Value data, mlir::Value n);

void createReturnIfFailed(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::ModuleOp module, mlir::Value status);

/// Whether a parallel loop at `op` becomes tasks: in a kernel, and not in
/// another such loop.
bool canRunTasks(mlir::Operation *op);

/// Whether a function is a kernel or an outlined body: it has a context as
/// first argument and a status as last result.
bool hasContextArgument(mlir::func::FuncOp func);

/// The context argument of a kernel or an outlined body, which return a status;
/// fails with a diagnostic on other functions.
llvm::FailureOr<mlir::Value> getContextArgument(mlir::func::FuncOp func);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_HOST_PARALLELRUNTIME_H
