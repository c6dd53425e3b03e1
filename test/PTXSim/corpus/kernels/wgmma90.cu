//===- wgmma90.cu - Matrix products with TMA and wgmma --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// out[m][n] = a[m][k] . b: 64 x 64 a block, k in steps of 64 through a ring of
// three stages; one producer and one consumer warpgroup. b is [n][k], or [k][n]
// where it is transposed. A tile of 64 x 64 halves is loaded as boxes as wide
// as the swizzle (8 halves where there is none).

#include "ptx90.cuh"

constexpr int kStages = 3, kTile = 8192;

template <int Swizzle> struct Boxes {
  static constexpr int kWidth = Swizzle ? Swizzle / 2 : 8;
  static constexpr int kCount = 64 / kWidth;
  static constexpr int kBytes = 64 * kWidth * 2;
};

/// Descriptor of columns 16 * step .. of a tile whose rows run along k.
template <int Swizzle>
__device__ uint64_t describeKMajor(uint32_t tile, int step) {
  using B = Boxes<Swizzle>;
  if (Swizzle == 0)
    return describe(tile + step * 2 * B::kBytes, B::kBytes, 128, 0);
  int element = step * 16;
  return describe(tile + element / B::kWidth * B::kBytes +
                      element % B::kWidth * 2,
                  16, 8 * Swizzle, Swizzle);
}

/// The same for a tile whose rows run along n.
template <int Swizzle>
__device__ uint64_t describeNMajor(uint32_t tile, int step) {
  using B = Boxes<Swizzle>;
  uint32_t start = tile + step * 16 * B::kWidth * 2;
  if (Swizzle == 0)
    return describe(start, 128, B::kBytes, 0);
  return describe(start, B::kBytes, 8 * Swizzle, Swizzle);
}

template <int Swizzle, bool TransposeB, bool RegistersA>
__device__ void gemm(const CUtensorMap *mapA, const CUtensorMap *mapB,
                     const __half *a, float *out, int n, int k) {
  using B = Boxes<Swizzle>;
  extern __shared__ __align__(1024) uint8_t memory[];
  __shared__ alignas(8) uint64_t full[kStages], empty[kStages];
  int rowBase = blockIdx.y * 64, columnBase = blockIdx.x * 64;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      initBarrier(&full[s], 1);
      initBarrier(&empty[s], 128);
    }
    fenceBarrierInit();
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    fewerRegisters<40>();
    if (threadIdx.x == 128)
      for (int i = 0; i * 64 < k; ++i) {
        int stage = i % kStages, use = i / kStages;
        waitParity(&empty[stage], (use - 1) & 1);
        expectBytes(&full[stage], RegistersA ? kTile : 2 * kTile);
        uint8_t *tileA = memory + stage * 2 * kTile, *tileB = tileA + kTile;
#pragma unroll 1
        for (int box = 0; box < B::kCount; ++box) {
          if (!RegistersA)
            tmaLoad(tileA + box * B::kBytes, mapA, &full[stage],
                    i * 64 + box * B::kWidth, rowBase);
          if (TransposeB)
            tmaLoad(tileB + box * B::kBytes, mapB, &full[stage],
                    columnBase + box * B::kWidth, i * 64);
          else
            tmaLoad(tileB + box * B::kBytes, mapB, &full[stage],
                    i * 64 + box * B::kWidth, columnBase);
        }
      }
    return;
  }
  moreRegisters<160>();
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = rowBase + warp * 16 + lane / 4;
  float acc[32];
#pragma unroll 1
  for (int i = 0; i * 64 < k; ++i) {
    int stage = i % kStages, use = i / kStages;
    uint32_t fragment[4][4];
    if (RegistersA)
#pragma unroll
      for (int s = 0; s < 4; ++s)
#pragma unroll
        for (int r = 0; r < 4; ++r)
          fragment[s][r] = *reinterpret_cast<const uint32_t *>(
              a + (row + r % 2 * 8) * k + i * 64 + s * 16 + lane % 4 * 2 +
              r / 2 * 8);
    waitParity(&full[stage], use & 1);
    uint32_t tileA = shared(memory + stage * 2 * kTile), tileB = tileA + kTile;
    keep(acc);
    wgmmaFence();
#pragma unroll
    for (int s = 0; s < 4; ++s) {
      uint64_t b = TransposeB ? describeNMajor<Swizzle>(tileB, s)
                              : describeKMajor<Swizzle>(tileB, s);
      int accumulate = i + s > 0;
      if (RegistersA)
        wgmmaRS<TransposeB>(acc, fragment[s], b, accumulate);
      else
        wgmmaSS<TransposeB>(acc, describeKMajor<Swizzle>(tileA, s), b,
                            accumulate);
    }
    wgmmaCommit();
    keep(acc);
    wgmmaWait<0>();
    keep(acc);
    arrive(&empty[stage]);
  }
#pragma unroll
  for (int j = 0; j < 8; ++j)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      *reinterpret_cast<float2 *>(out + (row + half * 8) * n + columnBase +
                                  j * 8 + lane % 4 * 2) =
          make_float2(acc[j * 4 + half * 2], acc[j * 4 + half * 2 + 1]);
}

#define SS(NAME, SWIZZLE, TRANSPOSE)                                           \
  extern "C" __global__ void __launch_bounds__(256, 1) NAME(                   \
      const __grid_constant__ CUtensorMap mapA,                                \
      const __grid_constant__ CUtensorMap mapB, float *out, int n, int k) {    \
    gemm<SWIZZLE, TRANSPOSE, false>(&mapA, &mapB, nullptr, out, n, k);         \
  }
#define RS(NAME, SWIZZLE, TRANSPOSE)                                           \
  extern "C" __global__ void __launch_bounds__(256, 1)                         \
      NAME(const __half *a, const __grid_constant__ CUtensorMap mapB,          \
           float *out, int n, int k) {                                         \
    gemm<SWIZZLE, TRANSPOSE, true>(nullptr, &mapB, a, out, n, k);              \
  }

SS(wgmma_ss_128, 128, false)
SS(wgmma_ss_64, 64, false)
SS(wgmma_ss_32, 32, false)
SS(wgmma_ss_0, 0, false)
SS(wgmma_ss_128_t, 128, true)
SS(wgmma_ss_64_t, 64, true)
SS(wgmma_ss_32_t, 32, true)
SS(wgmma_ss_0_t, 0, true)
RS(wgmma_rs_128, 128, false)
RS(wgmma_rs_64_t, 64, true)
