//===- FlatFunction.h - A function without loops and calls ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks look at what runs, one op after the other: calls in the place of
// their functions, each iteration of a loop, the parts of composite ops, what
// an epilogue computes as ops on tensors. Each op of this copy knows the op of
// the module that it is an instance of, each value the values of the module
// that name it on its way out of loops and functions.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_LINT_FLATFUNCTION_H
#define ATTN_LIB_ANALYSIS_LINT_FLATFUNCTION_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace attn::lint_checks {

class FlatFunction {
public:
  explicit FlatFunction(mlir::func::FuncOp function);

  mlir::func::FuncOp get() { return flat; }
  /// The op of the module that `op` runs for: a composite op for its parts.
  mlir::Operation *getOrigin(mlir::Operation *op) const {
    return origins.lookup(op);
  }
  /// What the module calls `value`, in the order in which it gets these names:
  /// a loop's result after the value that the body yields.
  llvm::ArrayRef<mlir::Value> getNames(mlir::Value value) const;
  /// The values that the module calls `name`.
  llvm::ArrayRef<mlir::Value> getInstances(mlir::Value name) const;
  /// The functions whose calls stand for themselves.
  const llvm::SetVector<mlir::Operation *> &getInlined() const {
    return inlined;
  }

private:
  using Scope = mlir::IRMapping;
  void copyBlock(mlir::Block &block, Scope &scope);
  void copyOp(mlir::Operation *op, Scope &scope);
  void copyPlain(mlir::Operation *op, Scope &scope);
  void copyRegion(mlir::Region &from, mlir::Region &to, Scope &scope);
  bool copyCall(mlir::func::CallOp call, Scope &scope);
  bool copyLoop(mlir::scf::ForOp loop, Scope &scope);
  void copyComposite(mlir::Operation *op, Scope &scope);
  /// False where `norm`, the copy of `op`, adds nothing.
  bool splitNorm(NormOp norm, mlir::Operation *op, Scope &scope);
  /// Gives the results of `op` the values, which come from within.
  void leave(mlir::Operation *op, mlir::ValueRange values, Scope &scope);
  void setOrigin(mlir::Operation *copy, mlir::Operation *origin);
  void setName(mlir::Value value, mlir::Value name);
  /// Erases a copy and what is known of it.
  void erase(mlir::Operation *copy);
  /// Of what stands between `before`, which may be null, and the end.
  void setOrigins(mlir::Operation *before, mlir::Operation *origin);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp flat;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> origins;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> names,
      instances;
  llvm::SetVector<mlir::Operation *> inlined;
  /// The functions that are being copied, the innermost last.
  llvm::SmallVector<mlir::Operation *> callers;
  int64_t numOps = 0;
};

/// Replaces an op on tensors that has a body of scalars, a linear layer with an
/// epilogue or an elementwise structured op, by ops on tensors before it, each
/// of which makes one tensor of several or is a function of one. Sets the
/// result; false where the op is none of these, its body is of another form, or
/// is one such op already. `made` is called with each new op and the op of
/// the body that it stands for, which is null for the op itself.
bool splitBody(
    mlir::OpBuilder &builder, mlir::Operation *op,
    llvm::function_ref<void(mlir::Operation *made, mlir::Operation *body)> made,
    mlir::Value &result);

} // namespace attn::lint_checks

#endif // ATTN_LIB_ANALYSIS_LINT_FLATFUNCTION_H
