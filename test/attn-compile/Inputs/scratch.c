/* scratch.c - Lets each allocation of a kernel fail in turn. */
#include "chain.h"
#include "prefill.h"
#include "tensor.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRows = 132, kColumns = 9, kHeads = 2, kKeyHeads = 1, kDim = 16 };

static float matrix[kRows * kColumns], cube[kRows * kRows], sums[kRows];
static float queries[kHeads * kRows * kDim], keys[kKeyHeads * kRows * kDim];
static float outputs[kHeads * kRows * kDim];

static int64_t matrix_shape[2] = {kRows, kColumns},
               cube_shape[2] = {kRows, kRows};
static int64_t query_shape[4] = {1, kHeads, kRows, kDim};
static int64_t key_shape[4] = {1, kKeyHeads, kRows, kDim};

static int allocations, live, failing, freed_null;
static void *allocate(void *host, size_t bytes, size_t align) {
  (void)host;
  if (allocations++ == failing)
    return NULL;
  ++live;
  /* Not a byte more: valgrind sees what is beyond. */
  void *data = NULL;
  return posix_memalign(&data, align, bytes) == 0 ? data : NULL;
}
static void release(void *host, void *data) {
  (void)host;
  freed_null += data == NULL;
  --live;
  free(data);
}

static void backwards(void *host, void (*fn)(void *, int64_t), void *data,
                      int64_t n) {
  (void)host;
  for (int64_t i = n; i-- > 0;)
    fn(data, i);
}

static int run_chain(attn_context *ctx) {
  DLTensor x = make_tensor(matrix, 2, matrix_shape);
  DLTensor o = make_tensor(cube, 2, cube_shape);
  DLTensor s = make_tensor(sums, 1, cube_shape);
  return chain(ctx, &x, &o, &s);
}

static int run_prefill(attn_context *ctx) {
  DLTensor q = make_tensor(queries, 4, query_shape);
  DLTensor k = make_tensor(keys, 4, key_shape);
  DLTensor o = make_tensor(outputs, 4, query_shape);
  return prefill(ctx, &q, &k, &k, &o);
}

/* The same bits after every failure as before. */
static void test(const char *name, int (*run)(attn_context *), float *result,
                 size_t bytes, attn_context ctx) {
  float *expected = malloc(bytes);
  int bad = 0, calls;
  allocations = live = freed_null = 0;
  failing = -1;
  int status = run(&ctx);
  calls = allocations;
  memcpy(expected, result, bytes);
  for (failing = 0; failing < calls; ++failing) {
    allocations = 0;
    ctx.error[0] = 0;
    int failed = run(&ctx);
    bad += failed != ATTN_ERROR_OUT_OF_MEMORY || live != 0 || !ctx.error[0];
  }
  failing = -1;
  status |= run(&ctx);
  printf("%s: %d, allocates: %s, %d bad failures, live %d, freed null %d, %s "
         "bits\n",
         name, status, calls ? "yes" : "no", bad, live, freed_null,
         memcmp(expected, result, bytes) ? "other" : "same");
  ctx.alloc = NULL;
  status = run(&ctx);
  printf("%s without alloc: %d %s\n", name, status, attn_error_message(&ctx));
  free(expected);
}

int main(void) {
  attn_context ctx;
  memset(&ctx, 0, sizeof ctx);
  ctx.abi_version = ATTN_ABI_VERSION;
  ctx.alloc = allocate;
  ctx.free = release;
  for (int i = 0; i < kRows * kColumns; ++i)
    matrix[i] = (float)(i * 7 % 11) / 11.0f;
  for (int i = 0; i < kHeads * kRows * kDim; ++i)
    queries[i] = (float)(i * 5 % 13) / 13.0f;
  for (int i = 0; i < kKeyHeads * kRows * kDim; ++i)
    keys[i] = (float)(i * 3 % 17) / 17.0f;
  for (int parallel = 0; parallel < 2; ++parallel) {
    ctx.parallel_for = parallel ? backwards : NULL;
    test("chain", run_chain, cube, sizeof cube, ctx);
    test("prefill", run_prefill, outputs, sizeof outputs, ctx);
  }
  return 0;
}
