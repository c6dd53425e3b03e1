//===- FlushDenormals.h - Floating-point mode around a call -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_HOST_FLUSHDENORMALS_H
#define ATTN_LIB_CONVERSION_HOST_FLUSHDENORMALS_H

#include "attn/Target/TargetDescription.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn {

/// Makes this thread treat denormals as zero; returns what restores it, or null
/// where the target has no such mode.
mlir::Value createFlushDenormals(mlir::OpBuilder &builder, mlir::Location loc,
                                 const TargetDescription &target);
void createRestoreDenormals(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value saved);

/// Keeps LLVM from inlining the function: it would move arithmetic across the
/// change of mode, which it does not model.
void setNoInline(mlir::func::FuncOp func);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_HOST_FLUSHDENORMALS_H
