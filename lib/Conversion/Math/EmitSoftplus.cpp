//===- EmitSoftplus.cpp - log(1 + e^y) of numbers below 0 -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Softplus is max(x, 0) + log1p(exp(-|x|)). The exponential t lies in [0, 1],
// where log1p t = t + t^2 R(t) with one polynomial R: no reduction, no quotient
// and no choice between ranges, all of which a general log1p needs.
//
//===----------------------------------------------------------------------===//

#include "FloatEmitter.h"
#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
namespace {

/// R as utils/fit-softplus.py finds it; t + t^2 R(t) is within 0.09 * 2^-24 of
/// log1p t, relatively.
constexpr double kRest[] = {-0.499999315,  0.333304793,  -0.249582931,
                            0.196940258,   -0.153517291, 0.106747322,
                            -0.0576099902, 0.0201769043, -0.0033125726};
/// From here on e^y is below the smallest number, and the power of two in it
/// has the exponent field of 0.
constexpr double kEnd = -88.0;

Value emitSingle(FloatEmitter &e, Value y) {
  // The clamp keeps NaN, which the products then keep, too.
  Value end = e.constant(kEnd);
  y = e.select(e.compare(arith::CmpFPredicate::OGT, end, y), end, y);
  ExpRemainder rest = emitExpRemainder(e, y, /*bias=*/127);
  SmallVector<double> coefficients = {1.0, 1.0};
  llvm::append_range(coefficients, getExpCoefficients(/*isDouble=*/false));
  // The sum before the power of two, which may make a part of it denormal.
  Value scale = e.fromBits(e.toExponent(e.bits(rest.biased)));
  Value t = e.mul(e.polynomial(rest.r, coefficients), scale);
  Value square = e.mul(t, t);
  return e.mulAdd(e.polynomialByPairs(t, square, kRest), square, t);
}

/// log1p(exp(-|x|)).
struct ExpandLog1PExp : OpRewritePattern<math::Log1pOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Log1pOp op,
                                PatternRewriter &rewriter) const override {
    auto exponential = op.getOperand().getDefiningOp<math::ExpOp>();
    auto negative =
        exponential ? exponential.getOperand().getDefiningOp<arith::NegFOp>()
                    : arith::NegFOp();
    if (!negative || !negative.getOperand().getDefiningOp<math::AbsFOp>())
      return rewriter.notifyMatchFailure(op, "not of exp(-|x|)");
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!getElementTypeOrSelf(op.getType()).isF32() ||
        (vector && vector.isScalable()))
      return rewriter.notifyMatchFailure(op, "not f32");
    rewriter.replaceOp(op, emitLog1PExp(rewriter, op.getLoc(), negative));
    return success();
  }
};

} // namespace

Value emitLog1PExp(OpBuilder &builder, Location loc, Value y) {
  FloatEmitter e(builder, loc, y.getType());
  if (!e.isDouble())
    return emitSingle(e, y);
  return emitLog1P(builder, loc, emitExp(builder, loc, y));
}

void populateSoftplusPattern(RewritePatternSet &patterns) {
  // Before the two functions become arithmetic.
  patterns.add<ExpandLog1PExp>(patterns.getContext(), PatternBenefit(2));
}

} // namespace attn
