/* Calls the kernels of entry-kernels.mlir as hosts do, well and badly, and
 * prints what they answer. */
#include "attn-runtime/attn_runtime.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int add(const attn_context *, DLTensor *, DLTensor *, DLTensor *);
int add__shapes(const attn_context *, DLTensor *, DLTensor *, int64_t *);
int halve_rows(const attn_context *, DLTensor *, DLTensor *);
int normalise(const attn_context *, DLTensor *, DLTensor *);
int count_true(const attn_context *, DLTensor *, DLTensor *, DLTensor *);
int append(const attn_context *, DLTensor *, DLTensor *, DLTensor *,
           DLTensor *);
int append__shapes(const attn_context *, DLTensor *, DLTensor *, DLTensor *,
                   int64_t *);

static int live, allocations, allowed = 100;
static void *allocate(void *host, size_t bytes, size_t align) {
  if (allocations == allowed)
    return NULL;
  ++allocations, ++live;
  return aligned_alloc(align, (bytes + align - 1) / align * align);
}
static void release(void *host, void *p) {
  --live;
  free(p);
}
static int parallel_calls;
static void backwards(void *host, void (*fn)(void *, int64_t), void *data,
                      int64_t n) {
  ++parallel_calls;
  for (int64_t i = n; i-- > 0;)
    fn(data, i);
}

static attn_context ctx = {ATTN_ABI_VERSION, 0,         allocate,
                           release,          backwards, {0}};

static DLTensor tensor(void *data, int ndim, int64_t *shape, int64_t *strides) {
  DLTensor t = {data, {kDLCPU, 0}, ndim, {kDLFloat, 32, 1}, shape, strides, 0};
  return t;
}
static void show(const char *what, int status) {
  printf("%s: %d %s\n", what, status, status ? attn_error_message(&ctx) : "");
}
static void values(const char *what, const float *p, int n) {
  printf("%s:", what);
  for (int i = 0; i < n; ++i)
    printf(" %g", p[i]);
  printf("\n");
}

static void test_checks(void) {
  float a[8] = {1, 2, 3, 4, 5, 6, 7, 8},
        b[8] = {10, 20, 30, 40, 50, 60, 70, 80};
  float out[8];
  int64_t shape[2] = {2, 4}, wrong[2] = {2, 5}, longer[2] = {3, 4};
  DLTensor ta = tensor(a, 2, shape, NULL), tb = tensor(b, 2, shape, NULL);
  DLTensor to = tensor(out, 2, shape, NULL);
  show("good", add(&ctx, &ta, &tb, &to));
  values("sum", out, 8);
  int64_t dims[2];
  show("shapes", add__shapes(&ctx, &ta, &tb, dims));
  printf("dims: %d %d\n", (int)dims[0], (int)dims[1]);

  printf("no context: %d\n", add(NULL, &ta, &tb, &to));
  attn_context old = ctx;
  old.abi_version = 99;
  printf("old context: %d %s\n", add(&old, &ta, &tb, &to),
         attn_error_message(&old));
  show("null tensor", add(&ctx, &ta, NULL, &to));
  DLTensor bad = tb;
  bad.shape = wrong;
  show("forced size", add(&ctx, &ta, &bad, &to));
  bad.shape = longer;
  show("sizes differ", add(&ctx, &ta, &bad, &to));
  bad = to;
  bad.shape = longer;
  show("output size", add(&ctx, &ta, &tb, &bad));
  bad = ta;
  bad.ndim = 1;
  show("rank", add(&ctx, &bad, &tb, &to));
  bad = ta;
  bad.dtype.bits = 64;
  show("element type", add(&ctx, &bad, &tb, &to));
  bad = ta;
  bad.device.device_type = kDLCUDA;
  show("device", add(&ctx, &bad, &tb, &to));
  bad = ta;
  bad.data = NULL;
  show("null data", add(&ctx, &bad, &tb, &to));
  int64_t negative[2] = {-1, 4};
  bad = ta;
  bad.shape = negative;
  show("negative size", add(&ctx, &bad, &tb, &to));
  show("overlap", add(&ctx, &ta, &tb, &ta));
  int64_t zero[2] = {0, 1};
  bad = to;
  bad.strides = zero;
  show("output strides", add(&ctx, &ta, &tb, &bad));
  int64_t far[2] = {(int64_t)1 << 61, 1};
  bad = ta;
  bad.strides = far;
  show("far strides", add(&ctx, &bad, &tb, &to));
  show("inputs may overlap", add(&ctx, &ta, &ta, &to));
  values("twice", out, 8);
}

