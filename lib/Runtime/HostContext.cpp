//===- HostContext.cpp - Aligned allocation and a pool of threads ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No MLIR and no LLVM in here: this library is linked into user programs.
//
//===----------------------------------------------------------------------===//

#include "ScratchCache.h"
#include "attn-runtime/attn_host.h"
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace {

using Body = void (*)(void *data, int64_t i);

/// One job at a time, its iterations handed out one by one: which thread runs
/// an iteration never changes what the iteration computes.
class ThreadPool {
public:
  explicit ThreadPool(int threads) {
    // Where the system has no more of them, fewer compute the same.
    try {
      for (int i = 1; i < threads; ++i)
        workers.emplace_back([this] { work(); });
    } catch (const std::exception &) {
    }
  }

  ~ThreadPool() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stopping = true;
    }
    wake.notify_all();
    for (std::thread &worker : workers)
      worker.join();
  }

  void run(Body fn, void *data, int64_t n) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      body = fn;
      argument = data;
      count = n;
      next.store(0, std::memory_order_relaxed);
      busy = workers.size();
      ++generation;
    }
    wake.notify_all();
    drain();
    std::unique_lock<std::mutex> lock(mutex);
    done.wait(lock, [this] { return busy == 0; });
  }

private:
  void drain() {
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;)
      body(argument, i);
  }

  void work() {
    uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return stopping || generation != seen; });
      if (stopping)
        return;
      seen = generation;
      lock.unlock();
      drain();
      lock.lock();
      if (--busy == 0)
        done.notify_one();
    }
  }

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake, done;
  std::atomic<int64_t> next{0};
  Body body = nullptr;
  void *argument = nullptr;
  int64_t count = 0;
  size_t busy = 0;
  uint64_t generation = 0;
  bool stopping = false;
};

struct Host {
  explicit Host(int threads) : pool(threads) {}
  ThreadPool pool;
  attn::ScratchCache scratch;
};

void *allocate(void *host, size_t bytes, size_t align) {
  return static_cast<Host *>(host)->scratch.allocate(bytes, align);
}

void release(void *host, void *ptr) {
  static_cast<Host *>(host)->scratch.release(ptr);
}

void parallelFor(void *opaque, Body fn, void *data, int64_t n) {
  // One item is not worth waking a thread.
  if (n == 1)
    fn(data, 0);
  else
    static_cast<Host *>(opaque)->pool.run(fn, data, n);
}

} // namespace

attn_context *attn_host_context_create(int threads) {
  auto *ctx = new (std::nothrow) attn_context;
  auto *host = new (std::nothrow) Host(threads);
  if (!ctx || !host) {
    delete ctx;
    delete host;
    return nullptr;
  }
  std::memset(ctx, 0, sizeof(*ctx));
  ctx->abi_version = ATTN_ABI_VERSION;
  ctx->host = host;
  ctx->alloc = allocate;
  ctx->free = release;
  ctx->parallel_for = threads > 1 ? parallelFor : nullptr;
  return ctx;
}

void attn_host_context_destroy(attn_context *ctx) {
  if (!ctx)
    return;
  delete static_cast<Host *>(ctx->host);
  delete ctx;
}

size_t attn_host_context_live_bytes(const attn_context *ctx) {
  return static_cast<Host *>(ctx->host)->scratch.liveBytes();
}

size_t attn_host_context_kept_bytes(const attn_context *ctx) {
  return static_cast<Host *>(ctx->host)->scratch.keptBytes();
}

void attn_host_context_trim(attn_context *ctx) {
  static_cast<Host *>(ctx->host)->scratch.trim();
}
