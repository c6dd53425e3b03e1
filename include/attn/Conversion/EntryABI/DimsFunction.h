//===- DimsFunction.h - Result sizes from argument sizes --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_ENTRYABI_DIMSFUNCTION_H
#define ATTN_CONVERSION_ENTRYABI_DIMSFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn {

/// Creates NAME__dims behind `func`, which is still on tensors:
/// (context, every dimension of every tensor argument, as index) ->
/// (every dimension of every tensor result that is not an argument's new value,
/// status). It makes the checks of `func` that are marked with kEntryCheckAttr.
/// Fails with a diagnostic if a size depends on the contents of a tensor, or on
/// a tensor that would have to be computed.
llvm::FailureOr<mlir::func::FuncOp> createDimsFunction(mlir::func::FuncOp func);

} // namespace attn

#endif // ATTN_CONVERSION_ENTRYABI_DIMSFUNCTION_H
