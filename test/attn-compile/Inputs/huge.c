/* huge.c - A tensor whose number of elements is 0 modulo 2^64, but that is not
 * empty. */
#include "huge.h"
#include "tensor.h"
#include <stdio.h>
#include <string.h>

int main(void) {
  int64_t sizes[3] = {1 << 30, 1 << 30, 16}, strides[3] = {0, 0, 1}, two = 2;
  int64_t too_large[3] = {1, (int64_t)1 << 31, 1}, negative[3] = {1, -1, 1};
  float in[16] = {1, 2}, out[2];
  attn_context ctx;
  memset(&ctx, 0, sizeof ctx);
  ctx.abi_version = ATTN_ABI_VERSION;
  DLTensor x = make_tensor(NULL, 3, sizes);
  DLTensor y = make_tensor(in, 1, &two), o = make_tensor(out, 1, &two);
  x.strides = strides;
  printf("no data: %d", huge(&ctx, &x, &y, &o));
  printf(" %s\n", attn_error_message(&ctx));
  x.data = in;
  printf("one number for all: %d, %g\n", huge(&ctx, &x, &y, &o), out[1]);
  o.data = in;
  printf("overlap: %d\n", huge(&ctx, &x, &y, &o));
  o.data = out;
  x.shape = too_large;
  printf("too large: %d", huge(&ctx, &x, &y, &o));
  printf(" %s\n", attn_error_message(&ctx));
  x.shape = negative;
  printf("negative: %d", huge(&ctx, &x, &y, &o));
  printf(" %s\n", attn_error_message(&ctx));
  return 0;
}
