/*===- EmulatedCall.h - A call of a kernel in a file --------------*- C -*-===*\
|*                                                                            *|
|* Licensed under the Apache License v2.0 with LLVM Exceptions.               *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What two programs share, of which one runs in an emulator of another
machine.*|
|* Both are little-endian, with 64 bits.                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef ATTN_LIB_RUNTIME_EMULATEDCALL_H
#define ATTN_LIB_RUNTIME_EMULATEDCALL_H

#include <stdint.h>

/* Begins the file. Behind it stand the tensors, then for each of them its
 * dimensions, then the sizes that NAME__shapes stores. */
typedef struct emulated_call {
  /* What the kernel returned, and the text that belongs to it. */
  int32_t status;
  int32_t threads;
  /* Blocks of scratch memory that it did not free. */
  int64_t live_blocks;
  int64_t num_tensors;
  int64_t num_sizes;
  char error[256];
} emulated_call;

typedef struct emulated_tensor {
  /* Where its elements are in the file. */
  int64_t data;
  int32_t ndim;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} emulated_tensor;

#endif /* ATTN_LIB_RUNTIME_EMULATEDCALL_H */
