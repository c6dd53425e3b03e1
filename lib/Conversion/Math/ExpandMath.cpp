//===- ExpandMath.cpp - math ops become arithmetic of our own -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Math/ExpandMath.h"

#include "attn/Conversion/Math/LocalPatterns.h"
#include "attn/Conversion/Passes.h"
#include "attn/Dialect/Attn/IR/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

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

/// Replaces `op` by what `emit` makes of `operand`, in f32 where the type is
/// narrower.
LogicalResult replaceWide(PatternRewriter &rewriter, Operation *op,
                          Value operand, function_ref<Value(Value)> emit) {
  Type type = op->getResult(0).getType();
  Type element = getElementTypeOrSelf(type);
  if (auto vector = dyn_cast<VectorType>(type))
    if (vector.isScalable())
      return rewriter.notifyMatchFailure(op, "scalable vectors");
  Location loc = op->getLoc();
  if (element.isF32() || element.isF64()) {
    rewriter.replaceOp(op, emit(operand));
    return success();
  }
  if (!element.isF16() && !element.isBF16())
    return rewriter.notifyMatchFailure(op, "no code for this element type");
  Type wide = rewriter.getF32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    wide = vector.clone(wide);
  Value y = emit(arith::ExtFOp::create(rewriter, loc, wide, operand));
  rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, y);
  return success();
}

template <typename OpTy> struct ExpandUnary : OpRewritePattern<OpTy> {
  ExpandUnary(MLIRContext *context, Emitter emitter)
      : OpRewritePattern<OpTy>(context), emitter(emitter) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    return replaceWide(rewriter, op, op.getOperand(), [&](Value x) {
      return emitter(rewriter, op.getLoc(), x);
    });
  }

  Emitter emitter;
};

/// LLVM makes functions of the C library of powers of constants.
struct ExpandPower : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    Attribute known;
    if (!matchPattern(op.getLhs(), m_Constant(&known)))
      return rewriter.notifyMatchFailure(op, "the base is no constant");
    if (auto splat = dyn_cast<SplatElementsAttr>(known))
      known = splat.getSplatValue<Attribute>();
    auto number = dyn_cast<FloatAttr>(known);
    if (!number)
      return rewriter.notifyMatchFailure(op, "the bases differ");
    double base = number.getValueAsDouble();
    if (!(base > 0.0) || !std::isfinite(base))
      return rewriter.notifyMatchFailure(op,
                                         "the base has no finite logarithm");
    // Of a NaN, too.
    if (base == 1.0) {
      rewriter.replaceOp(op, op.getLhs());
      return success();
    }
    return replaceWide(rewriter, op, op.getRhs(), [&](Value x) {
      return base == 2.0 ? emitFullRangeExp2(rewriter, op.getLoc(), x)
                         : emitPower(rewriter, op.getLoc(), base, x);
    });
  }
};

struct ExpandMathPass : impl::ExpandMathPassBase<ExpandMathPass> {
  using ExpandMathPassBase::ExpandMathPassBase;

  void runOnOperation() override {
    TargetDescription target = readTarget(getOperation());
    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns);
    // A GPU rounds to bf16 by an instruction.
    if (target.gpu)
      populateDeviceMathPatterns(patterns);
    else
      populateRoundToBF16Pattern(patterns);
    populateGeluPatterns(patterns, target);
    populateOnePlusExpPattern(patterns);
    populatePredicatePatterns(patterns);
    populateSoftplusPattern(patterns);
    // Powers with a small constant exponent become products and roots.
    populateMathAlgebraicSimplificationPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     getLocalPatterns())))
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
  patterns.add<ExpandPower>(context);
  patterns.add<ExpandUnary<math::CbrtOp>>(context, emitCbrt);
  patterns.add<ExpandUnary<math::AsinhOp>>(context, emitAsinh);
  patterns.add<ExpandUnary<math::AcoshOp>>(context, emitAcosh);
  patterns.add<ExpandUnary<math::AtanhOp>>(context, emitAtanh);
}

} // namespace attn
