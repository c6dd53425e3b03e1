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
    peelRows(rewriter);
    // Forms of ops on tensors may have ops on numbers in their bodies.
    for (bool onTensors : {true, false})
      for (DecomposeOpInterface op : collect(onTensors))
        if (failed(op.decompose(rewriter))) {
          op->emitOpError("has no form in plain linalg: ") << listener.reason;
          return signalPassFailure();
        }
  }

private:
  void peelRows(RewriterBase &rewriter) {
    SmallVector<AttentionOp> ops;
    getOperation()->walk([&](AttentionOp op) {
      bool changes = op.getLoadQueryAttr() || op.getLoadKeyAttr();
      if (changes && keepTiles && isForMachine(op))
        ops.push_back(op);
    });
    for (AttentionOp op : ops)
      (void)peelLoadedRows(rewriter, op);
  }

  /// The ops that have to go. Those on memrefs have no results, and stay.
  SmallVector<DecomposeOpInterface> collect(bool onTensors) {
    SmallVector<DecomposeOpInterface> ops;
    getOperation()->walk([&](DecomposeOpInterface op) {
      if (op->getNumResults() != 0 &&
          isa<TensorType>(op->getResult(0).getType()) == onTensors &&
          !(keepTiles && isForMachine(op)))
        ops.push_back(op);
    });
    return ops;
  }

  /// Whether a machine lowering takes the op: what has a schedule. A whole
  /// attention that is for the CPU has been tiled, if it had one.
  bool isForMachine(Operation *op) const {
    auto scheduled = dyn_cast<ScheduledOpInterface>(op);
    return !ignoreSchedules && scheduled && scheduled.getScheduleAttr();
  }
};

} // namespace
