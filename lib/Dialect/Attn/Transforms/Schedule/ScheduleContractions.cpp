//===- ScheduleContractions.cpp - Blocks of structured matrix products ----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Route.h"

#include "attn/Dialect/Attn/IR/Target.h"
#include "attn/Dialect/Attn/Transforms/MatrixRoles.h"
#include "attn/Dialect/Attn/Transforms/Passes.h"

using namespace mlir;
using namespace attn;

namespace attn {
#define GEN_PASS_DEF_SCHEDULECONTRACTIONSPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

static ContractionSizes getSizes(linalg::LinalgOp op, const MatrixRoles &roles,
                                 FloatType compute) {
  auto getSize = [&](unsigned operand, unsigned dim) {
    auto type = cast<ShapedType>(op->getOperand(operand).getType());
    return type.getDimSize(*findDim(op, operand, dim));
  };
  bool isReadable = !roles.rhsTransposed &&
                    getElementTypeOrSelf(op->getOperand(roles.rhs)) == compute;
  return {roles.row ? getSize(2, *roles.row) : 1, getSize(2, roles.column),
          getSize(roles.lhs, roles.term), isReadable, roles.areTermsLast};
}

namespace {

struct ScheduleContractionsPass
    : attn::impl::ScheduleContractionsPassBase<ScheduleContractionsPass> {
  void runOnOperation() override {
    TargetDescription target = readTarget(getOperation());
    if (!target.hasFastVectors())
      return;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!op.hasPureTensorSemantics() || op->hasAttr(kContractionAttrName))
        return;
      std::string reason;
      std::optional<MatrixRoles> roles = readMatrixRoles(op, reason);
      if (roles)
        schedule(op, *roles, target);
      else if (!reason.empty())
        Remark(RemarkId::ContractionLoops, {{"reason", reason}})
            .emit(op.getLoc());
    });
  }

private:
  static void schedule(linalg::LinalgOp op, const MatrixRoles &roles,
                       const TargetDescription &target) {
    Type stored = getElementTypeOrSelf(op->getOperand(2));
    FloatType compute = stored.isF64()
                            ? FloatType(Float64Type::get(op.getContext()))
                            : FloatType(Float32Type::get(op.getContext()));
    Route route =
        makeRoute(selectContractionSchedule(
                      stored, compute, getSizes(op, roles, compute), target),
                  RemarkId::ContractionRoute);
    op->setAttr(kContractionAttrName, route.schedule);
    for (const Remark &remark : route.remarks)
      remark.emit(op.getLoc());
  }
};

} // namespace
