//===- OrderTest.cpp - Which accesses are ordered -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Memory/Shadow.h"

#include "gtest/gtest.h"

using namespace attn::ptx;

namespace {

constexpr uint32_t kAll = ~0u;

/// Two warps and a little shared memory.
struct Scene {
  WarpClocks a{0, kAll}, b{1, kAll};
  Shadow shadow{64};

  static Actor actor(const WarpClocks &w, unsigned lane, uint8_t flags = 0) {
    AccessRecord r;
    r.time = w.now();
    r.line = 1;
    r.lanes = 1u << lane;
    r.component = w.component(WarpClocks::Self);
    r.flags = flags;
    return {&w, lane, r};
  }
  /// Whether the access is free of conflicts; it is remembered.
  bool read(const WarpClocks &w, unsigned lane, size_t at, size_t bytes = 4,
            uint8_t flags = 0) {
    Actor who = actor(w, lane, flags);
    bool good = shadow.check(at, bytes, who, false, conflict);
    shadow.recordRead(at, bytes, who);
    return good;
  }
  bool write(const WarpClocks &w, unsigned lane, size_t at, size_t bytes = 4,
             uint8_t flags = 0) {
    Actor who = actor(w, lane, flags);
    bool good = shadow.check(at, bytes, who, true, conflict);
    shadow.recordWrite(at, bytes, who, [](size_t, size_t) {});
    return good;
  }
  void barrier() {
    Knowledge k;
    a.release(kAll, k);
    b.release(kAll, k);
    KnowledgeSnapshot s(k);
    a.acquire(kAll, s);
    b.acquire(kAll, s);
  }
  Conflict conflict;
};

constexpr uint8_t kAsync = AccessRecord::AsyncProxy;

} // namespace

// A lane is ordered after itself, not after its neighbour.
TEST(Order, lanes_of_a_warp_are_threads) {
  Scene s;
  EXPECT_TRUE(s.write(s.a, 3, 0));
  EXPECT_TRUE(s.read(s.a, 3, 0));
  EXPECT_FALSE(s.read(s.a, 4, 0));
}

// bar.warp.sync orders the lanes that take part, and only what came before.
TEST(Order, warp_sync_orders_its_lanes) {
  Scene s;
  s.write(s.a, 3, 0);
  s.a.warpSync(kAll);
  EXPECT_TRUE(s.read(s.a, 4, 0));
  s.write(s.a, 3, 8);
  EXPECT_FALSE(s.read(s.a, 4, 8));
  s.write(s.a, 0, 16);
  s.a.warpSync(0xff);
  EXPECT_TRUE(s.read(s.a, 7, 16));
  EXPECT_FALSE(s.read(s.a, 8, 16));
}

// A barrier of both warps orders write before read and read before write.
TEST(Order, barrier_orders_warps) {
  Scene s;
  s.write(s.a, 0, 0);
  s.read(s.a, 1, 4);
  EXPECT_FALSE(s.read(s.b, 0, 0));
  EXPECT_FALSE(s.write(s.b, 0, 4));
  s.barrier();
  s.write(s.a, 0, 8);
  s.barrier();
  EXPECT_TRUE(s.read(s.b, 0, 8));
  EXPECT_TRUE(s.write(s.b, 0, 0));
}

// Every reader counts, not the last one alone.
TEST(Order, a_write_conflicts_with_any_unordered_read) {
  Scene s;
  s.read(s.a, 0, 0);
  s.read(s.b, 0, 0);
  EXPECT_FALSE(s.write(s.b, 0, 0));
  EXPECT_FALSE(s.conflict.otherWrites);
  EXPECT_EQ(s.conflict.other.component, 0);
}

// An arrival of one lane publishes that lane alone.
TEST(Order, elected_arrival_publishes_one_lane) {
  Scene s;
  s.write(s.a, 0, 0);
  s.write(s.a, 5, 4);
  Knowledge k;
  s.a.release(1, k);
  s.b.acquire(kAll, KnowledgeSnapshot(k));
  EXPECT_TRUE(s.read(s.b, 9, 0));
  EXPECT_FALSE(s.read(s.b, 9, 4));
}

// A wait of one lane teaches that lane alone, until the warp meets.
TEST(Order, elected_wait_teaches_one_lane) {
  Scene s;
  s.write(s.a, 0, 0);
  Knowledge k;
  s.a.release(1, k);
  s.b.acquire(1, KnowledgeSnapshot(k));
  EXPECT_FALSE(s.read(s.b, 1, 0));
  EXPECT_TRUE(s.read(s.b, 0, 0));
  s.b.warpSync(kAll);
  EXPECT_TRUE(s.read(s.b, 2, 0));
}

// What comes after an arrival is not published by it.
TEST(Order, later_accesses_are_not_published) {
  Scene s;
  Knowledge k;
  s.a.release(kAll, k);
  s.write(s.a, 0, 0);
  s.b.acquire(kAll, KnowledgeSnapshot(k));
  EXPECT_FALSE(s.read(s.b, 0, 0));
}

// Knowledge is passed on: a to b to c.
TEST(Order, order_is_transitive) {
  Scene s;
  WarpClocks c(2, kAll);
  s.write(s.a, 0, 0);
  Knowledge first, second;
  s.a.release(kAll, first);
  s.b.acquire(kAll, KnowledgeSnapshot(first));
  s.b.release(kAll, second);
  c.acquire(kAll, KnowledgeSnapshot(second));
  EXPECT_TRUE(s.read(c, 0, 0));
}

