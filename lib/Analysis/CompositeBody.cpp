//===- CompositeBody.cpp - A composite op as a function -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/CompositeBody.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "attn/Dialect/Attn/Transforms/ExpandBlocks.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

bool CompositeBody::isComposite(Operation *op) {
  return isa<MultiHeadAttentionOp, FeedForwardOp>(op);
}

/// The type of `like` with those sizes of `from` that it leaves open.
static Type getClosedType(Type like, Type from) {
  auto type = cast<RankedTensorType>(like);
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, known] :
       llvm::zip(shape, cast<RankedTensorType>(from).getShape()))
    if (ShapedType::isDynamic(size))
      size = known;
  return type.clone(shape);
}

/// Rows are those of the input, caches keep their sizes.
static void closeResults(Operation *op) {
  for (OpResult result : op->getResults()) {
    Value like = op->getOperand(0);
    if (auto attention = dyn_cast<MultiHeadAttentionOp>(op);
        attention && result.getResultNumber() > 0)
      like = result.getResultNumber() == 1 ? attention.getKeyCache()
                                           : attention.getValueCache();
    result.setType(getClosedType(result.getType(), like.getType()));
  }
}

CompositeBody::CompositeBody(Operation *op, GetShape getShape)
    : module(ModuleOp::create(op->getLoc())) {
  SmallVector<Type> types;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    types.push_back(type ? type.clone(getShape(operand)) : operand.getType());
  }
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  function = func::FuncOp::create(
      builder, op->getLoc(), "composite",
      builder.getFunctionType(types, op->getResultTypes()));
  Block *block = function.addEntryBlock();
  IRMapping scope;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    scope.map(operand, block->getArgument(i));
  builder.setInsertionPointToEnd(block);
  Operation *copy = builder.clone(*op, scope);
  // An operand that the op reads twice has two arguments.
  copy->setOperands(block->getArguments());
  closeResults(copy);
  func::ReturnOp::create(builder, op->getLoc(), copy->getResults());
  IRRewriter rewriter(op->getContext());
  if (auto attention = dyn_cast<MultiHeadAttentionOp>(copy))
    expandMultiHeadAttention(rewriter, attention);
  else
    expandFeedForward(rewriter, cast<FeedForwardOp>(copy));
}
