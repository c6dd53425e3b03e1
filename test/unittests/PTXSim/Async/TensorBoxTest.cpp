//===- TensorBoxTest.cpp - Addresses of tensor copies ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Async/TensorBox.h"

#include "gtest/gtest.h"

#include <map>

using namespace attn::ptx;

using Swizzle = TensorMap::Swizzle;

namespace {
DecodedTensorMap matrix(uint32_t columns, uint32_t rows, uint32_t boxColumns,
                        uint32_t boxRows, Swizzle swizzle = Swizzle::None,
                        TensorMap::Type type = TensorMap::Type::F16) {
  DecodedTensorMap t;
  t.address = 0x10000;
  t.map.type = type;
  t.map.rank = 2;
  t.map.dims = {columns, rows};
  t.map.strides = {uint64_t(columns) * elementBytes(type)};
  t.map.box = {boxColumns, boxRows};
  t.map.swizzle = swizzle;
  return t;
}

/// Shared address -> global address of each byte; 0: outside.
std::map<uint32_t, uint64_t> bytesOf(const std::vector<BoxPart> &parts) {
  std::map<uint32_t, uint64_t> result;
  for (const BoxPart &p : parts)
    for (uint32_t b = 0; b != p.bytes; ++b) {
      EXPECT_EQ(result.count(p.shared + b), 0u) << "written twice";
      result[p.shared + b] = p.inside ? p.global + b : 0;
    }
  return result;
}
} // namespace

// The tables of the CUDA programming guide: row r of 128 bytes holds its
// 16-byte chunk c at place table[r][c].
TEST(TensorBox, swizzle_128_table) {
  for (uint32_t row = 0; row != 8; ++row)
    for (uint32_t chunk = 0; chunk != 8; ++chunk)
      EXPECT_EQ(swizzleAddress(row * 128 + chunk * 16, Swizzle::B128),
                row * 128 + (chunk ^ row) * 16);
}

