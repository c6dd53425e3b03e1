/* What the test programs of the C API share. Licensed under the Apache License
 * v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
 * LLVM-exception */

#ifndef ATTN_TEST_CAPI_COMMON_H
#define ATTN_TEST_CAPI_COMMON_H

#include "attn-c/attn.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                     \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);          \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/* A call that has to succeed. */
#define GOOD(compiler, call)                                                   \
  do {                                                                         \
    attn_code code_ = (call);                                                  \
    if (code_ != ATTN_GOOD) {                                                  \
      fprintf(stderr, "%s:%d: code %d: %s\n", __FILE__, __LINE__, (int)code_,  \
              attn_compiler_error(compiler));                                  \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/* Rows of 4 numbers; the number of rows is known when it runs. */
#define ADD_MODULE                                                             \
  "func.func @add(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>)"                   \
  " -> tensor<?x4xf32> {\n"                                                    \
  "  %r = arith.addf %a, %b : tensor<?x4xf32>\n"                               \
  "  return %r : tensor<?x4xf32>\n"                                            \
  "}\n"

static inline attn_module *parse(attn_compiler *compiler, const char *text,
                                 const char *name) {
  attn_module *module;
  GOOD(compiler,
       attn_module_parse(compiler, text, strlen(text), name, &module));
  return module;
}

static inline DLTensor make_tensor(void *data, int64_t *shape, int32_t rank,
                                   unsigned code, unsigned bits) {
  DLTensor tensor;
  memset(&tensor, 0, sizeof(tensor));
  tensor.data = data;
  tensor.device.device_type = kDLCPU;
  tensor.ndim = rank;
  tensor.dtype.code = (uint8_t)code;
  tensor.dtype.bits = (uint8_t)bits;
  tensor.dtype.lanes = 1;
  tensor.shape = shape;
  return tensor;
}

#endif /* ATTN_TEST_CAPI_COMMON_H */
