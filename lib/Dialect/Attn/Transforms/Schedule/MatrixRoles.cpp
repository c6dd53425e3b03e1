//===- MatrixRoles.cpp - Structured ops as matrix products ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/MatrixRoles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace attn;

/// out + a * b, where a and b may be widened first.
static bool multipliesAndAdds(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  Value accumulator = body.getArgument(2);
  Value product = add.getLhs() == accumulator ? add.getRhs() : add.getLhs();
  if (add.getLhs() != accumulator && add.getRhs() != accumulator)
    return false;
  auto multiply = product.getDefiningOp<arith::MulFOp>();
  if (!multiply)
    return false;
  auto argument = [](Value value) -> Value {
    auto extend = value.getDefiningOp<arith::ExtFOp>();
    return extend ? extend.getIn() : value;
  };
  Value a = argument(multiply.getLhs()), b = argument(multiply.getRhs());
  return (a == body.getArgument(0) && b == body.getArgument(1)) ||
         (a == body.getArgument(1) && b == body.getArgument(0));
}

static std::optional<MatrixRoles> findRoles(linalg::LinalgOp op) {
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.size() > 1 || dims->n.size() > 1 ||
      dims->k.size() != 1)
    return std::nullopt;
  AffineMap output = op.getIndexingMapsArray()[2];
  if (output.getNumResults() == 0)
    return std::nullopt;
  auto last = dyn_cast<AffineDimExpr>(output.getResults().back());
  if (!last)
    return std::nullopt;
  MatrixRoles roles;
  roles.batch.assign(dims->batch.begin(), dims->batch.end());
  roles.term = dims->k[0];
  roles.column = last.getPosition();
  // The rows of a product are the columns of the transposed one.
  bool swapped = !dims->m.empty() && dims->m[0] == roles.column;
  if (!swapped && (dims->n.empty() || dims->n[0] != roles.column))
    return std::nullopt;
  ArrayRef<unsigned> rows = swapped ? ArrayRef(dims->n) : ArrayRef(dims->m);
  if (!rows.empty())
    roles.row = rows[0];
  roles.lhs = swapped ? 1 : 0;
  roles.rhs = 1 - roles.lhs;
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
  if (op->getNumOperands() != 3 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || !multipliesAndAdds(op))
    return std::nullopt;
  auto refuse = [&](StringRef why) {
    reason = why;
    return std::nullopt;
  };
  if (llvm::any_of(op.getIndexingMapsArray(),
                   [](AffineMap map) { return !map.isProjectedPermutation(); }))
    return refuse("an operand is read otherwise than by plain indices");
  std::optional<MatrixRoles> roles = findRoles(op);
  if (!roles)
    return refuse("its loops are not one of rows, columns and terms each");
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!type || !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
                     type.getElementType()))
      return refuse("its elements are not f16, bf16, f32 or f64");
  }
  AffineMap rhs = op.getIndexingMapsArray()[roles->rhs];
  unsigned inner = cast<AffineDimExpr>(rhs.getResults().back()).getPosition();
  if (inner != roles->column && inner != roles->term)
    return refuse("the innermost dimension of an operand is a batch");
  roles->rhsTransposed = inner == roles->term;
  AffineMap lhs = op.getIndexingMapsArray()[roles->lhs];
  roles->areTermsLast =
      roles->rhsTransposed &&
      lhs.getResults().back() == getAffineDimExpr(roles->term, op.getContext());
  return roles;
}
