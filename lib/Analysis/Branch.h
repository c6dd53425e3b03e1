//===- Branch.h - What a residual branch is computed by ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of a function stands for what the function does: ops are looked for,
// and norms followed, inside of it.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_BRANCH_H
#define ATTN_LIB_ANALYSIS_BRANCH_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace attn {

/// The ops between a value and what is computed from it, in no order.
class BranchSlice {
public:
  /// Collects them up to `x`, which is of `block` or outside of it. False where
  /// the branch does not depend on x.
  bool collect(mlir::Value x, mlir::Value branch, mlir::Block *block);

  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  const llvm::DenseSet<mlir::Operation *> &getOps() const { return ops; }

private:
  void openCall(mlir::OpResult result, mlir::func::FuncOp callee);

  llvm::DenseSet<mlir::Operation *> ops;
  llvm::DenseSet<mlir::Value> seen;
  llvm::SmallVector<mlir::Value> open;
  /// The calls of the functions that were entered.
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<mlir::Operation *, 1>> calls;
};

/// Which values depend on one value, and whether through a norm, in the order
/// of the program up to the first layers.
class NormTracker {
public:
  /// Visits the ops of `slice` only, if there is one.
  explicit NormTracker(mlir::Value root, const BranchSlice *slice = nullptr);

  /// False if `op` reads what depends on the root without a norm, and is a
  /// layer or ends the block.
  bool visit(mlir::Operation *op);

  /// Whether no op after those that were visited changes what is known: all
  /// that reads what depends on the root without a norm was visited.
  bool isDone() const { return firstRead && numPlainUses == 0; }

  /// What the first layer, or the end of the block, reads.
  mlir::Value firstRead;
  NormOp norm;

private:
  /// A root is of what does not depend on the value.
  enum class State { Plain, Normed, Root };
  NormTracker(NormTracker &outer, mlir::func::FuncOp callee);
  void setState(mlir::Value value, State state);
  bool visitCall(mlir::Operation *call, mlir::func::FuncOp callee);

  llvm::DenseMap<mlir::Value, State> states;
  const BranchSlice *slice;
  /// The functions that are visited, the innermost last.
  llvm::SmallVector<mlir::Operation *> functions;
  int64_t numCalls = 0;
  /// Those of plain values that are still to be visited.
  int64_t numPlainUses = 0;
};

} // namespace attn

#endif // ATTN_LIB_ANALYSIS_BRANCH_H
