//===- TensorMapFile.cpp - Tensor maps and structs from JSON --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of a tensor map (alignment, multiples, limits) are the
// simulator's; here is only what JSON can get wrong.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "InputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace attn;
using namespace attn::ptxrun;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using Type = ptx::TensorMap::Type;

static Expected<llvm::json::Object> readObject(StringRef path) {
  if (path.empty())
    return createStringError("tensormap: and struct: need a file name");
  auto buffer = readInput(path, kMaxTextBytes);
  if (!buffer)
    return buffer.takeError();
  Expected<llvm::json::Value> value = llvm::json::parse((*buffer)->getBuffer());
  if (!value)
    return createStringError(path + ": " + llvm::toString(value.takeError()));
  if (llvm::json::Object *object = value->getAsObject())
    return std::move(*object);
  return createStringError(path + ": not a JSON object");
}

/// A misspelt key would silently mean its default.
static Error checkKeys(const llvm::json::Object &object, StringRef where,
                       const llvm::StringSet<> &known) {
  for (const auto &entry : object)
    if (!known.contains(StringRef(entry.first)))
      return createStringError(where + ": unknown key '" +
                               StringRef(entry.first) + "'");
  return Error::success();
}

static Expected<uint64_t> readNumber(const llvm::json::Object &object,
                                     StringRef key, StringRef where,
                                     std::optional<uint64_t> absent = {}) {
  const llvm::json::Value *value = object.get(key);
  if (!value && absent)
    return *absent;
  if (value)
    if (std::optional<uint64_t> number = value->getAsUINT64())
      return *number;
  return createStringError(where + ": '" + key +
                           "' must be a number that is not negative");
}

/// Fills as many elements of `target` as the rank asks for.
template <typename T, size_t N>
static Error readList(const llvm::json::Object &object, StringRef key,
                      StringRef where, size_t count, std::array<T, N> &target) {
  const llvm::json::Array *list = object.getArray(key);
  if (!list || list->size() != count)
    return createStringError(where + ": '" + key + "' must be a list of " +
                             Twine(count) + " numbers");
  for (size_t i = 0; i < count; ++i) {
    std::optional<uint64_t> number = (*list)[i].getAsUINT64();
    if (!number || *number > std::numeric_limits<T>::max())
      return createStringError(where + ": '" + key + "' entry " + Twine(i) +
                               " is not a number in range");
    target[i] = *number;
  }
  return Error::success();
}

static std::optional<Type> parseType(StringRef name) {
  return llvm::StringSwitch<std::optional<Type>>(name)
      .Cases({"u8", "i8"}, Type::U8)
      .Case("u16", Type::U16)
      .Case("u32", Type::U32)
      .Case("i32", Type::I32)
      .Case("u64", Type::U64)
      .Case("i64", Type::I64)
      .Case("f16", Type::F16)
      .Case("f32", Type::F32)
      .Case("f64", Type::F64)
      .Case("bf16", Type::BF16)
      .Case("tf32", Type::TF32)
      .Default(std::nullopt);
}

Expected<size_t> SpecReader::parseBuffer(const llvm::json::Object &spec,
                                         StringRef where) {
  Expected<uint64_t> index = readNumber(spec, "buffer", where);
  if (!index)
    return index.takeError();
  if (*index >= buffers.size() || !buffers[*index])
    return createStringError(where + ": 'buffer' is " + Twine(*index) +
                             ", and there is no --arg of that index that is "
                             "an array");
  used[*index] = true;
  return *buffers[*index];
}

Error SpecReader::parseMapOptions(const llvm::json::Object &spec,
                                  StringRef where, ptx::TensorMap &map) {
  Expected<uint64_t> swizzle = readNumber(spec, "swizzle", where, 0);
  if (!swizzle)
    return swizzle.takeError();
  switch (*swizzle) {
  case 0:
    map.swizzle = ptx::TensorMap::Swizzle::None;
    break;
  case 32:
    map.swizzle = ptx::TensorMap::Swizzle::B32;
    break;
  case 64:
    map.swizzle = ptx::TensorMap::Swizzle::B64;
    break;
  case 128:
    map.swizzle = ptx::TensorMap::Swizzle::B128;
    break;
  default:
    return createStringError(where + ": 'swizzle' must be 0, 32, 64 or 128");
  }
  StringRef fill = "zero";
  if (const llvm::json::Value *value = spec.get("oob"))
    fill = value->getAsString().value_or("");
  if (fill != "zero" && fill != "nan")
    return createStringError(where + ": 'oob' must be \"zero\" or \"nan\"");
  map.oobNaN = fill == "nan";
  return Error::success();
}

