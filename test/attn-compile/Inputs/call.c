/* call.c - Calls the compiled kernel well and badly, and prints what it says.
 */
#include "problem.h"

static attn_context ctx;

static int call(arguments *a) {
  return attention(&ctx, &a->q, &a->k, &a->v, &a->o, &a->lse);
}

static void show(const char *what, int status) {
  printf("%s: %d%s%s\n", what, status, status ? " " : "",
         status ? attn_error_message(&ctx) : "");
}

static float expected[kOutputCount], expected_sums[kSumCount];

static const char *compare(const float *o, const float *lse) {
  return memcmp(o, expected, sizeof expected) ||
                 memcmp(lse, expected_sums, sizeof expected_sums)
             ? "different bits"
             : "the same bits";
}

static void test_errors(void) {
  arguments good = make_arguments(), a;
  int64_t wrong[3] = {kHeads, kKeys + 1, kDim}, narrow[3] = {kHeads, kRows, 41};
  int64_t still[3] = {0, kValueDim, 1};
  int64_t dims[5];
  printf("null context: %d %s\n",
         attention(NULL, &good.q, &good.k, &good.v, &good.o, &good.lse),
         attn_error_message(NULL));
  attn_context old = ctx;
  old.abi_version = 7;
  printf("version: %d %s\n",
         attention(&old, &good.q, &good.k, &good.v, &good.o, &good.lse),
         attn_error_message(&old));
  show("null tensor",
       attention(&ctx, &good.q, NULL, &good.v, &good.o, &good.lse));
  a = good, a.q.ndim = 2, show("rank", call(&a));
  a = good, a.q.shape = narrow, show("shape", call(&a));
  a = good, a.k.shape = wrong, show("other shape", call(&a));
  a = good, a.lse.shape = key_shape, show("output shape", call(&a));
  a = good, a.v.dtype.code = kDLBfloat, a.v.dtype.bits = 16,
  show("dtype", call(&a));
  a = good, a.v.dtype.lanes = 4, show("lanes", call(&a));
  a = good, a.k.device.device_type = (DLDeviceType)2, show("device", call(&a));
  a = good, a.k.data = NULL, show("null data", call(&a));
  a = good, a.o.strides = still, show("stride", call(&a));
  a = good, a.o.data = values + kValueCount - 1, show("overlap", call(&a));
  a = good, a.lse.data = output + 5, show("outputs", call(&a));
  a = good, a.o.shape = NULL, show("null shape", call(&a));
  show("dims is null",
       attention__shapes(&ctx, &good.q, &good.k, &good.v, NULL));
  a = good, a.q.data = a.k.data = a.v.data = NULL;
  show("shapes", attention__shapes(&ctx, &a.q, &a.k, &a.v, dims));
  printf("dims: %d %d %d %d %d\n", (int)dims[0], (int)dims[1], (int)dims[2],
         (int)dims[3], (int)dims[4]);
}

/* Every argument starts one byte past where its type wants it, once by its
 * pointer and once by byte_offset. */
static void test_misaligned(void) {
  static char bytes[5][sizeof keys + 1];
  arguments a = make_arguments();
  DLTensor *tensors[5] = {&a.q, &a.k, &a.v, &a.o, &a.lse};
  size_t sizes[5] = {sizeof query, sizeof keys, sizeof values, sizeof output,
                     sizeof sums};
  for (int by_offset = 0; by_offset < 2; ++by_offset) {
    a = make_arguments();
    for (int i = 0; i < 5; ++i) {
      memcpy(bytes[i] + 1, tensors[i]->data, sizes[i]);
      tensors[i]->data = bytes[i] + (by_offset ? 0 : 1);
      tensors[i]->byte_offset = by_offset ? 1 : 0;
    }
    show(by_offset ? "byte_offset" : "misaligned", call(&a));
    memcpy(output, bytes[3] + 1, sizeof output);
    memcpy(sums, bytes[4] + 1, sizeof sums);
    printf("%s\n", compare(output, sums));
  }
}

/* Rows outermost, then heads, as frameworks like it; rows of o in reverse. */
static void test_strides(void) {
  static float mixed[kQueryCount];
  arguments a = make_arguments();
  int64_t strides[3] = {kDim, kHeads * kDim, 1};
  int64_t reverse[3] = {kRows * kValueDim, -kValueDim, 1};
  for (int h = 0; h < kHeads; ++h)
    for (int r = 0; r < kRows; ++r)
      memcpy(mixed + (r * kHeads + h) * kDim, query + (h * kRows + r) * kDim,
             kDim * sizeof(float));
  a.q.data = mixed, a.q.strides = strides;
  a.o.data = output + (kRows - 1) * kValueDim, a.o.strides = reverse;
  show("strides", call(&a));
  int same = 1;
  for (int h = 0; h < kHeads; ++h)
    for (int r = 0; r < kRows; ++r)
      same &= !memcmp(output + (h * kRows + kRows - 1 - r) * kValueDim,
                      expected + (h * kRows + r) * kValueDim,
                      kValueDim * sizeof(float));
  printf("%s\n", same ? "the same bits" : "different bits");
}

static void backwards(void *host, void (*fn)(void *, int64_t), void *data,
                      int64_t n) {
  ++*(int *)host;
  for (int64_t i = n; i-- > 0;)
    fn(data, i);
}

static void test_parallel(void) {
  int calls = 0;
  arguments a = make_arguments();
  ctx.parallel_for = backwards;
  ctx.host = &calls;
  show("parallel", call(&a));
  printf("%s, parallel_for was called: %s\n", compare(output, sums),
         calls ? "yes" : "no");
  ctx.parallel_for = NULL;
  ctx.host = NULL;
}

/* No rows; no keys, so that softmax1 gives zeros; no alloc. */
static void test_sizes(void) {
  arguments a = make_arguments();
  int64_t none[3] = {kHeads, 0, kDim}, no_output[3] = {kHeads, 0, kValueDim};
  a.q.shape = none, a.q.data = NULL;
  a.o.shape = no_output, a.o.data = NULL;
  a.lse.shape = none, a.lse.data = NULL;
  show("no rows", call(&a));
  a = make_arguments();
  fill(output, kOutputCount, 9);
  a.k.shape = none, a.k.data = NULL;
  a.v.shape = no_output, a.v.data = NULL;
  show("no keys", call(&a));
  int zeros = 1;
  for (int i = 0; i < kOutputCount; ++i)
    zeros &= output[i] == 0;
  printf("%s\n", zeros ? "zeros" : "not zeros");
}

int main(void) {
  ctx = make_context();
  arguments a = make_arguments();
  show("good", call(&a));
  memcpy(expected, output, sizeof output);
  memcpy(expected_sums, sums, sizeof sums);
  test_errors();
  test_misaligned();
  test_strides();
  test_parallel();
  test_sizes();
  printf("live allocations: %d\n", live_allocations);
  return 0;
}
