//===- ClusterAsync.cpp - What asynchronous operations touch --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Memory/ClusterMemory.h"

#include "PTXSim/Exec/Exec.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

namespace attn::ptx {

static std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

SharedMemory *ClusterMemory::shared(const Issuer &who, uint64_t address,
                                    uint64_t bytes, llvm::StringRef what,
                                    uint32_t &index) {
  if (SharedMemory *memory = sharedAt(address, bytes, index))
    return memory;
  report(FindingKind::OutOfBounds, who.warp, who.lane, who.line, 0, [&] {
    uint64_t rank = address >> 24;
    std::string text = what.str() + ": " + llvm::utostr(bytes) +
                       " bytes at shared address " + hex(address);
    if (rank < memories.size() && memories[rank]->ended)
      return text + ": CTA " + llvm::utostr(rank) +
             " of the cluster has exited already.";
    if (rank >= memories.size())
      return text + " are outside the shared memory of every CTA of the "
                    "cluster.";
    return text + " are outside the CTA's shared memory of " +
           llvm::utostr(memories[rank]->size()) + " bytes, which begins at " +
           hex((rank << 24) + kSharedBase) + ".";
  });
  return nullptr;
}

Allocation *ClusterMemory::global(const Issuer &who, uint64_t address,
                                  uint64_t bytes, bool write) {
  Allocation *a = device.find(address, bytes);
  if (!a) {
    report(FindingKind::OutOfBounds, who.warp, who.lane, who.line, 0, [&] {
      return std::string(write ? "Write" : "Read") + " of " +
             llvm::utostr(bytes) + " bytes at " + hex(address) +
             " is outside every allocation: " + device.describe(address) + ".";
    });
  } else if (write && a->readOnly) {
    report(FindingKind::ReadOnly, who.warp, who.lane, who.line, 0, [&] {
      return "Write to read-only '" + a->name + "' at " + hex(address) + ".";
    });
    return nullptr;
  }
  return a;
}

static AccessRecord recordOf(const Issuer &who, bool write, Component component,
                             uint32_t time, uint32_t lanes) {
  AccessRecord record;
  record.time = time;
  record.line = who.line;
  record.lanes = lanes;
  record.component = component;
  record.flags = (who.proxy == Proxy::Async ? AccessRecord::AsyncProxy : 0) |
                 (write && who.reduces ? AccessRecord::Atomic : 0);
  return record;
}

bool ClusterMemory::checkRange(const Issuer &who, const ByteRange &range,
                               bool write) {
  uint64_t address = range.address;
  if (range.space == MemSpace::Global) {
    Allocation *a = global(who, address, range.bytes, write);
    if (!a)
      return false;
    touchGlobal(who, address, range.bytes, write,
                write && who.reduces ? AccessRecord::Atomic : 0);
    if (write)
      return true;
    const uint8_t *valid = a->initialised.get() + (address - a->base);
    if (llvm::any_of(llvm::ArrayRef(valid, range.bytes),
                     [](uint8_t v) { return !v; }))
      report(FindingKind::Uninitialised, who.warp, who.lane, who.line, 0, [&] {
        return "Asynchronous read of " + llvm::utostr(range.bytes) +
               " bytes at " + hex(address) + " of '" + a->name +
               "', which nothing has written.";
      });
    return true;
  }
  uint32_t index;
  llvm::StringRef what = write ? "Asynchronous write" : "Asynchronous read";
  SharedMemory *memory = shared(who, address, range.bytes, what, index);
  if (!memory)
    return false;
  uint8_t any = memory->anyState(index, uint32_t(range.bytes));
  uint8_t busy =
      SharedMemory::BeingWritten | (write ? SharedMemory::BeingRead : 0);
  auto where = [&] {
    return what.str() + " of " + llvm::utostr(range.bytes) +
           " bytes at shared address " + hex(address);
  };
  bool writing = any & SharedMemory::BeingWritten;
  uint32_t other = 0;
  // Reductions of one word do not disturb each other.
  if (writing)
    other = operationAt(MemSpace::Shared, address, range.bytes,
                        /*write=*/true, write && who.reduces);
  if (!other && (any & busy & SharedMemory::BeingRead)) {
    writing = false;
    other = operationAt(MemSpace::Shared, address, range.bytes,
                        /*write=*/false);
  }
  if (any & SharedMemory::Barrier) {
    report(FindingKind::BarrierMisuse, who.warp, who.lane, who.line, 0,
           [&] { return where() + ", which are part of an mbarrier."; });
  } else if (other) {
    report(FindingKind::InFlight, who.warp, who.lane, who.line, other, [&] {
      return where() + " while the asynchronous operation of line " +
             llvm::utostr(other) + " is still " +
             (writing ? "writing" : "reading") + " them.";
    });
  } else if (!write && !(memory->commonState(index, uint32_t(range.bytes)) &
                         SharedMemory::Initialised)) {
    report(FindingKind::Uninitialised, who.warp, who.lane, who.line, 0,
           [&] { return where() + ", which nothing has written."; });
  } else if (checkRaces) {
    Actor actor{&clocks(who.warp), who.lane,
                recordOf(who, write, 0, 1, 1u << who.lane)};
    Conflict conflict;
    if (!memory->shadow.check(index, range.bytes, actor, write, conflict))
      reportConflict(who.warp, who.lane, who.line, conflict, write, address,
                     range.bytes);
  }
  return true;
}

bool ClusterMemory::comesAfter(const Issuer &who,
                               llvm::ArrayRef<AccessRecord> writers) {
  Actor actor{&clocks(who.warp), who.lane,
              recordOf(who, /*write=*/false, 0, 1, 1u << who.lane)};
  return llvm::all_of(writers, [&](const AccessRecord &write) {
    return Shadow::mayRead(write, actor);
  });
}

bool ClusterMemory::checkReads(const Issuer &who,
                               llvm::ArrayRef<ByteRange> ranges,
                               std::vector<AccessRecord> &writers) {
  bool readable = true;
  for (const ByteRange &r : ranges) {
    uint32_t index;
    SharedMemory *memory =
        shared(who, r.address, r.bytes, "Asynchronous read", index);
    if (!memory)
      return false;
    readable &= memory->readable(index, uint32_t(r.bytes));
    if (checkRaces)
      memory->shadow.collectWriters(index, r.bytes, writers);
  }
  if (readable && comesAfter(who, writers))
    return true;
  return llvm::all_of(ranges, [&](const ByteRange &r) {
    return checkRange(who, r, /*write=*/false);
  });
}

static bool usesGlobal(llvm::ArrayRef<ByteRange> ranges) {
  return llvm::any_of(
      ranges, [](const ByteRange &r) { return r.space == MemSpace::Global; });
}

void ClusterMemory::beginOperation(uint64_t id, uint32_t line,
                                   llvm::ArrayRef<ByteRange> reads,
                                   llvm::ArrayRef<ByteRange> writes,
                                   bool reduces) {
  Operation &op = operations[id];
  op.line = line;
  op.reduces = reduces;
  op.reads.assign(reads.begin(), reads.end());
  op.writes.assign(writes.begin(), writes.end());
  globalOperations += usesGlobal(reads) + usesGlobal(writes);
  for (bool write : {false, true})
    for (const ByteRange &r : write ? op.writes : op.reads) {
      uint32_t index;
      if (r.space != MemSpace::Shared)
        continue;
      if (SharedMemory *memory = sharedAt(r.address, r.bytes, index))
        memory->begin(index, uint32_t(r.bytes), write);
    }
}

void ClusterMemory::endOperation(uint64_t id, bool reads, bool writes) {
  auto it = operations.find(id);
  if (it == operations.end())
    return;
  Operation &op = it->second;
  for (bool write : {false, true}) {
    auto &ranges = write ? op.writes : op.reads;
    if (!(write ? writes : reads))
      continue;
    globalOperations -= usesGlobal(ranges);
    for (const ByteRange &r : ranges) {
      uint32_t index;
      if (r.space != MemSpace::Shared)
        continue;
      if (SharedMemory *memory = sharedAt(r.address, r.bytes, index))
        memory->end(index, uint32_t(r.bytes), write);
    }
    ranges.clear();
  }
  if (op.reads.empty() && op.writes.empty())
    operations.erase(it);
}

void ClusterMemory::recordRange(const Issuer &who, const ByteRange &range,
                                bool write, Component component, uint32_t time,
                                uint32_t lanes) {
  if (range.space == MemSpace::Global) {
    Allocation *a = write ? device.find(range.address, range.bytes) : nullptr;
    if (a)
      std::memset(a->initialised.get() + (range.address - a->base), 1,
                  range.bytes);
    recordGlobal(who, range.address, range.bytes, write,
                 recordOf(who, write, component, time, lanes));
    return;
  }
  uint32_t index;
  SharedMemory *memory = sharedAt(range.address, range.bytes, index);
  if (!memory)
    return;
  if (write)
    memory->set(index, uint32_t(range.bytes), SharedMemory::Initialised);
  if (!checkRaces)
    return;
  Actor actor{&clocks(who.warp), who.lane,
              recordOf(who, write, component, time, lanes)};
  if (write)
    memory->shadow.recordWrite(index, range.bytes, actor,
                               [](size_t, size_t) {});
  else
    memory->shadow.recordRead(index, range.bytes, actor);
}

void ClusterMemory::noteSwizzle(uint64_t address, uint64_t bytes, uint8_t width,
                                uint32_t line) {
  uint32_t index;
  SharedMemory *memory = sharedAt(address, bytes, index);
  if (!memory || (memory->swizzlings.empty() && !width))
    return;
  memory->swizzlings.resize(memory->size() / 16 + 1);
  for (uint64_t i = index / 16; i * 16 < index + bytes; ++i)
    memory->swizzlings[i] = {width ? line : 0, width};
}

uint32_t ClusterMemory::otherSwizzle(const ByteRange &range,
                                     uint8_t &width) const {
  uint64_t rank = range.address >> 24;
  uint32_t index = uint32_t(range.address & 0xffffff) - kSharedBase;
  if (rank >= memories.size() || memories[rank]->swizzlings.empty() ||
      index + range.bytes > memories[rank]->size())
    return 0;
  const SharedMemory &memory = *memories[rank];
  for (uint64_t i = index / 16; i * 16 < index + range.bytes; ++i) {
    const SharedMemory::Swizzling &s = memory.swizzlings[i];
    if (s.line && s.width != width &&
        memory.shadow.asyncWriter(i * 16) == s.line) {
      width = s.width;
      return s.line;
    }
  }
  return 0;
}

void ClusterMemory::reduceElement(MemSpace space, uint64_t address,
                                  uint8_t *target, const uint8_t *value,
                                  void (*reduce)(uint8_t *, const uint8_t *)) {
  if (space == MemSpace::Shared)
    return reduce(target, value);
  std::lock_guard<std::mutex> guard(device.lockOf(address));
  reduce(target, value);
}

bool ClusterMemory::reportGone(const Warp &warp, unsigned lane, uint32_t line) {
  report(FindingKind::AsyncMisuse, warp, lane, line, 0, [] {
    return std::string("The operation writes the shared memory of a CTA that "
                       "has exited: nothing waited for it.");
  });
  return false;
}

void ClusterMemory::setBarrier(uint64_t address, bool live) {
  uint32_t index;
  SharedMemory *memory = sharedAt(address, 8, index);
  if (!memory)
    return;
  if (live)
    return memory->set(index, 8, SharedMemory::Barrier);
  memory->unset(index, 8, SharedMemory::Barrier | SharedMemory::Initialised);
}

bool ClusterMemory::initFenced(Warp &warp, const AccessRecord &init) {
  return state(warp).initFence[llvm::countr_zero(init.lanes)] >= init.time;
}

bool ClusterMemory::initMet(Warp &warp, const AccessRecord &init) {
  return state(warp).initMet[llvm::countr_zero(init.lanes)] >= init.time;
}

uint8_t *ClusterMemory::bytes(MemSpace space, uint64_t address,
                              uint64_t count) {
  if (space == MemSpace::Global) {
    Allocation *a = device.find(address, count);
    return a ? a->data.get() + (address - a->base) : nullptr;
  }
  uint32_t index;
  SharedMemory *memory = sharedAt(address, count, index);
  return memory ? memory->data(index) : nullptr;
}

} // namespace attn::ptx
