//===- VectorFrame.cpp - Vectors of a thread that a signal stopped --------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorFrame.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <cstring>

using namespace attn;

namespace {

/// Parts of the state by their number in XCR0.
constexpr unsigned kLow = 1, kUpperHalf = 2, kMasks = 5, kUpper256 = 6,
                   kMore = 7, kTileConfiguration = 17;
constexpr unsigned kStateLeaf = 13;
constexpr unsigned kLowOffset = 160, kLowBytes = 256, kHeaderOffset = 512;

} // namespace

uint8_t *VectorFrame::find(unsigned part, unsigned number, unsigned bytes) {
  unsigned size = kLowBytes, offset = kLowOffset, flags, reserved;
  if (part != kLow)
    __cpuid_count(kStateLeaf, part, size, offset, flags, reserved);
  uint64_t present;
  std::memcpy(&present, saved + kHeaderOffset, sizeof(present));
  if (!(present & (1u << part))) {
    std::memset(saved + offset, 0, size);
    present |= 1u << part;
    std::memcpy(saved + kHeaderOffset, &present, sizeof(present));
  }
  return saved + offset + size_t(number) * bytes;
}

/// Calls visitPart(place, offset, bytes) for what makes up a register.
template <typename Visit>
void VectorFrame::visit(unsigned number, Visit visitPart) {
  if (number >= 16)
    return visitPart(find(kMore, number - 16, 64), 0, 64);
  visitPart(find(kLow, number, 16), 0, 16);
  visitPart(find(kUpperHalf, number, 16), 16, 16);
  visitPart(find(kUpper256, number, 32), 32, 32);
}

VectorBytes VectorFrame::read(unsigned number) {
  VectorBytes value;
  visit(number, [&](uint8_t *place, unsigned offset, unsigned bytes) {
    std::memcpy(value.bytes + offset, place, bytes);
  });
  return value;
}

void VectorFrame::write(unsigned number, const VectorBytes &value) {
  visit(number, [&](uint8_t *place, unsigned offset, unsigned bytes) {
    std::memcpy(place, value.bytes + offset, bytes);
  });
}

const uint8_t *VectorFrame::getTileConfiguration() {
  return find(kTileConfiguration, 0, 64);
}

uint64_t VectorFrame::readMask(unsigned number) {
  uint64_t mask;
  std::memcpy(&mask, find(kMasks, number, sizeof(mask)), sizeof(mask));
  return mask;
}
#endif
