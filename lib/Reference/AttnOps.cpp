//===- AttnOps.cpp - The attn dialect on values ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRows.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attn::reference::detail {

LogicalResult executeAttn(Evaluator &evaluator, Operation *op) {
  auto attention = dyn_cast<AttentionOp>(op);
  if (!attention || attention->getNumResults() == 0)
    return emitUnsupported(op);
  AttentionProblem problem(evaluator,
                           cast<AttentionOpInterface>(attention.getOperation()));
  if (failed(problem.prepare()))
    return failure();
  SmallVector<std::shared_ptr<Tensor>> outputs;
  for (Value output : attention.getOutputs())
    outputs.push_back(evaluator.takeOrCopy(output));
  if (failed(runAttention(problem, outputs)))
    return failure();
  for (auto [result, output] : llvm::zip_equal(op->getResults(), outputs))
    if (failed(evaluator.set(result, output)))
      return failure();
  return success();
}

} // namespace attn::reference::detail
