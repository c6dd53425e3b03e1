//===- DecomposeResidual.cpp - A residual block without its regions ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockGenerics.h"

#include "attn/Conversion/AttnToLinalg.h"
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

LogicalResult attn::decomposeResidual(RewriterBase &rewriter, ResidualOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  auto type = cast<RankedTensorType>(op.getInput().getType());
  FloatType compute = type.getElementType().isF64() ? rewriter.getF64Type()
                                                    : rewriter.getF32Type();
  ResidualPolicy policy = op.getPolicy();
  Value input = op.getInput(), inner = input;
  if (policy == ResidualPolicy::Pre)
    inner = inlineRegion(rewriter, op, op.getNorm(), inner);
  Value branch = inlineRegion(rewriter, op, op.getBranch(), inner);

  GenericBuilder generics(rewriter, op.getLoc(), type.getRank(), compute);
  LaneBuilder scalars(rewriter, op.getLoc(), compute);
  Value factor = createFactor(scalars, op);
  auto dims = llvm::to_vector(llvm::seq<unsigned>(0, type.getRank()));
  MappedTensor empty = generics.createEmpty(input, dims, type.getElementType());
  Value sum =
      generics
          .create({{input, empty.map}, {branch, empty.map}}, empty,
                  [&](LaneBuilder &lanes, ValueRange at) {
                    Value term = factor ? lanes.mul(at[1], factor) : at[1];
                    Value both = lanes.add(at[0], term);
                    return policy == ResidualPolicy::InvSqrt2
                               ? lanes.mul(both, lanes.constant(M_SQRT1_2))
                               : both;
                  })
          .tensor;
  if (policy == ResidualPolicy::Post)
    sum = inlineRegion(rewriter, op, op.getNorm(), sum);
  rewriter.replaceOp(op, sum);
  return success();
}
