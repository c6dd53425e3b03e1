//===- Statistics.cpp - attn.statistics on values -------------------------===//
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

static double getKurtosis(ArrayRef<double> values) {
  double count = double(values.size()), mean = 0.0, second = 0.0, fourth = 0.0;
  for (double x : values)
    mean += x / count;
  for (double x : values) {
    second += std::pow(x - mean, 2) / count;
    fourth += std::pow(x - mean, 4) / count;
  }
  return fourth / (second * second);
}

static double getInfinityNorm(ArrayRef<double> values) {
  double largest = 0.0;
  for (double x : values)
    largest = std::fabs(x) > largest || std::isnan(x) ? std::fabs(x) : largest;
  return largest;
}

LogicalResult execute(Evaluator &evaluator, StatisticsOp statistics) {
  TensorRef input = evaluator.get(statistics.getInput());
  std::shared_ptr<Tensor> result = evaluator.takeOrCopy(statistics.getOutput());
  // The elements that each result describes.
  std::vector<std::vector<double>> groups(result->floats.size());
  SmallVector<int64_t> strides = input->getStrides();
  for (auto [position, value] : llvm::enumerate(input->floats)) {
    int64_t at = 0;
    for (int64_t dim = 0; dim < input->getRank(); ++dim)
      if (!statistics.isReduced(dim))
        at = at * input->shape[dim] +
             int64_t(position) / strides[dim] % input->shape[dim];
    groups[at].push_back(value);
  }
  bool isKurtosis = statistics.getMeasure() == Measure::Kurtosis;
  for (auto [group, value] : llvm::zip_equal(groups, result->floats))
    value = isKurtosis ? getKurtosis(group) : getInfinityNorm(group);
  quantise(result->floats.data(), result->floats.size(),
           getQuantum(result->elementType, evaluator.getRounding()));
  return evaluator.set(statistics.getResult(), std::move(result));
}

} // namespace attn::reference::detail
