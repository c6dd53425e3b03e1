/*===- CUDADriver.h - The driver's interface, as far as it is used --------===*\
|*                                                                            *|
|* Licensed under the Apache License v2.0 with LLVM Exceptions.               *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Functions and structures of libcuda that GPUDriver.c needs, so that it     *|
|* needs no header of CUDA. attn-compile writes this text in front of it.     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ATTN_LIB_RUNTIME_CUDADRIVER_H
#define ATTN_LIB_RUNTIME_CUDADRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef unsigned long long cu_address;

enum {
  CU_MULTIPROCESSOR_MAJOR = 75,
  CU_MULTIPROCESSOR_MINOR = 76,
  CU_FUNCTION_MAX_DYNAMIC_SHARED = 8,
  CU_FUNCTION_ANY_CLUSTER_SIZE = 14,
  CU_STREAM_OWN_ORDER = 1,
  CU_LAUNCH_CLUSTER = 4,
  CU_JIT_LOG = 5,
  CU_JIT_LOG_BYTES = 6,
  CU_POOL_RELEASE_THRESHOLD = 4
};

/* CUmemPoolProps: blocks of a device's memory that no other process opens. */
typedef struct cu_pool {
  int allocation; /* 1: CU_MEM_ALLOCATION_TYPE_PINNED. */
  int handles;
  int location; /* 1: CU_MEM_LOCATION_TYPE_DEVICE. */
  int device;
  void *security;
  size_t most;
  unsigned char reserved[56];
} cu_pool;

/* CUlaunchAttribute: eight bytes for the id, a union of 64 bytes. */
typedef struct cu_attribute {
  unsigned id;
  unsigned reserved;
  union {
    unsigned cluster[3];
    unsigned long long bytes[8];
  } value;
} cu_attribute;

/* CUlaunchConfig. */
typedef struct cu_launch {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared;
  void *stream;
  cu_attribute *attributes;
  unsigned num_attributes;
} cu_launch;

/* Name in this file, name in libcuda, parameters. */
#define FOR_EACH_FUNCTION(F)                                                   \
  F(init, "cuInit", (unsigned))                                                \
  F(error_name, "cuGetErrorName", (int, const char **))                        \
  F(error_text, "cuGetErrorString", (int, const char **))                      \
  F(get_device, "cuDeviceGet", (int *, int))                                   \
  F(get_attribute, "cuDeviceGetAttribute", (int *, int, int))                  \
  F(retain, "cuDevicePrimaryCtxRetain", (void **, int))                        \
  F(release, "cuDevicePrimaryCtxRelease_v2", (int))                            \
  F(push, "cuCtxPushCurrent_v2", (void *))                                     \
  F(pop, "cuCtxPopCurrent_v2", (void **))                                      \
  F(create_stream, "cuStreamCreate", (void **, unsigned))                      \
  F(destroy_stream, "cuStreamDestroy_v2", (void *))                            \
  F(wait, "cuStreamSynchronize", (void *))                                     \
  F(create_pool, "cuMemPoolCreate", (void **, const cu_pool *))                \
  F(set_pool, "cuMemPoolSetAttribute", (void *, int, void *))                  \
  F(destroy_pool, "cuMemPoolDestroy", (void *))                                \
  F(alloc, "cuMemAllocFromPoolAsync", (cu_address *, size_t, void *, void *))  \
  F(free, "cuMemFreeAsync", (cu_address, void *))                              \
  F(copy_to_host, "cuMemcpyDtoHAsync_v2",                                      \
    (void *, cu_address, size_t, void *))                                      \
  F(copy_to_device, "cuMemcpyHtoDAsync_v2",                                    \
    (cu_address, const void *, size_t, void *))                                \
  F(load, "cuModuleLoadDataEx",                                                \
    (void **, const void *, unsigned, int *, void **))                         \
  F(unload, "cuModuleUnload", (void *))                                        \
  F(get_function, "cuModuleGetFunction", (void **, void *, const char *))      \
  F(set_function, "cuFuncSetAttribute", (void *, int, int))                    \
  F(launch, "cuLaunchKernelEx", (const cu_launch *, void *, void **, void **)) \
  F(create_event, "cuEventCreate", (void **, unsigned))                        \
  F(destroy_event, "cuEventDestroy_v2", (void *))                              \
  F(record, "cuEventRecord", (void *, void *))                                 \
  F(wait_event, "cuEventSynchronize", (void *))                                \
  F(elapsed, "cuEventElapsedTime", (float *, void *, void *))                  \
  F(encode, "cuTensorMapEncodeTiled",                                          \
    (void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,        \
     const uint32_t *, const uint32_t *, int, int, int, int))

#define DECLARE(name, symbol, parameters) int(*name) parameters;
typedef struct cu_driver {
  FOR_EACH_FUNCTION(DECLARE)
} cu_driver;

#endif /* ATTN_LIB_RUNTIME_CUDADRIVER_H */