TEST(TensorBox, swizzle_64_table) {
  const uint32_t place[8][8] = {
      {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
      {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
      {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
      {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4}};
  for (uint32_t row = 0; row != 8; ++row)
    for (uint32_t chunk = 0; chunk != 8; ++chunk)
      EXPECT_EQ(swizzleAddress(row * 128 + chunk * 16, Swizzle::B64),
                row * 128 + place[row][chunk] * 16);
}

TEST(TensorBox, swizzle_32_table) {
  const uint32_t place[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                {1, 0, 3, 2, 5, 4, 7, 6}};
  for (uint32_t row = 0; row != 8; ++row)
    for (uint32_t chunk = 0; chunk != 8; ++chunk)
      EXPECT_EQ(swizzleAddress(row * 128 + chunk * 16, Swizzle::B32),
                row * 128 + place[row & 1][chunk] * 16);
}

// The pattern goes by address, not by offset in the box, and repeats.
TEST(TensorBox, swizzle_goes_by_address) {
  for (uint32_t a = 0; a < 4096; a += 16) {
    EXPECT_EQ(swizzleAddress(a + 1024, Swizzle::B128),
              swizzleAddress(a, Swizzle::B128) + 1024);
    EXPECT_EQ(swizzleAddress(a + 512, Swizzle::B64),
              swizzleAddress(a, Swizzle::B64) + 512);
    EXPECT_EQ(swizzleAddress(a + 256, Swizzle::B32),
              swizzleAddress(a, Swizzle::B32) + 256);
    EXPECT_EQ(swizzleAddress(swizzleAddress(a, Swizzle::B128), Swizzle::B128),
              a);
  }
}

TEST(TensorBox, plain_box_is_dense) {
  DecodedTensorMap t = matrix(64, 32, 16, 4);
  auto bytes = bytesOf(boxParts(t, {8, 3}, 0x400));
  EXPECT_EQ(boxBytes(t.map), 16u * 4 * 2);
  ASSERT_EQ(bytes.size(), boxBytes(t.map));
  for (uint32_t r = 0; r != 4; ++r)
    for (uint32_t c = 0; c != 16; ++c)
      EXPECT_EQ(bytes[0x400 + (r * 16 + c) * 2],
                0x10000u + ((3 + r) * 64 + 8 + c) * 2);
}

// A box that reaches over each edge; negative coordinates included.
TEST(TensorBox, outside_on_every_side) {
  DecodedTensorMap t = matrix(16, 4, 16, 4);
  for (int32_t x : {-5, 0, 11})
    for (int32_t y : {-2, 0, 3}) {
      auto bytes = bytesOf(boxParts(t, {x, y}, 0x800));
      ASSERT_EQ(bytes.size(), 128u);
      for (int32_t r = 0; r != 4; ++r)
        for (int32_t c = 0; c != 16; ++c) {
          bool inside = x + c >= 0 && x + c < 16 && y + r >= 0 && y + r < 4;
          uint64_t expected =
              inside ? 0x10000u + uint64_t((y + r) * 16 + x + c) * 2 : 0;
          EXPECT_EQ(bytes[0x800 + uint32_t(r * 16 + c) * 2], expected);
        }
    }
}

TEST(TensorBox, swizzled_box_moves_chunks) {
  DecodedTensorMap t = matrix(64, 16, 64, 16, Swizzle::B128);
  auto bytes = bytesOf(boxParts(t, {0, 0}, 0x2000));
  ASSERT_EQ(bytes.size(), 2048u);
  for (uint32_t r = 0; r != 16; ++r)
    for (uint32_t b = 0; b != 128; ++b) {
      uint32_t place = 0x2000 + r * 128 + ((b / 16) ^ (r % 8)) * 16 + b % 16;
      EXPECT_EQ(bytes[place], 0x10000u + r * 128 + b);
    }
}

// Element strides skip elements; the box then holds ceil(box / stride) of them.
TEST(TensorBox, element_strides) {
  DecodedTensorMap t = matrix(16, 16, 16, 7);
  t.map.elementStrides = {1, 3, 1, 1, 1};
  EXPECT_EQ(boxBytes(t.map), 16u * 3 * 2);
  auto bytes = bytesOf(boxParts(t, {0, 1}, 0x400));
  ASSERT_EQ(bytes.size(), 96u);
  for (uint32_t r = 0; r != 3; ++r)
    EXPECT_EQ(bytes[0x400 + r * 32], 0x10000u + (1 + 3 * r) * 32);
}

// Five dimensions, innermost first, in the order of shared memory.
TEST(TensorBox, five_dimensions) {
  DecodedTensorMap t;
  t.address = 0x4000;
  t.map.type = TensorMap::Type::F32;
  t.map.rank = 5;
  t.map.dims = {8, 3, 4, 5, 6};
  t.map.strides = {32, 96, 384, 1920};
  t.map.box = {4, 2, 2, 2, 2};
  auto bytes = bytesOf(boxParts(t, {4, 1, 2, 3, 4}, 0x400));
  ASSERT_EQ(bytes.size(), 4u * 16 * 4);
  uint32_t at = 0x400;
  for (uint32_t e = 0; e != 2; ++e)
    for (uint32_t d = 0; d != 2; ++d)
      for (uint32_t c = 0; c != 2; ++c)
        for (uint32_t b = 0; b != 2; ++b, at += 16)
          EXPECT_EQ(bytes[at], 0x4000u + 16 + (1 + b) * 32 + (2 + c) * 96 +
                                   (3 + d) * 384 + (4 + e) * 1920);
}

TEST(TensorBox, fill_values) {
  TensorMap map;
  map.type = TensorMap::Type::BF16;
  uint8_t bytes[4] = {1, 2, 3, 4};
  fillOutside(map, bytes);
  EXPECT_EQ(bytes[0] | bytes[1] | bytes[2] | bytes[3], 0);
  map.oobNaN = true;
  fillOutside(map, bytes);
  EXPECT_EQ(bytes[1] & 0x7f, 0x7f); // exponent and a mantissa bit
  EXPECT_EQ(bytes[0] & 0x80, 0x80);
}
