//===- Description.cpp - Entries as JSON ----------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Description.h"

using namespace attn;
using namespace attn::capi;
using llvm::Expected;
namespace json = llvm::json;

/// As NumPy has it, and what NumPy lacks as everyone else does.
static std::string getTypeName(ElementKind kind) {
  llvm::StringRef name = getElementName(kind);
  if (name == "bool")
    return "bool";
  llvm::StringRef bits = name.drop_while(llvm::isAlpha);
  llvm::StringRef words = name.starts_with("bf")  ? "bfloat"
                          : name.starts_with("f") ? "float"
                          : name.starts_with("u") ? "uint"
                                                  : "int";
  return (words + bits).str();
}

static void writeTensor(json::OStream &os, const std::string &name,
                        const TensorInfo &type) {
  os.attribute("name", name);
  os.attribute("type", getTypeName(type.kind));
  os.attributeArray("shape", [&] {
    for (int64_t size : type.shape)
      if (mlir::ShapedType::isDynamic(size))
        os.value(nullptr);
      else
        os.value(size);
  });
}

static void writeEntry(json::OStream &os, const CompiledEntry &entry) {
  os.attribute("name", entry.name);
  os.attributeArray("inputs", [&] {
    for (auto [i, type] : llvm::enumerate(entry.types.inputs))
      os.object([&, i = i, &type = type] {
        writeTensor(os, "arg" + std::to_string(i), type);
      });
  });
  os.attributeArray("outputs", [&] {
    for (auto [i, type] : llvm::enumerate(entry.types.outputs))
      os.object([&, i = i, &type = type] {
        writeTensor(os, "out" + std::to_string(i), type);
        if (std::optional<unsigned> input = entry.types.inOut[i])
          os.attribute("in_out", *input);
      });
  });
}

void capi::writeEntries(json::OStream &os,
                        llvm::ArrayRef<CompiledEntry> entries) {
  os.attributeArray("entries", [&] {
    for (const CompiledEntry &entry : entries)
      os.object([&] { writeEntry(os, entry); });
  });
}

Expected<std::vector<CompiledEntry>>
capi::listEntries(const attn_module &module, llvm::StringRef name) {
  auto functions = findEntries(module.op.get(), module.name, name);
  if (!functions)
    return functions.takeError();
  std::vector<CompiledEntry> entries;
  for (mlir::func::FuncOp function : *functions) {
    auto types = describeTypes(function, module.name);
    if (!types)
      return types.takeError();
    CompiledEntry entry;
    entry.name = function.getSymName().str();
    entry.types = std::move(*types);
    entries.push_back(std::move(entry));
  }
  return entries;
}

attn_code attn_module_describe(attn_module *module, attn_buffer **description) {
  if (description)
    *description = nullptr;
  if (!module || !description)
    return refuse(module ? module->compiler : nullptr,
                  "attn_module_describe: the module or the place for its "
                  "description is null");
  return run(*module->compiler, [&](Session &session) -> llvm::Error {
    if (llvm::Error error = checkUsable(*module))
      return error;
    session.use(module->ir);
    auto entries = listEntries(*module, "");
    if (!entries)
      return entries.takeError();
    std::string text;
    llvm::raw_string_ostream stream(text);
    json::OStream os(stream);
    os.object([&] { writeEntries(os, *entries); });
    os.flush();
    *description = makeBuffer(std::move(text));
    return llvm::Error::success();
  });
}
