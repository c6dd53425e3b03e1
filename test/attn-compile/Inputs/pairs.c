/* pairs.c - Says which clone product() is, by its bits: those that multiply
 * pairs of bf16 add in another order. */
#include "product.h"
#include "serial_context.h"
#include "tensor.h"
#include <cpuid.h>
#include <stdio.h>

enum { kRows = 36, kTerms = 128, kColumns = 64 };

static uint16_t x[kRows * kTerms], w[kTerms * kColumns];
static float chosen[kRows * kColumns], other[kRows * kColumns];
static int64_t x_shape[2] = {kRows, kTerms};
static int64_t w_shape[2] = {kTerms, kColumns};
static int64_t y_shape[2] = {kRows, kColumns};

/* Numbers between -1 and 1, cut to the upper half of their bits. */
static void fill(uint16_t *data, int count, unsigned seed) {
  for (int i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    float value = (float)(seed >> 8) / 8388608.0f - 1.0f;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    data[i] = (uint16_t)(bits >> 16);
  }
}

static DLTensor make_narrow(void *data, int64_t *shape) {
  DLTensor t = make_tensor(data, 2, shape);
  t.dtype.code = kDLBfloat;
  t.dtype.bits = 16;
  return t;
}

typedef int kernel(const attn_context *, DLTensor *, DLTensor *, DLTensor *);

static int call(kernel *run, float *result) {
  attn_context ctx = make_context();
  DLTensor a = make_narrow(x, x_shape), b = make_narrow(w, w_shape);
  DLTensor c = make_tensor(result, 2, y_shape);
  return run(&ctx, &a, &b, &c);
}

static void compare(const char *name, kernel *run) {
  int status = call(run, other);
  float worst = 0;
  for (int i = 0; i < kRows * kColumns; ++i) {
    float error = chosen[i] - other[i];
    error = error < 0 ? -error : error;
    worst = error > worst ? error : worst;
  }
  printf("%s: %d, %s, %s\n", name, status,
         memcmp(chosen, other, sizeof chosen) ? "other bits" : "same bits",
         worst < 1e-4f ? "close" : "far");
}

/* AMX-TILE is bit 24 of leaf 7 in edx, AVX512-FP16 bit 23; "Genu" is Intel. */
static int has_slow_pairs(void) {
  unsigned a, b, c, d, vendor;
  return __get_cpuid(0, &a, &vendor, &c, &d) &&
         __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
         ((d >> 24 & 1) || (vendor == 0x756e6547 && (d >> 23 & 1)));
}

int main(void) {
  fill(x, kRows * kTerms, 1);
  fill(w, kTerms * kColumns, 2);
  printf("status %d\n", call(product, chosen));
  kernel *pairs = product__x86_64_v4_bf16, *widened = product__x86_64_v4;
  int prefers_widened = has_slow_pairs();
  compare("preferred", prefers_widened ? widened : pairs);
  compare("other", prefers_widened ? pairs : widened);
  return 0;
}
