//===- MatrixDescriptor.cpp - Operands of wgmma in shared memory ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Matrix/MatrixDescriptor.h"

#include "llvm/ADT/StringExtras.h"

namespace attn::ptx {

MatrixDescriptor MatrixDescriptor::decode(uint64_t bits) {
  auto field = [&](unsigned shift) {
    return uint32_t((bits >> shift) & 0x3fff) << 4;
  };
  MatrixDescriptor d;
  d.start = field(0);
  d.leadingOffset = field(16);
  d.strideOffset = field(32);
  d.baseOffset = uint32_t((bits >> 49) & 7);
  d.layout = Layout(bits >> 62);
  // Bits 14-15, 30-31, 46-48 and 52-61.
  d.reservedBits = bits & 0x3ff1'c000'c000'c000;
  return d;
}

uint32_t MatrixDescriptor::atomBytes() const {
  switch (layout) {
  case Layout::None:
    return 16;
  case Layout::B32:
    return 32;
  case Layout::B64:
    return 64;
  case Layout::B128:
    break;
  }
  return 128;
}

std::string MatrixDescriptor::check(bool kMajor, uint32_t majorBytes) const {
  if (reservedBits)
    return "bits that must be zero are set";
  uint32_t width = atomBytes();
  if (layout == Layout::None)
    return baseOffset ? "a base offset without a swizzle" : "";
  // The pattern repeats after eight lines. A start inside a line selects a part
  // of it; a start in another line needs the base offset.
  uint32_t chunks = width / 16 - 1;
  if (((start >> 7) & chunks) != (baseOffset & chunks))
    return "the swizzle's pattern begins at multiples of " +
           std::to_string(8 * width) + " bytes, which neither the start 0x" +
           llvm::utohexstr(start, /*LowerCase=*/true) +
           " nor the base offset " + std::to_string(baseOffset) + " respects";
  uint32_t inside = start % width;
  if (inside && inside + majorBytes > width)
    return "the start 0x" + llvm::utohexstr(start, /*LowerCase=*/true) +
           " leaves fewer than the " + std::to_string(majorBytes) +
           " bytes needed of " + (kMajor ? "a row's" : "a k's") + " line of " +
           std::to_string(width) + " bytes";
  return "";
}

uint32_t MatrixDescriptor::address(bool kMajor, uint32_t minor,
                                   uint32_t majorBytes) const {
  uint32_t width = atomBytes();
  uint32_t atom = majorBytes / width, inside = majorBytes % width;
  uint32_t group = minor / 8, line = minor % 8;
  uint32_t perAtom, perGroup;
  if (kMajor) {
    perAtom = width == 16 ? leadingOffset : width;
    perGroup = strideOffset;
  } else {
    perAtom = width == 16 ? strideOffset : leadingOffset;
    perGroup = width == 16 ? leadingOffset : strideOffset;
  }
  uint32_t linear =
      start + atom * perAtom + group * perGroup + line * width + inside;
  // Bits 4.. are XORed with bits 7..: three of them for 128 bytes, two for 64,
  // one for 32. The base offset says where the pattern began.
  uint32_t chunks = width / 16 - 1;
  return linear ^ ((((linear >> 7) - baseOffset) & chunks) << 4);
}

} // namespace attn::ptx
