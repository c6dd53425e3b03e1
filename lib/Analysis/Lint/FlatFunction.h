//===- FlatFunction.h - A function without loops and calls ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks look at what runs, one op after the other: calls in the place of
// their functions, each iteration of a loop, the parts of composite ops, what
// an epilogue computes as ops on tensors, functions that are spelled out as
// attn.activation.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_LINT_FLATFUNCTION_H
#define ATTN_LIB_ANALYSIS_LINT_FLATFUNCTION_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace attn::lint_checks {

/// Passes may rewrite a copy of the module, and what is found in it is still
/// said of the module. The location of an op is the op of the module that it
/// comes from, which it keeps when it is inlined or cloned and hands on to what
/// replaces it. A value is read by an op that says which value of the module it
/// is, and which reads what replaces the value.
///
class TracedModule {
public:
  explicit TracedModule(mlir::ModuleOp module);

  mlir::ModuleOp get() { return *copy; }

  /// The op of the module that an op of the copy, or one made of it, comes
  /// from: a composite op for its parts. Null for others.
  static mlir::Operation *getOrigin(mlir::Operation *op);

  /// The value of the module that its operand is; null if `op` is no name.
  mlir::Value getName(mlir::Operation *op) const;

private:
  void addName(mlir::OpBuilder &builder, mlir::Value value, mlir::Value name);

  mlir::OwningOpRef<mlir::ModuleOp> copy;
  llvm::SmallVector<mlir::Value> names;
};

class FlatFunction {
public:
  using Values = llvm::SmallVector<mlir::Value, 2>;

  /// A copy of `function`, which is of the traced module.
  FlatFunction(TracedModule &traced, mlir::func::FuncOp function);

  mlir::func::FuncOp get() { return flat; }
  /// The op of the module that `op` runs for: a composite op for its parts.
  mlir::Operation *getOrigin(mlir::Operation *op) const {
    return TracedModule::getOrigin(op);
  }
  /// What the module calls `value`, in the order in which it gets these names:
  /// a loop's result after the value that the body yields.
  Values getNames(mlir::Value value) const { return names.lookup(value); }
  /// The values that the module calls `name`.
  Values getInstances(mlir::Value name) const { return instances.lookup(name); }
  /// The functions of the traced module whose calls stand for themselves.
  const llvm::SetVector<mlir::Operation *> &getInlined() const {
    return inlined;
  }

private:
  void raise();
  void unrollLoops(mlir::Region &region);
  bool unroll(mlir::scf::ForOp loop);
  void readNames(const TracedModule &traced);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp flat;
  llvm::DenseMap<mlir::Value, Values> names, instances;
  llvm::SetVector<mlir::Operation *> inlined;
  int64_t numOps = 0;
};

/// Replaces what one op does at once by ops on tensors: the sum of a norm, the
/// epilogue of a layer, the body of an elementwise op that is more than a sum
/// or a function of one tensor.
void splitOps(mlir::RewriterBase &rewriter, mlir::func::FuncOp function);

} // namespace attn::lint_checks

#endif // ATTN_LIB_ANALYSIS_LINT_FLATFUNCTION_H
