/*===- attn_gpu.h - What a compiled GPU program asks of its host
 * ------------===*
 *
 * Licensed under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * An object compiled for `nvptx:` has the entries of attn_runtime.h: same
 * prototypes, same checks, same codes. Their tensors lie in device memory
 * (kDLCUDA), and the context they are given is the first member of an
 * attn_gpu_context:
 *
 *   attn_gpu_context gpu = ...;
 *   int code = NAME(&gpu.base, inputs..., outputs...);
 *
 * The entry runs on the host. It computes grids, asks base.alloc for scratch in
 * device memory, and hands kernels to `launch` in the order in which they are
 * to run; base.parallel_for is not used. Nothing waits for the device but
 * `read`, so a stream can be captured where the program has no `read` (its
 * metadata says so). Memory that base.free gets back may be in use by kernels
 * that are still waiting in the stream: alloc and free follow the order of the
 * stream, as cuMemAllocAsync and cuMemFreeAsync do.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ATTN_RUNTIME_ATTN_GPU_H
#define ATTN_RUNTIME_ATTN_GPU_H

#include "attn-runtime/attn_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a layout below does. */
#define ATTN_GPU_ABI_VERSION 1u

/* What a kernel's parameter is. */
typedef enum attn_gpu_parameter_kind {
  /* A number, by value. */
  ATTN_GPU_NUMBER = 0,
  /* The address of device memory, by value. */
  ATTN_GPU_POINTER = 1,
  /* 128 bytes that attn_gpu_context.tensor_map has filled, by value. */
  ATTN_GPU_TENSOR_MAP = 2
} attn_gpu_parameter_kind;

typedef struct attn_gpu_parameter {
  uint32_t bytes;
  /* An attn_gpu_parameter_kind. */
  uint32_t kind;
} attn_gpu_parameter;

/* Code for one architecture, or PTX, which a driver compiles for any later
 * one. */
typedef struct attn_gpu_image {
  /* 80 for sm_80, 90 for sm_90 and sm_90a; 0 is PTX, ended by a zero byte. */
  uint32_t arch;
  uint32_t reserved;
  /* Without the zero byte. */
  uint64_t bytes;
  const void *data;
} attn_gpu_image;

/* All kernels of an object: one module of the driver. Constant data; its
 * address is its identity. */
typedef struct attn_gpu_module {
  /* ATTN_GPU_ABI_VERSION. */
  uint32_t abi_version;
  uint32_t num_images;
  const attn_gpu_image *images;
} attn_gpu_module;

/* One kernel. Constant data of the object. */
typedef struct attn_gpu_kernel {
  const attn_gpu_module *module;
  /* As PTX calls it. */
  const char *name;
  /* Threads of a block, blocks of a cluster (1, 1, 1: none). */
  uint32_t block[3];
  uint32_t cluster[3];
  uint32_t num_parameters;
  uint32_t reserved;
  const attn_gpu_parameter *parameters;
} attn_gpu_kernel;

/* What cuTensorMapEncodeTiled is told, innermost dimension first. The numbers
 * of type, swizzle and l2 are those of CUtensorMapDataType, CUtensorMapSwizzle
 * and CUtensorMapL2promotion. */
typedef struct attn_gpu_tensor {
  const void *data;
  uint32_t type;
  uint32_t rank;
  uint64_t dims[5];
  /* Bytes, of dimensions 1 to rank - 1. */
  uint64_t strides[4];
  uint32_t box[5];
  uint32_t swizzle;
  uint32_t l2;
  uint32_t reserved;
} attn_gpu_tensor;

/* The callbacks return ATTN_OK or another code of attn_status, after they have
 * written a text to base.error; the entry frees its scratch and returns the
 * code. */
typedef struct attn_gpu_context {
  attn_context base;
  /* A CUstream; entries never look at it. */
  void *stream;
  /* Puts a kernel into the stream. `shared` is the dynamic shared memory of a
   * block in bytes; parameters[i] points at the value of parameter i, which is
   * read before the call returns. A grid without blocks is no error, and
   * nothing runs. */
  int (*launch)(struct attn_gpu_context *ctx, const attn_gpu_kernel *kernel,
                const uint32_t grid[3], uint32_t shared, void **parameters);
  /* Writes the 128 bytes of a tensor map. */
  int (*tensor_map)(struct attn_gpu_context *ctx, void *map,
                    const attn_gpu_tensor *tensor);
  /* Copies `bytes` bytes from the device to `host`, after all that the stream
   * has so far, and waits for that. */
  int (*read)(struct attn_gpu_context *ctx, void *host, const void *device,
              size_t bytes);
} attn_gpu_context;

#ifdef __cplusplus
}
#endif

#endif /* ATTN_RUNTIME_ATTN_GPU_H */
