//===- Decompose.cpp - attn ops on tensors become plain linalg ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/AttnToLinalg/AttnToLinalg.h"
#include "attn/Conversion/AttnToLinalg/ElementOps.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/Transforms/ExpandBlocks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

namespace attn {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;

namespace {

/// Keeps the reason why a rewrite refused; the portable path has no other way.
struct ReasonListener : public RewriterBase::Listener {
  void notifyMatchFailure(Location loc,
                          function_ref<void(Diagnostic &)> explain) override {
    Diagnostic diagnostic(loc, DiagnosticSeverity::Error);
    explain(diagnostic);
    reason = diagnostic.str();
  }
  std::string reason;
};

struct DecomposePass : public attn::impl::DecomposePassBase<DecomposePass> {
  using DecomposePassBase::DecomposePassBase;

  void runOnOperation() override {
    ReasonListener listener;
    IRRewriter rewriter(&getContext(), &listener);
    expandBlocks(rewriter, getOperation());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<AttentionOpInterface, BlockOpInterface, NormOp>(op) &&
          !isa<StatisticsOp>(op) && op->getNumResults() != 0 &&
          !(keepTiles && isForMachine(op)))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(decompose(rewriter, op))) {
        op->emitOpError("has no form in plain linalg: ") << listener.reason;
        return signalPassFailure();
      }
    if (failed(decomposeElementOps(rewriter, getOperation(),
                                   keepTiles && !ignoreSchedules)))
      signalPassFailure();
  }

private:
  /// Whether a machine lowering takes the op.
  bool isForMachine(Operation *op) const {
    if (isa<OnlineAttentionOp, PackQueryOp, FinalizeOp>(op))
      return true;
    return !ignoreSchedules && hasSchedule(op);
  }

  static bool hasSchedule(Operation *op) {
    if (auto linear = dyn_cast<LinearOp>(op))
      return bool(linear.getSchedule());
    if (auto norm = dyn_cast<NormOp>(op))
      return bool(norm.getSchedule());
    if (auto rope = dyn_cast<RopeOp>(op))
      return bool(rope.getSchedule());
    if (auto positions = dyn_cast<SinusoidalPositionsOp>(op))
      return bool(positions.getSchedule());
    if (auto softmax = dyn_cast<SoftmaxOp>(op))
      return bool(softmax.getSchedule());
    return false;
  }

  static LogicalResult decompose(RewriterBase &rewriter, Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](AttentionOp op) { return decomposeAttention(rewriter, op); })
        .Case([&](OnlineAttentionOp op) {
          return decomposeOnlineAttention(rewriter, op);
        })
        .Case([&](PackQueryOp op) { return decomposePackQuery(rewriter, op); })
        .Case([&](FinalizeOp op) { return decomposeFinalize(rewriter, op); })
        .Case([&](NormOp op) { return decomposeNorm(rewriter, op); })
        .Case([&](LinearOp op) { return decomposeLinear(rewriter, op); })
        .Case([&](RopeOp op) { return decomposeRope(rewriter, op); })
        .Case([&](SinusoidalPositionsOp op) {
          return decomposeSinusoidalPositions(rewriter, op);
        })
        .Case([&](SoftmaxOp op) { return decomposeSoftmax(rewriter, op); });
  }
};

} // namespace
