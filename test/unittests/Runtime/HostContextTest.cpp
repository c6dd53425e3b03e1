//===- HostContextTest.cpp - The pool and the allocator of the runtime ----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn-runtime/attn_host.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <atomic>
#include <vector>

namespace {

struct Counters {
  explicit Counters(size_t n) : hits(n) {}
  std::vector<std::atomic<int>> hits;
};

void countHit(void *data, int64_t i) {
  static_cast<Counters *>(data)->hits[i].fetch_add(1);
}

TEST(HostContext, OneThreadIsSerial) {
  attn_context *ctx = attn_host_context_create(1);
  ASSERT_NE(ctx, nullptr);
  EXPECT_EQ(ctx->abi_version, ATTN_ABI_VERSION);
  EXPECT_EQ(ctx->parallel_for, nullptr);
  EXPECT_STREQ(attn_error_message(ctx), "");
  attn_host_context_destroy(ctx);
}

// Many short jobs of changing length, so that workers arrive late and early.
TEST(HostContext, EveryIterationRunsOnce) {
  for (int threads : {2, 3, 8}) {
    attn_context *ctx = attn_host_context_create(threads);
    for (int64_t n = 0; n < 200; ++n) {
      Counters counters(n);
      ctx->parallel_for(ctx->host, countHit, &counters, n);
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(counters.hits[i].load(), 1) << "iteration " << i;
    }
    attn_host_context_destroy(ctx);
  }
}

TEST(HostContext, ScratchIsAlignedAndCounted) {
  attn_context *ctx = attn_host_context_create(2);
  void *a = ctx->alloc(ctx->host, 100, 64);
  void *b = ctx->alloc(ctx->host, 0, 64);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 64, 0u);
  EXPECT_NE(b, nullptr);
  EXPECT_EQ(attn_host_context_live_bytes(ctx), 100u);
  ctx->free(ctx->host, a);
  ctx->free(ctx->host, b);
  ctx->free(ctx->host, nullptr);
  EXPECT_EQ(attn_host_context_live_bytes(ctx), 0u);
  attn_host_context_destroy(ctx);
}

// A second call of the same kernel gets the pages of the first one.
TEST(HostContext, LargeScratchIsKept) {
  attn_context *ctx = attn_host_context_create(1);
  constexpr size_t large = 1 << 20;
  void *a = ctx->alloc(ctx->host, large, 64);
  ctx->free(ctx->host, a);
  EXPECT_EQ(attn_host_context_live_bytes(ctx), 0u);
  EXPECT_EQ(attn_host_context_kept_bytes(ctx), large);
  void *b = ctx->alloc(ctx->host, large - 1000, 64);
  EXPECT_EQ(a, b);
  EXPECT_EQ(attn_host_context_live_bytes(ctx), large - 1000);
  EXPECT_EQ(attn_host_context_kept_bytes(ctx), 0u);
  ctx->free(ctx->host, b);
  EXPECT_EQ(attn_host_context_kept_bytes(ctx), large);
  attn_host_context_trim(ctx);
  EXPECT_EQ(attn_host_context_kept_bytes(ctx), 0u);
  attn_host_context_destroy(ctx);
}

// Calls of other sizes replace what was kept, they do not add to it.
TEST(HostContext, KeepingDoesNotRaiseThePeak) {
  attn_context *ctx = attn_host_context_create(1);
  size_t peak = 0;
  for (size_t bytes = 100000; bytes < 3000000; bytes += bytes / 2) {
    void *a = ctx->alloc(ctx->host, bytes, 64);
    void *b = ctx->alloc(ctx->host, bytes / 3, 4096);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 4096, 0u);
    peak = std::max(peak, attn_host_context_live_bytes(ctx));
    EXPECT_LE(attn_host_context_live_bytes(ctx) +
                  attn_host_context_kept_bytes(ctx),
              peak);
    ctx->free(ctx->host, b);
    ctx->free(ctx->host, a);
    EXPECT_LE(attn_host_context_kept_bytes(ctx), peak);
  }
  attn_host_context_destroy(ctx);
}

} // namespace
