//===- MachinePeaks.h - What this machine can do at best --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_RUN_MACHINEPEAKS_H
#define ATTN_RUN_MACHINEPEAKS_H

#include "attn-runtime/attn_runtime.h"
#include "attn/Support/HostArray.h"
#include "attn/Target/TargetDescription.h"
#include <memory>
#include <optional>

namespace attn::run {

/// Short loops that reach the limits of the machine, one sample (a fraction of
/// a millisecond) a call, on as many threads as the kernel beside them.
class MachinePeaks {
public:
  MachinePeaks(const TargetDescription &target, attn_context *context,
               int threads);
  ~MachinePeaks();

  /// f32 multiply-adds on registers only, in GFLOP/s.
  std::optional<double> sampleRegisters();
  /// The register tile that the kernels use (8 x 3 vectors with AVX-512, 4 x 3
  /// with AVX2) with its operands in L1: the ceiling of a real kernel.
  std::optional<double> sampleTile();
  /// The same of 6 x 4 vectors with products of pairs of bf16, where the target
  /// has them.
  std::optional<double> samplePairs();
  /// Products of bf16 tiles in GFLOP/s, where the machine has AMX.
  std::optional<double> sampleAMX();
  /// Bytes read plus bytes written by a large copy, in GB/s.
  double sampleCopy();
  /// Bytes read plus bytes written, in GB/s, by a loop over two large arrays
  /// that writes two others past the caches: what a sum that is returned beside
  /// its norm has to move.
  std::optional<double> sampleStream();
  /// Bytes of `arrays` read, in GB/s: all of them once, in order, each thread
  /// its part.
  double sampleRead(llvm::ArrayRef<HostArray> arrays);

private:
  struct Buffers;
  /// To the part of the large buffers that is longest out of the caches.
  void moveOn();
  double sampleOnAllThreads(void (*body)(void *data, int64_t i), double work);

  const TargetDescription &target;
  attn_context *context;
  int threads;
  bool hasAMX;
  std::unique_ptr<Buffers> buffers;
};

} // namespace attn::run

#endif // ATTN_RUN_MACHINEPEAKS_H
