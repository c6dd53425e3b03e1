//===- DecomposeAttention.cpp - A whole attention as structured ops -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A whole attention is one update of the identity state followed by its end, so
// that it and the ops on tiles share every step.
//
//===----------------------------------------------------------------------===//

#include "attn/Conversion/AttnToLinalg/AttnToLinalg.h"

#include "ScoreTensors.h"
#include "SoftmaxState.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace attn;

LogicalResult attn::decompose(RewriterBase &rewriter, AttentionOp attention) {
  auto op = cast<AttentionOpInterface>(attention.getOperation());
  if (!isa<RankedTensorType>(attention.getQuery().getType()))
    return rewriter.notifyMatchFailure(op, "its operands are not tensors");
  countSeenKeys(rewriter, attention);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  IterationBuilder iterations(rewriter, op);
  MappedTensor query = createLoaded(iterations, LoadedRows::Query);
  MappedTensor key = createLoaded(iterations, LoadedRows::Key);
  ScoreTensors scores = createScores(iterations, query, key, Units::Natural);
  SoftmaxState state = createUpdate(
      iterations, createIdentity(iterations, Units::Natural), scores,
      {attention.getValue(), op.getInputMap(2)}, /*fresh=*/true);
  SmallVector<MappedTensor> outputs;
  for (auto [i, output] : llvm::enumerate(op.getShapedOutputs()))
    outputs.push_back({output, op.getOutputMap(i)});
  rewriter.replaceOp(op, createResults(iterations, state, outputs));
  return success();
}
