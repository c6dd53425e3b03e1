//===- VectorClock.h - Who knows of which accesses --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector clock over components. A component is something whose events are
// numbered: a warp, a warp's groups of asynchronous operations, the phases of
// an mbarrier. Events of a component belong to lanes; a clock says for each
// component up to which time the events of all its lanes are known, and, where
// only some lanes synchronised, up to which time those of single lanes are.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MEMORY_VECTORCLOCK_H
#define ATTN_LIB_PTXSIM_MEMORY_VECTORCLOCK_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>
#include <memory>

namespace attn::ptx {

/// At most 24 bits, see AccessRecord.
using Component = uint32_t;

class VectorClock : public llvm::RefCountedBase<VectorClock> {
public:
  VectorClock() = default;
  VectorClock(const VectorClock &other);
  VectorClock &operator=(const VectorClock &other) = delete;

  uint32_t all(Component c) const {
    Component i = c - first; // Wraps where c < first.
    return i < times.size() ? times[i] : 0;
  }
  bool covers(Component c, unsigned lane, uint32_t time) const {
    if (all(c) >= time)
      return true;
    return !partial.empty() && coversLane(c, lane, time);
  }

  /// Events of every lane of `c` up to `time` become known.
  void raiseAll(Component c, uint32_t time);
  /// Events of the lanes in `mask` up to `time` become known. When that
  /// completes the 32 lanes of a component its entry becomes plain again.
  void raiseLanes(Component c, uint32_t mask, uint32_t time);
  void join(const VectorClock &other);
  /// Everything that `other` knows is known here.
  bool includes(const VectorClock &other) const;
  void clear();
  bool empty() const { return times.empty() && partial.empty(); }

private:
  struct Lanes {
    Component component;
    std::array<uint32_t, 32> times;
  };
  bool coversLane(Component c, unsigned lane, uint32_t time) const;
  Lanes &lanesOf(Component c);
  void settle(Component c);
  uint32_t &timeOf(Component c);
  void cover(Component begin, Component end);

  /// Of the components from `first` on. Those of one cluster are neighbours,
  /// so a clock that knows of its own cluster only is short.
  Component first = 0;
  llvm::SmallVector<uint32_t, 16> times;
  /// Sorted by nothing and nearly always empty.
  llvm::SmallVector<std::unique_ptr<Lanes>, 1> partial;
};

using ClockRef = llvm::IntrusiveRefCntPtr<VectorClock>;

/// What a thread or a synchronisation object knows: of accesses in general,
/// and of those to shared and to global memory that a proxy fence has made
/// visible to the async proxy. These are always part of the first.
struct Knowledge {
  VectorClock generic, fenced, fencedGlobal;
  void join(const Knowledge &other) {
    generic.join(other.generic);
    fenced.join(other.fenced);
    fencedGlobal.join(other.fencedGlobal);
  }
  void clear() {
    generic.clear();
    fenced.clear();
    fencedGlobal.clear();
  }
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MEMORY_VECTORCLOCK_H
