//===- ExpandMath.cpp - math ops become arithmetic of our own -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/ExpandMath.h"

#include "../ReadTarget.h"
#include "attn/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace attn {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "attn/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace attn {
namespace {

using Emitter = Value (*)(OpBuilder &, Location, Value);

Value emitFullRangeExp2(OpBuilder &builder, Location loc, Value x) {
  Exp2Options options;
  options.degree = 6;
  bool isDouble = getElementTypeOrSelf(x.getType()).isF64();
  options.flushBelow = isDouble ? -1022.0 : -126.0;
  options.mayOverflow = true;
  return emitExp2(builder, loc, x, options);
}

template <typename OpTy> struct ExpandUnary : OpRewritePattern<OpTy> {
  ExpandUnary(MLIRContext *context, Emitter emitter)
      : OpRewritePattern<OpTy>(context), emitter(emitter) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    Type element = getElementTypeOrSelf(type);
    if (auto vector = dyn_cast<VectorType>(type))
      if (vector.isScalable())
        return rewriter.notifyMatchFailure(op, "scalable vectors");
    Location loc = op.getLoc();
    if (element.isF32() || element.isF64()) {
      rewriter.replaceOp(op, emitter(rewriter, loc, op.getOperand()));
      return success();
    }
    if (!element.isF16() && !element.isBF16())
      return rewriter.notifyMatchFailure(op, "no code for this element type");
    Type wide = rewriter.getF32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      wide = vector.clone(wide);
    Value x = arith::ExtFOp::create(rewriter, loc, wide, op.getOperand());
    Value y = emitter(rewriter, loc, x);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, y);
    return success();
  }

  Emitter emitter;
};

struct ExpandMathPass : impl::ExpandMathPassBase<ExpandMathPass> {
  using ExpandMathPassBase::ExpandMathPassBase;

  void runOnOperation() override {
    FailureOr<TargetDescription> description =
        readTarget(getOperation()->getLoc(), target);
    if (failed(description))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns);
    populateGeluPatterns(patterns, *description);
    populateOnePlusExpPattern(patterns);
    populateSoftplusPattern(patterns);
    populateRoundToBF16Pattern(patterns);
    // Powers with a small constant exponent become products and roots.
    populateMathAlgebraicSimplificationPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

void populateExpandMathPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandUnary<math::ExpOp>>(context, emitExp);
  patterns.add<ExpandUnary<math::Exp2Op>>(context, emitFullRangeExp2);
  patterns.add<ExpandUnary<math::ExpM1Op>>(context, emitExpM1);
  patterns.add<ExpandUnary<math::TanhOp>>(context, emitTanh);
  patterns.add<ExpandUnary<math::ErfOp>>(context, emitErf);
  patterns.add<ExpandUnary<math::ErfcOp>>(context, emitErfc);
  patterns.add<ExpandUnary<math::LogOp>>(context, emitLog);
  patterns.add<ExpandUnary<math::Log2Op>>(context, emitLog2);
  patterns.add<ExpandUnary<math::Log1pOp>>(context, emitLog1P);
}

} // namespace attn
