/* threads.h - A small pool of threads that a host may already have. */
#ifndef THREADS_H
#define THREADS_H

#include <stdint.h>

typedef struct thread_pool thread_pool;

/* `threads` counts the caller's own. Null if they cannot be had. */
thread_pool *thread_pool_create(int threads);
void thread_pool_destroy(thread_pool *pool);

/* Calls fn(data, i) once for each i below n and returns when all are done. Has
 * the type of attn_context's parallel_for; `pool` is the thread_pool. */
void thread_pool_run(void *pool, void (*fn)(void *data, int64_t i), void *data,
                     int64_t n);

#endif
