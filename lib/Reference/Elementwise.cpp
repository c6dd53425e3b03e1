//===- Elementwise.cpp - Single ops on scalars and on whole tensors -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

using namespace mlir;

namespace attn::reference::detail {

namespace {
struct Stream {
  unsigned reg;
  TensorRef tensor;
};
} // namespace

/// Aims a register at elements from `begin`, or fills it with a scalar.
static void load(Frame &frame, const Stream &stream, int64_t begin,
                 bool isScalar) {
  const Tensor &tensor = *stream.tensor;
  if (tensor.isFloat() && isScalar)
    std::fill_n(frame.write<double>(stream.reg), stripLength, tensor.floats[0]);
  else if (tensor.isFloat())
    frame.aim(stream.reg, tensor.floats.data() + begin);
  else if (isScalar)
    std::fill_n(frame.write<int64_t>(stream.reg), stripLength, tensor.ints[0]);
  else
    frame.aim(stream.reg, tensor.ints.data() + begin);
}

LogicalResult executeElementwise(Evaluator &evaluator, Operation *op) {
  ScalarProgram program(evaluator.getRounding());
  SmallVector<Stream> inputs;
  SmallVector<int64_t> shape;
  bool isTensor =
      op->getNumResults() && isa<RankedTensorType>(op->getResult(0).getType());
  for (Value operand : op->getOperands()) {
    inputs.push_back({program.bind(operand), evaluator.get(operand)});
    if (isTensor && isa<RankedTensorType>(operand.getType())) {
      if (!shape.empty() && shape != inputs.back().tensor->shape)
        return op->emitError("operands have different shapes");
      shape = inputs.back().tensor->shape;
    }
  }
  auto lookup = [&](Value value) { return evaluator.get(value); };
  if (failed(program.compileOp(op, lookup)))
    return failure();

  SmallVector<std::shared_ptr<Tensor>> outputs;
  SmallVector<unsigned> results;
  for (Value result : op->getResults()) {
    outputs.push_back(std::make_shared<Tensor>(
        getElementTypeOrSelf(result.getType()), shape));
    results.push_back(*program.getRegister(result, lookup));
  }
  Frame frame = program.makeFrame();
  int64_t total = outputs.empty() ? 0 : outputs[0]->getNumElements();
  for (int64_t begin = 0; begin < total; begin += stripLength) {
    int64_t count = std::min(stripLength, total - begin);
    for (auto [stream, operand] : llvm::zip(inputs, op->getOperands()))
      load(frame, stream, begin, !isa<RankedTensorType>(operand.getType()));
    program.run(frame, count);
    if (frame.fault)
      return op->emitError(frame.fault);
    for (auto [reg, output] : llvm::zip(results, outputs)) {
      if (output->isFloat())
        std::copy_n(frame.read<double>(reg), count,
                    output->floats.begin() + begin);
      else
        std::copy_n(frame.read<int64_t>(reg), count,
                    output->ints.begin() + begin);
    }
  }
  for (auto [result, output] : llvm::zip(op->getResults(), outputs))
    if (failed(evaluator.set(result, output)))
      return failure();
  return success();
}

} // namespace attn::reference::detail
