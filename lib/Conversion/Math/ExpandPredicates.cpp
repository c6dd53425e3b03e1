//===- ExpandPredicates.cpp - What a float is, by comparisons -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
namespace {

Value createConstant(OpBuilder &builder, Location loc, Type type,
                     const APFloat &number) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  TypedAttr value = FloatAttr::get(element, number);
  if (auto shaped = dyn_cast<ShapedType>(type))
    value = DenseElementsAttr::get(shaped, Attribute(value));
  return arith::ConstantOp::create(builder, loc, value);
}

/// Compares |x| with a number of its type.
template <typename OpTy>
Value compareMagnitude(OpBuilder &builder, OpTy op,
                       arith::CmpFPredicate predicate,
                       APFloat (*getNumber)(const llvm::fltSemantics &)) {
  Type type = op.getOperand().getType();
  const llvm::fltSemantics &semantics =
      cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  Location loc = op.getLoc();
  Value magnitude = math::AbsFOp::create(builder, loc, op.getOperand());
  return arith::CmpFOp::create(
      builder, loc, predicate, magnitude,
      createConstant(builder, loc, type, getNumber(semantics)));
}

APFloat getInfinity(const llvm::fltSemantics &semantics) {
  return APFloat::getInf(semantics);
}

APFloat getSmallest(const llvm::fltSemantics &semantics) {
  return APFloat::getSmallestNormalized(semantics);
}

struct ExpandIsInf : OpRewritePattern<math::IsInfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IsInfOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op,
        compareMagnitude(rewriter, op, arith::CmpFPredicate::OEQ, getInfinity));
    return success();
  }
};

struct ExpandIsNormal : OpRewritePattern<math::IsNormalOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IsNormalOp op,
                                PatternRewriter &rewriter) const override {
    Value large =
        compareMagnitude(rewriter, op, arith::CmpFPredicate::OGE, getSmallest);
    Value finite =
        compareMagnitude(rewriter, op, arith::CmpFPredicate::OLT, getInfinity);
    rewriter.replaceOpWithNewOp<arith::AndIOp>(op, large, finite);
    return success();
  }
};

struct ExpandClamp : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value below = arith::MinimumFOp::create(rewriter, op.getLoc(),
                                            op.getValue(), op.getMax());
    rewriter.replaceOpWithNewOp<arith::MaximumFOp>(op, below, op.getMin());
    return success();
  }
};

} // namespace

void populatePredicatePatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandIsInf, ExpandIsNormal, ExpandClamp>(patterns.getContext());
}

} // namespace attn
