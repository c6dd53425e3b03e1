//===- TensorMapCodec.h - Tensor maps in 128 bytes --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hardware's encoding of a tensor map is opaque, so the simulator has its
// own. It carries a checksum: bytes that are no tensor map are recognised.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_ASYNC_TENSORMAPCODEC_H
#define ATTN_LIB_PTXSIM_ASYNC_TENSORMAPCODEC_H

#include "attn-ptxsim/PTXSim.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace attn::ptx {

constexpr unsigned kTensorMapBytes = 128;
using TensorMapBits = std::array<uint8_t, kTensorMapBytes>;

uint32_t elementBytes(TensorMap::Type type);

/// What cuTensorMapEncodeTiled would refuse, or that the tensor does not lie in
/// a buffer of `bufferBytes`; empty when the map is good. `address` is where
/// the tensor starts.
std::string checkTensorMap(const TensorMap &map, uint64_t address,
                           uint64_t bufferBytes);

/// `address`: device address of the tensor's first element.
TensorMapBits encodeTensorMap(const TensorMap &map, uint64_t address);

struct DecodedTensorMap {
  TensorMap map;
  uint64_t address = 0;
};
/// Nothing when the bytes are no tensor map.
std::optional<DecodedTensorMap> decodeTensorMap(const TensorMapBits &bits);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_ASYNC_TENSORMAPCODEC_H
