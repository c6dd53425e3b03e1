/* gpu_decoder.c - The text of main.c on a GPU: one prompt, then token by token,
 * with caches in the GPU's memory. C99, without a header of CUDA.
 *
 * $ attn-compile decoder.mlir --target=nvptx:sm_80 -o decoder
 *
 * $ cc -std=c99 gpu_decoder.c tokens.c decoder_launcher.c decoder.o -ldl -lm
 */
#include "tokens.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static attn_gpu_context *gpu;

static void fail_if(int status) {
  if (status == ATTN_OK)
    return;
  fprintf(stderr, "error %d: %s\n", status, attn_error_message(&gpu->base));
  attn_gpu_driver_destroy(gpu);
  exit(1);
}

/* Device memory. The driver's text says why there is none. */
static float *allocate(size_t count) {
  void *data = gpu->base.alloc(gpu->base.host, count * sizeof(float), 256);
  if (!data)
    fail_if(ATTN_ERROR_OUT_OF_MEMORY);
  return (float *)data;
}

static void release(float *data) { gpu->base.free(gpu->base.host, data); }

static float *upload(const float *data, size_t count) {
  float *copy = allocate(count);
  fail_if(attn_gpu_driver_write(gpu, copy, data, count * sizeof(float)));
  return copy;
}

/* The tokens in the GPU's memory. */
static float *queries_there, *keys_there, *values_there;

/* Keys or values of all tokens so far, with room for more. */
typedef struct {
  float *data;
  int64_t room;
} cache;

/* A larger cache with the same rows. */
static void grow(cache *c, int64_t rows) {
  int64_t room = c->room ? 2 * c->room : 40;
  size_t count = (size_t)(kKeyHeads * room * kDim);
  float *host = (float *)calloc(count, sizeof(float));
  if (!host)
    abort();
  for (int64_t h = 0; h < kKeyHeads && c->data; ++h)
    fail_if(gpu->read(gpu, host + h * room * kDim, c->data + h * c->room * kDim,
                      (size_t)(rows * kDim) * sizeof(float)));
  release(c->data);
  c->data = upload(host, count);
  c->room = room;
  free(host);
}

static DLTensor *describe_there(view *v, float *data, int64_t heads,
                                int64_t rows, int64_t head_stride) {
  return describe(v, kDLCUDA, data, heads, rows, head_stride);
}

static DLTensor *describe_cache(view *v, const cache *c) {
  return describe_there(v, c->data, kKeyHeads, c->room, c->room * kDim);
}

static int run_prefill(const cache *key_cache, const cache *value_cache,
                       float *out) {
  view q, k, v, all_keys, all_values, o;
  int64_t stride = kSteps * kDim;
  return prefill(
      &gpu->base,
      describe_there(&q, queries_there, kQueryHeads, kPrompt, stride),
      describe_there(&k, keys_there, kKeyHeads, kPrompt, stride),
      describe_there(&v, values_there, kKeyHeads, kPrompt, stride),
      describe_cache(&all_keys, key_cache),
      describe_cache(&all_values, value_cache),
      describe_there(&o, out, kQueryHeads, kPrompt, kPrompt * kDim));
}

/* How many rows of the caches are in use lies in the GPU's memory, too. */
static int run_decode(int token, int32_t *length, const cache *key_cache,
                      const cache *value_cache, float *out) {
  view q, k, v, all_keys, all_values, o;
  int64_t one = 1, stride = kSteps * kDim;
  int32_t rows = token;
  DLTensor lengths;
  memset(&lengths, 0, sizeof lengths);
  lengths.data = length;
  lengths.device.device_type = kDLCUDA;
  lengths.ndim = 1;
  lengths.dtype.code = kDLInt;
  lengths.dtype.bits = 32;
  lengths.dtype.lanes = 1;
  lengths.shape = &one;
  fail_if(attn_gpu_driver_write(gpu, length, &rows, sizeof rows));
  return decode(
      &gpu->base,
      describe_there(&q, queries_there + token * kDim, kQueryHeads, 1, stride),
      describe_there(&k, keys_there + token * kDim, kKeyHeads, 1, stride),
      describe_there(&v, values_there + token * kDim, kKeyHeads, 1, stride),
      describe_cache(&all_keys, key_cache),
      describe_cache(&all_values, value_cache), &lengths,
      describe_there(&o, out, kQueryHeads, 1, kDim));
}

/* The worst of `rows` rows of each head, the first of which is a token's. */
static double check(const float *out, int token, int rows) {
  static float host[kQueryHeads * kPrompt * kDim];
  double worst = 0;
  fail_if(gpu->read(gpu, host, out,
                    sizeof(float) * (size_t)(kQueryHeads * rows * kDim)));
  for (int h = 0; h < kQueryHeads; ++h)
    for (int t = 0; t < rows; ++t)
      worst =
          fmax(worst, check_row(host + (h * rows + t) * kDim, h, token + t));
  return worst;
}

static double write_text(void) {
  cache key_cache = {NULL, 0}, value_cache = {NULL, 0};
  float *out = allocate(kQueryHeads * kPrompt * kDim), *length = allocate(1);
  double worst;
  int grown = 0;
  grow(&key_cache, 0);
  grow(&value_cache, 0);
  fail_if(run_prefill(&key_cache, &value_cache, out));
  worst = check(out, 0, kPrompt);
  printf("prompt of %d tokens: %s\n", kPrompt,
         worst < 2e-6 ? "right" : "wrong");
  for (int t = kPrompt; t < kSteps; ++t) {
    int32_t *rows = (int32_t *)(void *)length;
    int status = run_decode(t, rows, &key_cache, &value_cache, out);
    if (status == ATTN_ERROR_ASSERTION) {
      if (!grown++)
        printf("first: %s\n", attn_error_message(&gpu->base));
      grow(&key_cache, t);
      grow(&value_cache, t);
      status = run_decode(t, rows, &key_cache, &value_cache, out);
    }
    fail_if(status);
    worst = fmax(worst, check(out, t, 1));
  }
  printf("%d more, the caches grew %d times: %s\n", kTokens, grown,
         worst < 2e-6 ? "right" : "wrong");
  release(key_cache.data);
  release(value_cache.data);
  release(out);
  release(length);
  return worst;
}

int main(void) {
  char error[256];
  double worst;
  gpu = attn_gpu_driver_create(0, error, sizeof error);
  if (!gpu) {
    fprintf(stderr, "no GPU: %s\n", error);
    return 1;
  }
  fill_tokens();
  queries_there = upload(queries[0][0], sizeof queries / sizeof(float));
  keys_there = upload(keys[0][0], sizeof keys / sizeof(float));
  values_there = upload(values[0][0], sizeof values / sizeof(float));
  worst = write_text();
  release(queries_there);
  release(keys_there);
  release(values_there);
  attn_gpu_driver_destroy(gpu);
  return worst < 2e-6 ? 0 : 1;
}
