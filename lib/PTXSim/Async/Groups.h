//===- Groups.h - Groups of asynchronous operations of a warp ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread closes its operations of a kind into groups. Time counts the
// points at which a thread could later wait for what came before.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_ASYNC_GROUPS_H
#define ATTN_LIB_PTXSIM_ASYNC_GROUPS_H

#include "llvm/ADT/bit.h"

#include <array>
#include <cstdint>
#include <vector>

namespace attn::ptx {

/// The groups of one kind of the lanes of one warp.
class Groups {
public:
  Groups() {
    now.fill(1);
    readTime.fill(0);
    readLine.fill(0);
    waited.fill(0);
  }

  /// The time that an operation of the lane issued now has.
  uint32_t timeOf(unsigned lane) const { return now[lane]; }
  /// A point in time for the lanes that is no end of a group.
  void mark(uint32_t mask) {
    for (; mask; mask &= mask - 1)
      ++now[llvm::countr_zero(mask)];
  }
  void commit(uint32_t mask) {
    for (; mask; mask &= mask - 1) {
      unsigned lane = llvm::countr_zero(mask);
      std::vector<uint32_t> &e = ends[lane];
      // Nobody waits for all but the last thousand groups.
      if (e.size() == 2048)
        e.erase(e.begin(), e.begin() + 1024);
      e.push_back(now[lane]++);
    }
  }
  /// Operations up to this time end when the lane waits for all but the latest
  /// `allowed` groups; 0: none.
  uint32_t endOfAllBut(unsigned lane, uint64_t allowed) const {
    size_t count = ends[lane].size();
    return allowed < count ? ends[lane][count - allowed - 1] : 0;
  }

  /// For the check that nobody leaves while shared memory is still read.
  void noteRead(unsigned lane, uint32_t line) {
    readTime[lane] = now[lane];
    readLine[lane] = line;
  }
  void noteWaited(unsigned lane, uint32_t time) {
    if (waited[lane] < time)
      waited[lane] = time;
  }
  /// Line of an operation that the lane has not waited for; 0: none.
  uint32_t unwaitedRead(unsigned lane) const {
    return readTime[lane] > waited[lane] ? readLine[lane] : 0;
  }
  /// Groups that the lane has not waited for, for reports.
  uint64_t openGroups(unsigned lane) const {
    uint64_t open = 0;
    for (uint32_t end : ends[lane])
      open += end > waited[lane];
    return open;
  }

private:
  std::array<uint32_t, 32> now, readTime, readLine, waited;
  std::array<std::vector<uint32_t>, 32> ends;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_ASYNC_GROUPS_H
