//===- ExpandResidual.cpp - A residual block without its regions ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/ExpandBlocks.h"

#include "attn/Dialect/Attn/IR/GenericBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>

using namespace mlir;
using namespace attn;

/// Moves the region's ops before `op` and returns what it yields for `input`.
static Value inlineRegion(RewriterBase &rewriter, ResidualOp op, Region &region,
                          Value input) {
  Block *block = &region.front();
  auto yield = cast<YieldOp>(block->getTerminator());
  Value result = yield.getScore();
  if (result == block->getArgument(0))
    result = input;
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(block, op, input);
  return result;
}

/// The number in a scalar or in a tensor of rank 0.
static Value getScalar(OpBuilder &builder, Location loc, Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  return tensor::ExtractOp::create(builder, loc, value, ValueRange());
}

/// What the branch is multiplied by; null for 1.
static Value createFactor(LaneBuilder &lanes, ResidualOp op) {
  OpBuilder &builder = lanes.getBuilder();
  if (op.getAlpha())
    return lanes.toFloatLanes(getScalar(builder, op.getLoc(), op.getAlpha()));
  if (!op.getTime())
    return {};
  Value time = lanes.toIntLanes(getScalar(builder, op.getLoc(), op.getTime()));
  Value grown = lanes.mul(lanes.intToFloat(time),
                          lanes.constant(op.getStep()->convertToDouble()));
  return lanes.min(grown, lanes.constant(1.0));
}

/// (input + factor * branch) * scale in the type of sums, rounded once.
static Value createScaledSum(OpBuilder &builder, ResidualOp op, Value branch,
                             Value factor, FloatType compute) {
  Value input = op.getInput();
  auto type = cast<RankedTensorType>(input.getType());
  GenericBuilder generics(builder, op.getLoc(), type.getRank(), compute);
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, type.getRank()));
  auto body = [&](LaneBuilder &lanes, ValueRange at) {
    Value term = factor ? lanes.mul(at[1], factor) : at[1];
    Value sum = lanes.add(at[0], term);
    if (op.getPolicy() == ResidualPolicy::InvSqrt2)
      sum = lanes.mul(sum, lanes.constant(M_SQRT1_2));
    return sum;
  };
  return generics
      .create(
          {{input, generics.getIdentity()}, {branch, generics.getIdentity()}},
          generics.createEmpty(input, all, type.getElementType()), body)
      .tensor;
}

void attn::expandResidual(RewriterBase &rewriter, ResidualOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  FloatType compute = getElementTypeOrSelf(op.getInput()).isF64()
                          ? rewriter.getF64Type()
                          : rewriter.getF32Type();
  ResidualPolicy policy = op.getPolicy();
  Value inner = op.getInput();
  if (policy == ResidualPolicy::Pre)
    inner = inlineRegion(rewriter, op, op.getNorm(), inner);
  Value branch = inlineRegion(rewriter, op, op.getBranch(), inner);
  LaneBuilder scalars(rewriter, op.getLoc(), compute);
  Value factor = createFactor(scalars, op);
  // A sum alone is rounded once in any case, and other passes know it.
  Value sum;
  if (factor || policy == ResidualPolicy::InvSqrt2)
    sum = createScaledSum(rewriter, op, branch, factor, compute);
  else
    sum = arith::AddFOp::create(rewriter, op.getLoc(), op.getInput(), branch);
  if (policy == ResidualPolicy::Fixup)
    sum.getDefiningOp()->setAttr(
        kSumPolicyAttrName,
        rewriter.getStringAttr(stringifyResidualPolicy(policy)));
  if (policy == ResidualPolicy::Post)
    sum = inlineRegion(rewriter, op, op.getNorm(), sum);
  rewriter.replaceOp(op, sum);
}
