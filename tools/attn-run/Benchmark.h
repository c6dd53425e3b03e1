//===- Benchmark.h - Times a kernel beside the machine's peaks --*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUN_BENCHMARK_H
#define ATTN_RUN_BENCHMARK_H

#include "attn/Compiler/Execution.h"
#include "attn/Target/TargetDescription.h"

namespace attn::run {

/// Rates are medians, in GFLOP/s and GB/s.
struct Measurement {
  double bestSeconds = 0;
  double medianSeconds = 0;
  unsigned samples = 0;
  std::optional<double> registerPeak;
  std::optional<double> tilePeak;
  /// What the tile loop would have computed in one call's time, in GFLOP: each
  /// sample of the kernel against the tile samples just before and after it,
  /// then the median, so that a clock that changes between samples does not
  /// change the share of the peak.
  std::optional<double> tileWork;
  std::optional<double> pairsPeak;
  std::optional<double> amxPeak;
  std::optional<double> copyPeak;
  std::optional<double> streamPeak;
  /// Of a loop that reads the arguments and does nothing else.
  std::optional<double> readPeak;
};

/// Runs the kernel again and again for about `seconds`, with samples of the
/// peaks in between: the clock moves with the load, so only neighbours in time
/// compare.
llvm::Expected<Measurement> measure(Execution &execution,
                                    llvm::ArrayRef<HostArray> arguments,
                                    const TargetDescription &target,
                                    int threads, double seconds);

/// The same without peaks beside it, by the timers of the GPU that the program
/// runs on.
llvm::Expected<Measurement> measureOnGPU(Execution &execution, double seconds);

} // namespace attn::run

#endif // ATTN_RUN_BENCHMARK_H
