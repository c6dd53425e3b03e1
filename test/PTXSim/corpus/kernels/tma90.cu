//===- tma90.cu - TMA copies, rings and clusters --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptx90.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

//===----------------------------------------------------------------------===//
// One box, as it lies in shared memory, to `out`: ranks 1 to 5
//===----------------------------------------------------------------------===//

#define TMA_LOAD(RANK, COORDINATES, FORMAT, OPERANDS)                          \
  extern "C" __global__ void tma_load_##RANK##d(                               \
      const __grid_constant__ CUtensorMap map, int4 *out, int bytes,           \
      COORDINATES) {                                                           \
    extern __shared__ __align__(1024) int4 tile[];                             \
    __shared__ alignas(8) uint64_t full;                                       \
    if (threadIdx.x == 0) {                                                    \
      initBarrier(&full, 1);                                                   \
      fenceProxyAsync();                                                       \
    }                                                                          \
    __syncthreads();                                                           \
    if (threadIdx.x == 0) {                                                    \
      expectBytes(&full, bytes);                                               \
      asm volatile("cp.async.bulk.tensor." #RANK                               \
                   "d.shared::cluster.global.tile.mbarrier::complete_tx::"     \
                   "bytes [%0], [%1, {" FORMAT                                 \
                   "}], [%2];" ::"r"(shared(tile)),                            \
                   "l"(&map), "r"(shared(&full)), OPERANDS                     \
                   : "memory");                                                \
    }                                                                          \
    waitParity(&full, 0);                                                      \
    for (int i = threadIdx.x; i < bytes / 16; i += blockDim.x)                 \
      out[i] = tile[i];                                                        \
  }
#define COMMA ,
TMA_LOAD(1, int x, "%3", "r"(x))
TMA_LOAD(2, int x COMMA int y, "%3, %4", "r"(x)COMMA "r"(y))
TMA_LOAD(3, int x COMMA int y COMMA int z, "%3, %4, %5",
         "r"(x)COMMA "r"(y)COMMA "r"(z))
TMA_LOAD(4, int x COMMA int y COMMA int z COMMA int w, "%3, %4, %5, %6",
         "r"(x)COMMA "r"(y)COMMA "r"(z)COMMA "r"(w))
TMA_LOAD(5, int x COMMA int y COMMA int z COMMA int w COMMA int v,
         "%3, %4, %5, %6, %7",
         "r"(x)COMMA "r"(y)COMMA "r"(z)COMMA "r"(w)COMMA "r"(v))

//===----------------------------------------------------------------------===//
// Stores and reductions
//===----------------------------------------------------------------------===//

/// Two boxes go out from one shared buffer of 16 x 32 integers, one after the
/// other; what lies outside the tensor is dropped.
extern "C" __global__ void tma_store(const __grid_constant__ CUtensorMap map,
                                     const int *in, int x, int y) {
  extern __shared__ __align__(1024) int box[];
  for (int round = 0; round < 2; ++round) {
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
      box[i] = in[round * 512 + i];
    fenceProxyAsync();
    __syncthreads();
    if (threadIdx.x == 0) {
      tmaStore(&map, box, x, y + round * 16);
      bulkCommit();
      bulkWaitRead<0>();
    }
    __syncthreads();
  }
  if (threadIdx.x == 0)
    bulkWait<0>();
}

/// Every block adds its box to the same place.
extern "C" __global__ void tma_reduce(const __grid_constant__ CUtensorMap map,
                                      const int *in, int x, int y) {
  extern __shared__ __align__(1024) int box[];
  for (int i = threadIdx.x; i < 512; i += blockDim.x)
    box[i] = in[blockIdx.x * 512 + i];
  fenceProxyAsync();
  __syncthreads();
  if (threadIdx.x == 0) {
    tmaReduceAdd(&map, box, x, y);
    bulkCommit();
    bulkWait<0>();
  }
}

/// Plain bulk copies: in to shared memory, doubled there, out again, and a sum.
extern "C" __global__ void bulk_copy(const int *in, int *out, int *sum) {
  __shared__ alignas(128) int data[256];
  __shared__ alignas(8) uint64_t full;
  if (threadIdx.x == 0) {
    initBarrier(&full, 1);
    fenceBarrierInit();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    expectBytes(&full, 1024);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%0], [%1], 1024, [%2];" ::"r"(shared(data)),
                 "l"(in + blockIdx.x * 256), "r"(shared(&full))
                 : "memory");
  }
  waitParity(&full, 0);
  data[threadIdx.x] *= 2;
  fenceProxyAsync();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(
            out + blockIdx.x * 256),
        "r"(shared(data))
        : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 "
                 "[%0], [%1], 1024;" ::"l"(sum),
                 "r"(shared(data))
                 : "memory");
    bulkCommit();
    bulkWait<0>();
  }
}

//===----------------------------------------------------------------------===//
// Ring
//===----------------------------------------------------------------------===//

