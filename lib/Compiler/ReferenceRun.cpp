//===- ReferenceRun.cpp - The reference on arrays -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/ReferenceRun.h"
#include "attn/Compiler/Program.h"
#include "attn/Reference/Interpreter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace attn;
using llvm::createStringError;
using llvm::Expected;
using reference::Rounding;
using reference::Tensor;

Tensor attn::toTensor(const HostArray &array, Type type) {
  Tensor tensor(getElementTypeOrSelf(type), array.getShape());
  int64_t count = array.getNumElements();
  if (tensor.isFloat()) {
    for (int64_t i = 0; i < count; ++i)
      tensor.floats[i] = array.getAsDouble(i);
    return tensor;
  }
  // 64-bit integers do not survive the way through a double.
  bool is64 = getElementSize(array.getKind()) == 8;
  for (int64_t i = 0; i < count; ++i)
    tensor.ints[i] = is64 ? array.getDataAs<int64_t>()[i]
                          : static_cast<int64_t>(array.getAsDouble(i));
  return tensor;
}

std::vector<Tensor> attn::toTensors(llvm::ArrayRef<HostArray> arrays,
                                    TypeRange types) {
  std::vector<Tensor> tensors;
  for (auto [array, type] : llvm::zip_equal(arrays, types))
    tensors.push_back(toTensor(array, type));
  return tensors;
}

Expected<std::vector<Tensor>> attn::runReference(func::FuncOp entry,
                                                 ArrayRef<Tensor> arguments,
                                                 Rounding rounding) {
  std::string messages;
  ScopedDiagnosticHandler handler(
      entry.getContext(), [&](Diagnostic &diagnostic) {
        llvm::raw_string_ostream stream(messages);
        stream << formatLocation(diagnostic.getLocation(), "<unknown>") << ": "
               << diagnostic << " ";
        return success();
      });
  FailureOr<std::vector<Tensor>> results =
      reference::interpret(entry, arguments, rounding);
  if (failed(results))
    return createStringError("the reference cannot run '" + entry.getSymName() +
                             "': " + StringRef(messages).rtrim());
  return std::move(*results);
}
