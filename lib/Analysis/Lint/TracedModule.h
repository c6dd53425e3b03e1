//===- TracedModule.h - A copy that knows what it is made of ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes may rewrite a copy of the module, and what is found in it is still
// said of the module. The location of an op is the op of the module that it
// comes from, which it keeps when it is inlined or cloned and hands on to what
// replaces it. A value is read by an op that says which value of the module it
// is, and which reads what replaces the value.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_LINT_TRACEDMODULE_H
#define ATTN_LIB_ANALYSIS_LINT_TRACEDMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace attn::lint_checks {

class TracedModule {
public:
  explicit TracedModule(mlir::ModuleOp module);

  mlir::ModuleOp get() { return *copy; }

  /// The op of the module that an op of the copy, or one made of it, comes
  /// from: a composite op for its parts. Null for others.
  static mlir::Operation *getOrigin(mlir::Operation *op);
  /// Whether `op` comes from a call of `function`, or is in its body: both are
  /// of the module.
  static bool isWithin(mlir::Operation *op, mlir::Operation *function);

  /// The value of the module that its operand is; null if `op` is no name.
  mlir::Value getName(mlir::Operation *op) const;

private:
  void addName(mlir::OpBuilder &builder, mlir::Value value, mlir::Value name);

  mlir::OwningOpRef<mlir::ModuleOp> copy;
  llvm::SmallVector<mlir::Value> names;
};

} // namespace attn::lint_checks

#endif // ATTN_LIB_ANALYSIS_LINT_TRACEDMODULE_H
