//===- Footprint.h - Which bytes of global memory CTAs touch ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CTA's footprint is a bit for each byte that it reads and for each that it
// writes, and which of its threads does so. When the CTA ends, its footprint is
// held against those of the CTAs before it: what remains are the bytes for
// which the order of CTAs or of threads matters, in most kernels none. The
// result does not depend on the order in which CTAs end.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MEMORY_FOOTPRINT_H
#define ATTN_LIB_PTXSIM_MEMORY_FOOTPRINT_H

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>

namespace attn::ptx {

class Footprint {
public:
  static constexpr uint64_t kPageBytes = 4096;
  enum Kind : uint8_t {
    Reads,
    Writes,
    Strong, ///< Reads and writes that are atomic for other CTAs.
    NumKinds
  };
  using Bits = std::array<uint64_t, kPageBytes / 64>;
  /// Null: none of the page.
  using Page = std::array<std::unique_ptr<Bits>, NumKinds>;

  /// Who touched a byte: a thread of the CTA counted from 1, or kOperation and
  /// a hash that tells apart what asynchronous operations warps have issued.
  using Toucher = uint16_t;
  static constexpr Toucher kNobody = 0, kOperation = 0x8000, kSeveral = 0xffff;

  void add(Kind kind, uint64_t address, uint64_t bytes, Toucher who) {
    uint64_t bit = address % 64;
    if (bit + bytes > 64)
      return addLong(kind, address, bytes, who);
    Own &page = pageAt(address / kPageBytes);
    std::unique_ptr<Bits> &bits = page.kinds[kind];
    if (!bits)
      bits = std::make_unique<Bits>(Bits{});
    uint64_t mask = bytes == 64 ? ~0ull : ((1ull << bytes) - 1) << bit;
    (*bits)[address % kPageBytes / 64] |= mask;
    Toucher *at = &page.touchers[address % kPageBytes];
    for (uint64_t b = 0; b != bytes; ++b)
      at[b] = at[b] == kNobody || at[b] == who ? who : kSeveral;
  }

private:
  friend class SharedBytes;
  struct Own {
    Page kinds;
    std::array<Toucher, kPageBytes> touchers{};
  };
  struct Recent {
    uint64_t page = ~0ull;
    Own *own = nullptr;
  };
  void addLong(Kind kind, uint64_t address, uint64_t bytes, Toucher who);
  Own &pageAt(uint64_t page) {
    Recent &slot = recent[page % recent.size()];
    if (slot.page != page)
      slot = {page, find(page)};
    return *slot.own;
  }
  Own *find(uint64_t page);

  llvm::DenseMap<uint64_t, std::unique_ptr<Own>> pages; ///< By number.
  std::array<Recent, 64> recent;
};

/// The bytes that several CTAs or several threads of one touch, one of them
/// with a write, unless all do so with strong accesses.
class SharedBytes {
public:
  /// May be called from several host threads.
  void merge(const Footprint &cta);
  bool empty() const { return found.empty(); }
  bool hasPage(uint64_t address) const {
    return found.count(address / Footprint::kPageBytes) != 0;
  }
  /// One of the bytes, which lie in one page, is shared.
  bool contains(uint64_t address, uint64_t bytes) const;

private:
  std::mutex lock;
  llvm::DenseMap<uint64_t, Footprint::Page> all; ///< Of the CTAs so far.
  llvm::DenseMap<uint64_t, std::unique_ptr<Footprint::Bits>> found;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MEMORY_FOOTPRINT_H
