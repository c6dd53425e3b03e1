/* threads.c - The same bits on any number of OpenMP's threads. */
#include "attn-runtime/attn_openmp.h"
#include "problem.h"
#include <omp.h>

int main(void) {
  static float expected[kOutputCount], expected_sums[kSumCount];
  attn_context ctx = make_context();
  arguments a = make_arguments();
  printf("serial: %d\n", attention(&ctx, &a.q, &a.k, &a.v, &a.o, &a.lse));
  memcpy(expected, output, sizeof output);
  memcpy(expected_sums, sums, sizeof sums);
  for (int threads = 0; threads <= 3; ++threads) {
    attn_openmp_context_init(&ctx, threads);
    a = make_arguments();
    int status = attention(&ctx, &a.q, &a.k, &a.v, &a.o, &a.lse);
    int same = !memcmp(output, expected, sizeof output) &&
               !memcmp(sums, expected_sums, sizeof sums);
    printf("%d threads: %d, %s\n", threads, status,
           same ? "the same bits" : "different bits");
  }
  /* From inside a parallel region each call has a context of its own. */
  int bad = 0;
#pragma omp parallel for num_threads(3) reduction(+ : bad)
  for (int i = 0; i < 6; ++i) {
    static float outputs[6][kOutputCount], all_sums[6][kSumCount];
    attn_context own;
    attn_openmp_context_init(&own, 2);
    DLTensor o = a.o, lse = a.lse;
    o.data = outputs[i];
    lse.data = all_sums[i];
    bad += attention(&own, &a.q, &a.k, &a.v, &o, &lse) != ATTN_OK ||
           memcmp(outputs[i], expected, sizeof expected);
  }
  printf("nested: %d bad\n", bad);
  return 0;
}
