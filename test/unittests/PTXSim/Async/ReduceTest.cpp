//===- ReduceTest.cpp - Element operations of bulk reductions -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/AsyncHandlers.h"

#include "gtest/gtest.h"

using namespace attn::ptx;

template <typename T>
static T reduced(const char *name, ReduceType type, T target, T value) {
  ReduceFn f = findReduction(name, type);
  EXPECT_NE(f, nullptr) << name;
  if (f)
    f(reinterpret_cast<uint8_t *>(&target),
      reinterpret_cast<const uint8_t *>(&value));
  return target;
}

TEST(Reduce, integers) {
  EXPECT_EQ(reduced<uint32_t>("add", ReduceType::U32, ~0u, 3), 2u);
  EXPECT_EQ(reduced<int32_t>("min", ReduceType::S32, -1, 3), -1);
  EXPECT_EQ(reduced<uint32_t>("min", ReduceType::U32, ~0u, 3), 3u);
  EXPECT_EQ(reduced<int64_t>("max", ReduceType::S64, -5, -7), -5);
  EXPECT_EQ(reduced<uint32_t>("inc", ReduceType::U32, 6, 7), 7u);
  EXPECT_EQ(reduced<uint32_t>("inc", ReduceType::U32, 7, 7), 0u);
  EXPECT_EQ(reduced<uint32_t>("dec", ReduceType::U32, 0, 7), 7u);
  EXPECT_EQ(reduced<uint32_t>("dec", ReduceType::U32, 9, 7), 7u);
  EXPECT_EQ(reduced<uint32_t>("dec", ReduceType::U32, 5, 7), 4u);
  EXPECT_EQ(reduced<uint64_t>("xor", ReduceType::B64, 6, 3), 5u);
  EXPECT_EQ(reduced<uint32_t>("and", ReduceType::B32, 6, 3), 2u);
  EXPECT_EQ(reduced<uint32_t>("or", ReduceType::B32, 6, 3), 7u);
}

TEST(Reduce, floats) {
  EXPECT_EQ(reduced<float>("add", ReduceType::F32, 1.5f, 2.25f), 3.75f);
  EXPECT_EQ(reduced<double>("add", ReduceType::F64, 1.5, 2.25), 3.75);
  // 1 + 2 = 3; 2048 + 1 rounds to even in f16.
  EXPECT_EQ(reduced<uint16_t>("add", ReduceType::F16, 0x3c00, 0x4000), 0x4200);
  EXPECT_EQ(reduced<uint16_t>("add", ReduceType::F16, 0x6800, 0x3c00), 0x6800);
  EXPECT_EQ(reduced<uint16_t>("max", ReduceType::BF16, 0x3f80, 0x4000), 0x4000);
  EXPECT_EQ(reduced<uint16_t>("min", ReduceType::BF16, 0x3f80, 0x4000), 0x3f80);
  EXPECT_EQ(findReduction("min", ReduceType::F32), nullptr);
  EXPECT_EQ(findReduction("inc", ReduceType::F16), nullptr);
}
