//===- ptx90.cuh - Thin names for sm_90a instructions -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once
#include "ptx80.cuh"
#include <cuda.h>

//===----------------------------------------------------------------------===//
// mbarrier
//===----------------------------------------------------------------------===//

__device__ inline void initBarrier(uint64_t *barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(barrier)),
               "r"(count)
               : "memory");
}
__device__ inline void fenceBarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void fenceProxyAsync() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void expectBytes(uint64_t *barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   shared(barrier)),
               "r"(bytes)
               : "memory");
}
__device__ inline void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(barrier))
               : "memory");
}
__device__ inline void arriveRemote(uint64_t *barrier, uint32_t cta) {
  asm volatile("{\n.reg .b32 remote;\n"
               "mapa.shared::cluster.u32 remote, %0, %1;\n"
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
               "[remote];\n}" ::"r"(shared(barrier)),
               "r"(cta)
               : "memory");
}
__device__ inline void waitParity(uint64_t *barrier, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\nWAIT_%=:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra DONE_%=;\nbra WAIT_%=;\nDONE_%=:\n}" ::"r"(shared(barrier)),
      "r"(parity)
      : "memory");
}

//===----------------------------------------------------------------------===//
// TMA
//===----------------------------------------------------------------------===//

__device__ inline void tmaLoad(void *dst, const CUtensorMap *map,
                               uint64_t *barrier, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_"
      "tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(shared(dst)),
      "l"(map), "r"(shared(barrier)), "r"(x), "r"(y)
      : "memory");
}
__device__ inline void tmaLoadMulticast(void *dst, const CUtensorMap *map,
                                        uint64_t *barrier, int x, int y,
                                        uint16_t ctas) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_"
      "tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(
          shared(dst)),
      "l"(map), "r"(shared(barrier)), "r"(x), "r"(y), "h"(ctas)
      : "memory");
}
__device__ inline void tmaStore(const CUtensorMap *map, const void *src, int x,
                                int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
               "[%0, {%2, %3}], [%1];" ::"l"(map),
               "r"(shared(src)), "r"(x), "r"(y)
               : "memory");
}
__device__ inline void tmaReduceAdd(const CUtensorMap *map, const void *src,
                                    int x, int y) {
  asm volatile(
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
      "[%0, {%2, %3}], [%1];" ::"l"(map),
      "r"(shared(src)), "r"(x), "r"(y)
      : "memory");
}
__device__ inline void bulkCommit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int N> __device__ inline void bulkWait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}
template <int N> __device__ inline void bulkWaitRead() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

__device__ inline uint32_t ctaRank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline void clusterSync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n"
               "barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

template <int Registers> __device__ inline void moreRegisters() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers> __device__ inline void fewerRegisters() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
__device__ inline void wgmmaFence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void wgmmaCommit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int N> __device__ inline void wgmmaWait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
/// The compiler keeps the accumulator in place around asynchronous products.
__device__ inline void keep(float (&d)[32]) {
#pragma unroll
  for (int i = 0; i < 32; ++i)
    asm volatile("" : "+f"(d[i])::"memory");
}

/// A matrix descriptor; offsets in bytes, swizzle in bytes (0, 32, 64, 128).
__device__ inline uint64_t describe(uint32_t address, uint32_t leading,
                                    uint32_t stride, int swizzle) {
  uint64_t mode = swizzle == 128  ? 1
                  : swizzle == 64 ? 2
                  : swizzle == 32 ? 3
                                  : 0;
  return uint64_t((address & 0x3ffff) >> 4) | uint64_t(leading >> 4) << 16 |
         uint64_t(stride >> 4) << 32 | mode << 62;
}

#define ACCUMULATORS                                                           \
  "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"                    \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}"
#define OUTPUTS(d)                                                             \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),      \
      "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]),             \
      "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),         \
      "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),         \
      "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]),         \
      "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]),         \
      "+f"(d[31])

/// d = a . b, or d += a . b; both operands in shared memory.
template <int TransposeB>
__device__ inline void wgmmaSS(float (&d)[32], uint64_t a, uint64_t b,
                               int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " ACCUMULATORS
      ", %32, %33, p, 1, 1, 0, %35;\n}"
      : OUTPUTS(d)
      : "l"(a), "l"(b), "r"(accumulate), "n"(TransposeB));
}
/// The same with a in registers.
template <int TransposeB>
__device__ inline void wgmmaRS(float (&d)[32], const uint32_t (&a)[4],
                               uint64_t b, int accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " ACCUMULATORS
      ", {%32,%33,%34,%35}, %36, p, 1, 1, %38;\n}"
      : OUTPUTS(d)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate),
        "n"(TransposeB));
}
