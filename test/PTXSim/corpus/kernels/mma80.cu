//===- mma80.cu - Matrix products and attention with mma.sync -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// sm_80: ldmatrix, mma.sync m16n8k16, cp.async in several stages. Shared tiles
// have rows of 64 halves whose 16-byte chunks are exchanged by the row's low
// three bits.

#include "ptx80.cuh"

constexpr int kRow = 64;

__device__ inline __half *at(__half *tile, int row, int column) {
  return tile + row * kRow + (((column >> 3) ^ (row & 7)) << 3);
}

/// 64 rows of 64 halves from a matrix with `stride` columns. Rows from `valid`
/// on are zeros: their copies read no bytes.
__device__ void copyTile(__half *tile, const __half *source, int stride,
                         int valid) {
  for (int chunk = threadIdx.x; chunk < 64 * 8; chunk += 128) {
    int row = chunk / 8, column = chunk % 8 * 8;
    bool inside = row < valid;
    copyAsync(at(tile, row, column),
              source + (inside ? row : 0) * stride + column, inside ? 16 : 0);
  }
}

/// out = a . b for a[m][k], b[k][n]: 64 x 64 a block, four warps, three stages.
extern "C" __global__ void __launch_bounds__(128)
    gemm_mma(const __half *a, const __half *b, float *out, int m, int n,
             int k) {
  constexpr int kStages = 3;
  extern __shared__ __align__(128) __half memory[];
  int rowBase = blockIdx.y * 64, columnBase = blockIdx.x * 64;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float acc[8][4] = {};

  auto tileA = [&](int stage) { return memory + stage * 2 * 64 * kRow; };
  auto tileB = [&](int stage) { return tileA(stage) + 64 * kRow; };
  auto load = [&](int step) {
    int stage = step % kStages;
    if (step * 64 < k) {
      copyTile(tileA(stage), a + rowBase * k + step * 64, k, m - rowBase);
      copyTile(tileB(stage), b + step * 64 * n + columnBase, n, k - step * 64);
    }
    commitGroup();
  };
  for (int s = 0; s < kStages - 1; ++s)
    load(s);
  for (int step = 0; step * 64 < k; ++step) {
    waitGroup<kStages - 2>();
    __syncthreads();
    load(step + kStages - 1);
    __half *ta = tileA(step % kStages), *tb = tileB(step % kStages);
    for (int kk = 0; kk < 64; kk += 16) {
      uint32_t fragmentA[4];
      loadMatrix4(fragmentA, at(ta, warp * 16 + lane % 16, kk + lane / 16 * 8));
#pragma unroll
      for (int j = 0; j < 8; j += 2) {
        uint32_t fragmentB[4];
        loadMatrix4Transposed(fragmentB,
                              at(tb, kk + lane % 16, j * 8 + lane / 16 * 8));
        mma16816(acc[j], fragmentA, fragmentB[0], fragmentB[1]);
        mma16816(acc[j + 1], fragmentA, fragmentB[2], fragmentB[3]);
      }
    }
  }
  int row = rowBase + warp * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    int column = columnBase + j * 8 + lane % 4 * 2;
    if (row < m)
      *reinterpret_cast<float2 *>(out + row * n + column) =
          make_float2(acc[j][0], acc[j][1]);
    if (row + 8 < m)
      *reinterpret_cast<float2 *>(out + (row + 8) * n + column) =
          make_float2(acc[j][2], acc[j][3]);
  }
}

