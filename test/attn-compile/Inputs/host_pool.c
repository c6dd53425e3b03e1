/* host_pool.c - The threads of this project's own host under the names that
 * examples/c/main.c calls: so the example runs on either pool. */
#include "attn-runtime/attn_host.h"
#include "threads.h"

thread_pool *thread_pool_create(int threads) {
  return (thread_pool *)attn_host_context_create(threads);
}

void thread_pool_destroy(thread_pool *pool) {
  attn_host_context_destroy((attn_context *)pool);
}

void thread_pool_run(void *opaque, void (*fn)(void *data, int64_t i),
                     void *data, int64_t n) {
  attn_context *ctx = (attn_context *)opaque;
  if (ctx->parallel_for) {
    ctx->parallel_for(ctx->host, fn, data, n);
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    fn(data, i);
}
