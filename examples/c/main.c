/* main.c - Writes a text: one prompt, then token by token, with the kernels of
 * decoder.mlir. Plain C; decoder.h and decoder.o are all it takes.
 *
 * $ targets=cpu:x86-64,cpu:x86-64-v3,cpu:x86-64-v4
 *
 * $ attn-compile decoder.mlir --target=$targets -o decoder
 *
 * $ cc main.c threads.c decoder.o -lpthread -lm -o decoder
 *
 * $ ./decoder 2
 *
 * The queries, keys and values are random numbers; a model would compute them.
 */
#include "decoder.h"
#include "threads.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kQueryHeads = 8, kKeyHeads = 2, kDim = 64, kPrompt = 37, kTokens = 60 };
enum { kSteps = kPrompt + kTokens };

/* What the model would compute for each token: [head][token][dim]. */
static float queries[kQueryHeads][kSteps][kDim];
static float keys[kKeyHeads][kSteps][kDim], values[kKeyHeads][kSteps][kDim];

static void fill(float *data, size_t count, unsigned seed) {
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
  }
}

/* A tensor of four dimensions whose last one is contiguous. */
typedef struct {
  DLTensor tensor;
  int64_t shape[4], strides[4];
} view;

static DLTensor *describe(view *v, void *data, int64_t heads, int64_t rows,
                          int64_t head_stride) {
  int64_t shape[4] = {1, heads, rows, kDim};
  int64_t strides[4] = {0, head_stride, kDim, 1};
  memcpy(v->shape, shape, sizeof shape);
  memcpy(v->strides, strides, sizeof strides);
  memset(&v->tensor, 0, sizeof v->tensor);
  v->tensor.data = data;
  v->tensor.device.device_type = kDLCPU;
  v->tensor.ndim = 4;
  v->tensor.dtype.code = kDLFloat;
  v->tensor.dtype.bits = 32;
  v->tensor.dtype.lanes = 1;
  v->tensor.shape = v->shape;
  v->tensor.strides = v->strides;
  return &v->tensor;
}

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
  return describe(v, c->data, kKeyHeads, c->room, c->room * kDim);
}

/* The definition of attention, in f64, for one token and one query head. */
static double check_row(const float *out, int head, int token) {
  int shared = head / (kQueryHeads / kKeyHeads);
  double score[kSteps], sum = 0, worst = 0;
  for (int j = 0; j <= token; ++j) {
    double dot = 0;
    for (int d = 0; d < kDim; ++d)
      dot += (double)queries[head][token][d] * (double)keys[shared][j][d];
    score[j] = exp(dot / sqrt(kDim));
    sum += score[j];
  }
  for (int d = 0; d < kDim; ++d) {
    double expected = 0;
    for (int j = 0; j <= token; ++j)
      expected += score[j] / sum * (double)values[shared][j][d];
    worst = fmax(worst, fabs(expected - (double)out[d]));
  }
  return worst;
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
  return decode(ctx,
                describe(&q, queries[0][token], kQueryHeads, 1, kSteps * kDim),
                describe(&k, keys[0][token], kKeyHeads, 1, kSteps * kDim),
                describe(&v, values[0][token], kKeyHeads, 1, kSteps * kDim),
                describe_cache(&all_keys, key_cache),
                describe_cache(&all_values, value_cache), &lengths,
                describe(&o, out, kQueryHeads, 1, kDim));
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

  fill(&queries[0][0][0], sizeof queries / sizeof(float), 1);
  fill(&keys[0][0][0], sizeof keys / sizeof(float), 2);
  fill(&values[0][0][0], sizeof values / sizeof(float), 3);
  grow(&key_cache, 0);
  grow(&value_cache, 0);

  fail_if(
      prefill(&ctx, describe(&q, queries, kQueryHeads, kPrompt, kSteps * kDim),
              describe(&k, keys, kKeyHeads, kPrompt, kSteps * kDim),
              describe(&v, values, kKeyHeads, kPrompt, kSteps * kDim),
              describe_cache(&all_keys, &key_cache),
              describe_cache(&all_values, &value_cache),
              describe(&o, prompt_out, kQueryHeads, kPrompt, kPrompt * kDim)),
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