/// Attention, d = 64: 64 queries a block, keys in tiles of 64, two stages of
/// key and value. `scale` is in log2 units.
extern "C" __global__ void __launch_bounds__(128)
    attention_mma(const __half *q, const __half *k, const __half *v, float *out,
                  int keys, float scale, int causal) {
  extern __shared__ __align__(128) __half memory[];
  __half *tileQ = memory;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int queryBase = blockIdx.x * 64;
  auto tileK = [&](int s) { return memory + (1 + 2 * s) * 64 * kRow; };
  auto tileV = [&](int s) { return tileK(s) + 64 * kRow; };

  copyTile(tileQ, q + queryBase * 64, 64, 64);
  copyTile(tileK(0), k, 64, keys);
  commitGroup();
  copyTile(tileV(0), v, 64, keys);
  commitGroup();

  float acc[8][4] = {}, maximum[2] = {-INFINITY, -INFINITY}, sum[2] = {};
  int end = causal ? min(keys, queryBase + 64) : keys;
  for (int base = 0, stage = 0; base < end; base += 64, stage ^= 1) {
    waitGroup<1>();
    __syncthreads();
    if (base + 64 < end) {
      copyTile(tileK(stage ^ 1), k + (base + 64) * 64, 64, keys - base - 64);
    }
    commitGroup();
    float s[8][4] = {};
    for (int kk = 0; kk < 64; kk += 16) {
      uint32_t fragmentQ[4];
      loadMatrix4(fragmentQ,
                  at(tileQ, warp * 16 + lane % 16, kk + lane / 16 * 8));
#pragma unroll
      for (int j = 0; j < 8; j += 2) {
        uint32_t f[4];
        loadMatrix4(f, at(tileK(stage), j * 8 + lane % 8 + lane / 16 * 8,
                          kk + lane / 8 % 2 * 8));
        mma16816(s[j], fragmentQ, f[0], f[1]);
        mma16816(s[j + 1], fragmentQ, f[2], f[3]);
      }
    }
    int row = queryBase + warp * 16 + lane / 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float top = maximum[half];
#pragma unroll
      for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          float &x = s[j][half * 2 + e];
          int column = base + j * 8 + lane % 4 * 2 + e;
          x = column < keys && (!causal || column <= row + half * 8)
                  ? x * scale
                  : -INFINITY;
          top = fmaxf(top, x);
        }
      top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 1));
      top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, 2));
      float factor = exp2f(maximum[half] - top);
      maximum[half] = top;
      sum[half] *= factor;
#pragma unroll
      for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          acc[j][half * 2 + e] *= factor;
          float &x = s[j][half * 2 + e];
          asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x - top));
          sum[half] += x;
        }
    }
    waitGroup<1>();
    __syncthreads();
    if (base + 64 < end)
      copyTile(tileV(stage ^ 1), v + (base + 64) * 64, 64, keys - base - 64);
    commitGroup();
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) {
      uint32_t p[4] = {packHalves(s[2 * kk][0], s[2 * kk][1]),
                       packHalves(s[2 * kk][2], s[2 * kk][3]),
                       packHalves(s[2 * kk + 1][0], s[2 * kk + 1][1]),
                       packHalves(s[2 * kk + 1][2], s[2 * kk + 1][3])};
#pragma unroll
      for (int j = 0; j < 8; j += 2) {
        uint32_t f[4];
        loadMatrix4Transposed(
            f, at(tileV(stage), kk * 16 + lane % 16, j * 8 + lane / 16 * 8));
        mma16816(acc[j], p, f[0], f[1]);
        mma16816(acc[j + 1], p, f[2], f[3]);
      }
    }
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float total = sum[half];
    total += __shfl_xor_sync(0xffffffff, total, 1);
    total += __shfl_xor_sync(0xffffffff, total, 2);
    int row = queryBase + warp * 16 + lane / 4 + half * 8;
#pragma unroll
    for (int j = 0; j < 8; ++j)
      *reinterpret_cast<float2 *>(out + row * 64 + j * 8 + lane % 4 * 2) =
          make_float2(acc[j][half * 2] / total, acc[j][half * 2 + 1] / total);
  }
}

/// Copies whose completion an mbarrier counts instead of groups.
extern "C" __global__ void copy_async_mbarrier(const int4 *in, int4 *out) {
  __shared__ alignas(8) uint64_t barrier;
  __shared__ int4 tile[64];
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(shared(&barrier))
                 : "memory");
  __syncthreads();
  copyAsync(&tile[threadIdx.x], &in[threadIdx.x]);
  asm volatile(
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared(&barrier))
      : "memory");
  uint32_t done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; .reg .b64 state;\n"
                 "mbarrier.test_wait.parity.shared.b64 p, [%1], 0;\n"
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared(&barrier))
                 : "memory");
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
