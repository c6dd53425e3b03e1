//===- ClusterMemory.cpp - Loads, stores and atomics ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Memory/ClusterMemory.h"

#include "PTXSim/Exec/Exec.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <cstring>

namespace attn::ptx {

static std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

static bool isAtomic(Order order) { return order != Order::Weak; }

template <typename F> static bool everyLane(uint32_t mask, F &&f) {
  for (; mask; mask &= mask - 1)
    if (!f(unsigned(llvm::countr_zero(mask))))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Bounds and alignment
//===----------------------------------------------------------------------===//

SharedMemory *ClusterMemory::sharedAt(uint64_t address, uint64_t bytes,
                                      uint32_t &index) {
  uint64_t rank = address >> 24, offset = address & 0xffffff;
  if (rank >= memories.size() || !memories[rank] || offset < kSharedBase)
    return nullptr;
  SharedMemory &memory = *memories[rank];
  index = uint32_t(offset - kSharedBase);
  if (memory.ended || bytes > memory.size() || index > memory.size() - bytes)
    return nullptr;
  return &memory;
}

bool ClusterMemory::aligned(const Access &access) {
  if ((access.alignment & (access.alignment - 1)) != 0)
    return true;
  return everyLane(access.mask, [&](unsigned l) {
    if ((access.address[l] & (access.alignment - 1)) == 0)
      return true;
    report(FindingKind::Misaligned, access.warp, l, access.line, 0, [&] {
      return "Address " + hex(access.address[l]) + " of " +
             llvm::utostr(access.bytes) + " bytes is not a multiple of " +
             llvm::utostr(access.alignment) + ".";
    });
    return false;
  });
}

bool ClusterMemory::outOfBounds(const Access &access, unsigned lane,
                                bool write) {
  uint64_t address = access.address[lane];
  report(FindingKind::OutOfBounds, access.warp, lane, access.line, 0, [&] {
    std::string text = std::string(write ? "Write" : "Read") + " of " +
                       llvm::utostr(access.bytes) + " bytes at ";
    if (access.space == MemSpace::Global)
      return text + hex(address) +
             " is outside every allocation: " + device.describe(address) + ".";
    uint64_t rank = address >> 24;
    if (rank >= memories.size())
      return text + "shared address " + hex(address) +
             " is outside the shared memory of every CTA of the cluster.";
    if (memories[rank]->ended)
      return text + "shared address " + hex(address) + ": CTA " +
             llvm::utostr(rank) + " of the cluster has exited already.";
    return text + "shared address " + hex(address) +
           " is outside the CTA's shared memory of " +
           llvm::utostr(memories[rank]->size()) + " bytes, which begins at " +
           hex((rank << 24) + kSharedBase) + ".";
  });
  return false;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

bool ClusterMemory::load(const Access &access, uint8_t *data) {
  if (!aligned(access))
    return false;
  if (isAtomic(access.order))
    synchronise(access, /*reads=*/true, /*writes=*/false);
  return access.space == MemSpace::Shared ? loadShared(access, data)
                                          : loadGlobal(access, data);
}

Actor ClusterMemory::actor(const Access &access, unsigned lane, bool atomic) {
  WarpClocks &c = state(access.warp).clocks;
  Actor result{&c, lane, {}};
  result.self.time = c.now();
  result.self.line = access.line;
  result.self.lanes = 1u << lane;
  result.self.component = c.component(WarpClocks::Self);
  result.self.flags = atomic ? AccessRecord::Atomic : 0;
  return result;
}

/// Lanes by the address they name.
namespace {
struct LaneGroups {
  explicit LaneGroups(const Access &access) {
    uint8_t table[64];
    std::memset(table, 0xff, sizeof(table));
    everyLane(access.mask, [&](unsigned l) {
      uint64_t address = access.address[l];
      uint8_t &slot = table[(address ^ address >> 6) >> 2 & 63];
      // A slot that another address took makes one more group: no harm.
      if (slot != 0xff && access.address[firsts[slot]] == address) {
        masks[slot] |= 1u << l;
        return true;
      }
      slot = uint8_t(count);
      firsts[count] = uint8_t(l);
      masks[count++] = 1u << l;
      return true;
    });
  }
  unsigned count = 0;
  uint8_t firsts[32];
  uint32_t masks[32];
};
} // namespace

void ClusterMemory::checkRead(const Access &access, uint32_t lanes,
                              SharedMemory &memory, uint32_t index,
                              Actor &who) {
  bool readable = memory.plain(index, access.bytes);
  if (readable && (!checkRaces ||
                   memory.shadow.allMayRead(index, access.bytes, *who.clocks)))
    return;
  everyLane(lanes, [&](unsigned l) {
    who.lane = l;
    who.self.lanes = 1u << l;
    if (!readable)
      complainShared(access, l, memory, index, /*write=*/false);
    else
      checkOrder(access, l, memory, index, who, /*write=*/false);
    return true;
  });
}

/// Lanes that read the same bytes are checked and remembered together.
bool ClusterMemory::loadShared(const Access &access, uint8_t *data) {
  Actor who = actor(access, 0, isAtomic(access.order));
  LaneGroups groups(access);
  for (unsigned g = 0; g != groups.count; ++g) {
    unsigned first = groups.firsts[g];
    uint32_t index;
    SharedMemory *memory = sharedAt(access.address[first], access.bytes, index);
    if (!memory)
      return outOfBounds(access, first, /*write=*/false);
    checkRead(access, groups.masks[g], *memory, index, who);
    const uint8_t *from = memory->data(index);
    everyLane(groups.masks[g], [&](unsigned l) {
      std::memcpy(data + size_t(l) * access.bytes, from, access.bytes);
      return true;
    });
    if (!checkRaces)
      continue;
    who.lane = first;
    who.self.lanes = groups.masks[g];
    memory->shadow.recordRead(index, access.bytes, who);
  }
  return true;
}

bool ClusterMemory::loadGlobal(const Access &access, uint8_t *data) {
  Allocation *a = nullptr;
  uint8_t strong = strength(access.order, access.scope);
  return everyLane(access.mask, [&](unsigned l) {
    uint64_t address = access.address[l];
    if (!a || !a->contains(address, access.bytes))
      a = device.find(address, access.bytes);
    if (!a)
      return outOfBounds(access, l, /*write=*/false);
    uint64_t index = address - a->base;
    if (globalOperations)
      pendingGlobal(access, l, /*write=*/false);
    if (!a->readOnly)
      touchGlobal({access.warp, l, access.line, Proxy::Generic}, address,
                  access.bytes, /*write=*/false, strong);
    const uint8_t *valid = a->initialised.get() + index;
    uint8_t all = 1;
    for (uint32_t b = 0; b != access.bytes; ++b)
      all &= valid[b];
    if (!all)
      report(FindingKind::Uninitialised, access.warp, l, access.line, 0, [&] {
        return "Read of " + llvm::utostr(access.bytes) + " bytes at " +
               hex(address) + ", byte " + llvm::utostr(index) + " of '" +
               a->name + "', which nothing has written.";
      });
    uint8_t *out = data + size_t(l) * access.bytes;
    if (isAtomic(access.order)) {
      std::lock_guard<std::mutex> guard(device.lockOf(address));
      std::memcpy(out, a->data.get() + index, access.bytes);
    } else {
      std::memcpy(out, a->data.get() + index, access.bytes);
    }
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

bool ClusterMemory::store(const Access &access, const uint8_t *data) {
  if (!aligned(access))
    return false;
  if (isAtomic(access.order))
    synchronise(access, /*reads=*/false, /*writes=*/true);
  return access.space == MemSpace::Shared ? storeShared(access, data)
                                          : storeGlobal(access, data);
}

/// The first conflict of a store. Threads that store the same bytes with one
/// instruction, as kernels do where every warp publishes a constant, leave one
/// result whatever their order: that is none.
static bool conflicts(const Access &access, SharedMemory &memory,
                      uint32_t index, const uint8_t *value, const Actor &who,
                      Conflict &conflict) {
  Shadow &shadow = memory.shadow;
  if (shadow.check(index, access.bytes, who, /*write=*/true, conflict))
    return false;
  for (uint32_t at = 0; at < access.bytes;) {
    uint32_t count = std::min(access.bytes - at, 4 - (index + at) % 4);
    bool same = !std::memcmp(memory.data(index + at), value + at, count);
    if (!shadow.check(index + at, count, who, /*write=*/true, conflict) &&
        !(same && conflict.otherWrites && conflict.other.line == access.line &&
          !(conflict.other.flags & AccessRecord::AsyncProxy)))
      return true;
    at += count;
  }
  return false;
}

bool ClusterMemory::storeShared(const Access &access, const uint8_t *data) {
  Actor who = actor(access, 0, isAtomic(access.order));
  auto setLane = [&](unsigned l) {
    who.lane = l;
    who.self.lanes = 1u << l;
  };
  // All lanes store at once: each is held against what was before.
  bool inside = everyLane(access.mask, [&](unsigned l) {
    uint32_t index;
    SharedMemory *memory = sharedAt(access.address[l], access.bytes, index);
    if (!memory)
      return outOfBounds(access, l, /*write=*/true);
    setLane(l);
    uint8_t special = SharedMemory::BeingRead | SharedMemory::BeingWritten |
                      SharedMemory::Barrier;
    Conflict conflict;
    if (memory->anyState(index, access.bytes) & special)
      complainShared(access, l, *memory, index, /*write=*/true);
    else if (checkRaces &&
             conflicts(access, *memory, index, data + size_t(l) * access.bytes,
                       who, conflict))
      reportConflict(access.warp, l, access.line, conflict, /*write=*/true,
                     access.address[l], access.bytes);
    return true;
  });
  if (!inside)
    return false;
  return everyLane(access.mask, [&](unsigned l) {
    uint32_t index;
    SharedMemory *memory = sharedAt(access.address[l], access.bytes, index);
    const uint8_t *value = data + size_t(l) * access.bytes;
    setLane(l);
    if (checkRaces)
      memory->shadow.recordWrite(
          index, access.bytes, who, [&](size_t at, size_t count) {
            if (!std::memcmp(memory->data(at), value + (at - index), count))
              return;
            report(FindingKind::Race, access.warp, l, access.line, access.line,
                   [&] {
                     return "Lanes of one warp store different values to " +
                            hex(access.address[l]) + " in one instruction.";
                   });
          });
    std::memcpy(memory->data(index), value, access.bytes);
    memory->set(index, access.bytes, SharedMemory::Initialised);
    return true;
  });
}

bool ClusterMemory::storeGlobal(const Access &access, const uint8_t *data) {
  Allocation *a = nullptr;
  uint8_t strong = strength(access.order, access.scope);
  return everyLane(access.mask, [&](unsigned l) {
    uint64_t address = access.address[l];
    if (!a || !a->contains(address, access.bytes))
      a = device.find(address, access.bytes);
    if (!a)
      return outOfBounds(access, l, /*write=*/true);
    if (a->readOnly) {
      report(FindingKind::ReadOnly, access.warp, l, access.line, 0, [&] {
        return "Write to read-only '" + a->name + "' at " + hex(address) + ".";
      });
      return false;
    }
    if (globalOperations)
      pendingGlobal(access, l, /*write=*/true);
    uint64_t index = address - a->base;
    const uint8_t *value = data + size_t(l) * access.bytes;
    touchGlobal({access.warp, l, access.line, Proxy::Generic}, address,
                access.bytes, /*write=*/true, strong, strong ? nullptr : value);
    if (isAtomic(access.order)) {
      std::lock_guard<std::mutex> guard(device.lockOf(address));
      std::memcpy(a->data.get() + index, value, access.bytes);
    } else {
      std::memcpy(a->data.get() + index, value, access.bytes);
    }
    std::memset(a->initialised.get() + index, 1, access.bytes);
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

bool ClusterMemory::atomic(
    const Access &access,
    llvm::function_ref<bool(unsigned, uint8_t *)> update) {
  if (!aligned(access))
    return false;
  synchronise(access, /*reads=*/true, /*writes=*/true);
  return everyLane(access.mask, [&](unsigned l) {
    uint64_t address = access.address[l];
    if (access.space == MemSpace::Global) {
      Issuer who{access.warp, l, access.line, Proxy::Generic};
      Allocation *a = global(who, address, access.bytes, /*write=*/true);
      if (!a)
        return false;
      uint64_t index = address - a->base;
      touchGlobal(who, address, access.bytes, /*write=*/true,
                  strength(access.order, access.scope));
      std::lock_guard<std::mutex> guard(device.lockOf(address));
      if (!a->initialised[index])
        report(FindingKind::Uninitialised, access.warp, l, access.line, 0, [&] {
          return "Atomic operation on bytes of '" + a->name +
                 "' that nothing has written.";
        });
      if (update(l, a->data.get() + index))
        std::memset(a->initialised.get() + index, 1, access.bytes);
      return true;
    }
    uint32_t index;
    SharedMemory *memory = sharedAt(address, access.bytes, index);
    if (!memory)
      return outOfBounds(access, l, /*write=*/true);
    Actor who = actor(access, l, /*atomic=*/true);
    if (!memory->plain(index, access.bytes))
      complainShared(access, l, *memory, index, /*write=*/false);
    else if (checkRaces)
      checkOrder(access, l, *memory, index, who, /*write=*/true);
    bool wrote = update(l, memory->data(index));
    if (checkRaces && wrote)
      memory->shadow.recordWrite(index, access.bytes, who,
                                 [](size_t, size_t) {});
    else if (checkRaces)
      memory->shadow.recordRead(index, access.bytes, who);
    if (wrote)
      memory->set(index, access.bytes, SharedMemory::Initialised);
    return true;
  });
}

} // namespace attn::ptx
