//===- Shadow.h - Last accesses of each byte --------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every 4-byte granule of a memory region the last write and the reads
// since then, as epochs (FastTrack). A granule that is accessed in parts is
// split into bytes until it is next written as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MEMORY_SHADOW_H
#define ATTN_LIB_PTXSIM_MEMORY_SHADOW_H

#include "PTXSim/Memory/WarpClocks.h"

#include <algorithm>
#include <vector>

namespace attn::ptx {

class GridOrder;

/// Who accesses: a lane of a warp, or an operation that it issued.
struct Actor {
  const WarpClocks *clocks;
  unsigned lane;
  AccessRecord self; ///< What is remembered of this access.
  /// Of global memory: which components belong to the actor's CTA.
  const GridOrder *order = nullptr;
  uint64_t cta = 0;
};

/// A conflict with an earlier access. `proxyOnly`: it is ordered, but no proxy
/// fence lies between.
struct Conflict {
  AccessRecord other;
  bool otherWrites = false;
  bool proxyOnly = false;
};

class Shadow {
public:
  explicit Shadow(size_t bytes) : cells((bytes + 3) / 4) {}

  /// First conflict of an access of [offset, offset+bytes), if any.
  bool check(size_t offset, size_t bytes, const Actor &actor, bool write,
             Conflict &conflict) const;
  /// Every lane of the warp may read the bytes. False only says that each must
  /// be checked.
  bool allMayRead(size_t offset, size_t bytes, const WarpClocks &clocks) const {
    for (size_t i = offset / 4, end = (offset + bytes + 3) / 4; i != end; ++i)
      if ((cells[i].write.flags & AccessRecord::Split) ||
          !clocks.allKnow(cells[i].write))
        return false;
    return true;
  }
  /// Remembers the access. For writes, returns whether another lane of the
  /// same warp instruction wrote one of the bytes, whose granule
  /// `onOverlap(offset, bytes)` is told.
  template <typename OnOverlap>
  void recordWrite(size_t offset, size_t bytes, const Actor &actor,
                   OnOverlap &&onOverlap) {
    size_t end = offset + bytes;
    while (offset < end) {
      size_t stop = std::min(end, (offset / 4 + 1) * 4);
      if (writeGranule(offset, stop - offset, actor.self))
        onOverlap(offset, stop - offset);
      offset = stop;
    }
  }
  void recordRead(size_t offset, size_t bytes, const Actor &actor) {
    size_t end = offset + bytes;
    while (offset < end) {
      size_t stop = std::min(end, (offset / 4 + 1) * 4);
      readGranule(offset, stop - offset, actor);
      offset = stop;
    }
  }
  /// Adds the last writes of the bytes to `writers`; those that differ only by
  /// their lanes become one.
  void collectWriters(size_t offset, size_t bytes,
                      std::vector<AccessRecord> &writers) const;
  /// `actor` may read what this wrote.
  static bool mayRead(const AccessRecord &write, const Actor &actor);
  /// Line of the last write if the async proxy did it, else 0.
  uint32_t asyncWriter(size_t offset) const {
    const AccessRecord &write = cells[offset / 4].write;
    bool async = (write.flags & AccessRecord::AsyncProxy) && write.time;
    return async ? write.line : 0;
  }
  /// Calls `visit(record, offset)` for all that is remembered.
  template <typename Visit> void forEach(Visit &&visit) const {
    auto inCell = [&](const Cell &cell, size_t offset) {
      if (cell.write.time)
        visit(cell.write, offset);
      if (cell.read.flags & AccessRecord::ReadSet)
        for (const AccessRecord &r : readSets[cell.read.line])
          visit(r, offset);
      else if (cell.read.time)
        visit(cell.read, offset);
    };
    for (size_t i = 0; i != cells.size(); ++i) {
      if (!(cells[i].write.flags & AccessRecord::Split))
        inCell(cells[i], i * 4);
      else
        for (size_t b = 0; b != 4; ++b)
          inCell(splits[cells[i].write.line][b], i * 4 + b);
    }
  }
  /// Forgets all accesses of the bytes.
  void forget(size_t offset, size_t bytes);

private:
  struct Cell {
    AccessRecord write, read;
  };
  using Reads = llvm::SmallVector<AccessRecord, 4>;

  bool checkCell(const Cell &cell, const Actor &actor, bool write,
                 Conflict &conflict) const;
  bool writeGranule(size_t offset, size_t bytes, const AccessRecord &self);
  void readGranule(size_t offset, size_t bytes, const Actor &actor);
  bool writeCell(Cell &cell, const AccessRecord &self);
  void readCell(Cell &cell, const Actor &actor);
  void addToSet(Cell &cell, const Actor &actor);
  void dropReads(AccessRecord &read);
  std::array<Cell, 4> &split(Cell &cell);
  void unsplit(Cell &cell);

  std::vector<Cell> cells;
  std::vector<Reads> readSets;
  std::vector<std::array<Cell, 4>> splits;
  llvm::SmallVector<uint32_t, 0> freeSets, freeSplits;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MEMORY_SHADOW_H
