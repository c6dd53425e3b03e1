//===- EntryChecks.h - Checks that the entry makes --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CHECKS_ENTRYCHECKS_H
#define ATTN_LIB_CONVERSION_CHECKS_ENTRYCHECKS_H

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn {

/// Assertions that run in any case, and look at nothing but arguments, go to
/// the start of the function. Dimensions of arguments that have to be equal are
/// recorded on the arguments (kDimClassesAttr, kDimSizesAttr) instead, and
/// prove others. What looks at sizes only is marked with kEntryCheckAttr.
void moveToEntry(mlir::func::FuncOp func);

/// Records which dimensions of arguments ops make equal, and asserts what else
/// they demand of arguments.
mlir::LogicalResult learnSizes(mlir::func::FuncOp func);

/// Whether nothing but arguments decides whether it holds, and that can be
/// computed whatever they are.
bool isOfArguments(mlir::cf::AssertOp assertion);

/// Erases an assertion with what only it needed.
void eraseAssertion(mlir::cf::AssertOp assertion);

/// Erases the assertions that attn-check-sizes made and that the entry does not
/// make.
void dropInnerChecks(mlir::func::FuncOp func);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CHECKS_ENTRYCHECKS_H
