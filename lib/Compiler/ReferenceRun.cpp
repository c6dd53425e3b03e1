//===- ReferenceRun.cpp - The reference on arrays -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Compiler/ReferenceRun.h"
#include "attn/Compiler/Program.h"
#include "attn/Conversion/Passes.h"
#include "attn/Reference/Interpreter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
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

/// A copy of the module in which complex numbers are their parts, as the
/// reference has no others; null where there are none. This is the one step
/// that it shares with the compiler; nothing is simplified.
static OwningOpRef<ModuleOp> splitComplex(func::FuncOp entry) {
  auto isComplex = [](Type type) {
    return isa<ComplexType>(getElementTypeOrSelf(type));
  };
  auto module = entry->getParentOfType<ModuleOp>();
  WalkResult found = module.walk([&](Operation *op) {
    return llvm::any_of(op->getResultTypes(), isComplex)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return {};
  OwningOpRef<ModuleOp> copy = module.clone();
  for (auto function : copy->getOps<func::FuncOp>())
    function.setVisibility(function.getSymName() == entry.getSymName()
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  PassManager passes(module.getContext());
  passes.addPass(createInlinerPass(/*opPipelines=*/{}, [](OpPassManager &) {}));
  passes.addPass(createSymbolDCEPass());
  passes.addPass(createSplitComplexPass());
  return succeeded(passes.run(*copy)) ? std::move(copy)
                                      : OwningOpRef<ModuleOp>();
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
  OwningOpRef<ModuleOp> split = splitComplex(entry);
  if (split)
    entry = split->lookupSymbol<func::FuncOp>(entry.getSymName());
  FailureOr<std::vector<Tensor>> results =
      reference::interpret(entry, arguments, rounding);
  if (failed(results))
    return createStringError("the reference cannot run '" + entry.getSymName() +
                             "': " + StringRef(messages).rtrim());
  return std::move(*results);
}
