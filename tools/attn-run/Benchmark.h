//===- Benchmark.h - Times a kernel beside the machine's peaks --*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUN_BENCHMARK_H
#define ATTN_RUN_BENCHMARK_H

#include "Execution.h"

namespace attn::run {

/// Rates are medians, in GFLOP/s and GB/s.
struct Measurement {
  double bestSeconds = 0;
  double medianSeconds = 0;
  unsigned samples = 0;
  std::optional<double> registerPeak;
  std::optional<double> tilePeak;
  double copyPeak = 0;
};

/// Runs the kernel again and again for about `seconds`, with samples of the
/// peaks in between: the clock moves with the load, so only neighbours in time
/// compare.
llvm::Expected<Measurement> measure(Execution &execution,
                                    const TargetDescription &target,
                                    int threads, double seconds);

} // namespace attn::run

#endif // ATTN_RUN_BENCHMARK_H
