//===- ReadConcat.cpp - Branches as a concatenation -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/CacheWrite.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::raise {

/// Bounds the work on an op that is none.
static constexpr unsigned nodeBudget = 200;

/// Whether `part` is all of its tensor, from `begin` on along a dimension of
/// the result.
static bool isPart(ExprGraph &graph, Expr part, RankedTensorType result,
                   ArrayRef<AffineExpr> indices, unsigned dim, int64_t begin,
                   int64_t size) {
  SmallVector<int64_t> shape(result.getShape());
  shape[dim] = size;
  if (part->tensor.getType() !=
      RankedTensorType::get(shape, result.getElementType()))
    return false;
  AffineExpr place = graph.simplifyIndex(indices[dim] - begin);
  AffineExpr zero = getAffineConstantExpr(0, graph.getContext());
  for (auto [d, index] : llvm::enumerate(part->indices))
    if (index != (d == dim ? place : indices[d]) &&
        !(shape[d] == 1 && index == zero))
      return false;
  return true;
}

bool onlyMovesFloats(linalg::LinalgOp op) {
  return !op->getRegion(0)
              .walk([](Operation *inner) {
                bool computes = llvm::any_of(inner->getResultTypes(),
                                             llvm::IsaPred<FloatType>);
                bool moves = isa<arith::ConstantOp, arith::SelectOp, scf::IfOp,
                                 tensor::ExtractOp>(inner);
                return computes && !moves ? WalkResult::interrupt()
                                          : WalkResult::advance();
              })
              .wasInterrupted();
}

Value concatBranches(linalg::LinalgOp op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!isElementwise(op) || !type.hasStaticShape() || !onlyMovesFloats(op))
    return {};
  ExprGraph graph(op.getContext());
  PullThrough pull(graph, nodeBudget);
  op->walk(
      [&](tensor::ExtractOp extract) { pull.stopAt(extract.getTensor()); });
  SmallVector<AffineExpr> indices = addIndices(graph, op->getResult(0));
  Expr element = pull.expand(op->getResult(0), indices);
  if (!element || !element->is(ExprKind::Select))
    return {};
  Expr condition = element->operands[0];
  Expr first = element->operands[1], second = element->operands[2];
  if (!first->is(ExprKind::Load) || !second->is(ExprKind::Load) ||
      !isa<RankedTensorType>(first->tensor.getType()))
    return {};
  for (unsigned dim = 0; dim < indices.size(); ++dim) {
    auto firstType = cast<RankedTensorType>(first->tensor.getType());
    if (firstType.getRank() != type.getRank() || firstType.isDynamicDim(dim))
      return {};
    int64_t size = firstType.getDimSize(dim),
            rest = type.getDimSize(dim) - size;
    if (rest > 0 && condition == graph.nonNegative(size - 1 - indices[dim]) &&
        isPart(graph, first, type, indices, dim, 0, size) &&
        isPart(graph, second, type, indices, dim, size, rest)) {
      OpBuilder builder(op);
      return tensor::ConcatOp::create(
          builder, op.getLoc(), dim,
          ValueRange({first->tensor, second->tensor}));
    }
  }
  return {};
}

} // namespace attn::raise
