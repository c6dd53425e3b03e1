//===- ScheduleContractions.cpp - Blocks of structured matrix products ----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollapseContraction.h"
#include "Route.h"

#include "attn/Dialect/Attn/IR/ProductParts.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Dialect/Attn/Transforms/MatrixRoles.h"
#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace attn;

namespace attn {
#define GEN_PASS_DEF_SCHEDULECONTRACTIONSPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

static ContractionSizes getSizes(linalg::LinalgOp op,
                                 const MatrixRoles &roles) {
  auto getSize = [&](unsigned operand, unsigned dim) {
    auto type = cast<ShapedType>(op->getOperand(operand).getType());
    return type.getDimSize(*findDim(op, operand, dim));
  };
  return {roles.row ? getSize(2, *roles.row) : 1,
          getSize(2, roles.column),
          getSize(roles.lhs, roles.term),
          !roles.rhsTransposed,
          roles.areTermsLast,
          isMadeAhead(op->getOperand(roles.rhs))};
}

/// How many matrices there are.
static int64_t getBatch(linalg::LinalgOp op, const MatrixRoles &roles) {
  auto type = cast<ShapedType>(op->getOperand(2).getType());
  int64_t count = 1;
  for (unsigned dim : roles.batch) {
    int64_t size = type.getDimSize(*findDim(op, 2, dim));
    if (ShapedType::isDynamic(size))
      return ShapedType::kDynamic;
    count *= size;
  }
  return count;
}

namespace {

struct ScheduleContractionsPass
    : attn::impl::ScheduleContractionsPassBase<ScheduleContractionsPass> {
  void runOnOperation() override {
    TargetDescription target = readTarget(getOperation());
    if (!target.gpu && !target.hasFastVectors())
      return;
    SmallVector<linalg::LinalgOp> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && !op->hasAttr(kContractionAttrName) &&
          multipliesAndAdds(op))
        products.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp product : products) {
      linalg::LinalgOp op = collapseContraction(rewriter, product);
      std::string reason;
      std::optional<MatrixRoles> roles = readMatrixRoles(op, reason);
      if (roles)
        schedule(op, *roles, target);
      else if (!reason.empty())
        Remark(RemarkId::ContractionLoops, {{"reason", reason}})
            .emit(op.getLoc());
      if (!roles && getProducts(op))
        Remark(RemarkId::PartsWhole,
               {{"reason", "its loops are not those of a matrix product"}})
            .emit(op.getLoc());
    }
  }

private:
  static void schedule(linalg::LinalgOp op, const MatrixRoles &roles,
                       const TargetDescription &target) {
    Type stored = getElementTypeOrSelf(op->getOperand(2));
    FloatType compute = stored.isF64()
                            ? FloatType(Float64Type::get(op.getContext()))
                            : FloatType(Float32Type::get(op.getContext()));
    ContractionSizes sizes = getSizes(op, roles);
    Type lhs = getElementTypeOrSelf(op->getOperand(roles.lhs));
    Type rhs = getElementTypeOrSelf(op->getOperand(roles.rhs));
    Route route =
        target.gpu
            ? selectGPUProduct(
                  lhs, rhs, compute,
                  {getBatch(op, roles), sizes.rows, sizes.columns, sizes.depth},
                  roles.rhsTransposed, target)
            : selectCPUProduct({lhs, rhs, stored, compute, countParts(op)},
                               sizes, target);
    op->setAttr(kContractionAttrName, route.schedule);
    for (const Remark &remark : route.remarks)
      remark.emit(op.getLoc());
  }
};

} // namespace
