/* Calls the kernels of math-functions.mlir on numbers of all magnitudes and
 * prints the largest error of each in units in the last place, against the C
 * library in the next wider type. Also checks the special values. */
#include "attn-runtime/attn_runtime.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Name and the error that ExpandMath.h states. */
#define FUNCTIONS(X)                                                           \
  X(exp, 1.1)                                                                  \
  X(exp2, 1.1)                                                                 \
  X(ten, 1.3)                                                                  \
  X(near1, 1.3)                                                                \
  X(expm1, 2)                                                                  \
  X(tanh, 3)                                                                   \
  X(log, 1)                                                                    \
  X(log2, 2)                                                                   \
  X(log1p, 3)                                                                  \
  X(cbrt, 2)                                                                   \
  X(asinh, 6)                                                                  \
  X(acosh, 6)                                                                  \
  X(atanh, 6)                                                                  \
  X(erf, 3) X(erfc, 16) X(gelu, 7) X(softplus, 3) X(sigmoid, 3) X(silu, 5)

#define DECLARE(f, limit)                                                      \
  int f##_f32(const attn_context *, DLTensor *, DLTensor *);                   \
  int f##_f64(const attn_context *, DLTensor *, DLTensor *);
FUNCTIONS(DECLARE)

enum { kCount = 1 << 15 };
typedef int (*kernel)(const attn_context *, DLTensor *, DLTensor *);
typedef long double (*function)(long double);

static void call(kernel k, void *in, void *out, int64_t n, int bits) {
  attn_context ctx = {ATTN_ABI_VERSION, 0, 0, 0, 0, {0}};
  DLTensor a = {in, {kDLCPU, 0}, 1, {kDLFloat, bits, 1}, &n, 0, 0};
  DLTensor b = a;
  b.data = out;
  if (k(&ctx, &a, &b))
    printf("error: %s\n", attn_error_message(&ctx));
}

/* Error of y against the exact value, in ulp of a number with `digits` bits and
 * smallest normal exponent `low`. Results below that may be zero. */
static double ulp(long double y, long double exact, int digits, int low,
                  long double max) {
  if (isnan(exact))
    return isnan(y) ? 0 : INFINITY;
  if (fabsl(exact) > max)
    return y == (exact > 0 ? INFINITY : -INFINITY) || fabsl(y) == max
               ? 0
               : INFINITY;
  if (fabsl(exact) < ldexpl(1, low))
    return fabsl(y) <= ldexpl(1, low) ? 0 : INFINITY;
  int e;
  frexpl(exact, &e);
  double error = (double)(fabsl(y - exact) / ldexpl(1, e - digits));
  return isnan(error) ? INFINITY : error;
}

static long double draw(unsigned i) {
  /* All binades from 2^-30 to 2^10, both signs, after the special values. */
  static const long double special[] = {0.0L,
                                        1.0L,
                                        -1.0L,
                                        (long double)INFINITY,
                                        (long double)-INFINITY,
                                        (long double)NAN,
                                        88.7228L,
                                        88.7229L,
                                        -87.3366L,
                                        -103.0L,
                                        -88.73L,
                                        -91.8L,
                                        -709.79L,
                                        -714.9L,
                                        709.78L,
                                        -745.0L,
                                        127.99999L,
                                        128.0L,
                                        -126.0L,
                                        -127.0L,
                                        1e37L,
                                        -1e37L,
                                        3.4028234e38L,
                                        -3.4028234e38L,
                                        1.79e308L,
                                        -1.79e308L};
  if (i < sizeof special / sizeof *special)
    return special[i];
  unsigned r = i * 2654435761u;
  long double m = 1 + (r >> 8) / (long double)(1 << 24);
  return ldexpl(r & 1 ? -m : m, (int)(i % 41) - 30);
}

/* Powers of a constant; one whose logarithm is small takes large exponents. */
static long double tenl(long double x) { return powl(10.0L, x); }
static long double near1l(long double x) { return powl(0.9375L, x); }
/* A relative error of x is x^2 times as large in gelu x far below 0. */
static long double gelul(long double x) {
  return x / 2 * erfcl(-x / sqrtl(2.0L));
}
static long double softplusl(long double x) {
  return fmaxl(x, 0) + log1pl(expl(-fabsl(x)));
}
static long double sigmoidl(long double x) { return 1 / (1 + expl(-x)); }
static long double silul(long double x) { return x / (1 + expl(-x)); }
static double scale(function f, double x) {
  return f == gelul && x < 0 ? 1 + x * x / 4 : 1;
}

static void measure(const char *name, kernel f32, kernel f64, function exact,
                    double limit) {
  static float in[kCount], out[kCount];
  static double in64[kCount], out64[kCount];
  for (int i = 0; i < kCount; ++i) {
    in[i] = (float)draw(i);
    in64[i] = (double)draw(i);
  }
  call(f32, in, out, kCount, 32);
  call(f64, in64, out64, kCount, 64);
  double worst = 0, worst64 = 0, at = 0, at64 = 0;
  for (int i = 0; i < kCount; ++i) {
    double e =
        ulp(out[i], exact(in[i]), 24, -126, FLT_MAX) / scale(exact, in[i]);
    double e64 = ulp(out64[i], exact(in64[i]), 53, -1022, DBL_MAX) /
                 scale(exact, in64[i]);
    if (e > worst)
      worst = e, at = in[i];
    if (e64 > worst64)
      worst64 = e64, at64 = in64[i];
  }
  printf("%s f32 %s%.2f ulp at %a, f64 %s%.2f ulp at %a\n", name,
         worst <= limit ? "good " : "BAD ", worst, at,
         worst64 <= limit ? "good " : "BAD ", worst64, at64);
}

int main(void) {
#define MEASURE(f, limit) measure(#f, f##_f32, f##_f64, f##l, limit);
  FUNCTIONS(MEASURE)
  return 0;
}
