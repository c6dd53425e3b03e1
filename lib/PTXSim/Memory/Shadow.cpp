//===- Shadow.cpp - Last accesses of each byte ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Memory/Shadow.h"

#include "PTXSim/Memory/GridOrder.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace attn::ptx {

/// The new access of `actor` may follow the old one.
static bool compatible(const AccessRecord &old, bool oldWrites,
                       const Actor &actor, bool &proxyOnly) {
  constexpr uint8_t atomic = AccessRecord::Atomic;
  constexpr uint8_t inCta = AccessRecord::Atomic | AccessRecord::CtaAtomic;
  proxyOnly = false;
  if (old.flags & actor.self.flags & atomic)
    return true;
  if ((old.flags & inCta) && (actor.self.flags & inCta) && actor.order &&
      actor.order->ctaOf(old.component) == actor.cta)
    return true;
  bool crosses = (actor.self.flags & AccessRecord::AsyncProxy) &&
                 !(old.flags & AccessRecord::AsyncProxy);
  // Generic writes must be made visible to the async proxy. A generic read
  // that is merely ordered before an async write has got its value already.
  if (crosses && oldWrites) {
    if (actor.clocks->knowsFenced(actor.lane, old, actor.order != nullptr))
      return true;
    proxyOnly = actor.clocks->knows(actor.lane, old);
    return false;
  }
  return actor.clocks->knows(actor.lane, old);
}

/// Of two reads by one thread or ordered threads the later stands for both,
/// unless it conflicts with less.
static bool subsumes(const AccessRecord &later, const AccessRecord &earlier) {
  return !(later.flags & ~earlier.flags &
           (AccessRecord::Atomic | AccessRecord::CtaAtomic));
}

bool Shadow::checkCell(const Cell &cell, const Actor &actor, bool write,
                       Conflict &conflict) const {
  auto test = [&](const AccessRecord &old, bool oldWrites) {
    if (compatible(old, oldWrites, actor, conflict.proxyOnly))
      return true;
    conflict.other = old;
    conflict.otherWrites = oldWrites;
    return false;
  };
  if (cell.write.time && !test(cell.write, true))
    return false;
  if (!write)
    return true;
  if (cell.read.flags & AccessRecord::ReadSet)
    return llvm::all_of(readSets[cell.read.line],
                        [&](const AccessRecord &r) { return test(r, false); });
  return !cell.read.time || test(cell.read, false);
}

bool Shadow::check(size_t offset, size_t bytes, const Actor &actor, bool write,
                   Conflict &conflict) const {
  size_t end = offset + bytes;
  while (offset < end) {
    size_t stop = std::min(end, (offset / 4 + 1) * 4);
    const Cell &cell = cells[offset / 4];
    if (cell.write.flags & AccessRecord::Split) {
      for (size_t b = offset; b != stop; ++b)
        if (!checkCell(splits[cell.write.line][b % 4], actor, write, conflict))
          return false;
    } else if (!checkCell(cell, actor, write, conflict)) {
      return false;
    }
    offset = stop;
  }
  return true;
}

static void addWriter(const AccessRecord &write,
                      std::vector<AccessRecord> &writers) {
  if (!write.time)
    return;
  // Neighbours mostly have the same writer: the latest found is tried first.
  for (size_t i = writers.size(); i-- > 0;) {
    AccessRecord &w = writers[i];
    if (w.component != write.component || w.time != write.time ||
        w.line != write.line || w.flags != write.flags)
      continue;
    w.lanes |= write.lanes;
    if (i + 1 != writers.size())
      std::swap(w, writers.back());
    return;
  }
  writers.push_back(write);
}

void Shadow::collectWriters(size_t offset, size_t bytes,
                            std::vector<AccessRecord> &writers) const {
  for (size_t end = offset + bytes; offset < end;) {
    size_t stop = std::min(end, (offset / 4 + 1) * 4);
    const Cell &cell = cells[offset / 4];
    if (cell.write.flags & AccessRecord::Split)
      for (size_t b = offset; b != stop; ++b)
        addWriter(splits[cell.write.line][b % 4].write, writers);
    else
      addWriter(cell.write, writers);
    offset = stop;
  }
}

bool Shadow::mayRead(const AccessRecord &write, const Actor &actor) {
  bool proxyOnly;
  return compatible(write, /*oldWrites=*/true, actor, proxyOnly);
}

