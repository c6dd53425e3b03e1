//===- basic.cu - Reductions, scans, histograms, rows ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// sm_80. Integers, or floats that hold small integers, so results are exact.

#include <cstdint>
#include <cuda_fp16.h>

/// Sum of n integers: shuffles in a warp, shared memory across, one atomic.
extern "C" __global__ void reduce_sum(const int *in, int *out, int n) {
  __shared__ int partial[32];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    sum += in[i];
  for (int offset = 16; offset; offset >>= 1)
    sum += __shfl_xor_sync(0xffffffff, sum, offset);
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0)
    partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? partial[lane] : 0;
    for (int offset = 16; offset; offset >>= 1)
      sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
      atomicAdd(out, sum);
  }
}

/// Inclusive scan of each block's elements, and the block's total.
extern "C" __global__ void block_scan(const int *in, int *out, int *totals,
                                      int n) {
  __shared__ int warpTotals[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int value = i < n ? in[i] : 0;
  for (int offset = 1; offset < 32; offset <<= 1) {
    int other = __shfl_up_sync(0xffffffff, value, offset);
    if (lane >= offset)
      value += other;
  }
  if (lane == 31)
    warpTotals[warp] = value;
  __syncthreads();
  if (warp == 0) {
    int total = lane < blockDim.x / 32 ? warpTotals[lane] : 0;
    for (int offset = 1; offset < 32; offset <<= 1) {
      int other = __shfl_up_sync(0xffffffff, total, offset);
      if (lane >= offset)
        total += other;
    }
    warpTotals[lane] = total;
  }
  __syncthreads();
  if (warp > 0)
    value += warpTotals[warp - 1];
  if (i < n)
    out[i] = value;
  if (threadIdx.x == blockDim.x - 1)
    totals[blockIdx.x] = value;
}

/// Scan in shared memory without shuffles, two buffers in turn.
extern "C" __global__ void shared_scan(const int *in, int *out) {
  extern __shared__ int buffers[];
  int n = blockDim.x, t = threadIdx.x, now = 0;
  buffers[t] = in[t];
  __syncthreads();
  for (int offset = 1; offset < n; offset <<= 1) {
    int value = buffers[now * n + t];
    if (t >= offset)
      value += buffers[now * n + t - offset];
    now ^= 1;
    buffers[now * n + t] = value;
    __syncthreads();
  }
  out[t] = buffers[now * n + t];
}

/// 64 bins, counted in shared memory first.
extern "C" __global__ void histogram(const uint8_t *in, unsigned *bins, int n) {
  __shared__ unsigned local[64];
  if (threadIdx.x < 64)
    local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i] & 63], 1u);
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

/// Transpose through a padded tile.
extern "C" __global__ void transpose(const float *in, float *out, int rows,
                                     int columns) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < columns && y + i < rows)
      tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (x < rows && y + i < columns)
      out[(y + i) * rows + x] = tile[threadIdx.x][threadIdx.y + i];
}

__device__ float reduceBlock(float value, bool maximum, float *scratch) {
  for (int offset = 16; offset; offset >>= 1) {
    float other = __shfl_xor_sync(0xffffffff, value, offset);
    value = maximum ? fmaxf(value, other) : value + other;
  }
  int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0)
    scratch[warp] = value;
  __syncthreads();
  value = scratch[0];
  for (int w = 1; w < blockDim.x / 32; ++w)
    value = maximum ? fmaxf(value, scratch[w]) : value + scratch[w];
  __syncthreads();
  return value;
}

/// Softmax of one row a block, all warps together.
extern "C" __global__ void softmax_rows(const float *in, float *out,
                                        int columns) {
  __shared__ float scratch[8];
  const float *row = in + blockIdx.x * columns;
  float maximum = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    maximum = fmaxf(maximum, row[i]);
  maximum = reduceBlock(maximum, true, scratch);
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += __expf(row[i] - maximum);
  sum = reduceBlock(sum, false, scratch);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = __expf(row[i] - maximum) / sum;
}

/// Warps that compact what is positive, with votes and a population count.
extern "C" __global__ void compact(const int *in, int *out, int *count, int n) {
  int lane = threadIdx.x % 32;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0;
  unsigned ballot = __ballot_sync(0xffffffff, value > 0);
  int base = 0;
  if (lane == 0)
    base = atomicAdd(count, __popc(ballot));
  base = __shfl_sync(0xffffffff, base, 0);
  if (value > 0)
    out[base + __popc(ballot & ((1u << lane) - 1))] = value;
}

/// Warp-synchronous reduction in shared memory; each step needs __syncwarp.
extern "C" __global__ void warp_shared_reduce(const int *in, int *out) {
  __shared__ int values[128];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int *mine = values + 32 * warp;
  mine[lane] = in[blockIdx.x * 128 + threadIdx.x];
  __syncwarp();
  for (int offset = 16; offset; offset >>= 1) {
    int sum = mine[lane] + (lane < offset ? mine[lane + offset] : 0);
    __syncwarp();
    mine[lane] = sum;
    __syncwarp();
  }
  if (lane == 0)
    out[blockIdx.x * 4 + warp] = mine[0];
}

/// Collatz step counts: every lane loops a different number of times.
extern "C" __global__ void collatz(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  long long value = in[i];
  int steps = 0;
  while (value != 1) {
    if (value & 1)
      value = 3 * value + 1;
    else
      value >>= 1;
    if (++steps > 1000)
      break;
  }
  out[i] = steps;
}

/// Two producer warps fill a buffer that two consumer warps read: named
/// barriers 1 (full) and 2 (empty), arrived at by one side, waited on by the
/// other.
extern "C" __global__ void named_barriers(const int *in, int *out, int rounds) {
  __shared__ int buffer[64];
  int warp = threadIdx.x / 32, t = threadIdx.x % 64;
  if (warp < 2) {
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
      if (r)
        asm volatile("bar.sync 2, 128;" ::: "memory");
      buffer[t] = in[r * 64 + t];
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    }
  } else {
    int sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
      asm volatile("bar.sync 1, 128;" ::: "memory");
      sum += buffer[63 - t] * (r + 1);
      if (r + 1 < rounds)
        asm volatile("bar.arrive 2, 128;" ::: "memory");
    }
    out[t] = sum;
  }
}

/// Blocks hand a value on through global memory: the last one to arrive, found
/// by an atomic counter, adds the partial sums.
extern "C" __global__ void last_block(const int *in, int *partial, int *out,
                                      unsigned *counter) {
  __shared__ int sums[4];
  __shared__ bool last;
  int value = in[blockIdx.x * 128 + threadIdx.x];
  value = __reduce_add_sync(0xffffffff, value);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
    __threadfence();
    last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b)
      sum += ((volatile int *)partial)[b];
    *out = sum;
  }
}
