//===- TensorBox.cpp - Which bytes a tensor copy moves --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/TensorBox.h"

#include <algorithm>
#include <cstring>

namespace attn::ptx {

/// Elements that the box has along dimension `i`. The element stride of the
/// innermost dimension is ignored without interleaving.
static uint32_t boxCount(const TensorMap &map, unsigned i) {
  uint32_t step = i == 0 ? 1 : map.elementStrides[i];
  return (map.box[i] + step - 1) / step;
}

uint64_t boxBytes(const TensorMap &map) {
  uint64_t bytes = elementBytes(map.type);
  for (unsigned i = 0; i != map.rank; ++i)
    bytes *= boxCount(map, i);
  return bytes;
}

/// Appends the inner row of the box that begins at `row` in global memory.
static void appendRow(const DecodedTensorMap &tensor, bool rowInside,
                      uint64_t row, int64_t first, uint32_t shared,
                      std::vector<BoxPart> &parts) {
  const TensorMap &map = tensor.map;
  uint32_t size = elementBytes(map.type);
  uint32_t bytes = map.box[0] * size;
  for (uint32_t at = 0; at < bytes;) {
    uint32_t chunkEnd =
        std::min<uint32_t>(bytes, at + 16 - ((shared + at) & 15));
    int64_t element = first + int64_t(at / size);
    auto isInside = [&](int64_t e) {
      return rowInside && e >= 0 && uint64_t(e) < map.dims[0];
    };
    bool inside = isInside(element);
    uint32_t end = at + size;
    while (end < chunkEnd && isInside(first + int64_t(end / size)) == inside)
      end += size;
    parts.push_back({swizzleAddress(shared + at, map.swizzle), end - at, inside,
                     row + uint64_t(element * int64_t(size))});
    at = end;
  }
}

std::vector<BoxPart> boxParts(const DecodedTensorMap &tensor,
                              llvm::ArrayRef<int32_t> coordinates,
                              uint32_t sharedAddress) {
  const TensorMap &map = tensor.map;
  std::vector<BoxPart> parts;
  uint32_t rowBytes = map.box[0] * elementBytes(map.type);
  std::array<uint32_t, 5> index{};
  uint32_t shared = sharedAddress;
  while (true) {
    bool inside = true;
    uint64_t row = tensor.address;
    for (unsigned i = 1; i < map.rank; ++i) {
      int64_t at =
          int64_t(coordinates[i]) + int64_t(index[i]) * map.elementStrides[i];
      inside &= at >= 0 && uint64_t(at) < map.dims[i];
      row += uint64_t(at) * map.strides[i - 1];
    }
    appendRow(tensor, inside, row, coordinates[0], shared, parts);
    shared += rowBytes;
    unsigned i = 1;
    while (i < map.rank && ++index[i] == boxCount(map, i))
      index[i++] = 0;
    if (i >= map.rank)
      return parts;
  }
}

void fillOutside(const TensorMap &map, llvm::MutableArrayRef<uint8_t> bytes) {
  if (!map.oobNaN) {
    std::fill(bytes.begin(), bytes.end(), uint8_t(0));
    return;
  }
  // The quiet NaN with all mantissa bits set, of the element's format.
  uint32_t size = elementBytes(map.type);
  for (size_t at = 0; at < bytes.size(); at += size) {
    std::memset(&bytes[at], 0xff, size);
    bytes[at + size - 1] = 0x7f;
  }
}

} // namespace attn::ptx
