//===- MBarrierStateTest.cpp - The phase machine of an mbarrier -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/MBarrier.h"

#include "gtest/gtest.h"

using namespace attn::ptx;

TEST(MBarrierState, phase_ends_with_the_last_arrival) {
  MBarrier b(3);
  EXPECT_EQ(b.arrive(1), "");
  EXPECT_EQ(b.arrive(1), "");
  EXPECT_FALSE(b.completedParity(0));
  EXPECT_TRUE(b.completedParity(1));
  EXPECT_EQ(b.arrive(1), "");
  EXPECT_TRUE(b.completedParity(0));
  EXPECT_FALSE(b.completedParity(1));
  EXPECT_EQ(b.pendingArrivals(), 3u);
}

// Both counts must be zero, in either order.
TEST(MBarrierState, transactions_hold_the_phase) {
  MBarrier b(1);
  EXPECT_EQ(b.expectTx(64), "");
  EXPECT_EQ(b.arrive(1), "");
  EXPECT_EQ(b.completedPhases(), 0u);
  EXPECT_EQ(b.completeTx(32), "");
  EXPECT_EQ(b.completedPhases(), 0u);
  EXPECT_EQ(b.completeTx(32), "");
  EXPECT_EQ(b.completedPhases(), 1u);
}

// Transactions may complete before they are expected.
TEST(MBarrierState, early_completion_goes_negative) {
  MBarrier b(1);
  EXPECT_EQ(b.completeTx(16), "");
  EXPECT_EQ(b.pendingBytes(), -16);
  EXPECT_EQ(b.completedPhases(), 0u);
  EXPECT_EQ(b.expectTx(16), "");
  EXPECT_EQ(b.arrive(1), "");
  EXPECT_EQ(b.completedPhases(), 1u);
}

TEST(MBarrierState, too_many_arrivals) {
  MBarrier b(2);
  EXPECT_NE(b.arrive(3), "");
  EXPECT_NE(b.arrive(0), "");
  EXPECT_EQ(b.arrive(2), "");
}

// While bytes are outstanding nobody may arrive for the next phase.
TEST(MBarrierState, arrival_beyond_the_phase) {
  MBarrier b(1);
  b.expectTx(16);
  EXPECT_EQ(b.arrive(1), "");
  EXPECT_NE(b.arrive(1), "");
}

TEST(MBarrierState, drop_lowers_the_next_phase) {
  MBarrier b(2);
  EXPECT_EQ(b.arrive(1, /*drop=*/true), "");
  EXPECT_EQ(b.arrive(1), "");
  EXPECT_EQ(b.completedPhases(), 1u);
  EXPECT_EQ(b.pendingArrivals(), 1u);
  EXPECT_EQ(b.arrive(1), "");
  EXPECT_EQ(b.completedPhases(), 2u);
}

TEST(MBarrierState, transaction_count_limits) {
  MBarrier b(1);
  EXPECT_EQ(b.expectTx(MBarrier::kMaxCount), "");
  EXPECT_NE(b.expectTx(1), "");
  MBarrier c(1);
  EXPECT_EQ(c.completeTx(MBarrier::kMaxCount), "");
  EXPECT_NE(c.completeTx(1), "");
}

TEST(MBarrierState, no_complete_must_not_complete) {
  MBarrier b(2);
  EXPECT_EQ(b.arrive(1, false, /*noComplete=*/true), "");
  EXPECT_NE(b.arrive(1, false, /*noComplete=*/true), "");
}

TEST(MBarrierState, counts_are_in_range) {
  EXPECT_FALSE(MBarrier::validCount(0));
  EXPECT_TRUE(MBarrier::validCount(1));
  EXPECT_TRUE(MBarrier::validCount((1 << 20) - 1));
  EXPECT_FALSE(MBarrier::validCount(1 << 20));
}

// The token says what was pending and of which phase it is.
TEST(MBarrierState, tokens) {
  MBarrier b(2);
  uint64_t first = b.token();
  EXPECT_EQ(MBarrier::pendingOf(first), 2u);
  b.arrive(1);
  EXPECT_EQ(MBarrier::pendingOf(b.token()), 1u);
  EXPECT_FALSE(b.completedToken(first));
  b.arrive(1);
  EXPECT_TRUE(b.completedToken(first));
  EXPECT_TRUE(b.tokenIsRecent(first));
  b.arrive(2);
  EXPECT_FALSE(b.tokenIsRecent(first));
}

TEST(MBarrierState, inc_before_arrive_nets_to_zero) {
  MBarrier b(1);
  EXPECT_EQ(b.increment(), "");
  EXPECT_EQ(b.arrive(1), "");
  EXPECT_EQ(b.completedPhases(), 0u);
  EXPECT_EQ(b.arrive(1), "");
  EXPECT_EQ(b.completedPhases(), 1u);
}
