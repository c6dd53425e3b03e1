/* none.c - Calls a kernel that has no clone for this machine. */
#include "problem.h"

int main(void) {
  attn_context ctx = make_context();
  arguments a = make_arguments();
  int64_t dims[5];
  int status = attention(&ctx, &a.q, &a.k, &a.v, &a.o, &a.lse);
  printf("%d %s\n", status, attn_error_message(&ctx));
  printf("%d\n", attention(NULL, &a.q, &a.k, &a.v, &a.o, &a.lse));
  printf("%d\n", attention__shapes(&ctx, &a.q, &a.k, &a.v, dims));
  return 0;
}
