//===- ClusterReports.cpp - What is wrong with an access ------------------===//
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

void ClusterMemory::report(FindingKind kind, const Warp &warp, unsigned lane,
                           uint32_t line, uint32_t otherLine,
                           llvm::function_ref<std::string()> message,
                           bool isNote) {
  std::pair<uint64_t, uint32_t> key{uint64_t(kind) << 32 | line, otherLine};
  bool first = reported[key]++ == 0;
  isNote &= !cluster.grid->options->strict;
  cluster.diagnostics.report(kind, &warp, lane, line,
                             first ? message() : std::string(), otherLine,
                             isNote);
}

std::string ClusterMemory::describe(const AccessRecord &record) const {
  std::string text = device.order ? device.order->nameOf(record.component)
                                  : componentNames[record.component];
  if (!(record.flags & AccessRecord::AsyncProxy) && record.lanes)
    text += " lane " + llvm::utostr(llvm::countr_zero(record.lanes));
  return text;
}

uint32_t ClusterMemory::operationAt(MemSpace space, uint64_t address,
                                    uint64_t bytes, bool write,
                                    bool reduces) const {
  auto hits = [&](llvm::ArrayRef<ByteRange> ranges) {
    return llvm::any_of(ranges, [&](const ByteRange &r) {
      return r.space == space && r.address < address + bytes &&
             address < r.address + r.bytes;
    });
  };
  for (const auto &[id, op] : operations)
    if (!(reduces && op.reduces) && hits(write ? op.writes : op.reads))
      return op.line;
  return 0;
}

/// Called for bytes that are in some special state; says which.
void ClusterMemory::complainShared(const Access &access, unsigned lane,
                                   SharedMemory &memory, uint32_t index,
                                   bool write) {
  uint8_t any = memory.anyState(index, access.bytes);
  uint64_t address = access.address[lane];
  auto what = [&] {
    return std::string(write ? "Write" : "Read") + " of " +
           llvm::utostr(access.bytes) + " bytes at shared address " +
           hex(address);
  };
  if (any & SharedMemory::Barrier)
    return report(FindingKind::BarrierMisuse, access.warp, lane, access.line, 0,
                  [&] { return what() + ", which is part of an mbarrier."; });
  bool reading = write && (any & SharedMemory::BeingRead);
  if ((any & SharedMemory::BeingWritten) || reading) {
    bool writing = any & SharedMemory::BeingWritten;
    uint32_t other = operationAt(MemSpace::Shared, address, access.bytes,
                                 /*write=*/writing);
    return report(
        FindingKind::InFlight, access.warp, lane, access.line, other, [&] {
          return what() + " while the asynchronous operation of line " +
                 llvm::utostr(other) + " is still " +
                 (writing ? "writing" : "reading") + " them.";
        });
  }
  if (!write &&
      !(memory.commonState(index, access.bytes) & SharedMemory::Initialised))
    report(FindingKind::Uninitialised, access.warp, lane, access.line, 0,
           [&] { return what() + ", which nothing has written."; });
  else if (checkRaces)
    checkOrder(access, lane, memory, index,
               actor(access, lane, access.order != Order::Weak), write);
}

void ClusterMemory::checkOrder(const Access &access, unsigned lane,
                               SharedMemory &memory, uint32_t index,
                               const Actor &actor, bool write) {
  Conflict conflict;
  if (!memory.shadow.check(index, access.bytes, actor, write, conflict))
    reportConflict(access.warp, lane, access.line, conflict, write,
                   access.address[lane], access.bytes);
}

void ClusterMemory::reportConflict(const Warp &warp, unsigned lane,
                                   uint32_t line, const Conflict &conflict,
                                   bool write, uint64_t address,
                                   uint64_t bytes) {
  const AccessRecord &other = conflict.other;
  FindingKind kind =
      conflict.proxyOnly ? FindingKind::MissingProxyFence : FindingKind::Race;
  report(kind, warp, lane, line, other.line, [&] {
    std::string text = std::string(write ? "Write" : "Read") + " of " +
                       llvm::utostr(bytes) + " bytes at shared address " +
                       hex(address);
    std::string before = std::string(conflict.otherWrites ? "write" : "read") +
                         " of line " + llvm::utostr(other.line) + " by " +
                         describe(other);
    if (conflict.proxyOnly)
      return text + " by the async proxy comes after the generic " + before +
             " without a fence.proxy.async between them.";
    if (other.flags & AccessRecord::AsyncProxy)
      return text + ": nothing waited for the asynchronous " + before + ".";
    return text + " races with the " + before +
           ": nothing orders one before the other.";
  });
}

/// Whether an operation of this cluster in flight uses the global bytes.
bool ClusterMemory::pendingGlobal(const Access &access, unsigned lane,
                                  bool write) {
  uint64_t address = access.address[lane];
  uint32_t other =
      operationAt(MemSpace::Global, address, access.bytes, /*write=*/true);
  bool writing = other != 0;
  if (!other && write)
    other = operationAt(MemSpace::Global, address, access.bytes, false);
  if (!other)
    return false;
  report(FindingKind::InFlight, access.warp, lane, access.line, other, [&] {
    return std::string(write ? "Write" : "Read") + " of " +
           llvm::utostr(access.bytes) + " bytes at " + hex(address) +
           " while the asynchronous operation of line " + llvm::utostr(other) +
           " is still " + (writing ? "writing" : "reading") + " them.";
  });
  return true;
}

} // namespace attn::ptx
