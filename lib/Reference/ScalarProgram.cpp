//===- ScalarProgram.cpp - Element bodies as flat register code -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarProgram.h"
#include "ElementOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::reference::detail {

unsigned ScalarProgram::addRegister(Type type) {
  registerIsFloat.push_back(isa<FloatType>(getElementTypeOrSelf(type)));
  return registerIsFloat.size() - 1;
}

unsigned ScalarProgram::bind(Value value) {
  unsigned reg = addRegister(value.getType());
  registerOf[value] = reg;
  return reg;
}

FailureOr<unsigned> ScalarProgram::getRegister(Value value, Lookup lookup) {
  auto it = registerOf.find(value);
  if (it != registerOf.end())
    return it->second;
  TensorRef captured = lookup(value);
  if (!captured || captured->getRank() != 0)
    return failure();
  unsigned reg = bind(value);
  constants.emplace_back(reg, std::move(captured));
  return reg;
}

Frame ScalarProgram::makeFrame() const {
  Frame frame;
  frame.registers.resize(registerIsFloat.size());
  for (auto [isFloat, reg] : llvm::zip(registerIsFloat, frame.registers)) {
    if (isFloat)
      reg.floats.resize(stripLength);
    else
      reg.ints.resize(stripLength);
    reg.floatSource = reg.floats.data();
    reg.intSource = reg.ints.data();
  }
  for (const auto &[reg, value] : constants) {
    if (value->isFloat())
      std::fill_n(frame.write<double>(reg), stripLength, value->floats[0]);
    else
      std::fill_n(frame.write<int64_t>(reg), stripLength, value->ints[0]);
  }
  return frame;
}

LogicalResult ScalarProgram::compileBlock(Block &block, Lookup lookup) {
  for (Operation &op : block.without_terminator())
    if (failed(compileOp(&op, lookup)))
      return failure();
  return success();
}

/// Reads one element of a captured tensor per lane.
static LogicalResult emitExtract(ScalarProgram &program, tensor::ExtractOp op,
                                 ScalarProgram::Lookup lookup) {
  TensorRef source = lookup(op.getTensor());
  if (!source)
    return op.emitError("the reference needs a tensor defined outside of the "
                        "element body here");
  SmallVector<unsigned> indices;
  for (Value index : op.getIndices()) {
    FailureOr<unsigned> reg = program.getRegister(index, lookup);
    if (failed(reg))
      return failure();
    indices.push_back(*reg);
  }
  unsigned to = program.define(op.getResult());
  SmallVector<int64_t> strides = source->getStrides();
  program.append([=](Frame &frame, int64_t count) {
    for (int64_t lane = 0; lane < count; ++lane) {
      int64_t at = 0;
      for (auto [reg, stride, size] :
           llvm::zip(indices, strides, source->shape)) {
        int64_t index = frame.read<int64_t>(reg)[lane];
        if (index < 0 || index >= size) {
          frame.fault = "index out of bounds";
          return;
        }
        at += index * stride;
      }
      if (source->isFloat())
        frame.write<double>(to)[lane] = source->floats[at];
      else
        frame.write<int64_t>(to)[lane] = source->ints[at];
    }
  });
  return success();
}

/// The size of a captured tensor, the same for all lanes.
static LogicalResult emitSize(ScalarProgram &program, tensor::DimOp op,
                              ScalarProgram::Lookup lookup) {
  TensorRef source = lookup(op.getSource());
  FailureOr<unsigned> dim = program.getRegister(op.getIndex(), lookup);
  if (!source || failed(dim))
    return op.emitError("the reference needs a tensor defined outside of the "
                        "element body here");
  unsigned to = program.define(op.getResult());
  program.append([=](Frame &frame, int64_t count) {
    for (int64_t lane = 0; lane < count; ++lane) {
      int64_t at = frame.read<int64_t>(*dim)[lane];
      if (at < 0 || at >= source->getRank()) {
        frame.fault = "dimension out of bounds";
        return;
      }
      frame.write<int64_t>(to)[lane] = source->shape[at];
    }
  });
  return success();
}

/// Every lane has to hold what is asserted.
static LogicalResult emitAssertion(ScalarProgram &program, cf::AssertOp op,
                                   ScalarProgram::Lookup lookup) {
  FailureOr<unsigned> condition = program.getRegister(op.getArg(), lookup);
  if (failed(condition))
    return op.emitError("the reference cannot interpret this condition here");
  auto message =
      std::make_shared<std::string>("assertion failed: " + op.getMsg().str());
  program.append([=, from = *condition](Frame &frame, int64_t count) {
    const int64_t *holds = frame.read<int64_t>(from);
    if (std::find(holds, holds + count, 0) != holds + count)
      frame.fault = message->c_str();
  });
  return success();
}

LogicalResult ScalarProgram::compileOp(Operation *op, Lookup lookup) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    TensorRef value = readConstant(constant.getValue(), constant.getType());
    if (!value)
      return op->emitError("the reference cannot read this constant");
    if (value->getRank() == 0)
      constants.emplace_back(bind(constant.getResult()), value);
    return success();
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    indexRegisters.emplace_back(index.getDim(), bind(index.getResult()));
    return success();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return emitExtract(*this, extract, lookup);
  if (auto size = dyn_cast<tensor::DimOp>(op))
    return emitSize(*this, size, lookup);
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return emitAssertion(*this, assertion, lookup);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitBranch(*this, branch, lookup);
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (!isSupportedElementType(getElementTypeOrSelf(type)))
      return op->emitError("the reference does not hold elements of type ")
             << type;
  for (Value operand : op->getOperands())
    if (failed(getRegister(operand, lookup)))
      return op->emitError("the reference cannot interpret this operand here");
  if (succeeded(emitFloatArith(*this, op)) ||
      succeeded(emitIntegerArith(*this, op)) ||
      succeeded(emitCast(*this, op)) || succeeded(emitMath(*this, op)) ||
      succeeded(emitAffine(*this, op)) || succeeded(emitActivation(*this, op)))
    return success();
  return op->emitError("the reference cannot interpret this operation");
}

} // namespace attn::reference::detail
