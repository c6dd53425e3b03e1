//===- FuseElementwise.cpp - Elementwise chains become one loop -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace attn {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

/// Only where nothing is computed twice: one user, and a loop nest as deep as
/// the producer's. A contraction never takes anything in.
bool shouldFuse(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  auto from = dyn_cast_or_null<linalg::LinalgOp>(producer);
  auto to = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  return from && to && operand->get().hasOneUse() &&
         from.getNumLoops() == to.getNumLoops();
}

struct FuseElementwisePass
    : impl::FuseElementwisePassBase<FuseElementwisePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace attn
