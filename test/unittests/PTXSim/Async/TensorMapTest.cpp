//===- TensorMapTest.cpp - Checks and encoding of tensor maps -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/TensorMapCodec.h"

#include "gtest/gtest.h"

using namespace attn::ptx;

namespace {
TensorMap good() {
  TensorMap map;
  map.type = TensorMap::Type::F16;
  map.rank = 2;
  map.dims = {64, 32};
  map.strides = {128};
  map.box = {64, 8};
  map.swizzle = TensorMap::Swizzle::B128;
  return map;
}
constexpr uint64_t kBytes = 64 * 32 * 2;
} // namespace

TEST(TensorMap, round_trip) {
  TensorMap map = good();
  map.elementStrides = {1, 2, 1, 1, 1};
  map.oobNaN = true;
  auto decoded = decodeTensorMap(encodeTensorMap(map, 0x70100000));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->address, 0x70100000u);
  EXPECT_EQ(decoded->map.dims, map.dims);
  EXPECT_EQ(decoded->map.box[1], 8u);
  EXPECT_EQ(decoded->map.strides[0], 128u);
  EXPECT_EQ(decoded->map.elementStrides[1], 2u);
  EXPECT_EQ(decoded->map.swizzle, map.swizzle);
  EXPECT_TRUE(decoded->map.oobNaN);
}

TEST(TensorMap, other_bytes_are_no_map) {
  TensorMapBits zero{};
  EXPECT_FALSE(decodeTensorMap(zero));
  TensorMapBits bits = encodeTensorMap(good(), 0);
  bits[40] ^= 1;
  EXPECT_FALSE(decodeTensorMap(bits));
}

TEST(TensorMap, limits) {
  auto refused = [](auto change, uint64_t address = 0,
                    uint64_t bytes = kBytes) {
    TensorMap map = good();
    change(map);
    return checkTensorMap(map, address, bytes);
  };
  EXPECT_EQ(refused([](TensorMap &) {}), "");
  EXPECT_NE(refused([](TensorMap &m) { m.rank = 0; }), "");
  EXPECT_NE(refused([](TensorMap &m) { m.rank = 6; }), "");
  EXPECT_NE(refused([](TensorMap &m) { m.dims[1] = 0; }), "");
  EXPECT_NE(refused([](TensorMap &m) { m.box[1] = 257; }), "");
  EXPECT_NE(refused([](TensorMap &m) { m.box[0] = 0; }), "");
  EXPECT_NE(refused([](TensorMap &m) { m.box[0] = 4; }), "");
  EXPECT_NE(refused([](TensorMap &m) { m.box[0] = 128; }), "");
  EXPECT_NE(refused([](TensorMap &m) { m.strides[0] = 120; }), "");
  EXPECT_NE(refused([](TensorMap &m) { m.strides[0] = uint64_t(1) << 40; }),
            "");
  EXPECT_NE(refused([](TensorMap &m) { m.elementStrides[1] = 9; }), "");
  EXPECT_NE(refused([](TensorMap &m) { m.dims[1] = 33; }), "");
  EXPECT_NE(refused([](TensorMap &) {}, 8), "");
  EXPECT_NE(refused([](TensorMap &) {}, 0, kBytes - 2), "");
  EXPECT_NE(refused([](TensorMap &m) {
              m.type = TensorMap::Type::U16;
              m.oobNaN = true;
            }),
            "");
  EXPECT_NE(
      refused([](TensorMap &m) { m.interleave = TensorMap::Interleave::B16; }),
      "");
}
