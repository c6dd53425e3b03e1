//===- MachinePeaks.cpp - What this machine can do at best ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each loop is written with intrinsics and compiled for its own instruction
// set, so that the tool itself runs on any machine.
//
//===----------------------------------------------------------------------===//

#include "MachinePeaks.h"
#include "Stopwatch.h"
#include "attn/Support/HostArray.h"
#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace attn;
using namespace attn::run;

namespace {

constexpr int64_t kDepth = 128;
// A sample lasts 0.1 to 0.4 ms: shorter ones would mostly see the processor
// settle on its clock for wide vectors.
constexpr int kTileRepeats = 400;
constexpr int kRegisterRepeats = 40000;
constexpr size_t kCopyBytes = size_t(4) << 20;
constexpr size_t kCopyBuffer = size_t(64) << 20;

/// Operands of one thread's tile: they fit in L1 together.
struct alignas(64) TileOperands {
  float broadcast[8 * kDepth];
  float vectors[kDepth * 48];
  float sums[8 * 48];
};

#if defined(__x86_64__)
// The small loops unroll completely, so that the accumulators are registers;
// the long ones do not, which would spill them. The empty asm statements keep a
// broadcast in its own register: folded into each multiply-add it would be
// loaded three times.
__attribute__((target("avx512f"), noinline)) void
runTile512(TileOperands &operands) {
  __m512 acc[8][3];
  for (int row = 0; row < 8; ++row)
    for (int v = 0; v < 3; ++v)
      acc[row][v] = _mm512_load_ps(operands.sums + row * 48 + v * 16);
#pragma clang loop unroll(disable)
  for (int64_t k = 0; k < kDepth; ++k) {
    __m512 b[3];
    for (int v = 0; v < 3; ++v)
      b[v] = _mm512_load_ps(operands.vectors + k * 48 + v * 16);
    for (int row = 0; row < 8; ++row) {
      __m512 a = _mm512_set1_ps(operands.broadcast[row * kDepth + k]);
      __asm__("" : "+v"(a));
      for (int v = 0; v < 3; ++v)
        acc[row][v] = _mm512_fmadd_ps(a, b[v], acc[row][v]);
    }
  }
  for (int row = 0; row < 8; ++row)
    for (int v = 0; v < 3; ++v)
      _mm512_store_ps(operands.sums + row * 48 + v * 16, acc[row][v]);
}

__attribute__((target("avx2,fma"), noinline)) void
runTile256(TileOperands &operands) {
  __m256 acc[4][3];
  for (int row = 0; row < 4; ++row)
    for (int v = 0; v < 3; ++v)
      acc[row][v] = _mm256_load_ps(operands.sums + row * 24 + v * 8);
#pragma clang loop unroll(disable)
  for (int64_t k = 0; k < kDepth; ++k) {
    __m256 b[3];
    for (int v = 0; v < 3; ++v)
      b[v] = _mm256_load_ps(operands.vectors + k * 24 + v * 8);
    for (int row = 0; row < 4; ++row) {
      __m256 a = _mm256_set1_ps(operands.broadcast[row * kDepth + k]);
      __asm__("" : "+x"(a));
      for (int v = 0; v < 3; ++v)
        acc[row][v] = _mm256_fmadd_ps(a, b[v], acc[row][v]);
    }
  }
  for (int row = 0; row < 4; ++row)
    for (int v = 0; v < 3; ++v)
      _mm256_store_ps(operands.sums + row * 24 + v * 8, acc[row][v]);
}

__attribute__((target("avx512f"), noinline)) void
runRegisters512(TileOperands &operands) {
  __m512 acc[16], x = _mm512_set1_ps(0.9999f), y = _mm512_set1_ps(0.0001f);
  for (int i = 0; i < 16; ++i)
    acc[i] = _mm512_load_ps(operands.sums + i * 16);
#pragma clang loop unroll(disable)
  for (int k = 0; k < kRegisterRepeats; ++k)
    for (int i = 0; i < 16; ++i)
      acc[i] = _mm512_fmadd_ps(acc[i], x, y);
  for (int i = 0; i < 16; ++i)
    _mm512_store_ps(operands.sums + i * 16, acc[i]);
}

__attribute__((target("avx2,fma"), noinline)) void
runRegisters256(TileOperands &operands) {
  __m256 acc[12], x = _mm256_set1_ps(0.9999f), y = _mm256_set1_ps(0.0001f);
  for (int i = 0; i < 12; ++i)
    acc[i] = _mm256_load_ps(operands.sums + i * 8);
#pragma clang loop unroll(disable)
  for (int k = 0; k < kRegisterRepeats; ++k)
    for (int i = 0; i < 12; ++i)
      acc[i] = _mm256_fmadd_ps(acc[i], x, y);
  for (int i = 0; i < 12; ++i)
    _mm256_store_ps(operands.sums + i * 8, acc[i]);
}
#else
// Other machines have no loop of their own yet, so no peak is reported there.
void runTile512(TileOperands &) {}
void runTile256(TileOperands &) {}
void runRegisters512(TileOperands &) {}
void runRegisters256(TileOperands &) {}
#endif

/// What the bodies below get for each thread.
struct PeakData {
  std::vector<TileOperands> tiles;
  std::vector<HostArray> sources, targets;
  size_t copyOffset = 0;
};

template <void (*run)(TileOperands &), int repeats>
void runOnThread(void *data, int64_t thread) {
  TileOperands &operands = static_cast<PeakData *>(data)->tiles[thread];
  for (int i = 0; i < repeats; ++i)
    run(operands);
}

void copyOnThread(void *data, int64_t thread) {
  PeakData &peaks = *static_cast<PeakData *>(data);
  std::memcpy(peaks.targets[thread].getDataAs<char>() + peaks.copyOffset,
              peaks.sources[thread].getDataAs<char>() + peaks.copyOffset,
              kCopyBytes);
}

} // namespace

