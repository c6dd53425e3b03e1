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

#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include "attn/Remarks/Explained.h"

namespace attn::raise {

/// An index for each dimension of a tensor, 0 for those of size 1.
llvm::SmallVector<mlir::AffineExpr> addIndices(ExprGraph &graph,
                                               mlir::Value tensor);

/// Whether the block's ops know elements of this type.
bool isBlockElement(mlir::Type type);

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
/// Whether the logarithm of a sum of exponentials enters `root` with something
/// added, such as the maximum: where that is large, the logarithm is lost.
bool addsToLogOfSum(mlir::Value root);

/// `value` and what elementwise ops and reshapes compute from it, the nearest
/// first.
llvm::SmallVector<mlir::Value> findUsers(mlir::Value value, unsigned limit);

/// Whether a product whose remark says already why it is no attention sums what
/// elementwise ops and reshapes compute from `value`.
bool feedsExplained(mlir::Value value);

/// Whether the body of a structured op has one of the operations.
template <typename... OpTys> bool hasInBody(mlir::Operation *op) {
  return mlir::isa<mlir::linalg::LinalgOp>(op) &&
         llvm::any_of(op->getRegion(0).getOps(), [](mlir::Operation &inner) {
           return mlir::isa<OpTys...>(inner);
         });
}

/// A spelled-out op that makes a tensor of another one, the input, which has
/// its type. An anchor is the result of an op that such spellings have.
class PairCandidate {
public:
  virtual ~PairCandidate() = default;

  /// Replaces what is behind the anchor and matches, each at the farthest root
  /// that still does, and returns how many.
  unsigned raise();

  Rejection why;

protected:
  /// What is in `replaced` is the dead part of a spelling that was raised.
  PairCandidate(mlir::Value anchor, llvm::DenseSet<mlir::Value> &replaced);

  /// Reads `y`, the element of `result`, in terms of `x`, the load of that of
  /// `input` at the same place.
  virtual bool read(Expr y, Expr x, mlir::Value result, mlir::Value input) = 0;
  /// The op from what was read last, before the one that makes `result`. Null
  /// where it cannot hold that.
  virtual mlir::Value build(mlir::OpBuilder &builder, mlir::Value result,
                            mlir::Value input) = 0;

  /// Bounds the work on one pair of tensors; a norm takes about fifty nodes.
  static constexpr unsigned nodeBudget = 2000;

  std::optional<ExprGraph> graph; // of the last pair

private:
  bool matches(mlir::Value result, mlir::Value input, bool needsType);
  bool raiseAt(mlir::Value result);

  mlir::Value anchor;
  llvm::DenseSet<mlir::Value> &replaced;
  llvm::SmallVector<mlir::Value> sources; // the farthest first
};

/// Raises what a `CandidateT`, a PairCandidate, finds behind each anchor,
/// erases what is dead then, and remarks on anchors of nothing.
template <typename CandidateT>
void raisePairs(mlir::Operation *root,
                llvm::function_ref<bool(mlir::Operation *)> isAnchor,
                RemarkId notRaised);

/// Calls `visit` for each op outside of structured ops, the last one first,
/// after erasing it instead where it is dead. `visit` may only erase the op
/// itself, and create others.
void visitFromLast(mlir::Operation *root,
                   llvm::function_ref<void(mlir::Operation *)> visit);

template <typename CandidateT>
void raisePairs(mlir::Operation *root,
                llvm::function_ref<bool(mlir::Operation *)> isAnchor,
                RemarkId notRaised) {
  llvm::SmallVector<mlir::Value> anchors;
  root->walk([&](mlir::Operation *op) {
    if (op->getNumResults() == 1 && isAnchor(op))
      anchors.push_back(op->getResult(0));
  });
  llvm::DenseSet<mlir::Value> replaced;
  for (mlir::Value anchor : anchors) {
    CandidateT candidate(anchor, replaced);
    if (candidate.raise() == 0 && candidate.why.progress >= 2 &&
        !(notRaised == RemarkId::SoftmaxNotRaised && feedsExplained(anchor)))
      explain(anchor.getDefiningOp(),
              Remark(notRaised, {{"reason", candidate.why.reason}}));
  }
  visitFromLast(root, [](mlir::Operation *) {});
}

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_CANDIDATES_H
