/* threads.c - A small pool of threads that a host may already have. */
#include "threads.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct thread_pool {
  pthread_t *workers;
  int worker_count;
  pthread_mutex_t mutex;
  pthread_cond_t wake, done;
  /* The job at hand. Each thread takes the next iteration until none is left.
   */
  void (*fn)(void *, int64_t);
  void *data;
  int64_t n;
  _Atomic int64_t next;
  /* Counts jobs, so that a worker knows a new one. */
  unsigned long job;
  int busy;
  int stopping;
};

static void take_iterations(thread_pool *pool) {
  int64_t i;
  while ((i = atomic_fetch_add(&pool->next, 1)) < pool->n)
    pool->fn(pool->data, i);
}

static void *work(void *opaque) {
  thread_pool *pool = opaque;
  unsigned long seen = 0;
  pthread_mutex_lock(&pool->mutex);
  for (;;) {
    while (!pool->stopping && pool->job == seen)
      pthread_cond_wait(&pool->wake, &pool->mutex);
    if (pool->stopping)
      break;
    seen = pool->job;
    pthread_mutex_unlock(&pool->mutex);
    take_iterations(pool);
    pthread_mutex_lock(&pool->mutex);
    if (--pool->busy == 0)
      pthread_cond_signal(&pool->done);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

thread_pool *thread_pool_create(int threads) {
  thread_pool *pool = calloc(1, sizeof *pool);
  if (!pool)
    return NULL;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->wake, NULL);
  pthread_cond_init(&pool->done, NULL);
  pool->workers = calloc((size_t)threads, sizeof *pool->workers);
  for (int i = 1; pool->workers && i < threads; ++i) {
    if (pthread_create(&pool->workers[pool->worker_count], NULL, work, pool))
      break;
    ++pool->worker_count;
  }
  if (pool->worker_count + 1 == threads)
    return pool;
  thread_pool_destroy(pool);
  return NULL;
}

void thread_pool_destroy(thread_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pool->stopping = 1;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
  for (int i = 0; i < pool->worker_count; ++i)
    pthread_join(pool->workers[i], NULL);
  pthread_mutex_destroy(&pool->mutex);
  pthread_cond_destroy(&pool->wake);
  pthread_cond_destroy(&pool->done);
  free(pool->workers);
  free(pool);
}

void thread_pool_run(void *opaque, void (*fn)(void *data, int64_t i),
                     void *data, int64_t n) {
  thread_pool *pool = opaque;
  pthread_mutex_lock(&pool->mutex);
  pool->fn = fn;
  pool->data = data;
  pool->n = n;
  atomic_store(&pool->next, 0);
  pool->busy = pool->worker_count;
  ++pool->job;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
  take_iterations(pool);
  pthread_mutex_lock(&pool->mutex);
  while (pool->busy > 0)
    pthread_cond_wait(&pool->done, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
}
