/*===- attn_openmp.h - Kernels on the threads of OpenMP ----------*- C -*-===*\
|*                                                                            *|
|* Licensed under the Apache License v2.0 with LLVM Exceptions.               *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Optional: an attn_context for programs that use OpenMP anyway. Link        *|
|* AttnRuntimeOpenMP and LLVM's libomp.                                       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ATTN_RUNTIME_ATTN_OPENMP_H
#define ATTN_RUNTIME_ATTN_OPENMP_H

#include "attn-runtime/attn_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes *ctx ready for kernels: aligned allocation, and a parallel_for with
   `threads` threads, or with as many as OpenMP likes where `threads` is at most
   0. Nothing has to be undone. Any number of contexts may be in use at once. */
void attn_openmp_context_init(attn_context *ctx, int threads);

#ifdef __cplusplus
}
#endif

#endif /* ATTN_RUNTIME_ATTN_OPENMP_H */
