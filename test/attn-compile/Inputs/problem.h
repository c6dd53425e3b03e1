/* problem.h - Arguments for the kernel of attention.mlir, and what a host
 * provides. */
#include "attention.h"
#include "serial_context.h"
#include "tensor.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRows = 53, kKeys = 71, kDim = 40, kValueDim = 24, kHeads = 2 };
enum {
  kQueryCount = kHeads * kRows * kDim,
  kKeyCount = kHeads * kKeys * kDim,
  kValueCount = kHeads * kKeys * kValueDim,
  kOutputCount = kHeads * kRows * kValueDim,
  kSumCount = kHeads * kRows
};

static float query[kQueryCount], keys[kKeyCount], values[kValueCount];
static float output[kOutputCount], sums[kSumCount];

static int64_t query_shape[3] = {kHeads, kRows, kDim};
static int64_t key_shape[3] = {kHeads, kKeys, kDim};
static int64_t value_shape[3] = {kHeads, kKeys, kValueDim};
static int64_t output_shape[3] = {kHeads, kRows, kValueDim};
static int64_t sum_shape[2] = {kHeads, kRows};

static void fill(float *data, int count, unsigned seed) {
  for (int i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
  }
}

/* The five arguments of a good call. */
typedef struct {
  DLTensor q, k, v, o, lse;
} arguments;

static arguments make_arguments(void) {
  arguments a;
  fill(query, kQueryCount, 1);
  fill(keys, kKeyCount, 2);
  fill(values, kValueCount, 3);
  memset(output, 0, sizeof output);
  memset(sums, 0, sizeof sums);
  a.q = make_tensor(query, 3, query_shape);
  a.k = make_tensor(keys, 3, key_shape);
  a.v = make_tensor(values, 3, value_shape);
  a.o = make_tensor(output, 3, output_shape);
  a.lse = make_tensor(sums, 2, sum_shape);
  return a;
}
