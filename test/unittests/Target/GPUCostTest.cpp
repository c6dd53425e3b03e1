//===- GPUCostTest.cpp - Tests of the model of a launch -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Target/GPUCost.h"
#include "gtest/gtest.h"

using namespace attn;

namespace {

const GPUDescription &getGPU() { return *findGPU("sm_80"); }

TEST(GPUCost, BlocksSideBySideAreBoundByEachResource) {
  // 2048 threads, 32 blocks, 65536 registers, 167936 bytes.
  EXPECT_EQ(countResidentBlocks(getGPU(), {8, 32, 0}), 8);
  EXPECT_EQ(countResidentBlocks(getGPU(), {1, 32, 0}), 32);
  EXPECT_EQ(countResidentBlocks(getGPU(), {8, 128, 0}), 2);
  // 121 registers are given as 128.
  EXPECT_EQ(countResidentBlocks(getGPU(), {8, 121, 0}), 2);
  EXPECT_EQ(countResidentBlocks(getGPU(), {4, 32, 80000}), 2);
  // A block that fits alone has to run.
  EXPECT_EQ(countResidentBlocks(getGPU(), {8, 255, 166912}), 1);
}

TEST(GPUCost, ALastRoundThatIsNotFullCostsAFullOne) {
  EXPECT_EQ(countRounds(getGPU(), 108), 1);
  EXPECT_EQ(countRounds(getGPU(), 109), 2);
  EXPECT_DOUBLE_EQ(getBusyShare(getGPU(), 108), 1);
  EXPECT_DOUBLE_EQ(getBusyShare(getGPU(), 109), 109.0 / 216);
  BlockNeeds needs = {8, 128, 1024};
  BlockWork work = {1000, 100, 500};
  EXPECT_DOUBLE_EQ(getLaunchCycles(getGPU(), 216, needs, work),
                   getLaunchCycles(getGPU(), 109, needs, work));
}

TEST(GPUCost, WarpsLetUnitsWorkSideBySide) {
  BlockWork work = {1000, 400, 600};
  EXPECT_DOUBLE_EQ(getLaunchCycles(getGPU(), 1, {8, 128, 1024}, work), 1000);
  double few = getLaunchCycles(getGPU(), 1, {4, 128, 1024}, work);
  EXPECT_GT(few, 1000);
  EXPECT_LT(few, 2000);
  // One warp has one of four schedulers.
  EXPECT_GT(getLaunchCycles(getGPU(), 1, {1, 128, 1024}, work), 4 * 1000);
}

} // namespace
