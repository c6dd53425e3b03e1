//===- Linear.cpp - attn.linear by its formula ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttnOps.h"
#include "Parts.h"
#include "ScalarProgram.h"
#include "attn/Dialect/Attn/IR/Attn.h"
#include <cmath>

using namespace mlir;

namespace attn::reference::detail {

/// y = x W + b with sums in T, one row at a time.
template <typename T>
static void runLinear(LinearOp op, const Tensor &input, const Tensor &weight,
                      const Tensor *bias, Rounding rounding, Tensor &output) {
  bool transposed = op.getWeightLayout() == WeightLayout::OutIn;
  int64_t m = weight.shape[transposed ? 1 : 0];
  int64_t n = weight.shape[transposed ? 0 : 1];
  std::vector<T> matrix(m * n), sums(n), x(m);
  for (int64_t k = 0; k < m; ++k)
    for (int64_t j = 0; j < n; ++j)
      matrix[k * n + j] = T(weight.floats[transposed ? j * m + k : k * n + j]);
  bool hasParts = takesTwoParts(
      op, getElementTypeOrSelf(op.getInput().getType()), rounding);
  std::vector<T> matrixSeconds, seconds;
  if (hasParts)
    matrixSeconds = roundToParts<T>(matrix);
  T divisor = op.isNtk() ? std::sqrt(T(std::max<int64_t>(m, 1))) : T(1);
  int64_t rows = m == 0 ? output.getNumElements() / std::max<int64_t>(n, 1)
                        : input.getNumElements() / m;
  for (int64_t i = 0; i < rows; ++i) {
    std::fill(sums.begin(), sums.end(), T(0));
    std::copy_n(input.floats.begin() + i * m, m, x.begin());
    if (hasParts)
      seconds = roundToParts<T>(x);
    for (int64_t term = 0; term < m; ++term) {
      int64_t k = getTerm(term, m, rounding);
      for (int64_t j = 0; j < n; ++j)
        sums[j] += x[k] * matrix[k * n + j];
      for (int64_t j = 0; hasParts && j < n; ++j)
        sums[j] -= seconds[k] * matrixSeconds[k * n + j];
    }
    for (int64_t j = 0; j < n; ++j) {
      T value = sums[j] / divisor;
      if (bias)
        value += T(bias->floats[j]);
      output.floats[i * n + j] = value;
    }
  }
}

namespace {

/// The region `epilogue`, compiled once and run over the output in place.
class Epilogue {
public:
  Epilogue(Evaluator &evaluator, LinearOp op)
      : evaluator(evaluator), op(op), program(evaluator.getRounding()) {}

  LogicalResult prepare(const Tensor &output);
  LogicalResult run(Tensor &output);

private:
  /// An extra, and the register of its argument.
  struct Extra {
    TensorRef tensor;
    unsigned reg;
  };

  Evaluator &evaluator;
  LinearOp op;
  ScalarProgram program;
  unsigned sum, result;
  SmallVector<Extra> extras;
};

} // namespace

LogicalResult Epilogue::prepare(const Tensor &output) {
  Block &body = *op.getEpilogueBody();
  sum = program.bind(body.getArgument(0));
  for (auto [operand, argument] :
       llvm::zip_equal(op.getExtras(), body.getArguments().drop_front())) {
    TensorRef tensor = evaluator.get(operand);
    if (tensor->shape != ArrayRef(output.shape).take_back(tensor->getRank()))
      return op.emitError("operands have sizes that do not fit each other");
    extras.push_back({tensor, program.bind(argument)});
  }
  auto lookup = [&](Value value) { return evaluator.get(value); };
  if (failed(program.compileBlock(body, lookup)))
    return failure();
  FailureOr<unsigned> yielded = program.getRegister(
      cast<YieldOp>(body.getTerminator()).getScore(), lookup);
  if (failed(yielded))
    return op.emitError("the reference cannot find the epilogue's number");
  result = *yielded;
  return success();
}

LogicalResult Epilogue::run(Tensor &output) {
  Frame frame = program.makeFrame();
  int64_t total = output.getNumElements();
  for (int64_t begin = 0; begin < total; begin += stripLength) {
    int64_t count = std::min(stripLength, total - begin);
    frame.aim(sum, output.floats.data() + begin);
    for (const Extra &extra : extras) {
      // It has the last dimensions of the output, so it repeats.
      int64_t period = extra.tensor->getNumElements();
      double *values = frame.write<double>(extra.reg);
      for (int64_t i = 0; i < count; ++i)
        values[i] = extra.tensor->floats[(begin + i) % period];
    }
    program.run(frame, count);
    if (frame.fault)
      return op.emitError(frame.fault);
    std::copy_n(frame.read<double>(result), count,
                output.floats.begin() + begin);
  }
  return success();
}

LogicalResult execute(Evaluator &evaluator, LinearOp linear) {
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
    return linear.emitError("operands have sizes that do not fit each other");
  Rounding rounding = evaluator.getRounding();
  if (rounding != Rounding::F64 && linear.getComputeType().isF32())
    runLinear<float>(linear, *input, *weight, bias.get(), rounding, *output);
  else
    runLinear<double>(linear, *input, *weight, bias.get(), rounding, *output);
  if (linear.getEpilogueBody()) {
    Epilogue epilogue(evaluator, linear);
    if (failed(epilogue.prepare(*output)) || failed(epilogue.run(*output)))
      return failure();
  }
  Quantum quantum = getQuantum(output->elementType, rounding);
  quantise(output->floats.data(), output->getNumElements(), quantum);
  return evaluator.set(linear.getResult(), output);
}

} // namespace attn::reference::detail
