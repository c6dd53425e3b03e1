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

#include "attn/Conversion/Math/ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
namespace {

Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

/// Of i32, or a vector of it.
Value createConstant(OpBuilder &builder, Location loc, Type type,
                     int64_t value) {
  TypedAttr attr = builder.getI32IntegerAttr(static_cast<int32_t>(value));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(builder, loc, attr);
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
    Value rounded = emitRoundedToBF16(rewriter, loc, op.getIn());
    rounded = arith::ShRUIOp::create(
        rewriter, loc, rounded,
        createConstant(rewriter, loc, rounded.getType(), 16));
    Value narrow = arith::TruncIOp::create(
        rewriter, loc, withElement(from, rewriter.getI16Type()), rounded);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
    return success();
  }
};

} // namespace

Value emitRoundedToBF16(OpBuilder &builder, Location loc, Value x) {
  Type integers = withElement(x.getType(), builder.getI32Type());
  auto constant = [&](int64_t value) {
    return createConstant(builder, loc, integers, value);
  };
  Value bits = arith::BitcastOp::create(builder, loc, integers, x);
  Value kept = arith::ShRUIOp::create(builder, loc, bits, constant(16));
  // Just under half a unit of what is kept, and a tie goes to even.
  Value odd = arith::AndIOp::create(builder, loc, kept, constant(1));
  Value half = arith::AddIOp::create(builder, loc, odd, constant(0x7fff));
  Value rounded = arith::AddIOp::create(builder, loc, bits, half);
  // A NaN stays one whatever is cut off: it is made quiet, and not rounded.
  Value isNaN =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x, x);
  Value quiet = arith::OrIOp::create(builder, loc, bits, constant(0x00400000));
  return arith::SelectOp::create(builder, loc, isNaN, quiet, rounded);
}

void populateRoundToBF16Pattern(RewritePatternSet &patterns) {
  patterns.add<RoundToBF16>(patterns.getContext());
}

} // namespace attn
