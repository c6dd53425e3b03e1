//===- TensorMapCodec.cpp - Tensor maps in 128 bytes ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/TensorMapCodec.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

namespace attn::ptx {

namespace {
/// The encoding; fields in order of size, so that there is no padding.
struct Layout {
  uint64_t address;
  uint64_t dims[5];
  uint64_t strides[4];
  uint16_t box[5];
  uint16_t magic;
  uint8_t elementStrides[5];
  uint8_t type, rank, swizzle, interleave, oobNaN;
  uint8_t zero[22];
  uint32_t checksum;
};
static_assert(sizeof(Layout) == kTensorMapBytes, "a tensor map is 128 bytes");
constexpr uint16_t kMagic = 0x7a3d;
} // namespace

/// FNV-1a of all that precedes the checksum.
static uint32_t checksum(const Layout &layout) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(&layout);
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i != offsetof(Layout, checksum); ++i)
    hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}

uint32_t elementBytes(TensorMap::Type type) {
  switch (type) {
  case TensorMap::Type::U8:
    return 1;
  case TensorMap::Type::U16:
  case TensorMap::Type::F16:
  case TensorMap::Type::BF16:
    return 2;
  case TensorMap::Type::U32:
  case TensorMap::Type::I32:
  case TensorMap::Type::F32:
  case TensorMap::Type::F32FTZ:
  case TensorMap::Type::TF32:
  case TensorMap::Type::TF32FTZ:
    return 4;
  case TensorMap::Type::U64:
  case TensorMap::Type::I64:
  case TensorMap::Type::F64:
    return 8;
  }
  return 0;
}

static bool isFloat(TensorMap::Type type) {
  switch (type) {
  case TensorMap::Type::F16:
  case TensorMap::Type::BF16:
  case TensorMap::Type::F32:
  case TensorMap::Type::F32FTZ:
  case TensorMap::Type::TF32:
  case TensorMap::Type::TF32FTZ:
  case TensorMap::Type::F64:
    return true;
  default:
    return false;
  }
}

/// Limits of one dimension; empty when they are kept.
static std::string checkDimension(const TensorMap &map, unsigned i) {
  std::string at = " of dimension " + llvm::utostr(i);
  if (map.dims[i] == 0 || map.dims[i] > uint64_t(1) << 32)
    return "size" + at + " is not in 1 to 2^32";
  if (map.box[i] == 0 || map.box[i] > 256)
    return "box size" + at + " is not in 1 to 256";
  if (map.elementStrides[i] == 0 || map.elementStrides[i] > 8)
    return "element stride" + at + " is not in 1 to 8";
  if (i == 0)
    return "";
  uint64_t stride = map.strides[i - 1];
  // Nothing is ever stepped over in a dimension of one element.
  if (map.dims[i] == 1 && stride == 0)
    return "";
  if (stride % 16 != 0 || stride == 0 || stride >= uint64_t(1) << 40)
    return "stride" + at + " is not a multiple of 16 below 2^40";
  return "";
}

std::string checkTensorMap(const TensorMap &map, uint64_t address,
                           uint64_t bufferBytes) {
  uint32_t size = elementBytes(map.type);
  if (!size)
    return "unknown element type";
  if (map.rank < 1 || map.rank > 5)
    return "rank is not in 1 to 5";
  if (map.interleave != TensorMap::Interleave::None)
    return "interleaved layouts are not supported";
  if (address % 16 != 0)
    return "the tensor's address is not a multiple of 16";
  for (unsigned i = 0; i != map.rank; ++i)
    if (std::string problem = checkDimension(map, i); !problem.empty())
      return problem;
  uint64_t inner = uint64_t(map.box[0]) * size;
  if (inner % 16 != 0)
    return "the box's inner dimension is not a multiple of 16 bytes";
  if (map.swizzle > TensorMap::Swizzle::B128)
    return "unknown swizzle";
  if (map.swizzle != TensorMap::Swizzle::None &&
      inner > 16u << unsigned(map.swizzle))
    return "the box's inner dimension of " + llvm::utostr(inner) +
           " bytes is wider than the swizzle";
  if (map.oobNaN && !isFloat(map.type))
    return "only float tensors can be filled with NaN";
  if (map.dims[0] > bufferBytes / size)
    return "the tensor is larger than its buffer";
  uint64_t extent = map.dims[0] * size;
  for (unsigned i = 1; i != map.rank; ++i) {
    uint64_t steps = map.dims[i] - 1;
    if (steps && map.strides[i - 1] > (bufferBytes - extent) / steps)
      return "the tensor is larger than its buffer";
    extent += steps * map.strides[i - 1];
  }
  return "";
}

TensorMapBits encodeTensorMap(const TensorMap &map, uint64_t address) {
  Layout layout;
  std::memset(&layout, 0, sizeof(layout));
  layout.address = address;
  layout.magic = kMagic;
  layout.type = uint8_t(map.type);
  layout.rank = uint8_t(map.rank);
  layout.swizzle = uint8_t(map.swizzle);
  layout.interleave = uint8_t(map.interleave);
  layout.oobNaN = map.oobNaN;
  for (unsigned i = 0; i != map.rank; ++i) {
    layout.dims[i] = map.dims[i];
    layout.box[i] = uint16_t(map.box[i]);
    layout.elementStrides[i] = uint8_t(map.elementStrides[i]);
    if (i)
      layout.strides[i - 1] = map.strides[i - 1];
  }
  layout.checksum = checksum(layout);
  TensorMapBits bits;
  std::memcpy(bits.data(), &layout, sizeof(layout));
  return bits;
}

std::optional<DecodedTensorMap> decodeTensorMap(const TensorMapBits &bits) {
  Layout layout;
  std::memcpy(&layout, bits.data(), sizeof(layout));
  if (layout.magic != kMagic || layout.checksum != checksum(layout))
    return std::nullopt;
  DecodedTensorMap result;
  result.address = layout.address;
  TensorMap &map = result.map;
  map.type = TensorMap::Type(layout.type);
  map.rank = layout.rank;
  map.swizzle = TensorMap::Swizzle(layout.swizzle);
  map.interleave = TensorMap::Interleave(layout.interleave);
  map.oobNaN = layout.oobNaN;
  for (unsigned i = 0; i != map.rank; ++i) {
    map.dims[i] = layout.dims[i];
    map.box[i] = layout.box[i];
    map.elementStrides[i] = layout.elementStrides[i];
    if (i)
      map.strides[i - 1] = layout.strides[i - 1];
  }
  return result;
}

} // namespace attn::ptx
