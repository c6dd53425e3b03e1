//===- GridOrder.cpp - The order of CTAs in global memory -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Memory/GridOrder.h"

namespace attn::ptx {

Component GridOrder::reserve(Component count) {
  // No run comes near the end of the numbering. Were it reached, clusters
  // would share components, which hides races and invents none.
  constexpr Component most = 0xff0000;
  Component begin = Component(names.size());
  if (begin + count > most)
    return most - count;
  names.resize(begin + count);
  return begin;
}

void GridOrder::name(Component c, std::string name, uint64_t cta) {
  names[c] = {std::move(name), cta};
}

Shadow *GridOrder::shadowAt(uint64_t address, uint64_t bytes, size_t &offset) {
  if (!shared->contains(address, bytes))
    return nullptr;
  offset = address % Footprint::kPageBytes;
  std::unique_ptr<Shadow> &slot = shadows[address / Footprint::kPageBytes];
  if (!slot)
    slot = std::make_unique<Shadow>(Footprint::kPageBytes);
  return slot.get();
}

} // namespace attn::ptx
