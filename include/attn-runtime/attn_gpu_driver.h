/*===- attn_gpu_driver.h - A ready-made context for NVIDIA GPUs --*- C -*-===*\
|*                                                                            *|
|* Licensed under the Apache License v2.0 with LLVM Exceptions.               *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Optional: an attn_gpu_context on the driver's interface, for programs that *|
|* have none of their own. Its one file of code needs neither CUDA's headers  *|
|* nor its libraries: the driver is loaded when a context is created.         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ATTN_RUNTIME_ATTN_GPU_DRIVER_H
#define ATTN_RUNTIME_ATTN_GPU_DRIVER_H

#include "attn-runtime/attn_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A context for the GPU with this number, in its primary context, which other
   libraries of the process share. It has a stream of its own; a host may set
   `stream` to another one. Memory comes from a pool of its own, which keeps
   what is freed for the next call until the context is destroyed. NULL where
   there is no driver, no such GPU or no memory: then `error` says which, in at
   most `bytes` bytes. A context serves one caller at a time. Kernels are loaded
   at their first launch: what a stream is to capture runs once before. */
attn_gpu_context *attn_gpu_driver_create(int device, char *error, size_t bytes);

/* Waits for the stream and gives everything back. NULL is fine. */
void attn_gpu_driver_destroy(attn_gpu_context *ctx);

/* Copies from the host to the device in the stream's order, and waits. Memory
   of the device comes from ctx->base.alloc, and `read` copies it back. */
int attn_gpu_driver_write(attn_gpu_context *ctx, void *device, const void *host,
                          size_t bytes);

/* The time that the device takes for what the stream gets in between. `stop`
   waits for it. */
int attn_gpu_driver_start(attn_gpu_context *ctx);
int attn_gpu_driver_stop(attn_gpu_context *ctx, double *seconds);

/* Waits for all that the stream has. What kernels did wrong is said here. */
int attn_gpu_driver_wait(attn_gpu_context *ctx);

#ifdef __cplusplus
}
#endif

#endif /* ATTN_RUNTIME_ATTN_GPU_DRIVER_H */
