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

void Execution::addTensor(HostArray &array) {
  auto tensor = std::make_unique<DLTensor>();
  tensor->data = array.getData();
  tensor->device = {kDLCPU, 0};
  tensor->ndim = static_cast<int32_t>(array.getShape().size());
  tensor->dtype = getDataType(array.getKind());
  tensor->shape = const_cast<int64_t *>(array.getShape().data());
  tensor->strides = nullptr;
  tensor->byte_offset = 0;
  parameters.push_back(tensor.get());
  tensors.push_back(std::move(tensor));
}

/// A kernel refuses arguments that do not fit together, which the types alone
/// cannot show; so a refusal is bad input.
static llvm::Error reportRefusal(attn_context *context, int32_t code) {
  return createStringError("the kernel refused its arguments (code " +
                           llvm::Twine(code) +
                           "): " + attn_error_message(context));
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
      return reportRefusal(context, code);
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
                  std::vector<HostArray> &arguments, int threads) {
  std::unique_ptr<Execution> execution(new Execution);
  execution->kernel = compiled.run;
  execution->context = attn_host_context_create(threads);
  if (!execution->context)
    return createStringError("out of memory");
  execution->parameters.push_back(execution->context);
  for (HostArray &argument : arguments)
    execution->addTensor(argument);
  if (llvm::Error error =
          execution->allocateResults(compiled, program, arguments))
    return std::move(error);
  for (auto [result, input] : llvm::zip(execution->results, program.inOut)) {
    if (!input) {
      execution->addTensor(result);
      continue;
    }
    // The kernel updates a copy: the reference wants the argument as it was.
    std::memcpy(result.getData(), arguments[*input].getData(),
                result.getNumElements() * getElementSize(result.getKind()));
    execution->tensors[*input]->data = result.getData();
  }
  return execution;
}

Execution::~Execution() { attn_host_context_destroy(context); }

llvm::Error Execution::run() {
  if (int32_t code = kernel(parameters.data()))
    return reportRefusal(context, code);
  if (size_t bytes = attn_host_context_live_bytes(context))
    return llvm::make_error<InternalError>("the kernel did not free " +
                                           std::to_string(bytes) +
                                           " bytes of scratch memory");
  return llvm::Error::success();
}
