//===- LowerToVector.cpp - Tile ops on memrefs become vector loops --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecodeShape.h"
#include "PadStates.h"
#include "Patterns.h"
#include "TileShape.h"

#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_LOWERTOVECTORPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Remembers why the last pattern refused.
struct ReasonListener : RewriterBase::Listener {
  void
  notifyMatchFailure(Location loc,
                     llvm::function_ref<void(Diagnostic &)> describe) override {
    Diagnostic diagnostic(loc, DiagnosticSeverity::Error);
    describe(diagnostic);
    reason = diagnostic.str();
  }
  std::string reason;
};

struct LowerToVectorPass
    : public attn::impl::LowerToVectorPassBase<LowerToVectorPass> {
  using LowerToVectorPassBase::LowerToVectorPassBase;

  void runOnOperation() override {
    padStates(getOperation());
    TargetDescription target = readTarget(getOperation());
    ScratchPool scratch;
    RewritePatternSet patterns(&getContext());
    populateVectorPatterns(patterns, scratch, target);
    ReasonListener listener;
    FrozenRewritePatternSet frozen(std::move(patterns));
    walkAndApplyPatterns(getOperation(), frozen, &listener);
    // Nothing after this pass knows the tile ops.
    WalkResult left = getOperation()->walk([&](ScheduledOpInterface op) {
      // Matrix products have a pass of their own; a whole attention is none.
      if (isa<AttentionOp, LinearOp>(op))
        return WalkResult::advance();
      op->emitError("has no lowering to vectors: ") << listener.reason;
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
