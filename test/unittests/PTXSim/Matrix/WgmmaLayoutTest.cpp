//===- WgmmaLayoutTest.cpp - Fragments and descriptors against tables -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXSim/Matrix/MatrixDescriptor.h"
#include "PTXSim/Matrix/Wgmma.h"
#include "PTXSim/Matrix/WgmmaShape.h"
#include "WgmmaTables.h"

#include "gtest/gtest.h"

#include <set>

using namespace attn::ptx;
using namespace attn::ptx::test;

TEST(WgmmaLayout, ResultFragment) {
  for (unsigned lane = 0; lane != 32; ++lane)
    for (unsigned value = 0; value != 128; ++value) {
      Place place = placeOfD(WgmmaResult::row(lane, value),
                             WgmmaResult::column(lane, value));
      EXPECT_EQ(place.lane, lane) << "d" << value;
      EXPECT_EQ(place.value, value) << "T" << lane;
    }
}

TEST(WgmmaLayout, ElementsOfPieces) {
  std::vector<uint8_t> pieces(8 * 32);
  for (bool kMajor : {false, true}) {
    EXPECT_EQ(decodeRows(ir::Type::F16, kMajor, 8, 16, pieces),
              std::vector<float>(8 * 16));
    EXPECT_EQ(decodeColumns(ir::Type::S8, kMajor, 8, 32, pieces),
              std::vector<float>(8 * 32));
  }
}

TEST(WgmmaLayout, OperandFragment) {
  for (unsigned bytes : {1u, 2u, 4u}) {
    unsigned perRegister = 4 / bytes;
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (unsigned lane = 0; lane != 32; ++lane)
      for (unsigned value = 0; value != 4 * perRegister; ++value) {
        uint32_t row = WgmmaOperand::row(lane, value, perRegister);
        uint32_t k = WgmmaOperand::column(lane, value, perRegister);
        ASSERT_LT(row, 16u);
        ASSERT_LT(k, 32 / bytes);
        seen.insert({row, k});
        Place place = placeOfA(bytes, row, k);
        EXPECT_EQ(place.lane, lane) << bytes << " bytes, a" << value;
        EXPECT_EQ(place.value, value) << bytes << " bytes, T" << lane;
      }
    EXPECT_EQ(seen.size(), 16u * 32 / bytes);
  }
}

TEST(WgmmaLayout, Registers) {
  WgmmaShape shape;
  shape.n = 96;
  EXPECT_EQ(shape.resultRegisters(), 48u);
  shape.result = ir::Type::F16;
  EXPECT_EQ(shape.resultRegisters(), 24u);
}

