//===- AttnOps.cpp - The attn dialect on values ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttnOps.h"
#include "AttentionRows.h"
#include "attn/Dialect/Attn/IR/OpList.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attn::reference::detail {

/// Known where there is an overload of `execute` for the op.
template <typename OpTy>
using Meaning =
    decltype(execute(std::declval<Evaluator &>(), std::declval<OpTy>()));

LogicalResult execute(Evaluator &evaluator, ActivationOp op) {
  return executeElementwise(evaluator, op);
}

static LogicalResult executeAttention(Evaluator &evaluator,
                                      AttentionOpInterface attention) {
  Operation *op = attention;
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

LogicalResult executeAttn(Evaluator &evaluator, Operation *op) {
  // Ops on memrefs have no results.
  if (op->getNumResults() == 0)
    return emitUnsupported(op);
  if (auto attention = dyn_cast<AttentionOpInterface>(op))
    return executeAttention(evaluator, attention);
  std::optional<LogicalResult> done;
  AllOps::forEach([&](auto type) {
    using OpTy = typename decltype(type)::type;
    if constexpr (llvm::is_detected<Meaning, OpTy>::value)
      if (auto same = dyn_cast<OpTy>(op))
        done = execute(evaluator, same);
  });
  return done ? *done : emitUnsupported(op);
}

} // namespace attn::reference::detail
