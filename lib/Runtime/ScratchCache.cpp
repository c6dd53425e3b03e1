//===- ScratchCache.cpp - Scratch memory kept between calls ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScratchCache.h"
#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace attn {

/// Below this the C library reuses pages by itself.
static constexpr size_t smallestKept = 64 * 1024;

/// The smallest kept block that is large enough, unless a quarter or more of
/// it would lie idle.
void *ScratchCache::takeKept(size_t bytes, size_t align) {
  for (auto it = kept.lower_bound(bytes);
       it != kept.end() && it->first - bytes <= bytes / 4; ++it) {
    void *ptr = it->second;
    if (reinterpret_cast<uintptr_t>(ptr) % align != 0)
      continue;
    keptTotal -= it->first;
    liveCapacity += it->first;
    live[ptr] = {it->first, bytes};
    kept.erase(it);
    return ptr;
  }
  return nullptr;
}

void *ScratchCache::allocate(size_t bytes, size_t align) {
  align = std::max(align, sizeof(void *));
  std::lock_guard<std::mutex> lock(mutex);
  void *ptr = bytes >= smallestKept ? takeKept(bytes, align) : nullptr;
  if (!ptr) {
    // What does not fit gives way first, so that the peak stays where it was.
    if (keptTotal != 0 && liveCapacity + keptTotal + bytes > peak)
      trimLocked();
    if (posix_memalign(&ptr, align, bytes ? bytes : 1) != 0)
      return nullptr;
    live[ptr] = {bytes, bytes};
    liveCapacity += bytes;
    peak = std::max(peak, liveCapacity);
  }
  liveTotal += bytes;
  return ptr;
}

void ScratchCache::release(void *ptr) {
  if (!ptr)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  auto it = live.find(ptr);
  if (it == live.end())
    return;
  Block block = it->second;
  live.erase(it);
  liveTotal -= block.asked;
  liveCapacity -= block.capacity;
  if (block.capacity < smallestKept) {
    std::free(ptr);
    return;
  }
  kept.emplace(block.capacity, ptr);
  keptTotal += block.capacity;
}

void ScratchCache::trimLocked() {
  for (auto &[capacity, ptr] : kept)
    std::free(ptr);
  kept.clear();
  keptTotal = 0;
}

void ScratchCache::trim() {
  std::lock_guard<std::mutex> lock(mutex);
  trimLocked();
}

size_t ScratchCache::liveBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return liveTotal;
}

size_t ScratchCache::keptBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return keptTotal;
}

} // namespace attn
