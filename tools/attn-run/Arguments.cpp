//===- Arguments.cpp - The kernel's input arrays --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "attn/Support/NumpyFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace attn;
using namespace attn::run;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

/// Makes `array` an element of the argument list, or says why it cannot be.
static llvm::Error adapt(HostArray &array, const TensorInfo &type,
                         const Twine &where) {
  if (type.kind == ElementKind::BF16 && array.getKind() == ElementKind::U16)
    array.reinterpretAs(ElementKind::BF16);
  if (type.accepts(array))
    return llvm::Error::success();
  std::string given;
  for (int64_t size : array.getShape())
    given += std::to_string(size) + "x";
  return createStringError(where + ": is " + given +
                           getElementName(array.getKind()) +
                           ", but the function has " + type.format());
}

Expected<std::vector<HostArray>>
attn::run::readArrays(llvm::ArrayRef<std::string> paths, StringRef prefix,
                      llvm::ArrayRef<TensorInfo> types) {
  std::vector<HostArray> arrays(types.size());
  std::vector<bool> filled(types.size(), false);
  std::vector<std::string> seen;
  unsigned next = 0;
  for (const std::string &path : paths) {
    Expected<std::vector<NamedArray>> members = readNumpyFile(path);
    if (!members)
      return members.takeError();
    for (NamedArray &member : *members) {
      unsigned index = next;
      StringRef number = member.name;
      if (member.name.empty()) {
        ++next;
      } else {
        seen.push_back(member.name);
        // One archive may hold arguments and results.
        if (!number.consume_front(prefix) || number.getAsInteger(10, index))
          continue;
      }
      std::string where = member.name.empty() ? path : path + ":" + member.name;
      if (index >= types.size())
        return createStringError(where + ": the function has only " +
                                 Twine(types.size()) + " of them");
      if (filled[index])
        return createStringError(where + ": " + prefix + Twine(index) +
                                 " is given twice");
      if (llvm::Error error = adapt(member.array, types[index], where))
        return std::move(error);
      arrays[index] = std::move(member.array);
      filled[index] = true;
    }
  }
  for (size_t i = 0; i < filled.size(); ++i)
    if (!filled[i])
      return createStringError(
          llvm::join(paths, ",") + ": '" + prefix + Twine(i) + "' is missing" +
          (seen.empty() ? "" : "; found " + llvm::join(seen, ", ")));
  return arrays;
}

/// Shapes of all arguments from their types and --shape.
static Expected<std::vector<llvm::SmallVector<int64_t>>>
resolveShapes(const Options &options, const Program &program) {
  std::vector<llvm::SmallVector<int64_t>> shapes;
  for (auto [index, type] : llvm::enumerate(program.inputs)) {
    auto it = options.shapes.find(index);
    if (it == options.shapes.end()) {
      if (!type.isStatic())
        return createStringError(
            "argument " + Twine(index) + " is " + type.format() +
            ": give --shape=" + Twine(index) + ":... or --inputs");
      shapes.push_back(type.shape);
      continue;
    }
    if (!type.acceptsShape(it->second))
      return createStringError(
          "--shape=" + Twine(index) + ":" + formatShape(it->second) +
          " does not fit the argument's type " + type.format());
    shapes.push_back(it->second);
  }
  return shapes;
}

Expected<std::vector<HostArray>>
attn::run::makeArguments(const Options &options, const Program &program) {
  for (const auto &entry : options.shapes)
    if (entry.first >= program.inputs.size())
      return createStringError("--shape: there is no argument " +
                               Twine(entry.first));
  if (!options.inputs.empty()) {
    if (!options.shapes.empty())
      return createStringError("--shape and --inputs exclude each other");
    return readArrays(options.inputs, "arg", program.inputs);
  }
  auto shapes = resolveShapes(options, program);
  if (!shapes)
    return shapes.takeError();
  return makeRandomArguments(program, *shapes, options.seed);
}
