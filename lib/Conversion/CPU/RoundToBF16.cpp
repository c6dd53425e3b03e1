//===- RoundToBF16.cpp - f32 to bf16 by integers --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM takes vectors of bf16 apart wherever it has to select between them, as
// the usual expansion asks it to for NaN. Here the choice is one of integers,
// one masked instruction.
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
namespace {

Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

struct RoundToBF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType();
    if (!getElementTypeOrSelf(op.getType()).isBF16() ||
        !getElementTypeOrSelf(from).isF32() ||
        !isa<VectorType, FloatType>(from))
      return failure();
    if (op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
        arith::RoundingMode::to_nearest_even)
      return rewriter.notifyMatchFailure(op, "another rounding");
    Location loc = op.getLoc();
    Type integers = withElement(from, rewriter.getI32Type());
    auto constant = [&](int64_t value) -> Value {
      TypedAttr attr = rewriter.getI32IntegerAttr(value);
      if (auto vector = dyn_cast<VectorType>(integers))
        attr = DenseElementsAttr::get(vector, Attribute(attr));
      return arith::ConstantOp::create(rewriter, loc, attr);
    };
    Value bits = arith::BitcastOp::create(rewriter, loc, integers, op.getIn());
    Value kept = arith::ShRUIOp::create(rewriter, loc, bits, constant(16));
    // Just under half a unit of what is kept, and a tie goes to even.
    Value odd = arith::AndIOp::create(rewriter, loc, kept, constant(1));
    Value half = arith::AddIOp::create(rewriter, loc, odd, constant(0x7fff));
    Value rounded = arith::AddIOp::create(rewriter, loc, bits, half);
    // A NaN stays one whatever is cut off: it is made quiet, and not rounded.
    Value isNaN = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::UNO, op.getIn(), op.getIn());
    Value quiet =
        arith::OrIOp::create(rewriter, loc, bits, constant(0x00400000));
    rounded = arith::SelectOp::create(rewriter, loc, isNaN, quiet, rounded);
    rounded = arith::ShRUIOp::create(rewriter, loc, rounded, constant(16));
    Value narrow = arith::TruncIOp::create(
        rewriter, loc, withElement(from, rewriter.getI16Type()), rounded);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
    return success();
  }
};

} // namespace

void populateRoundToBF16Pattern(RewritePatternSet &patterns) {
  patterns.add<RoundToBF16>(patterns.getContext());
}

} // namespace attn