TEST(WgmmaLayout, DescriptorBits) {
  // Start 0x12340, leading offset 0x80, stride 0x400, base offset 5, 64 bytes.
  auto d = MatrixDescriptor::decode(0x800a'0040'0008'1234);
  EXPECT_EQ(d.start, 0x12340u);
  EXPECT_EQ(d.leadingOffset, 0x80u);
  EXPECT_EQ(d.strideOffset, 0x400u);
  EXPECT_EQ(d.baseOffset, 5u);
  EXPECT_EQ(d.layout, MatrixDescriptor::Layout::B64);
  EXPECT_FALSE(d.reservedBits);
  using Layout = MatrixDescriptor::Layout;
  EXPECT_EQ(MatrixDescriptor::decode(1ull << 62).layout, Layout::B128);
  EXPECT_EQ(MatrixDescriptor::decode(3ull << 62).layout, Layout::B32);
  EXPECT_EQ(MatrixDescriptor::decode(0).layout, Layout::None);
  for (unsigned bit : {14u, 15u, 30u, 31u, 46u, 47u, 48u, 52u, 56u, 61u})
    EXPECT_TRUE(MatrixDescriptor::decode(1ull << bit).reservedBits) << bit;
}

/// Every element of a matrix of 64 rows lies where the figures say.
static void compare(const test::Layout &layout, unsigned bytes) {
  auto descriptor = MatrixDescriptor::decode(layout.bits());
  std::set<uint32_t> seen;
  for (unsigned row = 0; row != 64; ++row)
    for (unsigned k = 0; k != 32 / bytes; ++k) {
      uint32_t along = (layout.kMajor ? k : row) * bytes;
      uint32_t piece = descriptor.address(
          layout.kMajor, layout.kMajor ? row : k, along / 16 * 16);
      uint32_t expected = layout.address(bytes, row, k);
      ASSERT_EQ(piece + along % 16, expected)
          << "swizzle " << layout.width << " row " << row << " k " << k;
      seen.insert(expected);
    }
  EXPECT_EQ(seen.size(), 64u * 32 / bytes);
}

TEST(WgmmaLayout, KMajor) {
  for (unsigned bytes : {1u, 2u, 4u}) {
    compare({0, true, 128, 256, 0x400, 0}, bytes);
    compare({0, true, 2048, 128, 0x1000, 0}, bytes);
    for (unsigned width : {32u, 64u, 128u}) {
      compare({width, true, 16, 8 * width, 0x2000, 0}, bytes);
      // Room between the groups of eight rows.
      compare({width, true, 0, 24 * width, 0x2000, 0}, bytes);
      for (uint32_t skip = 32; skip < width; skip += 32)
        compare({width, true, 16, 8 * width, 0x2000, skip}, bytes);
    }
  }
}

TEST(WgmmaLayout, MNMajor) {
  compare({0, false, 1024, 128, 0x400, 0}, 2);
  compare({0, false, 128, 256, 0x400, 0}, 2);
  for (unsigned width : {32u, 64u, 128u}) {
    // Patterns one after the other along k, or along the rows.
    compare({width, false, 16 * width, 8 * width, 0x2000, 0}, 2);
    compare({width, false, 8 * width, 64 * width, 0x2000, 0}, 2);
  }
}

TEST(WgmmaLayout, BaseOffset) {
  // The pattern begins 256 bytes after a multiple of 1024.
  test::Layout layout{128, true, 16, 1024, 0x2100, 0};
  auto descriptor = MatrixDescriptor::decode(layout.bits() | 2ull << 49);
  EXPECT_EQ(descriptor.check(true, 32), "");
  for (unsigned row = 0; row != 64; ++row)
    for (unsigned k : {0u, 8u})
      ASSERT_EQ(descriptor.address(true, row, k * 2), layout.address(2, row, k))
          << row;
}

TEST(WgmmaLayout, Check) {
  auto problem = [](uint64_t bits, bool kMajor = true, uint32_t bytes = 32) {
    return MatrixDescriptor::decode(bits).check(kMajor, bytes);
  };
  auto layout = [](unsigned width, uint32_t start) {
    return test::Layout{width, true, 16, 8 * width, start, 0}.bits();
  };
  EXPECT_EQ(problem(layout(0, 0x410)), "");
  EXPECT_EQ(problem(layout(128, 0x460)), "");
  EXPECT_EQ(problem(layout(64, 0x620)), "");
  EXPECT_EQ(problem(layout(32, 0x500)), "");
  EXPECT_EQ(problem(layout(128, 0x400), false, 512), "");
  EXPECT_NE(problem(layout(0, 0x400) | 1ull << 49), "") << "base offset";
  EXPECT_NE(problem(layout(128, 0x480)), "") << "phase";
  EXPECT_NE(problem(layout(64, 0x500)), "") << "phase";
  EXPECT_NE(problem(layout(32, 0x480)), "") << "phase";
  EXPECT_NE(problem(layout(128, 0x470)), "") << "beyond the line";
  EXPECT_NE(problem(layout(64, 0x430)), "") << "beyond the line";
  EXPECT_NE(problem(layout(128, 0x420), false, 128), "") << "beyond the line";
  EXPECT_NE(problem(layout(128, 0x400) | 1ull << 46), "") << "reserved";
}
