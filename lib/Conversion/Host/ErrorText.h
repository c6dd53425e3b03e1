//===- ErrorText.h - How compiled code reports errors -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_HOST_ERRORTEXT_H
#define ATTN_LIB_CONVERSION_HOST_ERRORTEXT_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace attn {

/// The address of a constant, zero-terminated copy of `text`; equal texts share
/// one global of the module.
mlir::Value createText(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::ModuleOp module, llvm::StringRef text);

/// Calls a helper of the module that copies the text into the context's error
/// field, behind the first `start` characters there if that is given, and
/// returns the length of what is there now. Creates the helper when it is
/// missing.
mlir::Value createReportError(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::ModuleOp module, mlir::Value context,
                              mlir::Value text, mlir::Value start = {});

/// The same, with an i64 between two texts: "BEFORE12AFTER".
void createReportErrorOfNumber(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::ModuleOp module, mlir::Value context,
                               llvm::StringRef before, mlir::Value number,
                               llvm::StringRef after);

/// The same, with two i64 behind the text: "TEXT (-1 against 0)". The text
/// stands alone where it leaves no room for them.
void createReportErrorOfNumbers(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::ModuleOp module, mlir::Value context,
                                mlir::Value text, mlir::Value first,
                                mlir::Value second, mlir::Value start = {});

/// Loads a field of a C struct.
mlir::Value loadField(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Type type, mlir::Value base, int64_t byteOffset);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_HOST_ERRORTEXT_H