Expected<ptx::TensorMap> SpecReader::parseMap(const llvm::json::Object &spec,
                                              StringRef where) {
  if (Error error =
          checkKeys(spec, where,
                    {"buffer", "dtype", "dims", "box", "element_strides",
                     "strides", "swizzle", "oob", "byte_offset", "offset"}))
    return std::move(error);
  ptx::TensorMap map;
  Expected<size_t> buffer = parseBuffer(spec, where);
  if (!buffer)
    return buffer.takeError();
  map.buffer = *buffer;
  Expected<uint64_t> offset = readNumber(spec, "byte_offset", where, 0);
  if (!offset)
    return offset.takeError();
  map.byteOffset = *offset;
  StringRef name = spec.getString("dtype").value_or("");
  std::optional<Type> type = parseType(name);
  if (!type)
    return createStringError(where + ": unknown 'dtype' \"" + name + "\"");
  map.type = *type;
  const llvm::json::Array *dims = spec.getArray("dims");
  if (!dims || dims->empty() || dims->size() > 5)
    return createStringError(where + ": 'dims' must be a list of 1 to 5 sizes");
  map.rank = dims->size();
  Error error = readList(spec, "dims", where, map.rank, map.dims);
  if (!error)
    error = readList(spec, "box", where, map.rank, map.box);
  if (!error && (map.rank > 1 || spec.get("strides")))
    error = readList(spec, "strides", where, map.rank - 1, map.strides);
  if (!error && spec.get("element_strides"))
    error =
        readList(spec, "element_strides", where, map.rank, map.elementStrides);
  if (!error)
    error = parseMapOptions(spec, where, map);
  if (error)
    return std::move(error);
  return map;
}

Expected<ptx::Argument> SpecReader::readTensorMap(StringRef path) {
  Expected<llvm::json::Object> spec = readObject(path);
  if (!spec)
    return spec.takeError();
  Expected<ptx::TensorMap> map = parseMap(*spec, path);
  if (!map)
    return map.takeError();
  return ptx::Argument::tensorMap(*map);
}

/// The objects of a list; none when the key is absent.
static Expected<std::vector<const llvm::json::Object *>>
readObjects(const llvm::json::Object &spec, StringRef key, StringRef where) {
  std::vector<const llvm::json::Object *> result;
  const llvm::json::Value *value = spec.get(key);
  if (!value)
    return result;
  const llvm::json::Array *list = value->getAsArray();
  if (!list)
    return createStringError(where + ": '" + key + "' must be a list");
  for (const llvm::json::Value &entry : *list) {
    result.push_back(entry.getAsObject());
    if (!result.back())
      return createStringError(where + ": '" + key +
                               "' must be a list of objects");
  }
  return result;
}

Expected<ptx::Argument> SpecReader::readStruct(StringRef path) {
  Expected<llvm::json::Object> spec = readObject(path);
  if (!spec)
    return spec.takeError();
  if (Error error = checkKeys(*spec, path, {"bytes", "pointers", "maps"}))
    return std::move(error);
  ptx::Argument argument;
  std::string bytes;
  StringRef digits = spec->getString("bytes").value_or("");
  if (digits.empty() || digits.size() % 2 ||
      !llvm::tryGetFromHex(digits, bytes))
    return createStringError(path + ": 'bytes' must be hexadecimal digits");
  argument.bytes.assign(bytes.begin(), bytes.end());
  for (StringRef key : {"pointers", "maps"}) {
    auto parts = readObjects(*spec, key, path);
    if (!parts)
      return parts.takeError();
    for (const llvm::json::Object *part : *parts) {
      ptx::Argument::Field field;
      Expected<uint64_t> offset = readNumber(*part, "offset", path);
      if (!offset)
        return offset.takeError();
      field.offset = *offset;
      size_t size = key == "maps" ? 128 : 8;
      if (*offset > bytes.size() || bytes.size() - *offset < size)
        return createStringError(path + ": 'offset' " + Twine(*offset) +
                                 " lies outside the struct");
      if (key == "maps") {
        Expected<ptx::TensorMap> map = parseMap(*part, path);
        if (!map)
          return map.takeError();
        field.kind = ptx::Argument::Kind::TensorMap;
        field.map = *map;
      } else {
        Expected<size_t> buffer = parseBuffer(*part, path);
        if (!buffer)
          return buffer.takeError();
        field.kind = ptx::Argument::Kind::Buffer;
        field.buffer = *buffer;
      }
      argument.fields.push_back(field);
    }
  }
  return argument;
}
