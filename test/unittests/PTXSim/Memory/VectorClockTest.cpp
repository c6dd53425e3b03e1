//===- VectorClockTest.cpp - Vector clocks with lanes ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Memory/VectorClock.h"

#include "gtest/gtest.h"

using namespace attn::ptx;

// A fresh clock covers nothing but time 0.
TEST(VectorClock, empty_covers_nothing) {
  VectorClock c;
  EXPECT_TRUE(c.covers(3, 0, 0));
  EXPECT_FALSE(c.covers(3, 0, 1));
}

// Raising one lane says nothing of its neighbours.
TEST(VectorClock, lanes_are_known_one_by_one) {
  VectorClock c;
  c.raiseLanes(2, 1u << 5, 7);
  EXPECT_TRUE(c.covers(2, 5, 7));
  EXPECT_FALSE(c.covers(2, 5, 8));
  EXPECT_FALSE(c.covers(2, 4, 1));
  EXPECT_EQ(c.all(2), 0u);
}

// When every lane is known up to some time, the plain entry says so.
TEST(VectorClock, all_lanes_settle_to_the_smallest) {
  VectorClock c;
  for (unsigned l = 0; l != 32; ++l)
    c.raiseLanes(1, 1u << l, 4 + l);
  EXPECT_EQ(c.all(1), 4u);
  EXPECT_TRUE(c.covers(1, 31, 35));
  EXPECT_FALSE(c.covers(1, 30, 35));
  c.raiseAll(1, 35);
  EXPECT_EQ(c.all(1), 35u);
}

// A join is the maximum in each place, lanes included.
TEST(VectorClock, join_takes_the_maximum) {
  VectorClock a, b;
  a.raiseAll(0, 3);
  a.raiseLanes(1, 0xf, 9);
  b.raiseAll(0, 2);
  b.raiseAll(1, 5);
  b.raiseAll(7, 1);
  VectorClock c(a);
  c.join(b);
  EXPECT_TRUE(c.includes(a));
  EXPECT_TRUE(c.includes(b));
  EXPECT_EQ(c.all(0), 3u);
  EXPECT_EQ(c.all(1), 5u);
  EXPECT_TRUE(c.covers(1, 3, 9));
  EXPECT_FALSE(c.covers(1, 4, 6));
  EXPECT_FALSE(a.includes(c));
  EXPECT_FALSE(b.includes(c));
}

// Two half warps make a whole one.
TEST(VectorClock, halves_join_to_a_whole) {
  VectorClock a, b;
  a.raiseLanes(0, 0xffff, 6);
  b.raiseLanes(0, 0xffff0000u, 6);
  a.join(b);
  EXPECT_EQ(a.all(0), 6u);
}
