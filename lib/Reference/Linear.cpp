//===- Linear.cpp - attn.linear by its formula ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include <cmath>

using namespace mlir;

namespace attn::reference::detail {

/// y = x W + b with sums in T, one row at a time.
template <typename T>
static void runLinear(LinearOp op, const Tensor &input, const Tensor &weight,
                      const Tensor *bias, Quantum quantum, Tensor &output) {
  bool transposed = op.getWeightLayout() == WeightLayout::OutIn;
  int64_t m = weight.shape[transposed ? 1 : 0];
  int64_t n = weight.shape[transposed ? 0 : 1];
  std::vector<T> matrix(m * n), sums(n);
  for (int64_t k = 0; k < m; ++k)
    for (int64_t j = 0; j < n; ++j)
      matrix[k * n + j] = T(weight.floats[transposed ? j * m + k : k * n + j]);
  T divisor = op.isNtk() ? std::sqrt(T(std::max<int64_t>(m, 1))) : T(1);
  int64_t rows = m == 0 ? output.getNumElements() / std::max<int64_t>(n, 1)
                        : input.getNumElements() / m;
  for (int64_t i = 0; i < rows; ++i) {
    std::fill(sums.begin(), sums.end(), T(0));
    for (int64_t k = 0; k < m; ++k) {
      T x = T(input.floats[i * m + k]);
      for (int64_t j = 0; j < n; ++j)
        sums[j] += x * matrix[k * n + j];
    }
    for (int64_t j = 0; j < n; ++j) {
      T value = sums[j] / divisor;
      if (bias)
        value += T(bias->floats[j]);
      output.floats[i * n + j] = value;
    }
  }
  quantise(output.floats.data(), output.getNumElements(), quantum);
}

LogicalResult executeLinear(Evaluator &evaluator, Operation *op) {
  auto linear = cast<LinearOp>(op);
  TensorRef input = evaluator.get(linear.getInput());
  TensorRef weight = evaluator.get(linear.getWeight());
  TensorRef bias =
      linear.getBias() ? evaluator.get(linear.getBias()) : TensorRef();
  auto output = evaluator.takeOrCopy(linear.getOutput());
  int64_t in = linear.getWeightInDim();
  if (weight->shape[in] != input->shape.back() ||
      weight->shape[1 - in] != output->shape.back() ||
      (bias && bias->shape[0] != output->shape.back()) ||
      ArrayRef(input->shape).drop_back() != ArrayRef(output->shape).drop_back())
    return op->emitError("operands have sizes that do not fit each other");
  Quantum quantum = getQuantum(output->elementType, evaluator.getRounding());
  if (evaluator.getRounding() == Rounding::AsWritten &&
      linear.getComputeType().isF32())
    runLinear<float>(linear, *input, *weight, bias.get(), quantum, *output);
  else
    runLinear<double>(linear, *input, *weight, bias.get(), quantum, *output);
  return evaluator.set(op->getResult(0), output);
}

} // namespace attn::reference::detail
