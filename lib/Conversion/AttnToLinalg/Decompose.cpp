//===- Decompose.cpp - attn ops on tensors become plain linalg ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/AttnToLinalg.h"
#include "attn/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
    SmallVector<AttentionOpInterface> ops;
    getOperation()->walk([&](AttentionOpInterface op) {
      bool isTile = !isa<AttentionOp>(op.getOperation());
      if (isa<RankedTensorType>(op.getShapedInputs()[0].getType()) &&
          !(isTile && keepTiles))
        ops.push_back(op);
    });
    ReasonListener listener;
    IRRewriter rewriter(&getContext(), &listener);
    for (AttentionOpInterface op : ops)
      if (failed(decompose(rewriter, op))) {
        op->emitOpError("has no form in plain linalg: ") << listener.reason;
        return signalPassFailure();
      }
  }

private:
  static LogicalResult decompose(RewriterBase &rewriter, Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](AttentionOp op) { return decomposeAttention(rewriter, op); })
        .Case([&](OnlineAttentionOp op) {
          return decomposeOnlineAttention(rewriter, op);
        })
        .Case([&](PackQueryOp op) { return decomposePackQuery(rewriter, op); })
        .Case([&](FinalizeOp op) { return decomposeFinalize(rewriter, op); });
  }
};

} // namespace
