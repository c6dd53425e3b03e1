//===- AttnOps.cpp - The attn dialect on values ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRows.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attn::reference::detail {

/// Ops beside attention.
static LogicalResult executeBlockOp(Evaluator &evaluator, Operation *op) {
  using Function = LogicalResult (*)(Evaluator &, Operation *);
  auto function =
      TypeSwitch<Operation *, Function>(op)
          .Case([](LinearOp) { return executeLinear; })
          .Case([](FeedForwardOp) { return executeFeedForward; })
          .Case([](MultiHeadAttentionOp) { return executeMultiHeadAttention; })
          .Case([](ResidualOp) { return executeResidual; })
          .Case([](RopeOp) { return executeRope; })
          .Case(
              [](SinusoidalPositionsOp) { return executeSinusoidalPositions; })
          .Case([](SoftmaxOp) { return executeSoftmaxPolicies; })
          .Case([](StatisticsOp) { return executeStatistics; })
          .Default([](Operation *) { return nullptr; });
  if (!function || op->getNumResults() == 0)
    return emitUnsupported(op);
  return function(evaluator, op);
}

LogicalResult executeAttn(Evaluator &evaluator, Operation *op) {
  if (isa<BlockOpInterface>(op))
    return executeBlockOp(evaluator, op);
  if (isa<ActivationOp>(op))
    return executeElementwise(evaluator, op);
  if (isa<InitOp>(op))
    return executeInit(evaluator, op);
  if (isa<NormOp>(op))
    return executeNorm(evaluator, op);
  auto attention = dyn_cast<AttentionOpInterface>(op);
  // Ops on memrefs have no results.
  if (!attention || op->getNumResults() == 0)
    return emitUnsupported(op);
  if (!isa<AttentionOp>(op) && !attention.getProbeKinds().empty())
    return op->emitError("the reference computes probes of whole attentions, "
                         "not the statistics of tiles");
  AttentionProblem problem(evaluator, attention);
  if (failed(problem.prepare()))
    return failure();
  SmallVector<std::shared_ptr<Tensor>> outputs;
  for (Value output : attention.getShapedOutputs())
    outputs.push_back(evaluator.takeOrCopy(output));
  auto run = [&](Operation *op) {
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](AttentionOp) { return runAttention(problem, outputs); })
        .Case([&](OnlineAttentionOp online) {
          return runOnlineAttention(problem, online.getPacked(), outputs);
        })
        .Case([&](PackQueryOp) { return runPackQuery(problem, outputs); })
        .Case([&](FinalizeOp) { return runFinalize(problem, outputs); })
        .Default([](Operation *other) { return emitUnsupported(other); });
  };
  if (failed(run(op)))
    return failure();
  for (auto [result, output] : llvm::zip_equal(op->getResults(), outputs))
    if (failed(evaluator.set(result, output)))
      return failure();
  return success();
}

} // namespace attn::reference::detail
