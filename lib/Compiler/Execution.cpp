//===- Execution.cpp - Calls a compiled program ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/Execution.h"
#include "attn/Compiler/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace attn;
using llvm::createStringError;
using llvm::Expected;

/// Booleans are one byte an element in the kernel ABI.
static DLDataType getDataType(ElementKind kind) {
  uint8_t code = kDLInt;
  switch (kind) {
  case ElementKind::F64:
  case ElementKind::F32:
  case ElementKind::F16:
    code = kDLFloat;
    break;
  case ElementKind::BF16:
    code = kDLBfloat;
    break;
  case ElementKind::Bool:
  case ElementKind::U8:
  case ElementKind::U16:
  case ElementKind::U32:
  case ElementKind::U64:
    code = kDLUInt;
    break;
  default:
    break;
  }
  return {code, static_cast<uint8_t>(8 * getElementSize(kind)), 1};
}

llvm::Error Execution::addTensor(const std::string &name, HostArray &array,
                                 ExecutionDevice::Use use) {
  Expected<void *> data = device.addTensor(name, array, use);
  if (!data)
    return data.takeError();
  auto tensor = std::make_unique<DLTensor>();
  tensor->data = *data;
  tensor->device = {device.getType(), 0};
  tensor->ndim = static_cast<int32_t>(array.getShape().size());
  tensor->dtype = getDataType(array.getKind());
  tensor->shape = const_cast<int64_t *>(array.getShape().data());
  tensor->strides = nullptr;
  tensor->byte_offset = 0;
  parameters.push_back(tensor.get());
  tensors.push_back(std::move(tensor));
  return llvm::Error::success();
}

/// The kernel updates a copy: the reference wants the argument as it was.
llvm::Error Execution::updateArgument(unsigned index, const HostArray &argument,
                                      HostArray &result) {
  std::memcpy(result.getData(), argument.getData(),
              result.getNumElements() * getElementSize(result.getKind()));
  Expected<void *> data = device.addTensor("arg" + std::to_string(index),
                                           result, ExecutionDevice::Use::InOut);
  if (!data)
    return data.takeError();
  tensors[index]->data = *data;
  return llvm::Error::success();
}

/// A kernel refuses arguments that do not fit together, which the types alone
/// cannot show; so a refusal is bad input. A simulator refuses launches that no
/// GPU would take.
llvm::Error Execution::reportRefusal(int32_t code) {
  const char *text = attn_error_message(device.getContext());
  if (code == LoadedCode::kCallFailed)
    return llvm::make_error<InternalError>(text);
  if (code == ATTN_ERROR_DEVICE && device.getSimulator())
    return llvm::make_error<InternalError>(
        std::string("the simulated GPU refused: ") + text);
  if (code == ATTN_ERROR_DEVICE)
    return createStringError(llvm::Twine("the GPU refused: ") + text);
  return createStringError("the kernel refused its arguments (code " +
                           llvm::Twine(code) + "): " + text);
}

llvm::Error Execution::allocateResults(const CompiledProgram &compiled,
                                       const Program &program,
                                       llvm::ArrayRef<HostArray> arguments) {
  std::vector<llvm::SmallVector<int64_t>> shapes;
  size_t count = 0;
  for (auto [type, input] : llvm::zip(program.outputs, program.inOut)) {
    shapes.push_back(
        input ? llvm::SmallVector<int64_t>(arguments[*input].getShape())
              : type.shape);
    count += input ? 0 : type.shape.size();
  }
  if (compiled.computeShapes) {
    std::vector<int64_t> sizes(count + 1);
    std::vector<void *> values = parameters;
    values.push_back(sizes.data());
    if (int32_t code = compiled.computeShapes(values.data()))
      return reportRefusal(code);
    const int64_t *next = sizes.data();
    for (auto [shape, input] : llvm::zip(shapes, program.inOut))
      for (int64_t &size : shape)
        if (!input)
          size = *next++;
  }
  for (auto [type, shape] : llvm::zip(program.outputs, shapes)) {
    if (!type.acceptsShape(shape))
      return llvm::make_error<InternalError>(
          "the kernel computed result sizes " + formatShape(shape) +
          ", which do not fit " + type.format());
    Expected<HostArray> result = HostArray::create(type.kind, shape);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  return llvm::Error::success();
}

Expected<std::unique_ptr<Execution>>
Execution::create(const CompiledProgram &compiled, const Program &program,
                  std::vector<HostArray> &arguments, ExecutionDevice &device) {
  using Use = ExecutionDevice::Use;
  std::unique_ptr<Execution> execution(new Execution(device));
  execution->kernel = compiled.run;
  execution->parameters.push_back(device.getContext());
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (llvm::Error error = execution->addTensor("arg" + std::to_string(index),
                                                 argument, Use::Input))
      return std::move(error);
  if (llvm::Error error =
          execution->allocateResults(compiled, program, arguments))
    return std::move(error);
  for (auto [index, input] : llvm::enumerate(program.inOut)) {
    HostArray &result = execution->results[index];
    if (llvm::Error error =
            input ? execution->updateArgument(*input, arguments[*input], result)
                  : execution->addTensor("out" + std::to_string(index), result,
                                         Use::Output))
      return std::move(error);
    execution->resultTensors.push_back(
        (input ? execution->tensors[*input] : execution->tensors.back())->data);
  }
  return execution;
}

Expected<std::unique_ptr<Execution>>
Execution::runOnce(const CompiledProgram &compiled, const Program &program,
                   std::vector<HostArray> &arguments, ExecutionDevice &device) {
  auto execution = create(compiled, program, arguments, device);
  if (!execution)
    return execution.takeError();
  if (llvm::Error error = (*execution)->run())
    return std::move(error);
  if (llvm::Error error = (*execution)->fetchResults())
    return std::move(error);
  return execution;
}

llvm::Error Execution::run() {
  if (int32_t code = kernel(parameters.data()))
    return reportRefusal(code);
  if (uint64_t bytes = device.getLiveBytes())
    return llvm::make_error<InternalError>("the kernel did not free " +
                                           std::to_string(bytes) +
                                           " bytes of scratch memory");
  return llvm::Error::success();
}

llvm::Error Execution::fetchResults() {
  for (auto [tensor, result] : llvm::zip(resultTensors, results))
    if (llvm::Error error = device.fetch(tensor, result))
      return error;
  return llvm::Error::success();
}
