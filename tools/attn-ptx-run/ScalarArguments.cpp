//===- ScalarArguments.cpp - Numbers given on the command line ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringSwitch.h"

using namespace attn;
using namespace attn::ptxrun;
using llvm::createStringError;
using llvm::StringRef;
using Bytes = std::vector<uint8_t>;

namespace {
struct ScalarType {
  char kind; ///< 'i', 'u' or 'f'.
  unsigned bits;
};
} // namespace

static std::optional<ScalarType> parseScalarType(StringRef name) {
  return llvm::StringSwitch<std::optional<ScalarType>>(name)
      .Case("i8", ScalarType{'i', 8})
      .Case("u8", ScalarType{'u', 8})
      .Case("i16", ScalarType{'i', 16})
      .Case("u16", ScalarType{'u', 16})
      .Case("i32", ScalarType{'i', 32})
      .Case("u32", ScalarType{'u', 32})
      .Case("i64", ScalarType{'i', 64})
      .Case("u64", ScalarType{'u', 64})
      .Case("f32", ScalarType{'f', 32})
      .Case("f64", ScalarType{'f', 64})
      .Default(std::nullopt);
}

static Bytes toBytes(uint64_t value, unsigned bits) {
  Bytes bytes(bits / 8);
  for (uint8_t &byte : bytes) {
    byte = value & 0xff;
    value >>= 8;
  }
  return bytes;
}

static std::optional<uint64_t> parseFloat(StringRef text, unsigned bits) {
  llvm::APFloat number(bits == 32 ? llvm::APFloat::IEEEsingle()
                                  : llvm::APFloat::IEEEdouble());
  auto status =
      number.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return std::nullopt;
  }
  return number.bitcastToAPInt().getZExtValue();
}

llvm::Expected<std::optional<Bytes>> attn::ptxrun::parseScalar(StringRef text) {
  StringRef name = text.split(':').first, value = text.split(':').second;
  std::optional<ScalarType> type = parseScalarType(name);
  if (!type || !text.contains(':'))
    return std::nullopt;
  auto bad = [&] {
    return createStringError("--arg=" + text + ": not a number that " + name +
                             " can hold");
  };
  if (value.empty())
    return bad();
  if (type->kind == 'f') {
    std::optional<uint64_t> bits = parseFloat(value, type->bits);
    if (!bits)
      return bad();
    return toBytes(*bits, type->bits);
  }
  if (type->kind == 'u') {
    uint64_t number;
    if (value.getAsInteger(0, number) ||
        (type->bits < 64 && number >> type->bits))
      return bad();
    return toBytes(number, type->bits);
  }
  int64_t number;
  if (value.getAsInteger(0, number) || !llvm::isIntN(type->bits, number))
    return bad();
  return toBytes(static_cast<uint64_t>(number), type->bits);
}

std::optional<ElementKind> attn::ptxrun::parseElementKind(StringRef name) {
  return llvm::StringSwitch<std::optional<ElementKind>>(name)
      .Case("f64", ElementKind::F64)
      .Case("f32", ElementKind::F32)
      .Case("f16", ElementKind::F16)
      .Case("bf16", ElementKind::BF16)
      .Case("i8", ElementKind::I8)
      .Case("u8", ElementKind::U8)
      .Case("i16", ElementKind::I16)
      .Case("u16", ElementKind::U16)
      .Case("i32", ElementKind::I32)
      .Case("u32", ElementKind::U32)
      .Case("i64", ElementKind::I64)
      .Case("u64", ElementKind::U64)
      .Default(std::nullopt);
}
