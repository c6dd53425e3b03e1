//===- Arguments.cpp - The kernel's input arrays --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "attn/Support/MachineMemory.h"
#include "attn/Support/NumpyFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace attn;
using namespace attn::run;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// Arrays on their way from files to positions in the argument list.
class ArrayReader {
public:
  ArrayReader(StringRef prefix, llvm::ArrayRef<TensorInfo> types)
      : arrays(types.size()), prefix(prefix), types(types),
        filled(types.size(), false) {}

  llvm::Error read(StringRef path);
  /// Fails if there is an argument without an array.
  llvm::Error finish(llvm::ArrayRef<std::string> paths) const;

  std::vector<HostArray> arrays;

private:
  /// Where an array belongs; nothing for those that have another purpose.
  std::optional<unsigned> findIndex(StringRef name) const;
  Expected<bool> accept(StringRef path, StringRef name, ElementKind kind,
                        llvm::ArrayRef<int64_t> shape);

  StringRef prefix;
  llvm::ArrayRef<TensorInfo> types;
  std::vector<bool> filled;
  std::vector<std::string> seen;
  unsigned next = 0;
};

} // namespace

/// Fails if an array cannot be an element of the argument list.
static llvm::Error checkType(ElementKind kind, llvm::ArrayRef<int64_t> shape,
                             const TensorInfo &type, const Twine &where) {
  bool isBits = type.kind == ElementKind::BF16 && kind == ElementKind::U16;
  bool hasShape = type.acceptsShape(shape);
  if (hasShape && (kind == type.kind || isBits))
    return llvm::Error::success();
  std::string given;
  for (int64_t size : shape)
    given += std::to_string(size) + "x";
  std::string advice;
  if (hasShape && kind == ElementKind::F64 && type.kind == ElementKind::F32)
    advice = "; cast it with .astype(numpy.float32)";
  return createStringError(where + ": is " + given + getElementName(kind) +
                           ", but the function has " + type.format() + advice);
}

std::optional<unsigned> ArrayReader::findIndex(StringRef name) const {
  if (name.empty())
    return next;
  unsigned index;
  // One archive may hold arguments and results.
  if (!name.consume_front(prefix) || name.getAsInteger(10, index))
    return std::nullopt;
  return index;
}

Expected<bool> ArrayReader::accept(StringRef path, StringRef name,
                                   ElementKind kind,
                                   llvm::ArrayRef<int64_t> shape) {
  if (!name.empty())
    seen.push_back(name.str());
  std::optional<unsigned> index = findIndex(name);
  if (!index)
    return false;
  std::string where = (name.empty() ? path : path + ":" + name).str();
  if (*index >= types.size())
    return createStringError(where + ": the function has only " +
                             Twine(types.size()) + " of them");
  if (filled[*index])
    return createStringError(where + ": " + prefix + Twine(*index) +
                             " is given twice");
  if (llvm::Error error = checkType(kind, shape, types[*index], where))
    return std::move(error);
  filled[*index] = true;
  return true;
}

llvm::Error ArrayReader::read(StringRef path) {
  auto members = readNumpyFile(path, [&](StringRef name, ElementKind kind,
                                         llvm::ArrayRef<int64_t> shape) {
    return accept(path, name, kind, shape);
  });
  if (!members)
    return members.takeError();
  for (NamedArray &member : *members) {
    unsigned index = *findIndex(member.name);
    next += member.name.empty();
    if (member.array.getKind() != types[index].kind)
      member.array.reinterpretAs(types[index].kind);
    arrays[index] = std::move(member.array);
  }
  return llvm::Error::success();
}

llvm::Error ArrayReader::finish(llvm::ArrayRef<std::string> paths) const {
  for (size_t i = 0; i < filled.size(); ++i)
    if (!filled[i])
      return createStringError(
          llvm::join(paths, ",") + ": '" + prefix + Twine(i) + "' is missing" +
          (seen.empty() ? "" : "; found " + llvm::join(seen, ", ")));
  return llvm::Error::success();
}

Expected<std::vector<HostArray>>
attn::run::readArrays(llvm::ArrayRef<std::string> paths, StringRef prefix,
                      llvm::ArrayRef<TensorInfo> types) {
  ArrayReader reader(prefix, types);
  for (const std::string &path : paths)
    if (llvm::Error error = reader.read(path))
      return std::move(error);
  if (llvm::Error error = reader.finish(paths))
    return std::move(error);
  return std::move(reader.arrays);
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

/// Running out of memory half-way may take others along. What a kernel or the
/// reference needs in between is not counted.
static llvm::Error
checkMemory(const Options &options, const Program &program,
            llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes) {
  uint64_t arrays = 0, reference = 0;
  auto add = [&](const TensorInfo &type, llvm::ArrayRef<int64_t> shape,
                 uint64_t copies) {
    arrays = llvm::SaturatingAdd(arrays, getArrayBytes(type.kind, shape));
    reference = llvm::SaturatingMultiplyAdd(
        getArrayBytes(ElementKind::F64, shape), copies, reference);
  };
  for (auto [type, shape] : llvm::zip_equal(program.inputs, shapes))
    add(type, shape, 1);
  for (auto [type, input] : llvm::zip_equal(program.outputs, program.inOut))
    if (type.isStatic() && !input)
      // The result, and what it is in two runs of the reference.
      add(type, type.shape, 3);
  bool compares = options.check || !options.expect.empty();
  uint64_t total = llvm::SaturatingAdd(arrays, compares ? reference : 0);
  if (total <= getMemoryLimit())
    return llvm::Error::success();
  auto print = [](uint64_t bytes) {
    // What does not fit into a number is not told as if it did.
    return bytes == std::numeric_limits<uint64_t>::max()
               ? std::string("more than 18446744073709551614")
               : std::to_string(bytes);
  };
  return createStringError(
      options.file + ": the arguments and results need " + print(arrays) +
      " bytes of memory" +
      (compares ? ", and the reference " + print(reference) : std::string()) +
      "; there are " + Twine(getMemoryLimit()));
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
  if (llvm::Error error = checkMemory(options, program, *shapes))
    return std::move(error);
  return makeRandomArguments(program, *shapes, options.seed);
}
