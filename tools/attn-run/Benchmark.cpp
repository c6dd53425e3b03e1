//===- Benchmark.cpp - Times a kernel beside the machine's peaks ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Benchmark.h"
#include "MachinePeaks.h"
#include "attn/Compiler/ExecutionDevice.h"
#include "attn/Support/Stopwatch.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace attn;
using namespace attn::run;
using llvm::Expected;

static constexpr unsigned kMinSamples = 7;

static double getMedian(std::vector<double> samples) {
  llvm::sort(samples);
  return samples[samples.size() / 2];
}

/// Seconds of one call, averaged over `calls`.
static Expected<double> timeCalls(Execution &execution, int calls) {
  Expected<double> seconds = execution.getDevice().time([&]() -> llvm::Error {
    for (int i = 0; i < calls; ++i)
      if (llvm::Error error = execution.run())
        return error;
    return llvm::Error::success();
  });
  if (!seconds)
    return seconds.takeError();
  return *seconds / calls;
}

/// Calls a sample, so that one lasts at least 0.3 ms.
static Expected<int> chooseCalls(Execution &execution) {
  for (int warmUp = 0; warmUp < 2; ++warmUp)
    if (llvm::Error error = execution.run())
      return std::move(error);
  Expected<double> once = timeCalls(execution, 1);
  if (!once)
    return once.takeError();
  return static_cast<int>(std::ceil(3e-4 / std::max(*once, 1e-7)));
}

Expected<Measurement> attn::run::measureOnGPU(Execution &execution,
                                              double seconds) {
  Expected<int> calls = chooseCalls(execution);
  if (!calls)
    return calls.takeError();
  std::vector<double> times;
  Stopwatch timer;
  while (times.size() < kMinSamples || timer.getSeconds() < seconds) {
    Expected<double> time = timeCalls(execution, *calls);
    if (!time)
      return time.takeError();
    times.push_back(*time);
  }
  Measurement result;
  result.bestSeconds = *llvm::min_element(times);
  result.medianSeconds = getMedian(times);
  result.samples = times.size();
  return result;
}

Expected<Measurement> attn::run::measure(Execution &execution,
                                         llvm::ArrayRef<HostArray> arguments,
                                         const TargetDescription &target,
                                         int threads, double seconds) {
  MachinePeaks peaks(target, execution.getContext(), threads);
  Expected<int> calls = chooseCalls(execution);
  if (!calls)
    return calls.takeError();

  std::vector<double> times, registers, tiles, tileWork, pairs, amx, copies,
      streams, reads;
  auto keep = [](std::vector<double> &samples, std::optional<double> sample) {
    if (sample)
      samples.push_back(*sample);
  };
  // The first samples fault pages in and wake the vector units.
  for (int warmUp = 0; warmUp < 20; ++warmUp) {
    peaks.sampleCopy();
    peaks.sampleStream();
    peaks.sampleTile();
  }
  Stopwatch timer;
  while (times.size() < kMinSamples || timer.getSeconds() < seconds) {
    keep(registers, peaks.sampleRegisters());
    keep(tiles, peaks.sampleTile());
    Expected<double> time = timeCalls(execution, *calls);
    if (!time)
      return time.takeError();
    times.push_back(*time);
    keep(tiles, peaks.sampleTile());
    if (!tiles.empty())
      tileWork.push_back(*time * (tiles[tiles.size() - 2] + tiles.back()) / 2);
    // The same bytes, and in the caches as much of them as the kernel found.
    reads.push_back(peaks.sampleRead(arguments));
    if (times.size() % 4 != 1)
      continue;
    keep(pairs, peaks.samplePairs());
    keep(amx, peaks.sampleAMX());
    copies.push_back(peaks.sampleCopy());
    keep(streams, peaks.sampleStream());
    // The copy emptied the caches; the next sample shall not pay for that.
    if (llvm::Error error = execution.run())
      return std::move(error);
  }

  Measurement result;
  result.bestSeconds = *llvm::min_element(times);
  result.medianSeconds = getMedian(times);
  result.samples = times.size();
  if (!registers.empty())
    result.registerPeak = getMedian(registers);
  if (!tiles.empty())
    result.tilePeak = getMedian(tiles);
  if (!tileWork.empty())
    result.tileWork = getMedian(tileWork);
  if (!pairs.empty())
    result.pairsPeak = getMedian(pairs);
  if (!amx.empty())
    result.amxPeak = getMedian(amx);
  if (!streams.empty())
    result.streamPeak = getMedian(streams);
  result.copyPeak = getMedian(copies);
  result.readPeak = getMedian(reads);
  return result;
}
