//===- Softmax.cpp - linalg.softmax, the named op without a body ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace attn::reference::detail {

/// exp(x - max x) / sum over `count` elements, each step rounded.
static void applySoftmax(double *x, int64_t count, int64_t step,
                         Quantum quantum) {
  auto round = [quantum](double value) {
    quantise(&value, 1, quantum);
    return value;
  };
  double top = -std::numeric_limits<double>::infinity(), sum = 0.0;
  for (int64_t i = 0; i < count; ++i)
    top = x[i * step] > top || std::isnan(x[i * step]) ? x[i * step] : top;
  for (int64_t i = 0; i < count; ++i) {
    double &value = x[i * step];
    value = round(std::exp(round(value - top)));
    sum = round(sum + value);
  }
  for (int64_t i = 0; i < count; ++i)
    x[i * step] = round(x[i * step] / sum);
}

LogicalResult executeSoftmax(Evaluator &evaluator, Operation *op) {
  auto softmax = dyn_cast<linalg::SoftmaxOp>(op);
  if (!softmax || op->getNumResults() != 1)
    return emitUnsupported(op);
  auto result = std::make_shared<Tensor>(*evaluator.get(softmax.getInput()));
  Quantum quantum = getQuantum(result->elementType, evaluator.getRounding());
  int64_t dim = softmax.getDimension(), count = result->shape[dim];
  int64_t step = result->getStrides()[dim];
  for (int64_t at = 0, end = result->getNumElements(); at < end; ++at)
    // The first element of each line along the dimension.
    if (at / step % count == 0)
      applySoftmax(&result->floats[at], count, step, quantum);
  return evaluator.set(op->getResult(0), std::move(result));
}

} // namespace attn::reference::detail
