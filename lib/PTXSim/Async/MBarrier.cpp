//===- MBarrier.cpp - The state of one mbarrier object --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/MBarrier.h"

namespace attn::ptx {

void MBarrier::endPhaseIfDone() {
  if (pending != 0 || tx != 0)
    return;
  ++phase;
  pending = expected;
}

std::string MBarrier::expectTx(uint64_t bytes) {
  if (bytes > uint64_t(kMaxCount) || tx + int64_t(bytes) > kMaxCount)
    return "the transaction count of " + std::to_string(tx) + " plus " +
           std::to_string(bytes) + " exceeds 2^20-1";
  tx += int64_t(bytes);
  return "";
}

std::string MBarrier::completeTx(uint64_t bytes) {
  if (bytes > uint64_t(kMaxCount) || tx - int64_t(bytes) < -kMaxCount)
    return "the transaction count of " + std::to_string(tx) + " minus " +
           std::to_string(bytes) + " is below -(2^20-1)";
  tx -= int64_t(bytes);
  endPhaseIfDone();
  return "";
}

std::string MBarrier::arrive(uint64_t count, bool drop, bool noComplete) {
  if (!validCount(count))
    return "an arrival count of " + std::to_string(count) +
           " is not in 1 to 2^20-1";
  if (int64_t(count) > pending)
    return "an arrival of " + std::to_string(count) + " when " +
           std::to_string(pending) + " are pending in this phase";
  if (noComplete && int64_t(count) == pending && tx == 0)
    return "an arrival with .noComplete completes the phase";
  pending -= int64_t(count);
  if (drop)
    expected -= int64_t(count);
  endPhaseIfDone();
  return "";
}

std::string MBarrier::increment() {
  if (pending >= kMaxCount)
    return "the pending count exceeds 2^20-1";
  ++pending;
  return "";
}

bool MBarrier::tokenIsRecent(uint64_t token) const {
  uint64_t behind = ((phase & 0xffffff) - (token >> 40)) & 0xffffff;
  return behind <= 1;
}

std::string MBarrier::describe() const {
  return "phase " + std::to_string(phase) + " (parity " +
         std::to_string(phase & 1) + "), pending arrivals " +
         std::to_string(pending) + " of " + std::to_string(expected) + ", tx " +
         std::to_string(tx) + " bytes";
}

} // namespace attn::ptx
