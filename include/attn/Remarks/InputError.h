//===- InputError.h - Errors that the input is to blame for -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass that fails has found a fault of the compiler, unless its error says
// otherwise: then tools call it bad input, and ask for no report.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_REMARKS_INPUTERROR_H
#define ATTN_REMARKS_INPUTERROR_H

#include "mlir/IR/Operation.h"

namespace attn {

/// What marks such an error in its metadata.
constexpr llvm::StringLiteral kInputErrorMark = "attn.input";

/// An error at `op`, which cannot be compiled as it is.
inline mlir::InFlightDiagnostic emitInputError(mlir::Operation *op) {
  mlir::InFlightDiagnostic error = mlir::emitError(op->getLoc());
  error.getUnderlyingDiagnostic()->getMetadata().push_back(
      mlir::DiagnosticArgument(kInputErrorMark));
  return error;
}

inline bool isInputError(mlir::Diagnostic &error) {
  return llvm::any_of(
      error.getMetadata(), [](const mlir::DiagnosticArgument &mark) {
        return mark.getKind() ==
                   mlir::DiagnosticArgument::DiagnosticArgumentKind::String &&
               mark.getAsString() == kInputErrorMark;
      });
}

} // namespace attn

#endif // ATTN_REMARKS_INPUTERROR_H
