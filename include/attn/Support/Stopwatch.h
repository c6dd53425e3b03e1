//===- Stopwatch.h - Elapsed time -------------------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_SUPPORT_STOPWATCH_H
#define ATTN_SUPPORT_STOPWATCH_H

#include <chrono>

namespace attn {

/// Counts from its construction on a clock that never jumps.
class Stopwatch {
public:
  double getSeconds() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

} // namespace attn

#endif // ATTN_SUPPORT_STOPWATCH_H
