// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain C for clang's NVPTX target, so that PTX of LLVM's own back end is in
// the corpus.

#define KERNEL __attribute__((device_kernel)) void
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))

static inline int tid(void) { return __nvvm_read_ptx_sreg_tid_x(); }
static inline int block(void) { return __nvvm_read_ptx_sreg_ctaid_x(); }
static inline int threads(void) { return __nvvm_read_ptx_sreg_ntid_x(); }

static SHARED float partial[32];
static SHARED int counts[64];
static SHARED float tile[32 * 33];

// A sum over the block: shuffles, then shared memory.
static float blockSum(float x) {
  for (int step = 16; step; step /= 2)
    x += __builtin_bit_cast(
        float,
        __nvvm_shfl_sync_bfly_i32(-1, __builtin_bit_cast(int, x), step, 31));
  __syncthreads();
  if (tid() % 32 == 0)
    partial[tid() / 32] = x;
  __syncthreads();
  float sum = 0;
  for (int w = 0; w < threads() / 32; ++w)
    sum += partial[w];
  return sum;
}

// Rows of `n`, one block each: (x - mean) / sqrt(variance + eps) * w + b.
KERNEL llvm_layer_norm(const GLOBAL float *x, const GLOBAL float *w,
                       const GLOBAL float *b, GLOBAL float *out, int n,
                       float eps) {
  x += block() * n;
  out += block() * n;
  float sum = 0, squares = 0;
  for (int i = tid(); i < n; i += threads())
    sum += x[i];
  float mean = blockSum(sum) / n;
  for (int i = tid(); i < n; i += threads())
    squares += (x[i] - mean) * (x[i] - mean);
  float scale = 1 / __nvvm_sqrt_rn_f(blockSum(squares) / n + eps);
  for (int i = tid(); i < n; i += threads())
    out[i] = (x[i] - mean) * scale * w[i] + b[i];
}

// Counts in shared memory, then in global memory.
KERNEL llvm_histogram(const GLOBAL unsigned char *data, GLOBAL int *bins,
                      int n) {
  if (tid() < 64)
    counts[tid()] = 0;
  __syncthreads();
  for (int i = block() * threads() + tid(); i < n;
       i += threads() * __nvvm_read_ptx_sreg_nctaid_x())
    __scoped_atomic_fetch_add((int *)&counts[data[i] & 63], 1, __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_WRKGRP);
  __syncthreads();
  if (tid() < 64)
    __scoped_atomic_fetch_add((int *)&bins[tid()], counts[tid()],
                              __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

// A 32 x 32 tile of a matrix, transposed through shared memory with a pad.
KERNEL llvm_transpose(const GLOBAL float *in, GLOBAL float *out, int rows,
                      int columns) {
  int x = __nvvm_read_ptx_sreg_ctaid_x() * 32,
      y = __nvvm_read_ptx_sreg_ctaid_y() * 32;
  for (int i = tid() / 32; i < 32; i += threads() / 32)
    if (y + i < rows && x + tid() % 32 < columns)
      tile[i * 33 + tid() % 32] = in[(y + i) * columns + x + tid() % 32];
  __syncthreads();
  for (int i = tid() / 32; i < 32; i += threads() / 32)
    if (x + i < columns && y + tid() % 32 < rows)
      out[(x + i) * rows + y + tid() % 32] = tile[tid() % 32 * 33 + i];
}

// A function that is called, with a struct by value, local memory and a switch.
struct Polynomial {
  int coefficients[4];
};

__attribute__((noinline)) static int evaluate(struct Polynomial p, int x,
                                              int form) {
  int powers[4];
  powers[0] = 1;
  for (int i = 1; i < 4; ++i)
    powers[i] = powers[i - 1] * x;
  switch (form & 3) {
  case 0:
    return p.coefficients[x & 3];
  case 1:
    return powers[form >> 2 & 3];
  case 2:
    return p.coefficients[0] * powers[1] - p.coefficients[1];
  }
  int sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += p.coefficients[i] * powers[form >> (2 * i) & 3];
  return sum;
}

KERNEL llvm_calls(const GLOBAL int *in, GLOBAL int *out, int n) {
  int i = block() * threads() + tid();
  if (i >= n)
    return;
  struct Polynomial p = {{in[i], i, 3, -1}};
  out[i] = evaluate(p, in[i] & 7, i);
}

#ifdef SM90
static SHARED _Alignas(128) int words[256];
static SHARED unsigned long long barrier;

// 256 words arrive by a bulk copy and leave in reverse order.
KERNEL llvm_bulk(const GLOBAL int *in, GLOBAL int *out) {
  if (tid() == 0) {
    __nvvm_mbarrier_init_shared((SHARED long long *)&barrier, 1);
    __asm__ volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (tid() == 0) {
    __asm__ volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(
            (int)(long)&barrier)
        : "memory");
    __asm__ volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1], 1024, [%2];" ::"r"((int)(long)words),
        "l"(in + block() * 256), "r"((int)(long)&barrier)
        : "memory");
  }
  int done = 0;
  while (!done)
    __asm__ volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 "
                     "p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"((int)(long)&barrier)
                     : "memory");
  out[block() * 256 + tid()] = words[255 - tid()];
}
#endif
