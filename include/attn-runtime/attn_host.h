/*===- attn_host.h - Ready-made host services for kernels --------*- C -*-===*\
|*                                                                            *|
|* Licensed under the Apache License v2.0 with LLVM Exceptions.               *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Optional: an attn_context with aligned allocation and a pool of threads,   *|
|* for programs that have no pool of their own.                               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ATTN_RUNTIME_ATTN_HOST_H
#define ATTN_RUNTIME_ATTN_HOST_H

#include "attn-runtime/attn_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A context whose parallel_for uses `threads` threads, the calling one
   included; parallel_for is NULL if `threads` is at most 1. NULL if there is
   no memory. A context serves one caller at a time. */
attn_context *attn_host_context_create(int threads);
void attn_host_context_destroy(attn_context *ctx);

/* Bytes of scratch that kernels hold at this moment: 0 between calls. */
size_t attn_host_context_live_bytes(const attn_context *ctx);

/* Scratch of earlier calls that is kept for the next one: a kernel that is
   called again touches no fresh pages. Live and kept bytes together never
   exceed the most that was live at one time. attn_host_context_trim gives the
   kept bytes back to the system. */
size_t attn_host_context_kept_bytes(const attn_context *ctx);
void attn_host_context_trim(attn_context *ctx);

#ifdef __cplusplus
}
#endif

#endif /* ATTN_RUNTIME_ATTN_HOST_H */
