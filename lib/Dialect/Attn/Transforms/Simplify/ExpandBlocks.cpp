//===- ExpandBlocks.cpp - Composite ops become their parts ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/ExpandBlocks.h"

#include "LayerBuilder.h"

#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;

namespace attn {
#define GEN_PASS_DEF_EXPANDBLOCKSPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

Value LayerBuilder::create(Value input, Value weight, Value bias) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, input);
  sizes.back() = tensor::getMixedSize(
      builder, loc, weight, layout.getValue() == WeightLayout::InOut ? 1 : 0);
  Value init =
      tensor::EmptyOp::create(builder, loc, sizes, getElementTypeOrSelf(input));
  return LinearOp::create(builder, loc, init.getType(), input, weight, bias,
                          /*extras=*/ValueRange(), init, parameterisation,
                          layout, /*schedule=*/ContractionScheduleAttr())
      .getResult();
}

/// `value` with the static sizes that `type` says.
static Value castTo(OpBuilder &builder, Location loc, Type type, Value value) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder, loc, type, value);
}

void attn::expandFeedForward(RewriterBase &rewriter, FeedForwardOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  LayerBuilder layers(rewriter, op);
  auto activate = [&](Value value) -> Value {
    if (!op.getFunction())
      return value;
    return ActivationOp::create(rewriter, loc, value.getType(), value,
                                op.getFunctionAttr(), op.getCenteredAttr(),
                                op.getUnitMomentAttr());
  };
  Value hidden;
  if (op.getGateWeight())
    hidden = activate(
        layers.create(op.getInput(), op.getGateWeight(), op.getGateBias()));
  Value up = layers.create(op.getInput(), op.getUpWeight(), op.getUpBias());
  if (hidden)
    hidden = arith::MulFOp::create(rewriter, loc, hidden,
                                   castTo(rewriter, loc, hidden.getType(), up));
  else
    hidden = activate(up);
  Value result = layers.create(hidden, op.getDownWeight(), op.getDownBias());
  rewriter.replaceOp(op, castTo(rewriter, loc, op.getType(), result));
}

void attn::expandBlock(RewriterBase &rewriter, Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](MultiHeadAttentionOp op) {
        expandMultiHeadAttention(rewriter, op);
      })
      .Case([&](FeedForwardOp op) { expandFeedForward(rewriter, op); })
      .Case([&](ResidualOp op) { expandResidual(rewriter, op); });
}

void attn::expandBlocks(RewriterBase &rewriter, Operation *root) {
  // Inner ops come first, so that an op that moves out of a region has none
  // left inside.
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<MultiHeadAttentionOp, FeedForwardOp, ResidualOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    expandBlock(rewriter, op);
}

namespace {

struct ExpandBlocksPass : attn::impl::ExpandBlocksPassBase<ExpandBlocksPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    expandBlocks(rewriter, getOperation());
  }
};

} // namespace
