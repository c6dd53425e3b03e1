//===- SavedKernel.cpp - Kernels as bytes and back ------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mark, the size of a header, the header and an object file. The header is
// JSON: what the bytes are for, the entries, and the kernel's description.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "attn/Conversion/Host/EntryNames.h"
#include "attn/Support/Version.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

using namespace attn;
using namespace attn::capi;
using llvm::createStringError;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr StringRef kMark = "attnkrn1";

/// What runs the code: another processor, or another version's idea of one,
/// may not.
static std::string describeMachine() {
  TargetDescription host = getHostTargetDescription();
  std::string text = host.triple;
  for (const std::string &feature : host.features)
    text += " " + feature;
  return text;
}

static json::Value describe(const attn_entry &entry) {
  json::Array inOut;
  for (std::optional<unsigned> input : entry.compiled.types.inOut)
    inOut.push_back(input ? json::Value(*input) : json::Value(nullptr));
  return json::Object{{"name", entry.compiled.name},
                      {"symbol", entry.symbol},
                      {"inputs", entry.compiled.types.inputs.size()},
                      {"in_out", std::move(inOut)}};
}

static std::string writeHeader(const attn_kernel &kernel) {
  json::Array entries;
  for (const attn_entry &entry : kernel.entries)
    entries.push_back(describe(entry));
  json::Value header = json::Object{{"version", getVersionText()},
                                    {"machine", describeMachine()},
                                    {"entries", std::move(entries)},
                                    {"description", kernel.description}};
  std::string text;
  llvm::raw_string_ostream(text) << header;
  return text;
}

attn_code attn_kernel_save(const attn_kernel *kernel, attn_buffer **contents) {
  if (contents)
    *contents = nullptr;
  if (!kernel || !contents)
    return ATTN_BAD_INPUT;
  return runAlone([&] {
    StringRef object = kernel->code->getObject();
    if (object.empty())
      return ATTN_BAD_INPUT;
    std::string header = writeHeader(*kernel);
    char size[8];
    llvm::support::endian::write64le(size, header.size());
    *contents = makeBuffer(
        (kMark + StringRef(size, sizeof(size)) + header + object).str());
    return *contents ? ATTN_GOOD : ATTN_NO_MEMORY;
  });
}

namespace {

/// The two parts of what attn_kernel_save made.
struct SavedKernel {
  json::Object header;
  StringRef object;
};

} // namespace

static llvm::Error refuse() {
  return createStringError("these bytes are no kernel that attn_kernel_save of "
                           "this version made on this machine: compile again");
}

static llvm::Expected<SavedKernel> read(StringRef data) {
  if (!data.consume_front(kMark) || data.size() < 8)
    return refuse();
  uint64_t size = llvm::support::endian::read64le(data.data());
  data = data.drop_front(8);
  if (size > data.size())
    return refuse();
  auto header = json::parse(data.take_front(size));
  if (!header) {
    llvm::consumeError(header.takeError());
    return refuse();
  }
  json::Object *object = header->getAsObject();
  if (!object || object->getString("version") != getVersionText() ||
      object->getString("machine") != describeMachine())
    return refuse();
  return SavedKernel{std::move(*object), data.drop_front(size)};
}

/// What calls need of an entry's types: how many there are.
static EntryTypes readTypes(const json::Object &entry) {
  EntryTypes types;
  types.inputs.resize(entry.getInteger("inputs").value_or(0));
  if (const json::Array *inOut = entry.getArray("in_out"))
    for (const json::Value &input : *inOut)
      types.inOut.push_back(input.getAsUINT64());
  types.outputs.resize(types.inOut.size());
  return types;
}

static llvm::Error addEntry(attn_kernel &kernel, const json::Object &saved) {
  attn_entry entry;
  entry.compiled.name = saved.getString("name").value_or("").str();
  entry.symbol = saved.getString("symbol").value_or("").str();
  entry.compiled.types = readTypes(saved);
  entry.outputs = llvm::count(entry.compiled.types.inOut, std::nullopt);
  auto run = kernel.code->lookup(entry.symbol);
  if (!run)
    return run.takeError();
  auto shapes = kernel.code->lookup(getShapesFunctionName(entry.symbol));
  if (!shapes)
    return shapes.takeError();
  entry.compiled.run = *run;
  entry.compiled.computeShapes = *shapes;
  kernel.entries.push_back(std::move(entry));
  return llvm::Error::success();
}

static llvm::Error load(StringRef data, attn_kernel **result) {
  auto saved = read(data);
  if (!saved)
    return saved.takeError();
  const json::Array *entries = saved->header.getArray("entries");
  auto description = saved->header.getString("description");
  if (!entries || !description)
    return refuse();
  auto kernel = std::make_unique<attn_kernel>();
  kernel->description = description->str();
  auto code = loadHostObject(saved->object);
  if (!code)
    return code.takeError();
  kernel->code = std::move(*code);
  for (const json::Value &entry : *entries)
    if (const json::Object *object = entry.getAsObject())
      if (llvm::Error error = addEntry(*kernel, *object))
        return error;
  *result = kernel.release();
  return llvm::Error::success();
}

attn_code attn_kernel_load(attn_compiler *compiler, const char *data,
                           size_t size, attn_kernel **kernel) {
  if (kernel)
    *kernel = nullptr;
  if (!compiler || !data || !kernel)
    return capi::refuse(compiler, "attn_kernel_load: the compiler, the bytes "
                                  "or the place for the kernel is null");
  return run(*compiler, [&](Session &) { return load({data, size}, kernel); });
}
