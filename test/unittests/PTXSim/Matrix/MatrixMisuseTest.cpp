//===- MatrixMisuseTest.cpp - Wrong uses and their reports ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpKernel.h"

using namespace attn::ptx;
using namespace attn::ptx::test;

namespace {
const std::string kMma = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                         "{%t0, %t1, %t2, %t3}, {%t4, %t5, %t6, %t7}, "
                         "{%t8, %t9}, {%t0, %t1, %t2, %t3};\n";
const std::string kLoad = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                          "{%t0, %t1, %t2, %t3}, [%a];\n";
const std::string kStore = "stmatrix.sync.aligned.m8n8.x4.shared.b16 "
                           "[%a], {%t0, %t1, %t2, %t3};\n";
const std::string kMove = "movmatrix.sync.aligned.m8n8.trans.b16 %t0, %t1;\n";
/// Lane l's row is the l-th piece of the tile.
const std::string kRows = "shl.b32 %a, %lane, 4; add.u32 %a, %a, %tile;\n";
/// Lane l stores the four words of its own row.
const std::string kFillRows = "st.shared.v4.b32 [%a], {%lane, %lane, %lane, "
                              "%lane};\n";

//===----------------------------------------------------------------------===//
// All lanes
//===----------------------------------------------------------------------===//

class WholeWarp : public ::testing::TestWithParam<std::string> {};

TEST_P(WholeWarp, DivergedIsReported) {
  WarpKernel kernel;
  kernel.body = kRows + kFillRows +
                "bar.warp.sync 0xffffffff;\nsetp.lt.u32 %p0, %lane, 16;\n"
                "@%p0 " +
                GetParam();
  kernel.expectFinding(FindingKind::DivergentAligned, "@%p0 ", 0);
}

TEST_P(WholeWarp, ExitedLanesAreMissed) {
  WarpKernel kernel;
  kernel.body = kRows + kFillRows +
                "setp.eq.u32 %p0, %lane, 31;\n@%p0 exit;\n" + GetParam();
  std::string needle = GetParam().substr(0, GetParam().find(' '));
  std::string message =
      kernel.expectFinding(FindingKind::DivergentAligned, needle);
  EXPECT_NE(message.find("only 31 exist"), std::string::npos) << message;
}

TEST_P(WholeWarp, SmallBlocksAreNoWarp) {
  WarpKernel kernel;
  kernel.threads = 16;
  kernel.body = kRows + kFillRows + GetParam();
  std::string needle = GetParam().substr(0, GetParam().find(' '));
  kernel.expectFinding(FindingKind::DivergentAligned, needle);
}

INSTANTIATE_TEST_SUITE_P(Instructions, WholeWarp,
                         ::testing::Values(kMma, kLoad, kStore, kMove));

/// A guard that holds for all lanes is no divergence.
TEST(WholeWarpGuard, UniformGuardIsFine) {
  WarpKernel kernel;
  for (unsigned i = 0; i != 10; ++i)
    kernel.body += "mov.b32 %t" + std::to_string(i) + ", 0;\n";
  kernel.body += "setp.lt.u32 %p0, %lane, 32;\n@%p0 " + kMma + "@!%p0 " + kMma;
  kernel.clean();
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

struct BadAddress {
  const char *change; ///< What happens to %a of lane 13.
  FindingKind kind;
  const char *words; ///< In the message.
};

class Address : public ::testing::TestWithParam<BadAddress> {};

TEST_P(Address, NamesTheLaneAndItsRow) {
  for (const std::string &code : {kLoad, kStore}) {
    WarpKernel kernel;
    kernel.body = kRows + kFillRows + "bar.warp.sync 0xffffffff;\n" +
                  "setp.eq.u32 %p0, %lane, 13;\n@%p0 " + GetParam().change +
                  ";\n" + code;
    std::string message = kernel.expectFinding(
        GetParam().kind, code.substr(0, code.find(' ')), 13);
    EXPECT_NE(message.find("row 5 of matrix 1"), std::string::npos) << message;
    EXPECT_NE(message.find(GetParam().words), std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, Address,
    ::testing::Values(
        BadAddress{"add.u32 %a, %a, 8", FindingKind::Misaligned, "multiple"},
        BadAddress{"add.u32 %a, %a, 8192", FindingKind::OutOfBounds, "8192"},
        BadAddress{"add.u32 %a, %tile, 8184", FindingKind::OutOfBounds,
                   "outside"},
        BadAddress{"mov.u32 %a, 0", FindingKind::OutOfBounds, "outside"},
        BadAddress{"add.u32 %a, %a, 0x1000000", FindingKind::OutOfBounds,
                   "outside"},
        BadAddress{"sub.u32 %a, %tile, 16", FindingKind::OutOfBounds,
                   "outside"}));

TEST(MatrixAddress, GenericAddressesMustBeShared) {
  WarpKernel kernel;
  kernel.body = "ldmatrix.sync.aligned.m8n8.x1.b16 {%t0}, [%in];";
  kernel.expectFinding(FindingKind::OutOfBounds, "ldmatrix");
  kernel.body = "stmatrix.sync.aligned.m8n8.x1.b16 [%out], {%t0};";
  kernel.expectFinding(FindingKind::OutOfBounds, "stmatrix");
}

//===----------------------------------------------------------------------===//
// Order and initialisation
//===----------------------------------------------------------------------===//

TEST(MatrixMemory, UninitialisedRows) {
  WarpKernel kernel;
  kernel.body = kRows + "setp.ne.u32 %p0, %lane, 9;\n@%p0 " + kFillRows +
                "bar.warp.sync 0xffffffff;\n" + kLoad;
  kernel.expectFinding(FindingKind::Uninitialised, "ldmatrix");
}

/// A lane's own store orders nothing for the lanes that get the row.
TEST(MatrixMemory, StoresNeedAMeetingOfTheWarp) {
  WarpKernel kernel;
  kernel.body = kRows + kFillRows + "bar.warp.sync 0xffffffff;\n" + kLoad;
  kernel.clean();
  kernel.body = kRows + kFillRows + kLoad;
  kernel.expectFinding(FindingKind::Race, "ldmatrix");
  std::string transposed = kLoad;
  transposed.replace(transposed.find(".shared"), 0, ".trans");
  kernel.body = kRows + kFillRows + transposed;
  kernel.expectFinding(FindingKind::Race, "ldmatrix");
}

TEST(MatrixMemory, OtherWarpsNeedABarrier) {
  WarpKernel kernel;
  kernel.threads = 64;
  // Each warp fills its half of 1 KiB and loads the other's.
  std::string fill = kRows + kFillRows, load = "xor.b32 %a, %a, 512;\n" + kLoad;
  kernel.body = fill + "bar.sync 0;\n" + load;
  kernel.clean();
  kernel.body = fill + "bar.warp.sync 0xffffffff;\n" + load;
  kernel.expectFinding(FindingKind::Race, "ldmatrix");
}

/// The next stage may be stored only when the others have loaded this one.
TEST(MatrixMemory, EarlyReuseIsARace) {
  WarpKernel kernel;
  kernel.threads = 64;
  std::string body = kRows + kFillRows + "bar.sync 0;\nxor.b32 %a, %a, 512;\n" +
                     kLoad + "xor.b32 %a, %a, 512;\n";
  std::string again = "st.shared.b32 [%a], %tile;\n";
  kernel.body = body + "bar.sync 0;\n" + again;
  kernel.clean();
  kernel.body = body + again;
  kernel.expectFinding(FindingKind::Race, "ldmatrix");
}

/// Without the wait the copy may be in flight or not, and both are wrong.
TEST(MatrixMemory, CopiesInFlight) {
  std::string copy = kRows + "shr.u64 %w0, %in, 8; shl.b64 %w0, %w0, 8;\n"
                             "cp.async.cg.shared.global [%a], [%w0], 16;\n"
                             "cp.async.commit_group;\n";
  std::string meet = "bar.warp.sync 0xffffffff;\n";
  WarpKernel kernel;
  kernel.body = copy + "cp.async.wait_group 0;\n" + meet + kLoad;
  kernel.clean();
  for (const std::string &code : {kLoad, kStore}) {
    kernel.body = copy + meet + code;
    kernel.schedules = {Schedule::latest()};
    kernel.expectFinding(FindingKind::InFlight, code.substr(0, 8));
    kernel.schedules = {Schedule::earliest()};
    kernel.expectFinding(FindingKind::Race, code.substr(0, 8));
  }
}

//===----------------------------------------------------------------------===//
// Forms that do not exist
//===----------------------------------------------------------------------===//

struct Refused {
  std::string code;
  const char *words;
  const char *target = "sm_90a";
};

class Forms : public ::testing::TestWithParam<Refused> {};

TEST_P(Forms, AreRefusedWithTheirLine) {
  WarpKernel kernel;
  kernel.body = GetParam().code;
  kernel.target = GetParam().target;
  std::string message = kernel.refusal();
  EXPECT_NE(message.find(GetParam().words), std::string::npos) << message;
  std::string text = kernel.text();
  auto line = 1 + std::count(text.begin(),
                             text.begin() + long(text.find(kernel.body)), '\n');
  EXPECT_EQ(message.rfind("line " + std::to_string(line) + ":", 0), 0u)
      << message;
}

std::string mma(const std::string &name, unsigned d, unsigned a, unsigned b,
                unsigned c) {
  return "mma." + name + " {" + names("%t", 0, d) + "}, {" + names("%t", 0, a) +
         "}, {" + names("%t", 0, b) + "}, {" + names("%t", 0, c) + "};";
}

INSTANTIATE_TEST_SUITE_P(
    Matrix, Forms,
    ::testing::Values(
        Refused{
            mma("sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 2, 4),
            "expected 4 registers, found 2"},
        Refused{
            mma("sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 4, 4, 2, 4),
            "expected 2 registers, found 4"},
        Refused{
            mma("sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 2, 4),
            "no such shape"},
        Refused{
            mma("sync.aligned.m16n8k16.row.col.f32.bf16.f16.f32", 4, 4, 2, 4),
            "does not multiply"},
        Refused{
            mma("sync.aligned.m16n8k16.row.col.f16.f16.f16.f32", 2, 4, 2, 4),
            "do not go with"},
        Refused{mma("sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
                    4, 4, 2, 4),
                "satfinite"},
        Refused{mma("sync.m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2, 4),
                "aligned"},
        Refused{
            mma("sync.aligned.m16n8k16.col.col.f32.f16.f16.f32", 4, 4, 2, 4),
            "row.col"},
        Refused{
            mma("sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2, 4),
            "needs sm_80", "sm_75"},
        Refused{
            mma("sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 4, 2, 4),
            "needs sm_89", "sm_80"},
        Refused{"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%t0}, [%a];",
                "expected 2 registers, found 1"},
        Refused{"ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%t0}, [%a];", "x3"},
        Refused{"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%t0, %t1}, "
                "[%a];",
                "m16n16"},
        Refused{"ldmatrix.sync.aligned.m8n8.x1.global.b16 {%t0}, [%in];",
                "global"},
        Refused{"ldmatrix.sync.aligned.m8n8.shared.b16 {%t0}, [%a];",
                "unsupported form"},
        Refused{"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%a], {%t0};",
                "needs sm_90", "sm_80"},
        Refused{"movmatrix.sync.aligned.m8n8.b16 %t0, %t1;",
                "unsupported form"}));
} // namespace
