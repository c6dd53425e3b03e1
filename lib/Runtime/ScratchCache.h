//===- ScratchCache.h - Scratch memory kept between calls -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel asks for its scratch at every call and gives it back at its end.
// Large blocks of the C library are fresh pages each time, and first touching
// them can cost more than the kernel's own loops, above all in a virtual
// machine. So large blocks are kept and handed out again.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_RUNTIME_SCRATCHCACHE_H
#define ATTN_LIB_RUNTIME_SCRATCHCACHE_H

#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>

namespace attn {

/// Kept and handed out blocks together never take more bytes than were handed
/// out at one time before: keeping blocks does not raise the peak.
class ScratchCache {
public:
  ~ScratchCache() { trim(); }

  /// Null if there is no memory. `align` is a power of two.
  void *allocate(size_t bytes, size_t align);
  void release(void *ptr);
  /// Gives every kept block back to the system.
  void trim();

  size_t liveBytes() const;
  size_t keptBytes() const;

private:
  struct Block {
    size_t capacity, asked;
  };

  void *takeKept(size_t bytes, size_t align);
  void trimLocked();

  mutable std::mutex mutex;
  std::unordered_map<void *, Block> live;
  /// By capacity.
  std::multimap<size_t, void *> kept;
  size_t liveTotal = 0, liveCapacity = 0, keptTotal = 0, peak = 0;
};

} // namespace attn

#endif // ATTN_LIB_RUNTIME_SCRATCHCACHE_H
