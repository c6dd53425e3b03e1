//===- EmitSigmoid.cpp - 1 + e^y and quotients by it ----------------------===//
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
// a / (1 + e^y) may be a normal number although e^y is not finite any more:
// silu at -90 is -90 e^-90. From where the 1 has no weight on, y is smaller by
// a whole number k, which is exact, and a is e^-k times as large.
//
//===----------------------------------------------------------------------===//

#include "FloatEmitter.h"
#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include <cmath>

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

/// The y of 1 + exp(y), whichever is first, where the exponential has no other
/// use; null elsewhere.
Value matchOnePlusExp(arith::AddFOp op) {
  auto vector = dyn_cast<VectorType>(op.getType());
  Type element = getElementTypeOrSelf(op.getType());
  if (!(element.isF32() || element.isF64()) || (vector && vector.isScalable()))
    return {};
  bool isFirst = bool(op.getLhs().getDefiningOp<math::ExpOp>());
  Value one = isFirst ? op.getRhs() : op.getLhs();
  auto exponential =
      (isFirst ? op.getLhs() : op.getRhs()).getDefiningOp<math::ExpOp>();
  if (!exponential || !exponential->hasOneUse() ||
      !matchPattern(one, m_OneFloat()))
    return {};
  return exponential.getOperand();
}

/// The y of a / (1 + exp(y)); null for other quotients.
Value matchQuotient(arith::DivFOp op) {
  auto sum = op.getRhs().getDefiningOp<arith::AddFOp>();
  return sum && sum->hasOneUse() ? matchOnePlusExp(sum) : Value();
}

struct ExpandOnePlusExp : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddFOp op,
                                PatternRewriter &rewriter) const override {
    Value y = matchOnePlusExp(op);
    if (!y || !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not 1 + exp(y) in f32");
    rewriter.replaceOp(op, emitOnePlusExp(rewriter, op.getLoc(), y));
    return success();
  }
};

/// Whether a value is rounded to a narrower type, which may be arithmetic on
/// its bits by now. Such kernels are bound by arithmetic: three instructions
/// for results of 1e-37 would be a tenth of theirs.
bool isNarrowed(Value value) {
  return llvm::any_of(value.getUsers(),
                      llvm::IsaPred<arith::TruncFOp, arith::BitcastOp>);
}

/// silu, gelu's tanh form, and gates: a / (1 + exp(y)). A constant such as 1 is
/// too small for its quotients by such sums to be normal numbers.
struct ExpandQuotient : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    Value y = matchQuotient(op);
    if (!y || matchPattern(op.getLhs(), m_Constant()) || isNarrowed(op))
      return rewriter.notifyMatchFailure(op, "not a / (1 + exp(y)) as it is");
    rewriter.replaceOp(op,
                       emitSigmoidGate(rewriter, op.getLoc(), op.getLhs(), y));
    return success();
  }
};

/// The same gates as a product, a * (1 / (1 + exp(y))), whichever is first.
struct ExpandGate : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MulFOp op,
                                PatternRewriter &rewriter) const override {
    if (isNarrowed(op))
      return rewriter.notifyMatchFailure(op, "rounded to a narrower type");
    for (bool isFirst : {true, false}) {
      auto sigmoid =
          (isFirst ? op.getLhs() : op.getRhs()).getDefiningOp<arith::DivFOp>();
      Value gated = isFirst ? op.getRhs() : op.getLhs();
      if (!sigmoid || !sigmoid->hasOneUse() ||
          !matchPattern(sigmoid.getLhs(), m_OneFloat()) ||
          matchPattern(gated, m_Constant()))
        continue;
      if (Value y = matchQuotient(sigmoid)) {
        rewriter.replaceOp(op,
                           emitSigmoidGate(rewriter, op.getLoc(), gated, y));
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "not a / (1 + exp(y))");
  }
};

} // namespace

Value emitOnePlusExp(OpBuilder &builder, Location loc, Value y) {
  FloatEmitter e(builder, loc, y.getType());
  if (!e.isDouble())
    return emitSingle(e, y);
  return e.add(e.constant(1.0), emitExp(builder, loc, y));
}

Value emitSigmoidGate(OpBuilder &builder, Location loc, Value a, Value y) {
  FloatEmitter e(builder, loc, y.getType());
  // y - k has no fewer digits below the point than y, so it is exact; quotients
  // are too small for a number before y is larger than the largest exponent by
  // k.
  double large = e.isDouble() ? 523.0 : 70.0, k = e.isDouble() ? 11.0 : 6.0;
  Value isLarge = e.compare(CmpFPredicate::OGT, y, e.constant(large));
  Value smaller = e.mul(a, e.constant(std::exp(-k)));
  y = e.select(isLarge, e.subExact(y, e.constant(k)), y);
  return e.div(e.select(isLarge, smaller, a), emitOnePlusExp(builder, loc, y));
}

void populateOnePlusExpPattern(RewritePatternSet &patterns) {
  // Before the exponential becomes arithmetic.
  patterns.add<ExpandOnePlusExp, ExpandQuotient, ExpandGate>(
      patterns.getContext(), PatternBenefit(2));
}

} // namespace attn
