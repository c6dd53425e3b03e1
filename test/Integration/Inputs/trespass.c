/* trespass.c - Functions with the ABI of kernels that each do one thing they
 * must not; guard-pages-harness.test sees each of them found. */
#include "attn-runtime/attn_runtime.h"
#include <string.h>

#define KERNEL(name)                                                           \
  int name##__shapes(const attn_context *ctx, DLTensor *in, int64_t *dims) {   \
    (void)ctx;                                                                 \
    dims[0] = in->shape[0];                                                    \
    return ATTN_OK;                                                            \
  }                                                                            \
  int name(const attn_context *ctx, DLTensor *in, DLTensor *out)

static float sum;

KERNEL(good) {
  float *a = in->data, *r = out->data;
  int64_t n = in->shape[0], s = in->strides ? in->strides[0] : 1;
  int64_t t = out->strides ? out->strides[0] : 1;
  (void)ctx;
  for (int64_t i = 0; i < n; ++i)
    r[i * t] = 2 * a[i * s];
  return ATTN_OK;
}

KERNEL(reads_behind) {
  (void)ctx, (void)out;
  sum += ((volatile float *)in->data)[in->shape[0]];
  return ATTN_OK;
}

KERNEL(reads_before) {
  (void)ctx, (void)out;
  sum += ((volatile float *)in->data)[-1];
  return ATTN_OK;
}

KERNEL(writes_behind) {
  (void)ctx, (void)in;
  ((volatile float *)out->data)[out->shape[0]] = 1;
  return ATTN_OK;
}

KERNEL(writes_between) {
  (void)ctx, (void)in;
  ((volatile float *)out->data)[1] = 1;
  return ATTN_OK;
}

KERNEL(writes_input) {
  (void)ctx, (void)out;
  ((volatile float *)in->data)[0] = 1;
  return ATTN_OK;
}

KERNEL(writes_behind_scratch) {
  char *scratch = ctx->alloc(ctx->host, 100, 1);
  (void)in, (void)out;
  ((volatile char *)scratch)[100] = 1;
  ctx->free(ctx->host, scratch);
  return ATTN_OK;
}

KERNEL(keeps_scratch) {
  (void)in, (void)out;
  ctx->alloc(ctx->host, 100, 1);
  return ATTN_OK;
}

KERNEL(writes_and_refuses) {
  attn_context *host = (attn_context *)ctx;
  (void)in;
  ((volatile float *)out->data)[0] = 1;
  strcpy(host->error, "input 0: dimension 0 must be 4 but is 5");
  return ATTN_ERROR_SHAPE;
}

KERNEL(hangs) {
  (void)ctx, (void)in, (void)out;
  for (;;)
    ((volatile float *)out->data)[0] = 1;
}
