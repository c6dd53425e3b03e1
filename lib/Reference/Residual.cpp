//===- Residual.cpp - attn.residual: its regions and what is around them
//---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttnOps.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include <cmath>

using namespace mlir;

namespace attn::reference::detail {

/// The tensor that a region yields for `input`.
static FailureOr<TensorRef> runRegion(Evaluator &evaluator, Region &region,
                                      TensorRef input) {
  auto results = evaluator.runBlock(region.front(), {std::move(input)});
  if (failed(results))
    return failure();
  return results->front();
}

static double getFactor(Evaluator &evaluator, ResidualOp op) {
  if (op.getAlpha())
    return evaluator.get(op.getAlpha())->floats[0];
  if (op.getTime())
    return std::min(1.0, double(evaluator.getIndex(op.getTime())) *
                             op.getStep()->convertToDouble());
  return 1.0;
}

LogicalResult execute(Evaluator &evaluator, ResidualOp residual) {
  ResidualPolicy policy = residual.getPolicy();
  TensorRef input = evaluator.get(residual.getInput());
  double factor = getFactor(evaluator, residual);
  FailureOr<TensorRef> branch = input;
  if (policy == ResidualPolicy::Pre)
    branch = runRegion(evaluator, residual.getNorm(), *branch);
  if (succeeded(branch))
    branch = runRegion(evaluator, residual.getBranch(), *branch);
  if (failed(branch))
    return failure();
  auto sum = std::make_shared<Tensor>(*input);
  if ((*branch)->shape != sum->shape)
    return residual.emitError("the branch has another shape than the input");
  Quantum quantum = getQuantum(sum->elementType, evaluator.getRounding());
  Quantum wide = quantum.getWide();
  auto round = [&](double value) {
    quantise(&value, 1, wide);
    return value;
  };
  double scale = policy == ResidualPolicy::InvSqrt2 ? std::sqrt(0.5) : 1.0;
  for (auto [to, from] : llvm::zip_equal(sum->floats, (*branch)->floats))
    to = round(round(to + round(from * round(factor))) * round(scale));
  quantise(sum->floats.data(), sum->getNumElements(), quantum);
  TensorRef result = sum;
  if (policy == ResidualPolicy::Post) {
    auto normed = runRegion(evaluator, residual.getNorm(), result);
    if (failed(normed))
      return failure();
    result = *normed;
  }
  return evaluator.set(residual.getResult(), result);
}

} // namespace attn::reference::detail
