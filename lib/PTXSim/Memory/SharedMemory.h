//===- SharedMemory.h - Shared memory of one CTA ----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of a CTA's shared memory and what is known of each: whether it
// holds a value, whether it belongs to an mbarrier, and how many operations in
// flight read or write it.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MEMORY_SHAREDMEMORY_H
#define ATTN_LIB_PTXSIM_MEMORY_SHAREDMEMORY_H

#include "PTXSim/Memory/Shadow.h"

#include <cstring>

namespace attn::ptx {

struct Cta;

class SharedMemory {
public:
  enum State : uint8_t {
    Initialised = 1,
    BeingRead = 2,    ///< By an asynchronous operation.
    BeingWritten = 4, ///< By an asynchronous operation.
    Barrier = 8       ///< Part of an mbarrier object.
  };

  SharedMemory(Cta &cta, uint32_t size)
      : cta(cta), bytes(size, 0xff), states(size, 0), shadow(size),
        readers((size + 3) / 4, 0), writers((size + 3) / 4, 0) {}

  uint32_t size() const { return uint32_t(bytes.size()); }
  uint8_t *data(uint32_t index) { return bytes.data() + index; }

  /// All bits that some of the bytes have / that all of them have.
  uint8_t anyState(uint32_t index, uint32_t count) const {
    uint8_t any = 0;
    for (uint32_t i = 0; i != count; ++i)
      any |= states[index + i];
    return any;
  }
  uint8_t commonState(uint32_t index, uint32_t count) const {
    uint8_t all = 0xff;
    for (uint32_t i = 0; i != count; ++i)
      all &= states[index + i];
    return all;
  }
  /// The bytes hold values and nothing else is known of them.
  bool plain(uint32_t index, uint32_t count) const {
    if (count % 4 == 0) {
      uint32_t other = 0, word;
      for (uint32_t i = 0; i != count; i += 4) {
        std::memcpy(&word, states.data() + index + i, 4);
        other |= word ^ Initialised * 0x01010101u;
      }
      return other == 0;
    }
    uint8_t any = 0;
    for (uint32_t i = 0; i != count; ++i)
      any |= states[index + i] ^ Initialised;
    return any == 0;
  }
  /// The bytes hold values that nothing is about to overwrite.
  bool readable(uint32_t index, uint32_t count) const {
    uint8_t any = 0;
    for (uint32_t i = 0; i != count; ++i)
      any |= states[index + i] ^ Initialised;
    return (any & (Initialised | BeingWritten | Barrier)) == 0;
  }
  void set(uint32_t index, uint32_t count, State bit) {
    for (uint32_t i = 0; i != count; ++i)
      states[index + i] |= bit;
  }
  void unset(uint32_t index, uint32_t count, uint8_t bits) {
    for (uint32_t i = 0; i != count; ++i)
      states[index + i] &= ~bits;
  }

  /// An operation in flight begins or ends to use the bytes.
  void begin(uint32_t index, uint32_t count, bool write);
  void end(uint32_t index, uint32_t count, bool write);

  Cta &cta;
  bool ended = false; ///< The CTA has exited.

  /// The swizzle with which a tensor copy wrote 16 bytes. It is valid while
  /// that copy is the last write that the shadow knows of.
  struct Swizzling {
    uint32_t line = 0; ///< Of the copy; 0: none.
    uint8_t width = 0; ///< 32, 64 or 128 bytes.
  };
  std::vector<Swizzling> swizzlings; ///< By 16 bytes; made when needed.

private:
  std::vector<uint8_t> bytes, states;

public:
  Shadow shadow;

private:
  /// Operations in flight, by 4-byte granule: the smallest size they have.
  std::vector<uint16_t> readers, writers;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MEMORY_SHAREDMEMORY_H
