//===- LdMatrixTest.cpp - ldmatrix and movmatrix --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentTables.h"
#include "WarpKernel.h"

using namespace attn::ptx;
using namespace attn::ptx::test;

namespace {
/// Fills the tile with the number of each 16-bit element: 4096 of them.
const char *kFill = "  mul.lo.u32 %t0, %lane, 2; mul.lo.u32 %t1, %lane, 4;\n"
                    "  add.u32 %t1, %t1, %tile; mov.u32 %t2, 0;\n"
                    "fill:\n"
                    "  add.u32 %t3, %t0, 1; shl.b32 %t3, %t3, 16;\n"
                    "  or.b32 %t3, %t3, %t0; st.shared.b32 [%t1], %t3;\n"
                    "  add.u32 %t0, %t0, 64; add.u32 %t1, %t1, 128;\n"
                    "  add.u32 %t2, %t2, 1; setp.lt.u32 %p0, %t2, 64;\n"
                    "  @%p0 bra fill;\n"
                    "  bar.sync 0;\n";

/// Row r of matrix m lies in 16-byte piece piece(8 m + r) of the tile:
/// scattered, no two neighbours in order.
unsigned piece(unsigned row) { return (row * 37 + 11) % 512; }

Words addresses() {
  Words words;
  for (unsigned lane = 0; lane != 32; ++lane)
    words[lane] = 16 * piece(lane);
  return words;
}

class LdMatrix : public ::testing::TestWithParam<RowsForm> {};

TEST_P(LdMatrix, SpreadsRowsOverLanes) {
  auto [count, transposed, space] = GetParam();
  WarpKernel kernel;
  kernel.in = {addresses()};
  // Addresses of lanes that name no row do not count.
  for (unsigned lane = 8 * count; lane < 32; ++lane)
    kernel.in[0][lane] = 0xdead001;
  kernel.results = count;
  std::string name = "ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                     (transposed ? ".trans" : "") + space + ".b16 {" +
                     names("%o", 0, count) + "}, ";
  kernel.body = kFill;
  if (*space)
    kernel.body += "add.u32 %a, %tile, %i0;\n" + name + "[%a];";
  else
    kernel.body += "add.u32 %a, %tile, %i0; cvt.u64.u32 %w0, %a;\n"
                   "cvta.shared.u64 %w0, %w0;\n" +
                   name + "[%w0];";
  kernel.clean();
  for (unsigned m = 0; m != count; ++m)
    for (unsigned row = 0; row != 8; ++row)
      for (unsigned column = 0; column != 8; ++column) {
        unsigned value = 8 * piece(8 * m + row) + column;
        // The figure's rows are the matrix' columns with .trans.
        unsigned r = transposed ? column : row, c = transposed ? row : column;
        uint32_t word = kernel.out[m][kFigureRows[r][c]];
        EXPECT_EQ(c % 2 ? word >> 16 : word & 0xffff, value)
            << "matrix " << m << " row " << row << " column " << column;
      }
}

INSTANTIATE_TEST_SUITE_P(Forms, LdMatrix, ::testing::ValuesIn(rowsForms()));

/// The braces around a single register may be left out; an offset counts.
TEST(LdMatrixForms, SingleRegisterAndOffset) {
  WarpKernel kernel;
  kernel.results = 1;
  kernel.body = std::string(kFill) +
                "shl.b32 %a, %lane, 4; add.u32 %a, %a, %tile;\n"
                "ldmatrix.sync.aligned.m8n8.x1.shared.b16 %o0, [%a+256];";
  kernel.clean();
  for (unsigned lane = 0; lane != 32; ++lane) {
    uint32_t first = 128 + 2 * lane;
    EXPECT_EQ(kernel.out[0][lane], first | (first + 1) << 16);
  }
}

TEST(MovMatrix, Transposes) {
  WarpKernel kernel;
  kernel.in = {Words{}};
  for (unsigned row = 0; row != 8; ++row)
    for (unsigned column = 0; column != 8; ++column)
      kernel.in[0][kFigureRows[row][column]] |= (100 * row + column)
                                                << (column % 2 ? 16 : 0);
  kernel.results = 1;
  kernel.body = "movmatrix.sync.aligned.m8n8.trans.b16 %o0, %i0;";
  kernel.clean();
  for (unsigned row = 0; row != 8; ++row)
    for (unsigned column = 0; column != 8; ++column) {
      uint32_t word = kernel.out[0][kFigureRows[row][column]];
      EXPECT_EQ(column % 2 ? word >> 16 : word & 0xffff, 100 * column + row);
    }
}

TEST(MovMatrix, MayOverwriteItsSource) {
  WarpKernel kernel;
  kernel.in = {Words{}};
  for (unsigned lane = 0; lane != 32; ++lane)
    kernel.in[0][lane] = 2 * lane | (2 * lane + 1) << 16;
  kernel.results = 1;
  kernel.body = "movmatrix.sync.aligned.m8n8.trans.b16 %i0, %i0;\n"
                "movmatrix.sync.aligned.m8n8.trans.b16 %i0, %i0;\n"
                "mov.b32 %o0, %i0;";
  kernel.clean();
  EXPECT_EQ(kernel.out[0], kernel.in[0]);
}

/// Passes over shared memory: eight rows of 16 bytes are one when they lie in
/// different banks, eight when they are 128 bytes apart.
TEST(LdMatrixProfile, BankConflicts) {
  for (unsigned stride : {16u, 128u, 144u}) {
    WarpKernel kernel;
    kernel.in = {Words{}};
    for (unsigned lane = 0; lane != 32; ++lane)
      kernel.in[0][lane] = lane * stride;
    kernel.results = 4;
    kernel.options.profile = true;
    std::string code = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                       "{%o0, %o1, %o2, %o3}, [%a];";
    kernel.body = std::string(kFill) + "add.u32 %a, %tile, %i0;\n" + code;
    Report report = kernel.run();
    ASSERT_TRUE(report.clean());
    std::string text = kernel.text();
    auto line = 1 + std::count(text.begin(),
                               text.begin() + long(text.find(code)), '\n');
    const LineProfile &profile = report.lines[uint32_t(line)];
    EXPECT_EQ(profile.sharedAccesses, 1u);
    EXPECT_EQ(profile.sharedIdealWavefronts, 4u);
    EXPECT_EQ(profile.sharedWavefronts, stride == 128 ? 32u : 4u) << stride;
  }
}
} // namespace
