/* serial_context.h - A context that has memory, which it counts, and no
 * threads. Comes after a kernel's header, which declares it. */
#include <stdlib.h>
#include <string.h>

static int live_allocations;

static void *allocate(void *host, size_t bytes, size_t align) {
  (void)host;
  ++live_allocations;
  return aligned_alloc(align, (bytes + align - 1) / align * align);
}

static void release(void *host, void *data) {
  (void)host;
  --live_allocations;
  free(data);
}

static attn_context make_context(void) {
  attn_context ctx;
  memset(&ctx, 0, sizeof ctx);
  ctx.abi_version = ATTN_ABI_VERSION;
  ctx.alloc = allocate;
  ctx.free = release;
  return ctx;
}
