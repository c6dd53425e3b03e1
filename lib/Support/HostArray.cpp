//===- HostArray.cpp - A dense array in host memory -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Support/HostArray.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <cstring>

using namespace attn;

static constexpr size_t kAlignment = 64;

unsigned attn::getElementSize(ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
  case ElementKind::I64:
  case ElementKind::U64:
    return 8;
  case ElementKind::F32:
  case ElementKind::I32:
  case ElementKind::U32:
    return 4;
  case ElementKind::F16:
  case ElementKind::BF16:
  case ElementKind::I16:
  case ElementKind::U16:
    return 2;
  case ElementKind::Bool:
  case ElementKind::I8:
  case ElementKind::U8:
    return 1;
  }
  llvm_unreachable("unknown element kind");
}

llvm::StringRef attn::getElementName(ElementKind kind) {
  static constexpr const char *names[] = {"f64", "f32", "f16", "bf16", "bool",
                                          "i8",  "i16", "i32", "i64",  "u8",
                                          "u16", "u32", "u64"};
  return names[static_cast<unsigned>(kind)];
}

std::string attn::formatShape(llvm::ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(
      llvm::map_range(shape, [](int64_t n) { return std::to_string(n); }), "x");
}

void HostArray::Deleter::operator()(void *ptr) const { std::free(ptr); }

uint64_t attn::getArrayBytes(ElementKind kind, llvm::ArrayRef<int64_t> shape) {
  uint64_t bytes = getElementSize(kind);
  for (int64_t size : shape)
    bytes = llvm::SaturatingMultiply<uint64_t>(bytes, size);
  // A size of zero is the last word, whatever came before it.
  return llvm::is_contained(shape, 0) ? 0 : bytes;
}

llvm::Expected<HostArray> HostArray::create(ElementKind kind,
                                            llvm::ArrayRef<int64_t> shape) {
  HostArray array;
  array.kind = kind;
  array.shape.assign(shape.begin(), shape.end());
  uint64_t bytes = std::max<uint64_t>(getArrayBytes(kind, shape), 1);
  // Not by operator new: its handler would end the program without a number.
  void *data = nullptr;
  if (::posix_memalign(&data, kAlignment, bytes) != 0)
    return llvm::createStringError(
        std::make_error_code(std::errc::not_enough_memory),
        "an array " + formatShape(shape) + " of " + getElementName(kind) +
            " needs " + llvm::Twine(bytes) +
            " bytes of memory, which are not to be had");
  std::memset(data, 0, bytes);
  array.data.reset(data);
  return array;
}

int64_t HostArray::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

void HostArray::reinterpretAs(ElementKind newKind) {
  assert(getElementSize(kind) == getElementSize(newKind));
  kind = newKind;
}

/// Converts between a double and a 16-bit float, to nearest even.
static double decodeHalf(uint16_t bits, const llvm::fltSemantics &semantics) {
  return llvm::APFloat(semantics, llvm::APInt(16, bits)).convertToDouble();
}
static uint16_t encodeHalf(double value, const llvm::fltSemantics &semantics) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

double HostArray::getAsDouble(int64_t i) const {
  switch (kind) {
  case ElementKind::F64:
    return getDataAs<double>()[i];
  case ElementKind::F32:
    return getDataAs<float>()[i];
  case ElementKind::F16:
    return decodeHalf(getDataAs<uint16_t>()[i], llvm::APFloat::IEEEhalf());
  case ElementKind::BF16:
    return decodeHalf(getDataAs<uint16_t>()[i], llvm::APFloat::BFloat());
  case ElementKind::Bool:
  case ElementKind::U8:
    return getDataAs<uint8_t>()[i];
  case ElementKind::I8:
    return getDataAs<int8_t>()[i];
  case ElementKind::I16:
    return getDataAs<int16_t>()[i];
  case ElementKind::U16:
    return getDataAs<uint16_t>()[i];
  case ElementKind::I32:
    return getDataAs<int32_t>()[i];
  case ElementKind::U32:
    return getDataAs<uint32_t>()[i];
  case ElementKind::I64:
    return static_cast<double>(getDataAs<int64_t>()[i]);
  case ElementKind::U64:
    return static_cast<double>(getDataAs<uint64_t>()[i]);
  }
  llvm_unreachable("unknown element kind");
}

void HostArray::setFromDouble(int64_t i, double value) {
  switch (kind) {
  case ElementKind::F64:
    getDataAs<double>()[i] = value;
    return;
  case ElementKind::F32:
    getDataAs<float>()[i] = static_cast<float>(value);
    return;
  case ElementKind::F16:
    getDataAs<uint16_t>()[i] = encodeHalf(value, llvm::APFloat::IEEEhalf());
    return;
  case ElementKind::BF16:
    getDataAs<uint16_t>()[i] = encodeHalf(value, llvm::APFloat::BFloat());
    return;
  case ElementKind::Bool:
    getDataAs<uint8_t>()[i] = value != 0;
    return;
  case ElementKind::I8:
  case ElementKind::U8:
    getDataAs<int8_t>()[i] = static_cast<int8_t>(static_cast<int64_t>(value));
    return;
  case ElementKind::I16:
  case ElementKind::U16:
    getDataAs<int16_t>()[i] = static_cast<int16_t>(static_cast<int64_t>(value));
    return;
  case ElementKind::I32:
  case ElementKind::U32:
    getDataAs<int32_t>()[i] = static_cast<int32_t>(static_cast<int64_t>(value));
    return;
  case ElementKind::I64:
  case ElementKind::U64:
    getDataAs<int64_t>()[i] = static_cast<int64_t>(value);
    return;
  }
  llvm_unreachable("unknown element kind");
}
