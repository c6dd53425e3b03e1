/* call.c - Calls a kernel of attn-compile. sdpa.h and sdpa.o are all it takes.
 */
#include "sdpa.h"
#include <stdio.h>
#include <stdlib.h>

static float query[2][48][32], key[2][48][32], value[2][48][32],
    result[2][48][32];

static void *allocate(void *host, size_t bytes, size_t align) {
  (void)host;
  return aligned_alloc(align, (bytes + align - 1) / align * align);
}

static void release(void *host, void *data) {
  (void)host;
  free(data);
}

static DLTensor describe(void *data) {
  static int64_t shape[] = {1, 2, 48, 32};
  DLTensor tensor = {.data = data, .ndim = 4, .shape = shape};
  tensor.device.device_type = kDLCPU;
  tensor.dtype.code = kDLFloat;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 1;
  return tensor;
}

int main(void) {
  /* Equal scores: row i is the mean of the values up to i. */
  for (int i = 0; i < 48; ++i)
    value[0][i][0] = (float)i;
  DLTensor q = describe(query), k = describe(key), v = describe(value),
           out = describe(result);
  attn_context context = {.abi_version = ATTN_ABI_VERSION};
  context.alloc = allocate;
  context.free = release;
  if (torch_sdpa_causal(&context, &q, &k, &v, &out) != ATTN_OK) {
    fprintf(stderr, "%s\n", attn_error_message(&context));
    return 1;
  }
  printf("%g %g %g\n", result[0][0][0], result[0][1][0], result[0][47][0]);
  return 0;
}