/// A producer warpgroup whose first thread fills four stages by TMA, and a
/// consumer warpgroup that adds up the columns of 16 x 32 boxes; the
/// consumers meet at named barrier 1 in the end.
extern "C" __global__ void __launch_bounds__(256, 1)
    ring_sum(const __grid_constant__ CUtensorMap map, int *out, int boxes) {
  constexpr int kStages = 4;
  extern __shared__ __align__(1024) int memory[];
  __shared__ alignas(8) uint64_t full[kStages], empty[kStages];
  __shared__ int sums[4][32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      initBarrier(&full[s], 1);
      initBarrier(&empty[s], 4);
    }
    fenceBarrierInit();
  }
  __syncthreads();
  if (warp >= 4) {
    fewerRegisters<40>();
    if (threadIdx.x == 128) {
#pragma unroll 1
      for (int i = 0; i < boxes; ++i) {
        int stage = i % kStages, use = i / kStages;
        if (use)
          waitParity(&empty[stage], (use - 1) & 1);
        expectBytes(&full[stage], 2048);
        tmaLoad(memory + stage * 512, &map, &full[stage], 0,
                (blockIdx.x * boxes + i) * 16);
      }
    }
    return;
  }
  moreRegisters<160>();
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < boxes; ++i) {
    int stage = i % kStages, use = i / kStages;
    waitParity(&full[stage], use & 1);
    for (int r = 0; r < 4; ++r)
      sum += memory[stage * 512 + (warp * 4 + r) * 32 + lane];
    __syncwarp();
    if (lane == 0)
      arrive(&empty[stage]);
  }
  sums[warp][lane] = sum;
  asm volatile("bar.sync 1, 128;" ::: "memory");
  if (warp == 0)
    out[blockIdx.x * 32 + lane] =
        sums[0][lane] + sums[1][lane] + sums[2][lane] + sums[3][lane];
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// The blocks of a cluster leave partial sums in their shared memory, the first
/// one reads them all; through cooperative groups.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    cluster_reduce(const int *in, int *out) {
  __shared__ int partial;
  auto cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    partial = 0;
  __syncthreads();
  int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = 16; offset; offset >>= 1)
    value += __shfl_xor_sync(0xffffffff, value, offset);
  if (threadIdx.x % 32 == 0)
    atomicAdd(&partial, value);
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x < cluster.num_blocks()) {
    int part = *cluster.map_shared_rank(&partial, threadIdx.x);
    atomicAdd(&out[blockIdx.x / 4], part);
  }
  cluster.sync();
}

/// A histogram spread over the shared memory of a cluster of two: remote
/// atomics with inline mapa.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_histogram(const uint8_t *in, unsigned *bins, int n) {
  __shared__ unsigned mine[32];
  if (threadIdx.x < 32)
    mine[threadIdx.x] = 0;
  clusterSync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    unsigned bin = in[i] & 63;
    asm volatile(
        "{\n.reg .b32 remote;\n"
        "mapa.shared::cluster.u32 remote, %0, %1;\n"
        "red.relaxed.cluster.shared::cluster.add.u32 [remote], 1;\n}" ::"r"(
            shared(&mine[bin % 32])),
        "r"(bin / 32)
        : "memory");
  }
  clusterSync();
  if (threadIdx.x < 32)
    atomicAdd(&bins[ctaRank() * 32 + threadIdx.x], mine[threadIdx.x]);
}

/// Two blocks share every box: each loads one half and multicasts it to both.
/// A stage is free again when both blocks have read it, so each consumer
/// arrives at the empty barriers of both.
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(160)
    multicast_sum(const __grid_constant__ CUtensorMap map, int *out,
                  int boxes) {
  constexpr int kStages = 2;
  extern __shared__ __align__(1024) int memory[];
  __shared__ alignas(8) uint64_t full[kStages], empty[kStages];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  uint32_t rank = ctaRank();
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      initBarrier(&full[s], 1);
      initBarrier(&empty[s], 8);
    }
    fenceBarrierInit();
  }
  clusterSync();
  if (threadIdx.x == 128) {
#pragma unroll 1
    for (int i = 0; i < boxes; ++i) {
      int stage = i % kStages, use = i / kStages;
      if (use)
        waitParity(&empty[stage], (use - 1) & 1);
      expectBytes(&full[stage], 2048);
      tmaLoadMulticast(memory + stage * 512 + rank * 256, &map, &full[stage], 0,
                       i * 16 + rank * 8, 3);
    }
  } else if (warp < 4) {
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < boxes; ++i) {
      int stage = i % kStages, use = i / kStages;
      waitParity(&full[stage], use & 1);
      for (int r = 0; r < 4; ++r)
        sum += memory[stage * 512 + (warp * 4 + r) * 32 + lane] * (rank + 1);
      __syncwarp();
      if (lane < 2)
        arriveRemote(&empty[stage], lane);
    }
    atomicAdd(&out[rank * 32 + lane], sum);
  }
  __syncthreads();
  clusterSync();
}
