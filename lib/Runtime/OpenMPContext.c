/*===- OpenMPContext.c - Kernels on the threads of OpenMP ------------------===*
 *
 * Licensed under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * No state but the number of threads, which is the host pointer itself.
 *
 *===----------------------------------------------------------------------===*/

#include "attn-runtime/attn_openmp.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(void *host, size_t bytes, size_t align) {
  void *ptr = NULL;
  (void)host;
  if (align < sizeof(void *))
    align = sizeof(void *);
  return posix_memalign(&ptr, align, bytes ? bytes : 1) == 0 ? ptr : NULL;
}

static void release(void *host, void *ptr) {
  (void)host;
  free(ptr);
}

/* Iterations are handed out one by one: causal rows differ in cost. Which
 * thread runs one never changes what it computes. */
static void parallel_for(void *host, void (*fn)(void *data, int64_t i),
                         void *data, int64_t n) {
  int threads = (int)(intptr_t)host;
  int64_t i;
  if (threads <= 0)
    threads = omp_get_max_threads();
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (n > 1)
  for (i = 0; i < n; ++i)
    fn(data, i);
}

void attn_openmp_context_init(attn_context *ctx, int threads) {
  memset(ctx, 0, sizeof(*ctx));
  ctx->abi_version = ATTN_ABI_VERSION;
  ctx->host = (void *)(intptr_t)threads;
  ctx->alloc = allocate;
  ctx->free = release;
  ctx->parallel_for = parallel_for;
}
