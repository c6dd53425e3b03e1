//===- DeviceMemory.cpp - Allocations of a run ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Memory/DeviceMemory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

namespace attn::ptx {

/// Wide enough that a wrong row or tile index lands in it, not in a neighbour.
static constexpr uint64_t kGuardBytes = uint64_t(1) << 28;
/// Poison reads as NaN in every float format.
static constexpr uint8_t kPoison = 0xff;

uint64_t DeviceMemory::allocate(llvm::StringRef name, uint64_t bytes,
                                uint64_t align, llvm::ArrayRef<uint8_t> init,
                                bool poison, bool readOnly) {
  auto a = std::make_unique<Allocation>();
  a->name = name.str();
  a->base = llvm::alignTo(next, std::max<uint64_t>(align, 256));
  a->bytes = bytes;
  a->readOnly = readOnly;
  a->data = std::make_unique<uint8_t[]>(std::max<uint64_t>(bytes, 1));
  a->initialised = std::make_unique<uint8_t[]>(std::max<uint64_t>(bytes, 1));
  size_t given = std::min<size_t>(init.size(), bytes);
  if (given)
    std::memcpy(a->data.get(), init.data(), given);
  std::memset(a->data.get() + given, poison ? kPoison : 0, bytes - given);
  std::memset(a->initialised.get(), 1, poison ? given : bytes);
  next = a->base + bytes + kGuardBytes;
  allocations.push_back(std::move(a));
  return allocations.back()->base;
}

Allocation *DeviceMemory::find(uint64_t address, uint64_t bytes) const {
  auto after = std::upper_bound(
      allocations.begin(), allocations.end(), address,
      [](uint64_t value, const auto &a) { return value < a->base; });
  if (after == allocations.begin())
    return nullptr;
  Allocation *a = std::prev(after)->get();
  return a->contains(address, bytes) ? a : nullptr;
}

void DeviceMemory::write(uint64_t address, llvm::ArrayRef<uint8_t> bytes) {
  Allocation *a = find(address, bytes.size());
  assert(a && "host copy outside every allocation");
  std::copy(bytes.begin(), bytes.end(), a->data.get() + (address - a->base));
  std::memset(a->initialised.get() + (address - a->base), 1, bytes.size());
}

void DeviceMemory::read(uint64_t address,
                        llvm::MutableArrayRef<uint8_t> bytes) {
  Allocation *a = find(address, bytes.size());
  assert(a && "host copy outside every allocation");
  std::copy_n(a->data.get() + (address - a->base), bytes.size(), bytes.begin());
}

void DeviceMemory::setDefined(uint64_t address,
                              llvm::ArrayRef<uint8_t> defined) {
  Allocation *a = find(address, defined.size());
  assert(a && "host copy outside every allocation");
  uint64_t first = address - a->base;
  for (uint64_t i = 0; i != defined.size(); ++i) {
    a->initialised[first + i] = defined[i] != 0;
    if (!defined[i])
      a->data[first + i] = kPoison;
  }
}

void DeviceMemory::getDefined(uint64_t address,
                              llvm::MutableArrayRef<uint8_t> defined) {
  Allocation *a = find(address, defined.size());
  assert(a && "host copy outside every allocation");
  std::copy_n(a->initialised.get() + (address - a->base), defined.size(),
              defined.begin());
}

std::string DeviceMemory::describe(uint64_t address) const {
  const Allocation *best = nullptr;
  uint64_t distance = 0;
  for (const auto &a : allocations) {
    uint64_t d = address < a->base ? a->base - address
                 : address < a->base + a->bytes
                     ? 0
                     : address - (a->base + a->bytes);
    if (!best || d < distance) {
      best = a.get();
      distance = d;
    }
  }
  if (!best)
    return "there is no allocation";
  std::string text = "the nearest allocation is '" + best->name + "', " +
                     llvm::utostr(best->bytes) + " bytes at 0x" +
                     llvm::utohexstr(best->base, true) + "; this is ";
  if (address < best->base)
    return text + llvm::utostr(distance) + " bytes before it";
  if (address < best->base + best->bytes)
    return text + "at its byte " + llvm::utostr(address - best->base);
  return text + llvm::utostr(distance) + " bytes past its end";
}

} // namespace attn::ptx