void Shadow::dropReads(AccessRecord &read) {
  if (read.flags & AccessRecord::ReadSet) {
    readSets[read.line].clear();
    freeSets.push_back(read.line);
  }
  read = {};
}

std::array<Shadow::Cell, 4> &Shadow::split(Cell &cell) {
  if (cell.write.flags & AccessRecord::Split)
    return splits[cell.write.line];
  uint32_t index = uint32_t(splits.size());
  if (freeSplits.empty())
    splits.emplace_back();
  else
    index = freeSplits.pop_back_val();
  for (Cell &part : splits[index]) {
    part = cell;
    if (!(cell.read.flags & AccessRecord::ReadSet))
      continue;
    part.read.line = uint32_t(readSets.size());
    readSets.push_back(Reads(readSets[cell.read.line]));
  }
  dropReads(cell.read);
  cell.write = {};
  cell.write.flags = AccessRecord::Split;
  cell.write.line = index;
  return splits[index];
}

void Shadow::unsplit(Cell &cell) {
  if (!(cell.write.flags & AccessRecord::Split))
    return;
  for (Cell &part : splits[cell.write.line])
    dropReads(part.read);
  freeSplits.push_back(cell.write.line);
  cell = {};
}

bool Shadow::writeCell(Cell &cell, const AccessRecord &self) {
  const AccessRecord &old = cell.write;
  bool overlap =
      old.time == self.time && old.component == self.component &&
      old.line == self.line && old.lanes != self.lanes &&
      !(self.flags & (AccessRecord::AsyncProxy | AccessRecord::Atomic |
                      AccessRecord::CtaAtomic));
  dropReads(cell.read);
  cell.write = self;
  return overlap;
}

bool Shadow::writeGranule(size_t offset, size_t bytes,
                          const AccessRecord &self) {
  Cell &cell = cells[offset / 4];
  bool overlap = false;
  if (bytes == 4 && !(cell.write.flags & AccessRecord::Split))
    return writeCell(cell, self);
  std::array<Cell, 4> &parts = split(cell);
  for (size_t b = offset; b != offset + bytes; ++b)
    overlap |= writeCell(parts[b % 4], self);
  if (bytes == 4) {
    unsplit(cell);
    cell.write = self;
  }
  return overlap;
}

void Shadow::addToSet(Cell &cell, const Actor &actor) {
  const AccessRecord &self = actor.self;
  if (!(cell.read.flags & AccessRecord::ReadSet)) {
    uint32_t index = uint32_t(readSets.size());
    if (freeSets.empty())
      readSets.emplace_back();
    else
      index = freeSets.pop_back_val();
    readSets[index].push_back(cell.read);
    cell.read = {};
    cell.read.flags = AccessRecord::ReadSet;
    cell.read.line = index;
  }
  Reads &set = readSets[cell.read.line];
  for (AccessRecord &r : set)
    if (r.component == self.component && r.time == self.time &&
        r.flags == self.flags) {
      r.lanes |= self.lanes;
      return;
    }
  // Whoever knows of the new read knows of all that its reader knew.
  llvm::erase_if(set, [&](const AccessRecord &r) {
    return actor.clocks->knows(actor.lane, r) && subsumes(self, r);
  });
  set.push_back(self);
}

void Shadow::readCell(Cell &cell, const Actor &actor) {
  AccessRecord &old = cell.read;
  const AccessRecord &self = actor.self;
  if (!(old.flags & AccessRecord::ReadSet)) {
    if (old.component == self.component && old.time == self.time &&
        old.flags == self.flags) {
      old.lanes |= self.lanes;
      old.line = self.line;
      return;
    }
    if (old.time == 0 ||
        (actor.clocks->knows(actor.lane, old) && subsumes(self, old))) {
      old = self;
      return;
    }
  }
  addToSet(cell, actor);
}

void Shadow::readGranule(size_t offset, size_t bytes, const Actor &actor) {
  Cell &cell = cells[offset / 4];
  if (bytes == 4 && !(cell.write.flags & AccessRecord::Split))
    return readCell(cell, actor);
  std::array<Cell, 4> &parts = split(cell);
  for (size_t b = offset; b != offset + bytes; ++b)
    readCell(parts[b % 4], actor);
}

void Shadow::forget(size_t offset, size_t bytes) {
  for (size_t b = offset; b < offset + bytes; b += 4) {
    Cell &cell = cells[b / 4];
    unsplit(cell);
    dropReads(cell.read);
    cell = {};
  }
}

} // namespace attn::ptx
