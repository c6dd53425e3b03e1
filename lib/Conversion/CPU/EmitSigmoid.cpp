//===- EmitSigmoid.cpp - 1 + e^y ------------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The denominator of sigmoid, silu and gelu's tanh form. Beside the 1, it does
// not matter where a small exponential becomes 0. So the range is two clamps of
// y in place of two selects for the result: e^y is twice a polynomial times
// 2^(n - 1), which is 0 at the lower clamp and infinite at the upper one.
//
//===----------------------------------------------------------------------===//

#include "FloatEmitter.h"
#include "attn/Conversion/ExpandMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using arith::CmpFPredicate;

namespace attn {
namespace {

/// Here n is -126 and 129: the exponent fields of 2^(n - 1) are 0 and 255.
constexpr double kLow = -87.3;
constexpr double kHigh = 89.4;

Value emitSingle(FloatEmitter &e, Value y) {
  // The clamps keep NaN, which the products then keep, too.
  Value low = e.constant(kLow), high = e.constant(kHigh);
  y = e.select(e.compare(CmpFPredicate::OGT, low, y), low, y);
  y = e.select(e.compare(CmpFPredicate::OLT, high, y), high, y);
  ExpRemainder rest = emitExpRemainder(e, y, /*bias=*/126);
  SmallVector<double> coefficients = {2.0, 2.0};
  for (double c : getExpCoefficients(/*isDouble=*/false))
    coefficients.push_back(2.0 * c);
  Value scale = e.fromBits(e.toExponent(e.bits(rest.biased)));
  return e.mulAdd(e.polynomial(rest.r, coefficients), scale, e.constant(1.0));
}

/// 1 + exp(y), whichever is first.
struct ExpandOnePlusExp : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddFOp op,
                                PatternRewriter &rewriter) const override {
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!getElementTypeOrSelf(op.getType()).isF32() ||
        (vector && vector.isScalable()))
      return rewriter.notifyMatchFailure(op, "not f32");
    bool isFirst = bool(op.getLhs().getDefiningOp<math::ExpOp>());
    Value one = isFirst ? op.getRhs() : op.getLhs();
    auto exponential =
        (isFirst ? op.getLhs() : op.getRhs()).getDefiningOp<math::ExpOp>();
    if (!exponential || !exponential->hasOneUse() ||
        !matchPattern(one, m_OneFloat()))
      return rewriter.notifyMatchFailure(op, "not 1 + exp(y)");
    rewriter.replaceOp(
        op, emitOnePlusExp(rewriter, op.getLoc(), exponential.getOperand()));
    return success();
  }
};

} // namespace

Value emitOnePlusExp(OpBuilder &builder, Location loc, Value y) {
  FloatEmitter e(builder, loc, y.getType());
  if (!e.isDouble())
    return emitSingle(e, y);
  return e.add(e.constant(1.0), emitExp(builder, loc, y));
}

void populateOnePlusExpPattern(RewritePatternSet &patterns) {
  // Before the exponential becomes arithmetic.
  patterns.add<ExpandOnePlusExp>(patterns.getContext(), PatternBenefit(2));
}

} // namespace attn
