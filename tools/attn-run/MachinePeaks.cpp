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

#include "AMXPeak.h"
#include "attn/Support/HostArray.h"
#include "attn/Support/Stopwatch.h"
#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace attn;
using namespace attn::run;

namespace {

constexpr int64_t kDepth = 128;
/// Steps over vectors of four registers in the memory of kDepth of three.
constexpr int64_t kPairDepth = kDepth * 3 / 4;
// A sample lasts 0.1 to 0.4 ms: shorter ones would mostly see the processor
// settle on its clock for wide vectors.
constexpr int kTileRepeats = 400;
constexpr int kRegisterRepeats = 40000;
constexpr size_t kCopyBytes = size_t(4) << 20;
constexpr size_t kCopyBuffer = size_t(64) << 20;
// Of each of four arrays, which are halves of the copy's buffers.
constexpr size_t kStreamBytes = size_t(2) << 20;

/// Operands of one thread's tile: they fit in L1 together.
struct alignas(64) TileOperands {
  float broadcast[8 * kDepth];
  float vectors[kDepth * 48];
  float sums[8 * 48];
};

struct alignas(64) AMXOperands {
  char bytes[kAMXTileBytes] = {};
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

/// Pairs of bf16 take the place of f32 in memory, so that a step has two terms.
__attribute__((target("avx512f,avx512bf16"), noinline)) void
runPairs512(TileOperands &operands) {
  __m512 acc[6][4];
  for (int row = 0; row < 6; ++row)
    for (int v = 0; v < 4; ++v)
      acc[row][v] = _mm512_load_ps(operands.sums + row * 64 + v * 16);
#pragma clang loop unroll(disable)
  for (int64_t k = 0; k < kPairDepth; ++k) {
    __m512i b[4];
    for (int v = 0; v < 4; ++v)
      b[v] = _mm512_load_si512(operands.vectors + k * 64 + v * 16);
    for (int row = 0; row < 6; ++row) {
      __m512 a = _mm512_set1_ps(operands.broadcast[row * kDepth + k]);
      __asm__("" : "+v"(a));
      for (int v = 0; v < 4; ++v)
        acc[row][v] =
            _mm512_dpbf16_ps(acc[row][v], reinterpret_cast<__m512bh>(a),
                             reinterpret_cast<__m512bh>(b[v]));
    }
  }
  for (int row = 0; row < 6; ++row)
    for (int v = 0; v < 4; ++v)
      _mm512_store_ps(operands.sums + row * 64 + v * 16, acc[row][v]);
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

__attribute__((target("avx512f"), noinline)) int readBytes512(const char *begin,
                                                              const char *end) {
  __m512i sums[8] = {};
  for (; begin + 512 <= end; begin += 512)
    for (int i = 0; i < 8; ++i)
      sums[i] = _mm512_or_si512(sums[i], _mm512_loadu_si512(begin + 64 * i));
  for (int i = 1; i < 8; ++i)
    sums[0] = _mm512_or_si512(sums[0], sums[i]);
  return _mm512_reduce_or_epi32(sums[0]);
}

__attribute__((target("avx2"), noinline)) int readBytes256(const char *begin,
                                                           const char *end) {
  __m256i sums[8] = {};
  for (; begin + 256 <= end; begin += 256)
    for (int i = 0; i < 8; ++i)
      sums[i] = _mm256_or_si256(
          sums[i],
          _mm256_loadu_si256(reinterpret_cast<const __m256i *>(begin) + i));
  for (int i = 1; i < 8; ++i)
    sums[0] = _mm256_or_si256(sums[0], sums[i]);
  return _mm256_extract_epi32(sums[0], 0);
}

/// Floats of two arrays, and where two others lie.
struct StreamArrays {
  const float *x, *y;
  float *sum, *difference;
};

__attribute__((target("avx512f"), noinline)) void
stream512(const StreamArrays &arrays) {
  for (size_t i = 0; i < kStreamBytes / sizeof(float); i += 16) {
    __m512 x = _mm512_load_ps(arrays.x + i), y = _mm512_load_ps(arrays.y + i);
    _mm512_stream_ps(arrays.sum + i, _mm512_add_ps(x, y));
    _mm512_stream_ps(arrays.difference + i, _mm512_sub_ps(x, y));
  }
  _mm_sfence();
}

__attribute__((target("avx2"), noinline)) void
stream256(const StreamArrays &arrays) {
  for (size_t i = 0; i < kStreamBytes / sizeof(float); i += 8) {
    __m256 x = _mm256_load_ps(arrays.x + i), y = _mm256_load_ps(arrays.y + i);
    _mm256_stream_ps(arrays.sum + i, _mm256_add_ps(x, y));
    _mm256_stream_ps(arrays.difference + i, _mm256_sub_ps(x, y));
  }
  _mm_sfence();
}
#else
// Other machines have no loop of their own yet, so no peak is reported there.
void runTile512(TileOperands &) {}
void runPairs512(TileOperands &) {}
void runTile256(TileOperands &) {}
void runRegisters512(TileOperands &) {}
void runRegisters256(TileOperands &) {}
struct StreamArrays {
  const float *x, *y;
  float *sum, *difference;
};
void stream512(const StreamArrays &) {}
void stream256(const StreamArrays &) {}
int readBytes512(const char *, const char *) { return 0; }
int readBytes256(const char *, const char *) { return 0; }
#endif

int readBytesPlain(const char *begin, const char *end) {
  uint64_t sums[4] = {}, words[4];
  for (; begin + sizeof(words) <= end; begin += sizeof(words)) {
    std::memcpy(words, begin, sizeof(words));
    for (int i = 0; i < 4; ++i)
      sums[i] |= words[i];
  }
  return static_cast<int>(sums[0] | sums[1] | sums[2] | sums[3]);
}

/// What the bodies below get for each thread.
struct PeakData {
  std::vector<TileOperands> tiles;
  std::vector<AMXOperands> amxTiles;
  std::vector<HostArray> sources, targets;
  size_t copyOffset = 0;
  llvm::ArrayRef<HostArray> arrays;
  int (*readBytes)(const char *begin, const char *end) = readBytesPlain;
  int64_t threads = 1;
};

template <void (*run)(TileOperands &), int repeats>
void runOnThread(void *data, int64_t thread) {
  TileOperands &operands = static_cast<PeakData *>(data)->tiles[thread];
  for (int i = 0; i < repeats; ++i)
    run(operands);
}

void runAMXOnThread(void *data, int64_t thread) {
  runAMXTiles(static_cast<PeakData *>(data)->amxTiles[thread].bytes);
}

void copyOnThread(void *data, int64_t thread) {
  PeakData &peaks = *static_cast<PeakData *>(data);
  std::memcpy(peaks.targets[thread].getDataAs<char>() + peaks.copyOffset,
              peaks.sources[thread].getDataAs<char>() + peaks.copyOffset,
              kCopyBytes);
}

template <void (*run)(const StreamArrays &)>
void streamOnThread(void *data, int64_t thread) {
  PeakData &peaks = *static_cast<PeakData *>(data);
  auto *in = peaks.sources[thread].getDataAs<char>() + peaks.copyOffset / 2;
  auto *out = peaks.targets[thread].getDataAs<char>() + peaks.copyOffset / 2;
  run({reinterpret_cast<float *>(in),
       reinterpret_cast<float *>(in + kCopyBuffer / 2),
       reinterpret_cast<float *>(out),
       reinterpret_cast<float *>(out + kCopyBuffer / 2)});
}

void readOnThread(void *data, int64_t thread) {
  PeakData &peaks = *static_cast<PeakData *>(data);
  for (const HostArray &array : peaks.arrays) {
    int64_t bytes = array.getNumElements() * getElementSize(array.getKind());
    auto *begin = static_cast<const char *>(array.getData());
    // A result nobody looks at would let the loop go.
    volatile int result =
        peaks.readBytes(begin + bytes * thread / peaks.threads,
                        begin + bytes * (thread + 1) / peaks.threads);
    (void)result;
  }
}

} // namespace

struct MachinePeaks::Buffers : PeakData {};

MachinePeaks::MachinePeaks(const TargetDescription &target,
                           attn_context *context, int threads)
    : target(target), context(context), threads(threads),
      hasAMX(getHostTargetDescription().hasAMXBF16),
      buffers(std::make_unique<Buffers>()) {
  buffers->tiles.resize(threads);
  buffers->amxTiles.resize(threads);
  buffers->threads = threads;
  if (target.hasAVX512)
    buffers->readBytes = readBytes512;
  else if (target.hasAVX2)
    buffers->readBytes = readBytes256;
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

std::optional<double> MachinePeaks::samplePairs() {
  if (!target.hasAVX512BF16)
    return std::nullopt;
  return sampleOnAllThreads(runOnThread<runPairs512, kTileRepeats>,
                            kTileRepeats * kPairDepth * 24.0 * 16 * 2 * 2);
}

std::optional<double> MachinePeaks::sampleAMX() {
  if (!hasAMX)
    return std::nullopt;
  return sampleOnAllThreads(runAMXOnThread, kAMXTileFlops);
}

static HostArray makeCopyBuffer() {
  auto buffer = HostArray::create(ElementKind::U8, int64_t(kCopyBuffer));
  if (!buffer) {
    llvm::consumeError(buffer.takeError());
    llvm::report_bad_alloc_error("no memory to measure copies in");
  }
  return std::move(*buffer);
}

void MachinePeaks::moveOn() {
  if (buffers->sources.empty())
    for (int i = 0; i < threads; ++i) {
      buffers->sources.push_back(makeCopyBuffer());
      buffers->targets.push_back(makeCopyBuffer());
    }
  buffers->copyOffset = (buffers->copyOffset + kCopyBytes) % kCopyBuffer;
}

double MachinePeaks::sampleCopy() {
  moveOn();
  return sampleOnAllThreads(copyOnThread, 2.0 * kCopyBytes);
}

std::optional<double> MachinePeaks::sampleStream() {
  moveOn();
  if (target.hasAVX512)
    return sampleOnAllThreads(streamOnThread<stream512>, 4.0 * kStreamBytes);
  if (target.hasAVX2)
    return sampleOnAllThreads(streamOnThread<stream256>, 4.0 * kStreamBytes);
  return std::nullopt;
}

double MachinePeaks::sampleRead(llvm::ArrayRef<HostArray> arrays) {
  buffers->arrays = arrays;
  double bytes = 0;
  for (const HostArray &array : arrays)
    bytes += static_cast<double>(array.getNumElements()) *
             getElementSize(array.getKind());
  return sampleOnAllThreads(readOnThread, bytes / threads);
}
