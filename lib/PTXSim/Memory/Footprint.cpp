//===- Footprint.cpp - Which bytes of global memory CTAs touch ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Memory/Footprint.h"

#include <algorithm>

namespace attn::ptx {

Footprint::Own *Footprint::find(uint64_t page) {
  std::unique_ptr<Own> &own = pages[page];
  if (!own)
    own = std::make_unique<Own>();
  return own.get();
}

void Footprint::addLong(Kind kind, uint64_t address, uint64_t bytes,
                        Toucher who) {
  while (bytes) {
    uint64_t count = std::min(bytes, 64 - address % 64);
    add(kind, address, count, who);
    address += count;
    bytes -= count;
  }
}

/// A bit for each byte of word `i` that several touched.
static uint64_t
severalAt(const std::array<Footprint::Toucher, Footprint::kPageBytes> &touchers,
          size_t i) {
  uint64_t several = 0;
  for (unsigned b = 0; b != 64; ++b)
    several |= uint64_t(touchers[i * 64 + b] == Footprint::kSeveral) << b;
  return several;
}

void SharedBytes::merge(const Footprint &cta) {
  std::lock_guard<std::mutex> guard(lock);
  for (const auto &[page, ownPage] : cta.pages) {
    const Footprint::Page &own = ownPage->kinds;
    Footprint::Page &others = all[page];
    Footprint::Bits shared{};
    uint64_t any = 0;
    auto at = [](const Footprint::Page &p, Footprint::Kind kind, size_t i) {
      return p[kind] ? (*p[kind])[i] : 0;
    };
    for (size_t i = 0; i != shared.size(); ++i) {
      uint64_t r = at(own, Footprint::Reads, i),
               w = at(own, Footprint::Writes, i),
               s = at(own, Footprint::Strong, i);
      uint64_t otherR = at(others, Footprint::Reads, i),
               otherW = at(others, Footprint::Writes, i),
               otherS = at(others, Footprint::Strong, i);
      shared[i] = (w & (otherR | otherW | otherS)) | (r & (otherW | otherS)) |
                  (s & (otherR | otherW));
      // Threads of this CTA among themselves.
      if (uint64_t unordered = w | (s & r))
        shared[i] |= unordered & severalAt(ownPage->touchers, i);
      any |= shared[i];
    }
    for (unsigned kind = 0; kind != Footprint::NumKinds; ++kind) {
      if (!own[kind])
        continue;
      if (!others[kind])
        others[kind] = std::make_unique<Footprint::Bits>(Footprint::Bits{});
      for (size_t i = 0; i != shared.size(); ++i)
        (*others[kind])[i] |= (*own[kind])[i];
    }
    if (!any)
      continue;
    std::unique_ptr<Footprint::Bits> &into = found[page];
    if (!into)
      into = std::make_unique<Footprint::Bits>(Footprint::Bits{});
    for (size_t i = 0; i != shared.size(); ++i)
      (*into)[i] |= shared[i];
  }
}

bool SharedBytes::contains(uint64_t address, uint64_t bytes) const {
  auto it = found.find(address / Footprint::kPageBytes);
  if (it == found.end())
    return false;
  uint64_t begin = address % Footprint::kPageBytes, end = begin + bytes;
  for (uint64_t b = begin; b != end; ++b)
    if (((*it->second)[b / 64] >> (b % 64)) & 1)
      return true;
  return false;
}

} // namespace attn::ptx
