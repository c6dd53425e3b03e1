//===- TensorBox.h - Which bytes a tensor copy moves ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The address arithmetic of tile-mode tensor copies, as pure functions: where
// each part of a box lies in global and in (swizzled) shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_ASYNC_TENSORBOX_H
#define ATTN_LIB_PTXSIM_ASYNC_TENSORBOX_H

#include "PTXSim/Async/TensorMapCodec.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace attn::ptx {

/// Swizzled place of a shared-memory address. The 16-byte chunk index within a
/// 32, 64 or 128-byte row (address bits 4 and up) is XORed with the index of
/// the 128-byte line (bits 7 and up), as many bits as the row has chunks.
inline uint32_t swizzleAddress(uint32_t address, TensorMap::Swizzle swizzle) {
  switch (swizzle) {
  case TensorMap::Swizzle::None:
    return address;
  case TensorMap::Swizzle::B32:
    return address ^ ((address >> 3) & 0x10);
  case TensorMap::Swizzle::B64:
    return address ^ ((address >> 3) & 0x30);
  case TensorMap::Swizzle::B128:
    return address ^ ((address >> 3) & 0x70);
  }
  return address;
}

/// A run of bytes of a box, within one 16-byte chunk of shared memory.
struct BoxPart {
  uint32_t shared; ///< Shared address, swizzled.
  uint32_t bytes;
  bool inside;     ///< In the tensor; otherwise it is filled or skipped.
  uint64_t global; ///< Global address, when inside.
};

/// Bytes that one copy of a box moves in shared memory, those outside the
/// tensor included: what complete_tx counts.
uint64_t boxBytes(const TensorMap &map);

/// All parts of the box at `coordinates` (innermost first), in the order of
/// shared memory before swizzling.
std::vector<BoxPart> boxParts(const DecodedTensorMap &tensor,
                              llvm::ArrayRef<int32_t> coordinates,
                              uint32_t sharedAddress);

/// What elements outside the tensor read as.
void fillOutside(const TensorMap &map, llvm::MutableArrayRef<uint8_t> bytes);

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_ASYNC_TENSORBOX_H
