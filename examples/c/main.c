/* main.c - Writes a text: one prompt, then token by token, with the kernels of
 * decoder.mlir. Plain C; decoder.h and decoder.o are all it takes.
 *
 * $ targets=cpu:x86-64,cpu:x86-64-v3,cpu:x86-64-v4
 *
 * $ attn-compile decoder.mlir --target=$targets -o decoder
 *
 * $ cc main.c threads.c tokens.c decoder.o -lpthread -lm -o decoder
 *
 * $ ./decoder 2
 */
#include "threads.h"
#include "tokens.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys or values of all tokens so far, with room for more. */
typedef struct {
  float *data;
  int64_t room;
} cache;

/* A larger cache with the same rows. Kernels take any room: nothing has to be
 * compiled again. */
static void grow(cache *c, int64_t rows) {
  int64_t room = c->room ? 2 * c->room : 40;
  float *data = calloc((size_t)(kKeyHeads * room * kDim), sizeof *data);
  if (!data)
    abort();
  for (int64_t h = 0; h < kKeyHeads && c->data; ++h)
    memcpy(data + h * room * kDim, c->data + h * c->room * kDim,
           (size_t)(rows * kDim) * sizeof *data);
  free(c->data);
  c->data = data;
  c->room = room;
}

static DLTensor *describe_cache(view *v, const cache *c) {
  return describe(v, kDLCPU, c->data, kKeyHeads, c->room, c->room * kDim);
}

static void *allocate(void *host, size_t bytes, size_t align) {
  (void)host;
  return aligned_alloc(align, (bytes + align - 1) / align * align);
}

static void release(void *host, void *data) {
  (void)host;
  free(data);
}

static void fail_if(int status, const attn_context *ctx) {
  if (status == ATTN_OK)
    return;
  fprintf(stderr, "error %d: %s\n", status, attn_error_message(ctx));
  exit(1);
}

static int run_decode(attn_context *ctx, int token, const cache *key_cache,
                      const cache *value_cache, float *out) {
  view q, k, v, all_keys, all_values, o;
  int32_t length = token;
  int64_t one = 1;
  DLTensor lengths;
  memset(&lengths, 0, sizeof lengths);
  lengths.data = &length;
  lengths.device.device_type = kDLCPU;
  lengths.ndim = 1;
  lengths.dtype.code = kDLInt;
  lengths.dtype.bits = 32;
  lengths.dtype.lanes = 1;
  lengths.shape = &one;
  return decode(
      ctx,
      describe(&q, kDLCPU, queries[0][token], kQueryHeads, 1, kSteps * kDim),
      describe(&k, kDLCPU, keys[0][token], kKeyHeads, 1, kSteps * kDim),
      describe(&v, kDLCPU, values[0][token], kKeyHeads, 1, kSteps * kDim),
      describe_cache(&all_keys, key_cache),
      describe_cache(&all_values, value_cache), &lengths,
      describe(&o, kDLCPU, out, kQueryHeads, 1, kDim));
}

static uint64_t hash(uint64_t seed, const float *data, size_t count) {
  const unsigned char *bytes = (const unsigned char *)data;
  for (size_t i = 0; i < count * sizeof *data; ++i)
    seed = (seed ^ bytes[i]) * 1099511628211u;
  return seed;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 1;
  static float prompt_out[kQueryHeads][kPrompt][kDim];
  static float out[kQueryHeads][kDim];
  cache key_cache = {NULL, 0}, value_cache = {NULL, 0};
  double worst = 0;
  int grown = 0;
  uint64_t bits = 14695981039346656037u;
  view q, k, v, all_keys, all_values, o;

  thread_pool *pool = thread_pool_create(threads > 0 ? threads : 1);
  attn_context ctx;
  memset(&ctx, 0, sizeof ctx);
  ctx.abi_version = ATTN_ABI_VERSION;
  ctx.alloc = allocate;
  ctx.free = release;
  /* Without these two lines the kernels run on the calling thread alone. */
  ctx.host = pool;
  ctx.parallel_for = thread_pool_run;
  if (!pool)
    return 1;

  fill_tokens();
  grow(&key_cache, 0);
  grow(&value_cache, 0);

  fail_if(
      prefill(
          &ctx,
          describe(&q, kDLCPU, queries, kQueryHeads, kPrompt, kSteps * kDim),
          describe(&k, kDLCPU, keys, kKeyHeads, kPrompt, kSteps * kDim),
          describe(&v, kDLCPU, values, kKeyHeads, kPrompt, kSteps * kDim),
          describe_cache(&all_keys, &key_cache),
          describe_cache(&all_values, &value_cache),
          describe(&o, kDLCPU, prompt_out, kQueryHeads, kPrompt,
                   kPrompt * kDim)),
      &ctx);
  for (int h = 0; h < kQueryHeads; ++h)
    for (int t = 0; t < kPrompt; ++t)
      worst = fmax(worst, check_row(prompt_out[h][t], h, t));
  bits = hash(bits, &prompt_out[0][0][0], sizeof prompt_out / sizeof(float));
  printf("prompt of %d tokens: %s\n", kPrompt,
         worst < 2e-6 ? "right" : "wrong");

  for (int t = kPrompt; t < kSteps; ++t) {
    int status = run_decode(&ctx, t, &key_cache, &value_cache, out[0]);
    if (status == ATTN_ERROR_ASSERTION) {
      if (!grown++)
        printf("first: %s\n", attn_error_message(&ctx));
      grow(&key_cache, t);
      grow(&value_cache, t);
      status = run_decode(&ctx, t, &key_cache, &value_cache, out[0]);
    }
    fail_if(status, &ctx);
    for (int h = 0; h < kQueryHeads; ++h)
      worst = fmax(worst, check_row(out[h], h, t));
    bits = hash(bits, &out[0][0], sizeof out / sizeof(float));
  }
  printf("%d more, the cache grew %d times: %s\n", kTokens, grown,
         worst < 2e-6 ? "right" : "wrong");
  printf("bits %016llx\n", (unsigned long long)bits);

  free(key_cache.data);
  free(value_cache.data);
  thread_pool_destroy(pool);
  return worst < 2e-6 ? 0 : 1;
}
