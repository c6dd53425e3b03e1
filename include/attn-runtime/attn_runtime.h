/*===- attn_runtime.h - C ABI between compiled kernels and their hosts -----===*
 *
 * Licensed under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * Every kernel compiled by attn-mlir is a plain C function
 *
 *   int NAME(const attn_context *ctx, DLTensor *inputs...,
 *            DLTensor *outputs...);
 *
 * Outputs are allocated by the host. Beside each kernel lies
 *
 *   int NAME__shapes(const attn_context *ctx, DLTensor *inputs...,
 *                    int64_t *dims);
 *
 * which stores the dimensions of all outputs, one after the other, in `dims`
 * and reads only the shapes of the inputs. Both return ATTN_OK or another code
 * of attn_status; in that case attn_error_message(ctx) says what was wrong.
 *
 * Legal at the boundary: any strides (null = compact row-major), a byte_offset,
 * unaligned data, tensors without elements (their data may be null), inputs
 * that overlap each other. Illegal: an output that overlaps an input or another
 * output. Booleans are one byte each, zero or not. Scalars are tensors with
 * ndim 0.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ATTN_RUNTIME_ATTN_RUNTIME_H
#define ATTN_RUNTIME_ATTN_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* The tensors are those of DLPack. Where its header is not installed, or
 * ATTN_NO_DLPACK_HEADER is defined, the few declarations that a host of kernels
 * needs stand here; the layout is the same. */
#if !defined(ATTN_NO_DLPACK_HEADER) && defined(__has_include)
#if __has_include(<dlpack/dlpack.h>)
#define ATTN_HAS_DLPACK_HEADER 1
#endif
#endif
#if defined(ATTN_HAS_DLPACK_HEADER)
#include <dlpack/dlpack.h>
#elif !defined(DLPACK_DLPACK_H_)
#define ATTN_OWN_DLPACK 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(ATTN_OWN_DLPACK)
typedef enum {
  kDLCPU = 1, /* Host memory. */
  kDLCUDA = 2 /* Device memory: kernels compiled for a GPU take no other. */
} DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLBfloat = 4U,
  kDLBool = 6U
} DLDataTypeCode;

typedef struct {
  uint8_t code;   /* A DLDataTypeCode. */
  uint8_t bits;   /* Of one element. */
  uint16_t lanes; /* 1. */
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /* In elements; null = compact, row-major. */
  uint64_t byte_offset;
} DLTensor;
#endif

/* Changes whenever the layout of attn_context or the meaning of a kernel's
 * arguments changes. */
#define ATTN_ABI_VERSION 1u

/* What a kernel returns. */
typedef enum attn_status {
  ATTN_OK = 0,
  /* ctx is null; nobody can be told more. */
  ATTN_ERROR_NULL_CONTEXT = 1,
  /* ctx->abi_version differs from the one the kernel was compiled for. */
  ATTN_ERROR_ABI_VERSION = 2,
  /* A DLTensor pointer, its shape or its data is null. */
  ATTN_ERROR_NULL_ARGUMENT = 3,
  /* Wrong element type, or the data is not in the memory that the kernel
   * works on: that of the host, or of the GPU. */
  ATTN_ERROR_TYPE = 4,
  /* Wrong number of dimensions, wrong or inconsistent sizes. */
  ATTN_ERROR_SHAPE = 5,
  /* An output overlaps an input, another output or itself. */
  ATTN_ERROR_OVERLAP = 6,
  /* Scratch memory is needed and ctx->alloc is null or returned null. */
  ATTN_ERROR_OUT_OF_MEMORY = 7,
  /* The object holds no clone for the instruction set of this machine. */
  ATTN_ERROR_UNSUPPORTED_ISA = 8,
  /* An assertion that came with the compiled program does not hold. */
  ATTN_ERROR_ASSERTION = 9,
  /* A GPU, its driver or its compiler refused (attn_gpu.h). */
  ATTN_ERROR_DEVICE = 10
} attn_status;

/* What a host gives to a kernel. Kernels keep no state of their own and never
 * write anything here but `error`, which they do through the const pointer: do
 * not declare the object itself const. */
typedef struct attn_context {
  /* ATTN_ABI_VERSION. */
  uint32_t abi_version;
  /* Handed to the callbacks below; kernels never look at it. */
  void *host;
  /* Scratch memory, aligned to `align` bytes, or null. May be called from
   * inside parallel_for, on any of its threads. Needed only by kernels whose
   * scratch exceeds the stack budget of 64 KiB. Asked for at every call: a
   * host that keeps large blocks spares the faults of fresh pages. */
  void *(*alloc)(void *host, size_t bytes, size_t align);
  void (*free)(void *host, void *ptr);
  /* Calls fn(data, i) once for each i in [0, n), in any order, on any threads,
   * and returns when all are done. Null: the kernel loops by itself. */
  void (*parallel_for)(void *host, void (*fn)(void *data, int64_t i),
                       void *data, int64_t n);
  /* Text of the last error, terminated by a zero byte. */
  char error[256];
} attn_context;

/* The text that belongs to the last code other than ATTN_OK. */
static inline const char *attn_error_message(const attn_context *ctx) {
  return ctx ? ctx->error : "the context is null";
}

#ifdef __cplusplus
}
#endif

#endif /* ATTN_RUNTIME_ATTN_RUNTIME_H */
