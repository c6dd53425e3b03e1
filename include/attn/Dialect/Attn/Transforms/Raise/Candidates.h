//===- Candidates.h - Where raising looks for ops ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A spelled-out op is a tensor, the root, that is computed from other tensors.
// These functions propose both; reading the expression of the root in terms of
// the others decides.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_CANDIDATES_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_CANDIDATES_H

#include "attn/Dialect/Attn/Transforms/Raise/PullThrough.h"

namespace attn::raise {

/// An index for each dimension of a tensor, 0 for those of size 1.
llvm::SmallVector<mlir::AffineExpr> addIndices(ExprGraph &graph,
                                               mlir::Value tensor);

/// Whether the value is a tensor of floats that the block's ops know.
bool hasBlockElements(mlir::Value value);

/// Whether the op is structured, pure and has only parallel loops.
bool isElementwise(mlir::Operation *op);

/// `value` and what elementwise ops and reshapes make of it, the farthest last,
/// as long as each alone uses the one before.
llvm::SmallVector<mlir::Value> findRoots(mlir::Value value, unsigned limit);

/// The tensors from which elementwise ops, reductions and reshapes compute
/// `value`, the nearest first, without `value`.
llvm::SmallVector<mlir::Value> findSources(mlir::Value value, unsigned limit);

/// `value` and what elementwise ops and reshapes compute from it, the nearest
/// first.
llvm::SmallVector<mlir::Value> findUsers(mlir::Value value, unsigned limit);

/// Whether the body of a structured op has one of the operations.
template <typename... OpTys> bool hasInBody(mlir::Operation *op) {
  return mlir::isa<mlir::linalg::LinalgOp>(op) &&
         llvm::any_of(op->getRegion(0).getOps(), [](mlir::Operation &inner) {
           return mlir::isa<OpTys...>(inner);
         });
}

/// Calls `visit` for each op outside of structured ops, the last one first,
/// after erasing it instead where it is dead. `visit` may only erase the op
/// itself, and create others.
void visitFromLast(mlir::Operation *root,
                   llvm::function_ref<void(mlir::Operation *)> visit);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_CANDIDATES_H
