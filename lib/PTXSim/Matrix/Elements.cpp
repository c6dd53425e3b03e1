//===- Elements.cpp - Matrix elements as floats and back ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Matrix/Elements.h"
#include "PTXSim/Ops/FloatMath.h"

#include "llvm/Support/ErrorHandling.h"

#include <array>

using namespace llvm;

namespace attn::ptx {

template <typename Packed, typename Out, typename F>
static void convert(const void *packed, size_t count, Out *out, F &&f) {
  const auto *bytes = static_cast<const uint8_t *>(packed);
  for (size_t i = 0; i != count; ++i) {
    Packed element;
    std::memcpy(&element, bytes + i * sizeof(Packed), sizeof(Packed));
    out[i] = f(element);
  }
}

/// The exponent is moved by a product, which takes subnormal numbers along.
static float fromHalf(uint16_t bits) {
  uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  uint32_t result = bit_cast<uint32_t>(bit_cast<float>(magnitude) * 0x1p112f);
  result |= magnitude >= 0x0f800000 ? 0x7f800000 : 0;
  return bit_cast<float>(result | uint32_t(bits & 0x8000) << 16);
}

using ByteTable = std::array<float, 256>;

static ByteTable tableOf(const Format &format) {
  ByteTable table{};
  for (uint32_t bits = 0; bits != 256; ++bits)
    table[bits] = float(decodeFloat(format, bits));
  return table;
}

void elementsToFloat(ir::Type type, const void *packed, size_t count,
                     float *out) {
  static const ByteTable e4m3 = tableOf(formatE4M3), e5m2 = tableOf(formatE5M2);
  switch (type) {
  case ir::Type::F16:
    return convert<uint16_t>(packed, count, out, fromHalf);
  case ir::Type::BF16:
    return convert<uint16_t>(packed, count, out, [](uint16_t bits) {
      return bit_cast<float>(uint32_t(bits) << 16);
    });
  case ir::Type::TF32:
    return convert<uint32_t>(packed, count, out, [](uint32_t bits) {
      return bit_cast<float>(bits & 0xffffe000);
    });
  case ir::Type::F32:
    return convert<float>(packed, count, out,
                          [](float value) { return value; });
  case ir::Type::E4M3:
    return convert<uint8_t>(packed, count, out,
                            [&](uint8_t bits) { return e4m3[bits]; });
  case ir::Type::E5M2:
    return convert<uint8_t>(packed, count, out,
                            [&](uint8_t bits) { return e5m2[bits]; });
  default:
    llvm_unreachable("not an element type of matrices");
  }
}

void elementsToInteger(ir::Type type, const void *packed, size_t count,
                       int32_t *out) {
  if (type == ir::Type::S8)
    return convert<int8_t>(packed, count, out, [](int8_t v) { return v; });
  return convert<uint8_t>(packed, count, out, [](uint8_t v) { return v; });
}

uint16_t halfFromDouble(double value) {
  return uint16_t(encodeFloat(formatF16, value, Rounding::Nearest));
}

} // namespace attn::ptx
