/* scratch-overflow.c - Sizes whose scratch memory is not there. */
#include "overflow.h"
#include "tensor.h"
#include <stdio.h>
#include <stdlib.h>

static int calls;
static void *allocate(void *host, size_t bytes, size_t align) {
  (void)host;
  ++calls;
  return bytes > (1 << 20) ? NULL : aligned_alloc(align, bytes);
}
static void release(void *host, void *data) {
  (void)host;
  free(data);
}

int main(void) {
  int64_t sizes[4][3] = {{1 << 30, 1 << 30, 16},
                         {1 << 30, 1 << 30, 1},
                         {1 << 20, 1 << 20, 1},
                         {0, 1 << 30, 1 << 30}};
  int64_t strides[3] = {0, 0, 1};
  float in[16] = {1, 2}, out = 0;
  attn_context ctx;
  memset(&ctx, 0, sizeof ctx);
  ctx.abi_version = ATTN_ABI_VERSION;
  ctx.alloc = allocate;
  ctx.free = release;
  for (int i = 0; i < 4; ++i) {
    DLTensor x = make_tensor(in, 3, sizes[i]), o = make_tensor(&out, 0, NULL);
    x.strides = strides;
    calls = 0;
    ctx.error[0] = 0;
    int status = overflow(&ctx, &x, &o);
    printf("%d %s, %d calls\n", status, ctx.error, calls);
  }
  return 0;
}
