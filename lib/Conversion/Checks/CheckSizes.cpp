//===- CheckSizes.cpp - Sizes and indices are proved or checked -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First each op makes its demands as assertions in front of it. Then the sizes
// that they compare are expressed by those of the function's arguments, which
// proves most of them. What only depends on arguments goes to the start of the
// function: equal dimensions are recorded on the arguments, whatever else is
// about sizes is marked for the entry, and the rest runs before the kernel has
// written anything.
//
//===----------------------------------------------------------------------===//

#include "DemandBuilder.h"
#include "EntryChecks.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Remarks/InputError.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace attn {
#define GEN_PASS_DEF_CHECKSIZESPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

/// The region of one of our ops asks nothing of its numbers.
LogicalResult refuseInRegions(func::FuncOp func) {
  WalkResult result = func.walk([](Operation *op) {
    if (!isDivision(op) || !isa<AttnDialect>(op->getParentOp()->getDialect()))
      return WalkResult::advance();
    APInt divisor;
    if (matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
        !divisor.isZero() && !divisor.isAllOnes())
      return WalkResult::advance();
    emitInputError(op) << "'" << op->getName() << "' divides in the region of '"
                       << op->getParentOp()->getName()
                       << "' by what may be 0: write a constant, or divide "
                          "outside of it";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Divisors are looked at one by one, which takes a body to do it in.
LogicalResult giveDivisionsBodies(func::FuncOp func) {
  SmallVector<Operation *> divisions;
  func.walk([&](Operation *op) {
    if (isDivision(op) && isa<RankedTensorType>(op->getResult(0).getType()))
      divisions.push_back(op);
  });
  if (divisions.empty())
    return success();
  RewritePatternSet patterns(func.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  return applyOpPatternsGreedily(divisions, std::move(patterns),
                                 GreedyRewriteConfig().setStrictness(
                                     GreedyRewriteStrictness::ExistingOps));
}

/// An argument that is updated in place has the size of its new value.
void addResultDemands(func::FuncOp func, DemandBuilder &demands) {
  auto inOut = getInOutArguments(func);
  if (failed(inOut) || !func.getBody().hasOneBlock())
    return;
  Operation *end = func.getBody().front().getTerminator();
  demands.setOp(end);
  for (auto [result, argument] : llvm::zip(end->getOperands(), *inOut)) {
    if (!argument)
      continue;
    Value memory = func.getArgument(*argument);
    int64_t rank = cast<RankedTensorType>(memory.getType()).getRank();
    for (int64_t dim = 0; dim < rank; ++dim)
      demands.demandEqual(demands.getSize(memory, dim),
                          demands.getSize(result, dim));
  }
}

void addDemands(func::FuncOp func, DemandBuilder &demands) {
  SmallVector<Operation *> ops;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    if (!op->getParentOfType<linalg::LinalgOp>()) {
      addSizeDemands(op, demands);
      addTensorDemands(op, demands);
    }
    addElementDemands(op, demands);
  }
  addResultDemands(func, demands);
}

struct CheckSizesPass : impl::CheckSizesPassBase<CheckSizesPass> {
  using CheckSizesPassBase::CheckSizesPassBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (isEntryCandidate(func) && failed(check(func)))
        return signalPassFailure();
  }

  LogicalResult check(func::FuncOp func) {
    if (failed(refuseInRegions(func)) || failed(giveDivisionsBodies(func)))
      return failure();
    DemandBuilder demands(func);
    addDemands(func, demands);
    if (failed(resolveDemands(demands, func)))
      return failure();
    moveToEntry(func);
    if (!inside)
      dropInnerChecks(func);
    return success();
  }
};

} // namespace
} // namespace attn