// Bytes of one word written by different lanes do not conflict.
TEST(Order, bytes_of_a_word_are_apart) {
  Scene s;
  EXPECT_TRUE(s.write(s.a, 0, 0, 2));
  EXPECT_TRUE(s.write(s.a, 1, 2, 2));
  EXPECT_FALSE(s.read(s.b, 0, 1, 1));
  EXPECT_EQ(s.conflict.other.lanes, 1u);
  EXPECT_FALSE(s.read(s.b, 0, 3, 1));
  EXPECT_EQ(s.conflict.other.lanes, 2u);
  s.barrier();
  EXPECT_TRUE(s.write(s.b, 0, 0, 8));
  EXPECT_TRUE(s.read(s.b, 0, 0, 8));
}

// Each word of a wide access is looked at.
TEST(Order, the_second_word_of_an_access) {
  Scene s;
  EXPECT_TRUE(s.write(s.a, 0, 4));
  EXPECT_FALSE(s.read(s.b, 0, 0, 8));
  EXPECT_FALSE(s.write(s.b, 0, 0, 16));
}

// Atomics do not race with each other, but with plain accesses.
TEST(Order, atomics_race_with_plain_accesses_only) {
  Scene s;
  EXPECT_TRUE(s.write(s.a, 0, 0, 4, AccessRecord::Atomic));
  EXPECT_TRUE(s.write(s.b, 0, 0, 4, AccessRecord::Atomic));
  EXPECT_FALSE(s.read(s.a, 0, 0));
}

// A generic write is not visible to the async proxy by a barrier alone.
TEST(Order, async_read_needs_a_proxy_fence) {
  Scene s;
  s.write(s.a, 0, 0);
  s.barrier();
  EXPECT_FALSE(s.read(s.b, 0, 0, 4, kAsync));
  EXPECT_TRUE(s.conflict.proxyOnly);
}

// The writer may fence before the barrier ...
TEST(Order, proxy_fence_before_the_barrier) {
  Scene s;
  s.write(s.a, 0, 0);
  s.a.fenceAsync(kAll, /*global=*/false);
  s.write(s.a, 0, 4);
  s.barrier();
  EXPECT_TRUE(s.read(s.b, 0, 0, 4, kAsync));
  EXPECT_FALSE(s.read(s.b, 0, 4, 4, kAsync));
  EXPECT_TRUE(s.conflict.proxyOnly);
}

// ... or the issuer after it.
TEST(Order, proxy_fence_after_the_barrier) {
  Scene s;
  s.write(s.a, 7, 0);
  s.barrier();
  s.b.fenceAsync(1, /*global=*/false);
  EXPECT_TRUE(s.read(s.b, 0, 0, 4, kAsync));
}

// The issuer's own writes need the fence as well, and a fence of another lane
// does not do.
TEST(Order, own_writes_need_a_proxy_fence) {
  Scene s;
  s.write(s.a, 0, 0);
  EXPECT_FALSE(s.read(s.a, 0, 0, 4, kAsync));
  EXPECT_TRUE(s.conflict.proxyOnly);
  s.a.fenceAsync(2, /*global=*/false);
  EXPECT_FALSE(s.read(s.a, 0, 0, 4, kAsync));
  s.a.fenceAsync(1, /*global=*/false);
  EXPECT_TRUE(s.read(s.a, 0, 0, 4, kAsync));
}

// All lanes fence, the warp meets, one lane issues.
TEST(Order, fence_of_a_warp_then_elected_issue) {
  Scene s;
  for (unsigned l = 0; l != 8; ++l)
    s.write(s.a, l, 4 * l);
  s.a.fenceAsync(kAll, /*global=*/false);
  EXPECT_FALSE(s.read(s.a, 0, 4, 4, kAsync));
  s.a.warpSync(kAll);
  EXPECT_TRUE(s.read(s.a, 0, 0, 32, kAsync));
}

// An async write after an ordered generic read needs no fence; after an
// unordered one it is a race.
TEST(Order, async_write_after_generic_read) {
  Scene s;
  s.read(s.a, 0, 0);
  EXPECT_FALSE(s.write(s.b, 0, 0, 4, kAsync));
  EXPECT_FALSE(s.conflict.proxyOnly);
  s.read(s.a, 0, 8);
  s.barrier();
  EXPECT_TRUE(s.write(s.b, 0, 8, 4, kAsync));
}

// Groups of operations: known to the lane that waited, then to whom it tells.
TEST(Order, own_groups_become_known_by_waiting) {
  Scene s;
  s.a.setComponent(WarpClocks::CpAsync, 9);
  Actor copy = Scene::actor(s.a, 2);
  copy.self.component = 9;
  copy.self.time = 1;
  s.shadow.recordWrite(0, 16, copy, [](size_t, size_t) {});
  EXPECT_FALSE(s.read(s.a, 2, 0));
  s.shadow.recordWrite(0, 16, copy, [](size_t, size_t) {});
  s.a.learnOwn(WarpClocks::CpAsync, kAll, 1);
  EXPECT_TRUE(s.read(s.a, 2, 0));
  EXPECT_FALSE(s.read(s.a, 3, 4));
  s.barrier();
  EXPECT_TRUE(s.read(s.a, 3, 8));
  EXPECT_TRUE(s.read(s.b, 0, 12));
}

// Two lanes of one instruction on the same word are told to the caller.
TEST(Order, overlap_in_one_instruction_is_noticed) {
  Scene s;
  int overlaps = 0;
  auto count = [&](size_t, size_t) { ++overlaps; };
  s.shadow.recordWrite(0, 4, Scene::actor(s.a, 0), count);
  EXPECT_EQ(overlaps, 0);
  s.shadow.recordWrite(0, 4, Scene::actor(s.a, 1), count);
  EXPECT_EQ(overlaps, 1);
}
