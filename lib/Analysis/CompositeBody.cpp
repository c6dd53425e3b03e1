//===- CompositeBody.cpp - A composite op as a function -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/CompositeBody.h"
#include "attn/Analysis/SizeEvaluator.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "attn/Dialect/Attn/Transforms/ExpandBlocks.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

bool CompositeBody::isComposite(Operation *op) {
  return isa<MultiHeadAttentionOp, FeedForwardOp>(op);
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
  SizeEvaluator sizes(*block);
  for (OpResult result : copy->getResults())
    result.setType(cast<RankedTensorType>(result.getType())
                       .clone(sizes.getKnownShape(result)));
  func::ReturnOp::create(builder, op->getLoc(), copy->getResults());
  IRRewriter rewriter(op->getContext());
  expandBlock(rewriter, copy);
}
