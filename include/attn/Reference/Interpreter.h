//===- Interpreter.h - Runs a module as given, slowly and surely *- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_REFERENCE_INTERPRETER_H
#define ATTN_REFERENCE_INTERPRETER_H

#include "attn/Reference/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/LLVM.h"

namespace attn::reference {

/// Interprets `entry` (func, arith, math, tensor, linalg, scf and attn ops on
/// value tensors) and returns its results. Float arguments are first rounded
/// to their type. What cannot be interpreted, an argument that does not fit its
/// type, and undefined behaviour met on the way (an index out of bounds, an
/// integer division by zero) are errors at the op.
mlir::FailureOr<std::vector<Tensor>> interpret(mlir::func::FuncOp entry,
                                               llvm::ArrayRef<Tensor> arguments,
                                               Rounding rounding);

} // namespace attn::reference

#endif // ATTN_REFERENCE_INTERPRETER_H
