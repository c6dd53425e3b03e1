//===- MatrixRoles.cpp - Structured ops as matrix products ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/MatrixRoles.h"

#include "attn/Dialect/Attn/IR/ProductParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <limits>

using namespace mlir;
using namespace attn;

/// The longest of these loops, the last one of equal ones; a size that is not
/// known is long.
static std::optional<unsigned> findLongest(linalg::LinalgOp op,
                                           ArrayRef<unsigned> loops) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto getLength = [&](unsigned loop) {
    return ShapedType::isDynamic(sizes[loop])
               ? std::numeric_limits<int64_t>::max()
               : sizes[loop];
  };
  std::optional<unsigned> longest;
  for (unsigned loop : loops)
    if (!longest || getLength(loop) >= getLength(*longest))
      longest = loop;
  return longest;
}

static std::optional<MatrixRoles> findRoles(linalg::LinalgOp op,
                                            std::string &reason) {
  auto refuse = [&](StringRef why) {
    reason = why;
    return std::nullopt;
  };
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) ||
      dims->batch.size() + dims->m.size() + dims->n.size() + dims->k.size() !=
          op.getNumLoops())
    return refuse("a loop is neither one of a batch, of terms, nor of one "
                  "operand and the output");
  if (dims->m.empty() && dims->n.empty())
    return std::nullopt; // a sum along what both operands have
  if (dims->k.size() != 1)
    return refuse("it has several loops of terms");
  auto last =
      cast<AffineDimExpr>(op.getIndexingMapsArray()[2].getResults().back());
  MatrixRoles roles;
  roles.term = dims->k[0];
  roles.column = last.getPosition();
  // The rows of a product are the columns of the transposed one.
  bool swapped = llvm::is_contained(dims->m, roles.column);
  if (!swapped && !llvm::is_contained(dims->n, roles.column))
    return refuse("the innermost dimension of the output is a batch");
  roles.row = findLongest(op, swapped ? dims->n : dims->m);
  roles.lhs = swapped ? 1 : 0;
  roles.rhs = 1 - roles.lhs;
  for (AffineExpr result : op.getIndexingMapsArray()[2].getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    if (loop != roles.column && loop != roles.row)
      roles.batch.push_back(loop);
  }
  return roles;
}

std::optional<unsigned> attn::findDim(linalg::LinalgOp op, unsigned operand,
                                      unsigned dim) {
  return op.getIndexingMapsArray()[operand].getResultPosition(
      getAffineDimExpr(dim, op.getContext()));
}

std::optional<MatrixRoles> attn::readMatrixRoles(linalg::LinalgOp op,
                                                 std::string &reason) {
  reason.clear();
  if (!multipliesAndAdds(op))
    return std::nullopt;
  auto refuse = [&](StringRef why) {
    reason = why;
    return std::nullopt;
  };
  if (llvm::any_of(op.getIndexingMapsArray(),
                   [](AffineMap map) { return !map.isProjectedPermutation(); }))
    return refuse("an operand is read otherwise than by plain indices");
  std::optional<MatrixRoles> roles = findRoles(op, reason);
  if (!roles)
    return std::nullopt;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!type || !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
                     type.getElementType()))
      return refuse("its elements are not f16, bf16, f32 or f64");
  }
  AffineMap rhs = op.getIndexingMapsArray()[roles->rhs];
  unsigned inner = cast<AffineDimExpr>(rhs.getResults().back()).getPosition();
  if (inner != roles->column && inner != roles->term)
    return refuse("the innermost dimension of an operand is neither columns "
                  "nor terms");
  roles->rhsTransposed = inner == roles->term;
  AffineMap lhs = op.getIndexingMapsArray()[roles->lhs];
  roles->areTermsLast =
      roles->rhsTransposed &&
      lhs.getResults().back() == getAffineDimExpr(roles->term, op.getContext());
  return roles;
}
