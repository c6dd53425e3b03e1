//===- FeedForward.cpp - attn.feed_forward by its formula -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Activation.h"
#include "AttnOps.h"
#include "Composite.h"

#include <cmath>

using namespace mlir;

namespace attn::reference::detail {

/// Sums in T of rows of `m` numbers and a weight whose element (k, j) is at
/// k * step + j * stride.
template <typename T>
static void addProducts(const double *row, const std::vector<double> &weight,
                        int64_t m, int64_t step, int64_t stride,
                        Rounding rounding, std::vector<T> &sums) {
  for (int64_t term = 0; term < m; ++term)
    for (int64_t j = 0, k = getTerm(term, m, rounding);
         j < int64_t(sums.size()); ++j)
      sums[j] += T(row[k]) * T(weight[k * step + j * stride]);
}

template <typename T>
static void projectRows(const Rows &rows, const std::vector<double> &weight,
                        const Tensor *bias, int64_t m, int64_t n,
                        bool transposed, bool isNtk, Rounding rounding,
                        Rows &result) {
  int64_t step = transposed ? 1 : n, stride = transposed ? m : 1;
  T divisor = isNtk ? std::sqrt(T(std::max<int64_t>(m, 1))) : T(1);
  int64_t count = n == 0 ? 0 : int64_t(result.size()) / n;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<T> sums(n, T(0));
    addProducts<T>(rows.data() + i * m, weight, m, step, stride, rounding,
                   sums);
    for (int64_t j = 0; j < n; ++j)
      result[i * n + j] =
          sums[j] / divisor + (bias ? T(bias->floats[j]) : T(0));
  }
}

FailureOr<Rows> Composite::project(const Rows &rows, int64_t count,
                                   Value weight, Value bias) const {
  TensorRef matrix = evaluator.get(weight);
  TensorRef offsets = bias ? evaluator.get(bias) : TensorRef();
  int64_t n = getWidth(weight), m = matrix->shape[transposed ? 1 : 0];
  if (int64_t(rows.size()) != count * m || (offsets && offsets->shape[0] != n))
    return op->emitError("operands have sizes that do not fit each other");
  Rows result(count * n);
  if (isFloat)
    projectRows<float>(rows, matrix->floats, offsets.get(), m, n, transposed,
                       isNtk, evaluator.getRounding(), result);
  else
    projectRows<double>(rows, matrix->floats, offsets.get(), m, n, transposed,
                        isNtk, evaluator.getRounding(), result);
  round(result);
  return result;
}

LogicalResult execute(Evaluator &evaluator, FeedForwardOp op) {
  Composite layers(evaluator, op);
  TensorRef input = evaluator.get(op.getInput());
  int64_t count = 1;
  for (int64_t size : ArrayRef(input->shape).drop_back())
    count *= size;
  FailureOr<Rows> up =
      layers.project(input->floats, count, op.getUpWeight(), op.getUpBias());
  FailureOr<Rows> gate = up;
  if (op.getGateWeight())
    gate = layers.project(input->floats, count, op.getGateWeight(),
                          op.getGateBias());
  if (failed(up) || failed(gate))
    return failure();
  if (gate->size() != up->size())
    return op.emitError("gate and up give rows of different widths");
  if (op.getFunction()) {
    Activation f(*op.getFunction(), op.getCentered(), op.getUnitMoment());
    for (double &number : *gate)
      number = f(number, layers.getWide());
    layers.round(*gate);
  }
  if (op.getGateWeight())
    for (auto [number, factor] : llvm::zip_equal(*gate, *up))
      number *= factor;
  layers.round(*gate);
  FailureOr<Rows> down =
      layers.project(*gate, count, op.getDownWeight(), op.getDownBias());
  if (failed(down))
    return failure();
  SmallVector<int64_t> shape(input->shape);
  shape.back() = layers.getWidth(op.getDownWeight());
  auto result = std::make_shared<Tensor>(input->elementType, shape);
  result->floats = std::move(*down);
  return evaluator.set(op.getResult(), result);
}

} // namespace attn::reference::detail