struct MachinePeaks::Buffers : PeakData {};

MachinePeaks::MachinePeaks(const TargetDescription &target,
                           attn_context *context, int threads)
    : target(target), context(context), threads(threads),
      buffers(std::make_unique<Buffers>()) {
  buffers->tiles.resize(threads);
  for (TileOperands &tile : buffers->tiles) {
    std::fill(std::begin(tile.broadcast), std::end(tile.broadcast), 1e-3f);
    std::fill(std::begin(tile.vectors), std::end(tile.vectors), 1e-3f);
    std::fill(std::begin(tile.sums), std::end(tile.sums), 1.0f);
  }
}

MachinePeaks::~MachinePeaks() = default;

/// Units of work (flops or bytes) a nanosecond.
double MachinePeaks::sampleOnAllThreads(void (*body)(void *, int64_t),
                                        double work) {
  PeakData *data = buffers.get();
  Stopwatch timer;
  if (context->parallel_for)
    context->parallel_for(context->host, body, data, threads);
  else
    body(data, 0);
  return work * threads / timer.getSeconds() * 1e-9;
}

std::optional<double> MachinePeaks::sampleRegisters() {
  if (target.hasAVX512)
    return sampleOnAllThreads(runOnThread<runRegisters512, 1>,
                              kRegisterRepeats * 16.0 * 16 * 2);
  if (target.hasAVX2 && target.hasFMA)
    return sampleOnAllThreads(runOnThread<runRegisters256, 1>,
                              kRegisterRepeats * 12.0 * 8 * 2);
  return std::nullopt;
}

std::optional<double> MachinePeaks::sampleTile() {
  if (target.hasAVX512)
    return sampleOnAllThreads(runOnThread<runTile512, kTileRepeats>,
                              kTileRepeats * kDepth * 24.0 * 16 * 2);
  if (target.hasAVX2 && target.hasFMA)
    return sampleOnAllThreads(runOnThread<runTile256, kTileRepeats>,
                              kTileRepeats * kDepth * 12.0 * 8 * 2);
  return std::nullopt;
}

double MachinePeaks::sampleCopy() {
  if (buffers->sources.empty())
    for (int i = 0; i < threads; ++i) {
      buffers->sources.emplace_back(ElementKind::U8, int64_t(kCopyBuffer));
      buffers->targets.emplace_back(ElementKind::U8, int64_t(kCopyBuffer));
    }
  buffers->copyOffset = (buffers->copyOffset + kCopyBytes) % kCopyBuffer;
  return sampleOnAllThreads(copyOnThread, 2.0 * kCopyBytes);
}
