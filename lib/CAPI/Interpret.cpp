//===- Interpret.cpp - Entries in the f64 reference -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Description.h"
#include "Tensors.h"
#include "attn/Compiler/ReferenceRun.h"

using namespace attn;
using namespace attn::capi;
using llvm::ArrayRef;
using llvm::createStringError;

static llvm::Error checkCount(const CompiledEntry &entry, const char *what,
                              size_t given, size_t expected) {
  if (given == expected)
    return llvm::Error::success();
  return createStringError("'" + entry.name + "' has " + llvm::Twine(expected) +
                           " " + what + ", and " + llvm::Twine(given) +
                           " were given");
}

static llvm::Error interpret(const attn_module &module,
                             const CompiledEntry &entry,
                             ArrayRef<DLTensor *> inputs,
                             ArrayRef<DLTensor *> outputs) {
  const EntryTypes &types = entry.types;
  if (llvm::Error error =
          checkCount(entry, "inputs", inputs.size(), types.inputs.size()))
    return error;
  if (llvm::Error error =
          checkCount(entry, "outputs", outputs.size(), types.outputs.size()))
    return error;
  std::vector<HostArray> arrays;
  for (auto [i, type] : llvm::enumerate(types.inputs)) {
    auto array = readTensor(inputs[i], type, "input " + std::to_string(i));
    if (!array)
      return array.takeError();
    arrays.push_back(std::move(*array));
  }
  auto function = module.op.get().lookupSymbol<mlir::func::FuncOp>(entry.name);
  auto results =
      runReference(function, toTensors(arrays, function.getArgumentTypes()),
                   reference::Rounding::F64);
  if (!results)
    return results.takeError();
  for (auto [i, result] : llvm::enumerate(*results))
    if (llvm::Error error =
            writeTensor(result, types.outputs[i].kind, outputs[i],
                        "output " + std::to_string(i)))
      return error;
  return llvm::Error::success();
}

attn_code attn_module_interpret(attn_module *module, const char *entry,
                                DLTensor *const *inputs, size_t input_count,
                                DLTensor *const *outputs, size_t output_count) {
  if (!module || (!inputs && input_count) || (!outputs && output_count))
    return refuse(module ? module->compiler : nullptr,
                  "attn_module_interpret: the module, the inputs or the "
                  "outputs are null");
  return run(*module->compiler, [&](Session &session) -> llvm::Error {
    if (llvm::Error error = checkUsable(*module))
      return error;
    session.use(module->ir);
    auto entries = listEntries(*module, entry ? entry : "");
    if (!entries)
      return entries.takeError();
    if (entries->size() > 1)
      return createStringError(module->name + ": has several functions; name "
                                              "the one that is to run");
    return interpret(*module, entries->front(), {inputs, input_count},
                     {outputs, output_count});
  });
}
