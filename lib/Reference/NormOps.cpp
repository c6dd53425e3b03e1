//===- NormOps.cpp - attn.norm on values ----------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttnOps.h"
#include "Quantum.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include <cmath>

using namespace mlir;

namespace attn::reference::detail {

namespace {

/// One norm in arithmetic of type T. An element is named by a group, which is
/// what has one mean and variance, and a member of it.
template <typename T> class NormRun {
public:
  NormRun(Evaluator &evaluator, NormOp op);

  LogicalResult run();

private:
  /// Offsets in a tensor that has the input's dimensions `of`, one for each
  /// point of the dimensions `over`.
  std::vector<int64_t> listOffsets(ArrayRef<int64_t> of,
                                   ArrayRef<int64_t> over) const;
  /// Members in the order of this run's sums.
  void reorder(std::vector<int64_t> &offsets) const {
    std::vector<int64_t> old = offsets;
    auto count = int64_t(old.size());
    for (int64_t i = 0; i < count; ++i)
      offsets[i] = old[getTerm(i, count, evaluator.getRounding())];
  }
  /// Adds the residual where there is one.
  void prepareInput();
  void measure(size_t group);
  void updateRunning(size_t group);
  void normalise(size_t group);
  void store(double value, Tensor &tensor, int64_t at) {
    tensor.floats[at] = value;
    quantise(&tensor.floats[at], 1,
             getQuantum(tensor.elementType, evaluator.getRounding()));
  }
  T load(Value operand, int64_t at) const {
    return T(evaluator.get(operand)->floats[at]);
  }

  Evaluator &evaluator;
  NormOp op;
  ArrayRef<int64_t> shape;
  std::vector<T> input;
  std::vector<int64_t> groups, members, affineGroups, affineMembers;
  /// Of the group at hand.
  T mean = 0, variance = 0;
  SmallVector<std::shared_ptr<Tensor>> outputs;
};

} // namespace

template <typename T>
NormRun<T>::NormRun(Evaluator &evaluator, NormOp op)
    : evaluator(evaluator), op(op), shape(evaluator.get(op.getInput())->shape) {
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, op.getRank()));
  SmallVector<int64_t> kept = op.getKeptDims(), affine = op.getAffineDims();
  groups = listOffsets(all, kept);
  members = listOffsets(all, op.getAxes());
  affineGroups = listOffsets(affine, kept);
  affineMembers = listOffsets(affine, op.getAxes());
  reorder(members);
  reorder(affineMembers);
}

template <typename T>
std::vector<int64_t> NormRun<T>::listOffsets(ArrayRef<int64_t> of,
                                             ArrayRef<int64_t> over) const {
  SmallVector<int64_t> strides(shape.size(), 0);
  int64_t stride = 1;
  for (int64_t dim : llvm::reverse(of)) {
    strides[dim] = stride;
    stride *= shape[dim];
  }
  std::vector<int64_t> offsets = {0};
  for (int64_t dim : over) {
    std::vector<int64_t> longer;
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < shape[dim]; ++i)
        longer.push_back(offset + i * strides[dim]);
    offsets = std::move(longer);
  }
  return offsets;
}

template <typename T> void NormRun<T>::prepareInput() {
  TensorRef x = evaluator.get(op.getInput());
  input.assign(x->floats.begin(), x->floats.end());
  if (!op.getResidual())
    return;
  Quantum quantum = getQuantum(x->elementType, evaluator.getRounding());
  T factor = op.getFactor() ? load(op.getFactor(), 0) : T(1);
  for (auto [i, element] : llvm::enumerate(input)) {
    double sum = element + factor * load(op.getResidual(), i);
    quantise(&sum, 1, quantum);
    element = T(sum);
    if (op.getSum())
      outputs[1]->floats[i] = sum;
  }
}

template <typename T> void NormRun<T>::measure(size_t group) {
  if (op.hasGivenStatistics()) {
    mean = op.getMean() ? load(op.getMean(), group) : T(0);
    variance = load(op.getVariance(), group);
    return;
  }
  T count = T(members.size()), sum = 0, squares = 0;
  if (op.isCentered())
    for (int64_t member : members)
      sum += input[groups[group] + member];
  mean = op.isCentered() ? sum / count : T(0);
  for (int64_t member : members) {
    T difference = input[groups[group] + member] - mean;
    squares += difference * difference;
  }
  variance = op.getKind() == NormKind::L2 ? squares : squares / count;
}

template <typename T> void NormRun<T>::updateRunning(size_t group) {
  if (!op.getRunningVariance())
    return;
  T momentum = T(op.getMomentum()->convertToDouble());
  auto update = [&](Tensor &running, T batch) {
    T old = T(running.floats[group]);
    store((1 - momentum) * old + momentum * batch, running, group);
  };
  T count = T(members.size());
  update(*outputs.back(),
         op.getUnbiased() ? variance * (count / (count - 1)) : variance);
  if (op.getRunningMean())
    update(*outputs[outputs.size() - 2], mean);
}

template <typename T> void NormRun<T>::normalise(size_t group) {
  T eps = T(op.getEps().convertToDouble());
  // std::max returns its first argument where that is NaN.
  T root = op.getEpsMode() == EpsMode::RsqrtSum
               ? std::sqrt(variance + eps)
               : std::max(std::sqrt(variance), eps);
  for (size_t member = 0; member < members.size(); ++member) {
    int64_t at = groups[group] + members[member];
    int64_t affine = affineGroups[group] + affineMembers[member];
    T value = root == 0 ? T(0) : (input[at] - mean) / root;
    if (op.getGamma())
      value *= load(op.getGamma(), affine);
    if (op.getBeta())
      value += load(op.getBeta(), affine);
    store(value, *outputs[0], at);
  }
}

template <typename T> LogicalResult NormRun<T>::run() {
  if (op.getUnbiased() && members.size() == 1)
    return op.emitError("the unbiased variance of one sample does not exist");
  for (Value output : op.getShapedOutputs())
    outputs.push_back(evaluator.takeOrCopy(output));
  prepareInput();
  for (size_t group = 0; group < groups.size(); ++group) {
    measure(group);
    updateRunning(group);
    normalise(group);
  }
  for (auto [result, output] : llvm::zip_equal(op.getResults(), outputs))
    if (failed(evaluator.set(result, output)))
      return failure();
  return success();
}

LogicalResult execute(Evaluator &evaluator, NormOp op) {
  bool isFloat =
      evaluator.getRounding() != Rounding::F64 && op.getComputeType().isF32();
  return isFloat ? NormRun<float>(evaluator, op).run()
                 : NormRun<double>(evaluator, op).run();
}

} // namespace attn::reference::detail
