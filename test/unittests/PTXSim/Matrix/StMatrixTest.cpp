//===- StMatrixTest.cpp - stmatrix ----------------------------------------===//
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
unsigned rowAddress(unsigned row) { return 16 * ((row * 29 + 5) % 64); }

class StMatrix : public ::testing::TestWithParam<RowsForm> {};

/// The registers hold 1000 m + 10 row + column; the lanes then read all 32
/// rows' places word by word.
TEST_P(StMatrix, PutsRowsWhereLanesSay) {
  auto [count, transposed, space] = GetParam();
  bool generic = !*space;
  WarpKernel kernel;
  kernel.in.assign(count + 1, Words{});
  for (unsigned lane = 0; lane != 32; ++lane)
    kernel.in[count][lane] = lane < 8 * count ? rowAddress(lane) : 0xbad;
  for (unsigned m = 0; m != count; ++m)
    for (unsigned row = 0; row != 8; ++row)
      for (unsigned column = 0; column != 8; ++column) {
        unsigned r = transposed ? column : row, c = transposed ? row : column;
        kernel.in[m][kFigureRows[r][c]] |= (1000 * m + 10 * row + column)
                                           << (c % 2 ? 16 : 0);
      }
  std::string registers = "{" + names("%i", 0, count) + "};\n";
  std::string name = "stmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                     (transposed ? ".trans" : "") + space + ".b16 ";
  kernel.body = "add.u32 %a, %tile, " + names("%i", count, 1) + ";\n";
  kernel.body += generic ? "cvt.u64.u32 %w0, %a; cvta.shared.u64 %w0, %w0;\n" +
                               name + "[%w0], " + registers
                         : name + "[%a], " + registers;
  kernel.body += "bar.warp.sync 0xffffffff;\n";
  // Lane l gets word l % 4 of row 8 k + l / 4 in %o(k).
  kernel.results = count;
  for (unsigned m = 0; m != count; ++m) {
    std::string k = std::to_string(m);
    kernel.in.push_back(Words{});
    for (unsigned lane = 0; lane != 32; ++lane)
      kernel.in.back()[lane] = rowAddress(8 * m + lane / 4) + 4 * (lane % 4);
    kernel.body += "add.u32 %t0, %tile, " + names("%i", count + 1 + m, 1) +
                   "; ld.shared.b32 %o" + k + ", [%t0];\n";
  }
  kernel.clean();
  for (unsigned m = 0; m != count; ++m)
    for (unsigned lane = 0; lane != 32; ++lane) {
      uint32_t low = 1000 * m + 10 * (lane / 4) + 2 * (lane % 4);
      EXPECT_EQ(kernel.out[m][lane], low | (low + 1) << 16)
          << "matrix " << m << " lane " << lane;
    }
}

INSTANTIATE_TEST_SUITE_P(Forms, StMatrix, ::testing::ValuesIn(rowsForms()));

/// What was not stored stays uninitialised.
TEST(StMatrixMemory, WritesItsRowsOnly) {
  WarpKernel kernel;
  kernel.results = 1;
  kernel.body = "mov.u32 %t0, 7; shl.b32 %a, %lane, 4;\n"
                "add.u32 %a, %a, %tile;\n"
                "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%a], {%t0};\n"
                "bar.warp.sync 0xffffffff;\n"
                "ld.shared.b32 %o0, [%tile+124];\n"
                "ld.shared.b32 %o0, [%tile+128];";
  kernel.expectFinding(FindingKind::Uninitialised, "[%tile+128]");
}

/// A loop that waits and stores rows in between does not wait for ever.
TEST(StMatrixMemory, IsProgress) {
  WarpKernel kernel;
  kernel.body = "mov.u32 %t0, 0; shl.b32 %a, %lane, 4;\n"
                "add.u32 %a, %a, %tile;\n"
                "L: nanosleep.u32 20;\n"
                "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%a], {%t0};\n"
                "add.u32 %t0, %t0, 1; setp.lt.u32 %p0, %t0, 999;\n"
                "@%p0 bra L;";
  kernel.clean();
}

TEST(StMatrixMemory, TwoRowsAtOnePlaceAreARace) {
  WarpKernel kernel;
  kernel.body = "and.b32 %a, %lane, 6; shl.b32 %a, %a, 4;\n"
                "add.u32 %a, %a, %tile;\n"
                "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%a], {%lane};";
  kernel.expectFinding(FindingKind::Race, "stmatrix");
}

/// A lane may not read what another stored before the warp has met.
TEST(StMatrixMemory, OtherLanesNeedABarrier) {
  WarpKernel kernel;
  kernel.results = 1;
  kernel.body = "shl.b32 %a, %lane, 4; add.u32 %a, %a, %tile;\n"
                "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%a], "
                "{%lane, %lane, %lane, %lane};\n"
                "bar.warp.sync 0xffffffff;\n"
                "ld.shared.b32 %o0, [%a];";
  kernel.clean();
  kernel.body.erase(kernel.body.find("bar.warp.sync"), 25);
  kernel.expectFinding(FindingKind::Race, "ld.shared.b32 %o0");
}
} // namespace