static void test_layouts(void) {
  /* Columns of a are contiguous; b lies at an odd address and repeats one row;
   * the output runs backwards and column by column. */
  float a[8] = {1, 5, 2, 6, 3, 7, 4, 8}, out[8];
  char bytes[64];
  float row[4] = {10, 20, 30, 40};
  memcpy(bytes + 3, row, sizeof row);
  int64_t shape[2] = {2, 4}, columns[2] = {1, 2}, repeat[2] = {0, 1};
  int64_t backwards_strides[2] = {-1, 2};
  DLTensor ta = tensor(a, 2, shape, columns);
  DLTensor tb = tensor(bytes, 2, shape, repeat);
  tb.byte_offset = 3;
  DLTensor to = tensor(out + 1, 2, shape, backwards_strides);
  show("any strides", add(&ctx, &ta, &tb, &to));
  values("sum", out, 8);
  printf("live: %d\n", live);

  int64_t empty[2] = {0, 4};
  DLTensor te = tensor(NULL, 2, empty, NULL);
  show("no elements", add(&ctx, &te, &te, &te));
  /* The stride of a dimension with one element means nothing. */
  int64_t one[2] = {1, 4}, odd[2] = {12345, 1};
  DLTensor tone = tensor(row, 2, one, odd), tout = tensor(out, 2, one, NULL);
  show("odd stride", add(&ctx, &tone, &tone, &tout));
}

static void test_parallel(void) {
  parallel_calls = 0;
  float a[3] = {8, 1e-38f, 1e-42f}, out[3];
  int64_t n = 3;
  DLTensor ta = tensor(a, 1, &n, NULL), to = tensor(out, 1, &n, NULL);
  show("parallel", halve_rows(&ctx, &ta, &to));
  printf("parallel_for was called %d time\n", parallel_calls);
  values("halves", out, 3);
  volatile float denormal = 1e-42f;
  printf("mode restored: %d\n", denormal * 0.5f != 0);
  attn_context serial = {ATTN_ABI_VERSION, 0, 0, 0, 0, {0}};
  out[0] = 0;
  printf("serial: %d\n", halve_rows(&serial, &ta, &to));
  values("halves", out, 3);
}

static void test_scratch(void) {
  float a[8] = {1, 1, 1, 1, 1, 2, 3, 4}, out[8];
  int64_t shape[2] = {2, 4};
  DLTensor ta = tensor(a, 2, shape, NULL), to = tensor(out, 2, shape, NULL);
  allocations = 0;
  show("scratch", normalise(&ctx, &ta, &to));
  values("shares", out, 8);
  printf("allocations: %d, live: %d\n", allocations, live);
  allowed = allocations;
  show("out of memory", normalise(&ctx, &ta, &to));
  printf("live: %d\n", live);
  attn_context none = {ATTN_ABI_VERSION, 0, 0, 0, 0, {0}};
  int status = normalise(&none, &ta, &to);
  printf("no alloc: %d %s\n", status, attn_error_message(&none));
  allowed = 100;
}

static void test_booleans(void) {
  uint8_t m[4] = {0, 1, 2, 255}, out[4];
  int64_t n = 4, count = -1;
  DLTensor tm = tensor(m, 1, &n, NULL), to = tensor(out, 1, &n, NULL);
  DLTensor tc = tensor(&count, 0, NULL, NULL);
  tm.dtype.code = 6, tm.dtype.bits = 8;
  to.dtype.code = kDLUInt, to.dtype.bits = 8;
  tc.dtype.code = kDLInt, tc.dtype.bits = 64;
  show("booleans", count_true(&ctx, &tm, &to, &tc));
  printf("count: %d, not: %d %d %d %d\n", (int)count, out[0], out[1], out[2],
         out[3]);
}

static void test_in_place(void) {
  /* Rows of the cache lie apart; what is between them stays. */
  float cache[9] = {1, 2, -1, 3, 4, -1, 5, 6, -1}, row[2] = {7, 8}, sum = 0;
  int64_t at = 1, cache_shape[2] = {3, 2}, apart[2] = {3, 1},
          row_shape[1] = {2};
  DLTensor tc = tensor(cache, 2, cache_shape, apart);
  DLTensor tr = tensor(row, 1, row_shape, NULL);
  DLTensor ta = tensor(&at, 0, NULL, NULL), ts = tensor(&sum, 0, NULL, NULL);
  ta.dtype.code = kDLInt, ta.dtype.bits = 64;
  show("append", append(&ctx, &tc, &tr, &ta, &ts));
  values("cache", cache, 9);
  values("sum", &sum, 1);
  show("no shapes", append__shapes(&ctx, &tc, &tr, &ta, NULL));
  DLTensor bad = tr;
  bad.data = cache + 3;
  show("overlap", append(&ctx, &tc, &bad, &ta, &ts));
  bad = ts;
  bad.data = cache;
  show("overlap", append(&ctx, &tc, &tr, &ta, &bad));
  int64_t columns[2] = {1, 3};
  bad = tc;
  bad.strides = columns;
  show("columns", append(&ctx, &bad, &tr, &ta, &ts));
  int64_t repeat[2] = {0, 1};
  bad.strides = repeat;
  show("repeat", append(&ctx, &bad, &tr, &ta, &ts));
}

int main(void) {
  test_checks();
  test_layouts();
  test_parallel();
  test_scratch();
  test_booleans();
  test_in_place();
  return 0;
}
