//===- MBarrier.h - The state of one mbarrier object ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phase machine of the PTX ISA and nothing else: counts, transactions, and
// what is not allowed. Each step returns an empty text or what is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_ASYNC_MBARRIER_H
#define ATTN_LIB_PTXSIM_ASYNC_MBARRIER_H

#include <cstdint>
#include <string>

namespace attn::ptx {

class MBarrier {
public:
  static constexpr int64_t kMaxCount = (1 << 20) - 1;

  explicit MBarrier(uint32_t count) : expected(count), pending(count) {}
  static bool validCount(uint64_t count) {
    return count >= 1 && count <= uint64_t(kMaxCount);
  }

  std::string expectTx(uint64_t bytes);
  std::string completeTx(uint64_t bytes);
  /// `drop`: the phases to come expect so many fewer. `noComplete`: the phase
  /// must not end by this.
  std::string arrive(uint64_t count, bool drop = false,
                     bool noComplete = false);
  /// cp.async.mbarrier.arrive without .noinc raises the pending count first.
  std::string increment();

  /// The opaque value that arrive returns and test_wait takes.
  uint64_t token() const {
    return (phase & 0xffffff) << 40 | uint64_t(expected) << 20 |
           uint64_t(pending);
  }
  static uint32_t pendingOf(uint64_t token) {
    return uint32_t(token & uint64_t(kMaxCount));
  }
  /// Whether the token is of the current phase or the one before it.
  bool tokenIsRecent(uint64_t token) const;
  bool completedToken(uint64_t token) const {
    return (token >> 40) != (phase & 0xffffff);
  }
  /// The phase of this parity, current or immediately before, is complete.
  bool completedParity(uint32_t parity) const { return (phase & 1) != parity; }

  uint64_t completedPhases() const { return phase; }
  uint32_t pendingArrivals() const { return uint32_t(pending); }
  uint32_t expectedArrivals() const { return uint32_t(expected); }
  int64_t pendingBytes() const { return tx; }
  /// "phase 3, pending arrivals 1 of 2, tx 4096 bytes"
  std::string describe() const;

private:
  void endPhaseIfDone();

  uint64_t phase = 0; ///< Completed phases.
  int64_t expected, pending;
  int64_t tx = 0;
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_ASYNC_MBARRIER_H
