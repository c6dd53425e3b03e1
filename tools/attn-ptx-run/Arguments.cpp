//===- Arguments.cpp - Kernel arguments from the command line -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Flags.h"
#include "InputFile.h"
#include "attn/Support/NumpyFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace attn;
using namespace attn::ptxrun;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

/// More than a GPU has, less than would bring the host down.
static constexpr int64_t kMaxBufferBytes = int64_t(16) << 30;

void Arguments::reset() {
  for (auto [buffer, bytes] : llvm::zip_equal(buffers, storage)) {
    const auto *begin = static_cast<const uint8_t *>(buffer.initial.getData());
    std::copy(begin, begin + buffer.initial.getNumBytes(), bytes.begin());
  }
}

/// `FILE.npy`, or `FILE.npz:KEY`.
static Expected<HostArray> readArray(StringRef text) {
  StringRef path = text, key;
  size_t colon = text.rfind(".npz:");
  if (colon != StringRef::npos) {
    path = text.take_front(colon + 4);
    key = text.drop_front(colon + 5);
  }
  if (Error error = checkInput(path, kMaxBufferBytes))
    return std::move(error);
  Expected<std::vector<NamedArray>> arrays = readNumpyFile(path);
  if (!arrays)
    return arrays.takeError();
  for (NamedArray &named : *arrays)
    if (named.name == key || (key.empty() && arrays->size() == 1))
      return std::move(named.array);
  if (key.empty())
    return createStringError(path + ": holds " + Twine(arrays->size()) +
                             " arrays; expected " + path + ":KEY");
  return createStringError(path + ": has no array '" + key + "'");
}

/// `f32:64x64=FILE.npy`
static Expected<BufferArgument> parseOut(StringRef text) {
  auto bad = [&](const Twine &why) {
    return createStringError("--arg=out:" + text + ": " + why);
  };
  auto [description, path] = text.split('=');
  auto [type, sizes] = description.split(':');
  if (!text.contains('=') || !description.contains(':'))
    return bad("expected out:TYPE:AxBxC=FILE.npy");
  std::optional<ElementKind> kind = parseElementKind(type);
  if (!kind)
    return bad("unknown element type '" + type + "'");
  llvm::SmallVector<int64_t> shape;
  int64_t bytes = getElementSize(*kind);
  for (StringRef part : llvm::split(sizes, 'x')) {
    int64_t size;
    if (part.getAsInteger(10, size) || size <= 0 ||
        llvm::MulOverflow(bytes, size, bytes) || bytes > kMaxBufferBytes)
      return bad("'" + sizes +
                 "' is not a shape of positive sizes and at most 16 GiB");
    shape.push_back(size);
  }
  if (Error error = checkWritable(path))
    return std::move(error);
  Expected<HostArray> array = HostArray::create(*kind, shape);
  if (!array)
    return array.takeError();
  BufferArgument buffer;
  buffer.initial = std::move(*array);
  buffer.initialised = false;
  buffer.output = path.str();
  return buffer;
}

/// `A.npy=B.npy`
static Expected<BufferArgument> parseInOut(StringRef text) {
  auto [from, to] = text.split('=');
  if (!text.contains('='))
    return createStringError("--arg=inout:" + text +
                             ": expected inout:A.npy=B.npy");
  Expected<HostArray> array = readArray(from);
  if (!array)
    return array.takeError();
  if (Error error = checkWritable(to))
    return std::move(error);
  BufferArgument buffer;
  buffer.initial = std::move(*array);
  buffer.output = to.str();
  return buffer;
}

static Expected<BufferArgument> parseBuffer(StringRef text) {
  StringRef rest = text;
  if (rest.consume_front("out:"))
    return parseOut(rest);
  if (rest.consume_front("inout:"))
    return parseInOut(rest);
  if (!text.ends_with(".npy") && !text.contains(".npz"))
    return createStringError("--arg=" + text +
                             ": neither TYPE:NUMBER, FILE.npy, FILE.npz:KEY, "
                             "out:, inout:, tensormap: nor struct:");
  Expected<HostArray> array = readArray(text);
  if (!array)
    return array.takeError();
  BufferArgument buffer;
  buffer.initial = std::move(*array);
  return buffer;
}

static bool isSpec(StringRef text) {
  return text.starts_with("tensormap:") || text.starts_with("struct:");
}

/// Reads what is memory; `indices` says where each argument went.
static Error readBuffers(llvm::ArrayRef<std::string> texts, Arguments &result,
                         BufferIndices &indices) {
  for (StringRef text : texts) {
    indices.emplace_back();
    Expected<std::optional<std::vector<uint8_t>>> scalar = parseScalar(text);
    if (!scalar)
      return scalar.takeError();
    if (*scalar || isSpec(text))
      continue;
    Expected<BufferArgument> buffer = parseBuffer(text);
    if (!buffer)
      return buffer.takeError();
    for (const BufferArgument &other : result.buffers)
      if (!buffer->output.empty() && other.output == buffer->output)
        return createStringError(buffer->output +
                                 ": two arguments are written to this file");
    indices.back() = result.buffers.size();
    result.buffers.push_back(std::move(*buffer));
  }
  for (auto [index, buffer] : llvm::enumerate(result.buffers)) {
    result.storage.emplace_back(buffer.initial.getNumBytes());
    ptx::Buffer memory;
    memory.data = result.storage.back().data();
    memory.bytes = result.storage.back().size();
    memory.initialised = buffer.initialised;
    result.launch.buffers.push_back(memory);
  }
  for (auto [position, index] : llvm::enumerate(indices))
    if (index)
      result.launch.buffers[*index].name =
          "argument " + std::to_string(position);
  return Error::success();
}

static Expected<ptx::Argument>
makeArgument(StringRef text, std::optional<size_t> buffer, SpecReader &reader) {
  if (buffer)
    return ptx::Argument::pointer(*buffer);
  if (text.consume_front("tensormap:"))
    return reader.readTensorMap(text);
  if (text.consume_front("struct:"))
    return reader.readStruct(text);
  // The first pass has seen that it is a number.
  ptx::Argument argument;
  argument.bytes = **parseScalar(text);
  return argument;
}

Expected<Arguments>
attn::ptxrun::parseArguments(llvm::ArrayRef<std::string> texts,
                             llvm::ArrayRef<ptx::KernelParameter> parameters) {
  if (texts.size() < parameters.size())
    return createStringError("the kernel takes " + Twine(parameters.size()) +
                             " arguments, " + Twine(texts.size()) +
                             " are given");
  Arguments result;
  BufferIndices indices;
  if (Error error = readBuffers(texts, result, indices))
    return std::move(error);
  std::vector<bool> used(texts.size());
  SpecReader reader(indices, used);
  for (auto [index, parameter] : llvm::enumerate(parameters)) {
    Expected<ptx::Argument> argument =
        makeArgument(texts[index], indices[index], reader);
    if (!argument)
      return argument.takeError();
    result.launch.arguments.push_back(std::move(*argument));
  }
  for (size_t i = parameters.size(); i < texts.size(); ++i)
    if (!indices[i] || !used[i])
      return createStringError(
          "--arg=" + texts[i] + ": the kernel takes " +
          Twine(parameters.size()) +
          " arguments, and no tensor map or struct refers to this one");
  return result;
}
