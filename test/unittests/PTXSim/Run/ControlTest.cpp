//===- ControlTest.cpp - Divergence, calls, barriers, schedules
//-------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

#include <numeric>

namespace attn::ptx::test {

static Launch shape(uint32_t grid, uint32_t block, uint32_t cluster = 1) {
  Launch launch;
  launch.grid.x = grid;
  launch.block.x = block;
  launch.cluster.x = cluster;
  return launch;
}

// Lanes loop as often as their number says and meet again behind the loop.
TEST(Control, LoopWithDivergentCount) {
  Values d = evaluate("mov.u32 %d, 0;\n"
                      "L: add.u32 %d, %d, 3;\n"
                      "sub.u32 %a, %a, 1;\n"
                      "setp.ne.u32 %p1, %a, 0;\n"
                      "@%p1 bra L;\n"
                      "activemask.b32 %t1;\n"
                      "popc.b32 %t2, %t1;\n"
                      "add.u32 %d, %d, %t2;",
                      {"b32", "b32"}, {{1, 5, 7, 2}});
  EXPECT_EQ(d, (Values{35, 47, 53, 38}));
}

// Both sides of a branch run, each with its own lanes.
TEST(Control, IfElse) {
  Values d = evaluate("setp.lt.u32 %p1, %a, 10;\n"
                      "@%p1 bra THEN;\n"
                      "mul.lo.u32 %d, %a, 2;\n"
                      "bra.uni END;\n"
                      "THEN: add.u32 %d, %a, 100;\n"
                      "END:",
                      {"b32", "b32"}, {{3, 20, 9, 10}});
  EXPECT_EQ(d, (Values{103, 40, 109, 20}));
}

// A branch by index sends each lane to its own target, of the list it names.
TEST(Control, BranchByIndex) {
  Values d = evaluate("us: .branchtargets C, C, A;\n"
                      "ts: .branchtargets A, B, C;\n"
                      "brx.idx %a, ts;\n"
                      "A: mov.u32 %d, 10; bra E;\n"
                      "B: mov.u32 %d, 11; bra E;\n"
                      "C: mov.u32 %d, 12;\n"
                      "E: activemask.b32 %t1; popc.b32 %t1, %t1;\n"
                      "add.u32 %d, %d, %t1;",
                      {"b32", "b32"}, {{2, 0, 1, 0}});
  EXPECT_EQ(d, (Values{44, 42, 43, 42}));
}

// A shuffle under divergence waits for the lanes it names.
TEST(Control, SyncAcrossDivergentPaths) {
  Values d = evaluate("mov.u32 %t1, %tid.x;\n"
                      "and.b32 %t2, %t1, 1;\n"
                      "setp.eq.u32 %p1, %t2, 0;\n"
                      "mov.u32 %d, 7;\n"
                      "@%p1 bra S;\n"
                      "mov.u32 %d, 9;\n"
                      "S: shfl.sync.bfly.b32 %d, %d, 1, 31, -1;",
                      {"b32", "b32"}, {{0, 0}});
  EXPECT_EQ(d, (Values{9, 7}));
}

// One lane spins for a flag that another lane of the warp sets.
TEST(Control, SpinWithinAWarp) {
  std::vector<std::vector<uint32_t>> buffers{{0}};
  EXPECT_EQ(
      problem(runKernel(".entry k(.param .u64 p) {\n"
                        ".reg .b64 %a; .reg .b32 %r<4>; .reg .pred %p<3>;\n"
                        "ld.param.u64 %a, [p];\n"
                        "mov.u32 %r1, %tid.x;\n"
                        "setp.eq.u32 %p1, %r1, 0;\n"
                        "@!%p1 bra SET;\n"
                        "L: ld.acquire.gpu.global.u32 %r2, [%a];\n"
                        "setp.eq.u32 %p2, %r2, 0;\n"
                        "@%p2 bra L;\n"
                        "bra END;\n"
                        "SET: setp.ne.u32 %p2, %r1, 5;\n"
                        "@%p2 bra END;\n"
                        "mov.u32 %r3, 1;\n"
                        "st.release.gpu.global.u32 [%a], %r3;\n"
                        "END: ret; }",
                        shape(1, 32), buffers)),
      "");
}

// The spin lock of every thread: lanes that hold the lock go on although the
// others wait at the end of the loop.
TEST(Control, SpinLockPerLane) {
  std::vector<std::vector<uint32_t>> buffers{{0}, {0}};
  EXPECT_EQ(
      problem(runKernel(".entry k(.param .u64 p, .param .u64 q) {\n"
                        ".reg .b64 %a, %b; .reg .b32 %r<4>; .reg .pred %p;\n"
                        "ld.param.u64 %a, [p]; ld.param.u64 %b, [q];\n"
                        "L: atom.acquire.gpu.global.cas.b32 %r1, [%a], 0, 1;\n"
                        "setp.ne.u32 %p, %r1, 0;\n"
                        "@%p bra L;\n"
                        "ld.relaxed.gpu.global.u32 %r2, [%b];\n"
                        "add.u32 %r2, %r2, 1;\n"
                        "st.relaxed.gpu.global.u32 [%b], %r2;\n"
                        "atom.release.gpu.global.exch.b32 %r3, [%a], 0;\n"
                        "ret; }",
                        shape(2, 64), buffers)),
      "");
  EXPECT_EQ(buffers[1][0], 128u);
}

// LLVM takes the address of a parameter and reads it as local memory.
TEST(Control, AddressOfAParameter) {
  std::string body =
      ".func (.param .b32 r) pick(.param .align 8 .b8 list[16], "
      ".param .b32 n) {\n"
      ".reg .b32 %r<4>; .reg .b64 %a, %o;\n"
      "ld.param.b32 %r1, [n]; mul.wide.u32 %o, %r1, 4;\n"
      "mov.b64 %a, list; add.s64 %a, %a, %o; ld.local.b32 %r2, [%a];\n"
      "cvta.local.u64 %a, %a; ld.b32 %r3, [%a];\n"
      "add.u32 %r2, %r2, %r3; st.param.b32 [r], %r2; ret; }\n"
      ".entry k(.param .u64 p) {\n"
      ".reg .b64 %a, %o; .reg .b32 %r<4>;\n"
      "ld.param.u64 %a, [p]; mov.u32 %r1, %tid.x;\n"
      "{ .param .align 8 .b8 p0[16]; .param .b32 p1; .param .b32 r0;\n"
      "st.param.v4.b32 [p0], {10, 20, 30, 40}; st.param.b32 [p1], %r1;\n"
      "call.uni (r0), pick, (p0, p1); ld.param.b32 %r2, [r0]; }\n"
      "mul.wide.u32 %o, %r1, 4; add.u64 %a, %a, %o;\n"
      "st.global.u32 [%a], %r2; ret; }";
  std::vector<std::vector<uint32_t>> buffers(1, std::vector<uint32_t>(4));
  EXPECT_EQ(problem(runKernel(body, shape(1, 4), buffers)), "");
  EXPECT_EQ(buffers[0], (std::vector<uint32_t>{20, 40, 60, 80}));
}

// Direct, recursive and indirect calls with parameters and results.
TEST(Control, Calls) {
  std::string body =
      ".func (.param .b32 r) fib(.param .b32 n) {\n"
      ".reg .b32 %r<6>; .reg .pred %p;\n"
      "ld.param.b32 %r1, [n];\n"
      "setp.lt.u32 %p, %r1, 2;\n"
      "@%p bra BASE;\n"
      "sub.u32 %r2, %r1, 1;\n"
      "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %r2;\n"
      "call.uni (r0), fib, (p0); ld.param.b32 %r3, [r0]; }\n"
      "sub.u32 %r2, %r1, 2;\n"
      "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %r2;\n"
      "call.uni (r0), fib, (p0); ld.param.b32 %r4, [r0]; }\n"
      "add.u32 %r1, %r3, %r4;\n"
      "BASE: st.param.b32 [r], %r1;\n"
      "ret; }\n"
      ".entry k(.param .u64 p) {\n"
      ".reg .b64 %a, %f, %o; .reg .b32 %r<4>;\n"
      "ld.param.u64 %a, [p];\n"
      "mov.u32 %r1, %tid.x;\n"
      "mul.wide.u32 %o, %r1, 4; add.u64 %a, %a, %o;\n"
      "mov.u64 %f, fib;\n"
      "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], %r1;\n"
      "pr: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      "call (r0), %f, (p0), pr; ld.param.b32 %r2, [r0]; }\n"
      "st.global.u32 [%a], %r2;\n"
      "ret; }";
  std::vector<std::vector<uint32_t>> buffers{std::vector<uint32_t>(12)};
  EXPECT_EQ(problem(runKernel(body, shape(1, 12), buffers)), "");
  EXPECT_EQ(buffers[0],
            (std::vector<uint32_t>{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89}));
}

static const char *reduction =
    ".entry k(.param .u64 p) {\n"
    ".reg .b64 %a, %o; .reg .b32 %r<8>; .reg .pred %p<3>;\n"
    ".shared .align 4 .b8 s[1024];\n"
    "ld.param.u64 %a, [p];\n"
    "mov.u32 %r1, %tid.x;\n"
    "mov.u32 %r2, s;\n"
    "shl.b32 %r3, %r1, 2; add.u32 %r3, %r2, %r3;\n"
    "add.u32 %r4, %r1, 1;\n"
    "st.shared.u32 [%r3], %r4;\n"
    "mov.u32 %r5, 128;\n"
    "L: bar.sync 0;\n"
    "setp.ge.u32 %p1, %r1, %r5;\n"
    "@%p1 bra N;\n"
    "shl.b32 %r6, %r5, 2; add.u32 %r6, %r3, %r6;\n"
    "ld.shared.u32 %r6, [%r6]; ld.shared.u32 %r7, [%r3];\n"
    "add.u32 %r7, %r7, %r6; st.shared.u32 [%r3], %r7;\n"
    "N: shr.u32 %r5, %r5, 1;\n"
    "setp.ne.u32 %p2, %r5, 0;\n"
    "@%p2 bra L;\n"
    "setp.ne.u32 %p1, %r1, 0;\n"
    "@%p1 ret;\n"
    "mov.u32 %r1, %ctaid.x; mul.wide.u32 %o, %r1, 4; add.u64 %a, %a, %o;\n"
    "st.global.u32 [%a], %r7;\n"
    "ret; }";

// A tree reduction through shared memory, in many orders of the warps and on
// several threads.
TEST(Control, SharedReductionUnderEverySchedule) {
  std::vector<Schedule> schedules{Schedule::earliest(), Schedule::latest()};
  for (uint64_t seed = 0; seed != 20; ++seed)
    schedules.push_back(Schedule::seeded(seed));
  for (const Schedule &schedule : schedules)
    for (unsigned threads : {1u, 3u}) {
      std::vector<std::vector<uint32_t>> buffers{std::vector<uint32_t>(7)};
      Options options;
      options.schedule = schedule;
      options.threads = threads;
      ASSERT_EQ(problem(runKernel(reduction, shape(7, 256), buffers, options)),
                "");
      EXPECT_EQ(buffers[0], std::vector<uint32_t>(7, 256 * 257 / 2));
    }
}

// What ends a run is said of the first block that has it, even if a later one
// comes to it earlier.
TEST(Control, FirstBlockOfAFinding) {
  for (unsigned threads : {1u, 2u}) {
    std::vector<std::vector<uint32_t>> buffers;
    Options options;
    options.threads = threads;
    auto result = runKernel(".entry k() {\n"
                            ".reg .b32 %r<3>; .reg .b64 %a; .reg .pred %p;\n"
                            "mov.u32 %r1, %ctaid.x; setp.ne.u32 %p, %r1, 0;\n"
                            "mov.u64 %a, 0; mov.u32 %r2, 0; @%p bra X;\n"
                            "L: add.u32 %r2, %r2, 1;\n"
                            "setp.lt.u32 %p, %r2, 500000; @%p bra L;\n"
                            "X: ld.global.u32 %r1, [%a]; ret; }",
                            shape(2, 1), buffers, options);
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    ASSERT_EQ(result->findings.size(), 1u);
    EXPECT_EQ(result->findings[0].cta.x, 0u);
    EXPECT_EQ(result->findings[0].count, 1u);
  }
}

// A barrier that only half of the block reaches.
TEST(Control, DeadlockAtABarrier) {
  std::vector<std::vector<uint32_t>> buffers;
  auto result = runKernel(".entry k() {\n"
                          ".reg .b32 %r<3>; .reg .pred %p;\n"
                          "mov.u32 %r1, %warpid;\n"
                          "setp.eq.u32 %p, %r1, 0;\n"
                          "@%p bra A;\n"
                          "bar.sync 1, 64;\n"
                          "A: bar.sync 2, 64;\n"
                          "ret; }",
                          shape(1, 64), buffers);
  ASSERT_TRUE(bool(result));
  ASSERT_EQ(result->findings.size(), 2u);
  EXPECT_EQ(result->findings[0].kind, FindingKind::Deadlock);
  EXPECT_EQ(result->findings[0].line, 9u);
  EXPECT_EQ(result->findings[1].line, 10u);
  ASSERT_EQ(result->findings[0].barriers.size(), 2u);
  EXPECT_EQ(result->findings[0].barriers[0].name,
            "named barrier 1 of CTA (0,0,0)");
  EXPECT_EQ(result->findings[0].barriers[0].state,
            "32 of 64 threads arrived, the first at line 9");
}

// A barrier of the whole block waits for the warps that are alive: not only for
// those that came, and not for one that has exited, before or after.
TEST(Control, WarpsThatExitedAtABarrier) {
  std::vector<std::vector<uint32_t>> buffers{std::vector<uint32_t>(1)};
  EXPECT_EQ(problem(runKernel(
                ".entry k(.param .u64 p) {\n"
                ".reg .b32 %r<4>; .reg .b64 %a; .reg .pred %p<3>;\n"
                ".shared .align 4 .b32 s;\n"
                "ld.param.u64 %a, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0;\n"
                "setp.lt.u32 %p1, %r1, 32; @%p1 bra WAIT;\n"
                "setp.lt.u32 %p1, %r1, 64; @%p1 ret;\n"
                "L: add.u32 %r2, %r2, 1;\n"
                "setp.lt.u32 %p2, %r2, 999; @%p2 bra L;\n"
                "setp.eq.u32 %p2, %r1, 64; @%p2 st.shared.u32 [s], 7;\n"
                "bar.sync 0;\n"
                "M: add.u32 %r2, %r2, 1;\n"
                "setp.lt.u32 %p2, %r2, 1999; @%p2 bra M; ret;\n"
                "WAIT: bar.sync 0; ld.shared.u32 %r3, [s];\n"
                "bar.sync 1; setp.eq.u32 %p2, %r1, 0;\n"
                "@%p2 st.global.u32 [%a], %r3; ret; }",
                shape(1, 96), buffers)),
            "");
  EXPECT_EQ(buffers[0][0], 7u);
}

// Spinning for a flag nobody sets is a deadlock too, and is found at once. So
// is a loop that sleeps between weak loads.
TEST(Control, DeadlockBySpinning) {
  Options options;
  options.maxSeconds = 5;
  for (const char *poll : {"ld.volatile.global.u32 %r, [%a];",
                           "nanosleep.u32 20; ld.global.u32 %r, [%a];"}) {
    std::vector<std::vector<uint32_t>> buffers{{0}};
    std::string text =
        problem(runKernel(".entry k(.param .u64 p) {\n"
                          ".reg .b64 %a; .reg .b32 %r; .reg .pred %p;\n"
                          "ld.param.u64 %a, [p];\n"
                          "L: " +
                              std::string(poll) +
                              "\nsetp.eq.u32 %p, %r, 0;\n"
                              "@%p bra L;\n"
                              "ret; }",
                          shape(2, 32), buffers, options));
    EXPECT_TRUE(llvm::StringRef(text).starts_with("deadlock: line")) << text;
  }
}

// An aligned barrier executed by some lanes of a warp.
TEST(Control, DivergentAlignedBarrier) {
  std::vector<std::vector<uint32_t>> buffers;
  std::string text = problem(runKernel(".entry k() {\n"
                                       ".reg .b32 %r<3>; .reg .pred %p;\n"
                                       "mov.u32 %r1, %laneid;\n"
                                       "setp.lt.u32 %p, %r1, 7;\n"
                                       "@%p bra A;\n"
                                       "bar.sync 0;\n"
                                       "A: ret; }",
                                       shape(1, 32), buffers));
  EXPECT_TRUE(llvm::StringRef(text).starts_with("divergent-aligned: line 9"))
      << text;
}

// Without .aligned each lane counts for itself at the barrier of the cluster;
// its state is part of what a deadlock says.
TEST(Control, DivergentClusterBarrier) {
  for (bool aligned : {false, true}) {
    std::string rest = aligned ? ".aligned;\n" : ";\n";
    std::vector<std::vector<uint32_t>> buffers;
    llvm::Expected<Report> result =
        runKernel(".entry k() {\n"
                  ".reg .b32 %r<3>; .reg .pred %p;\n"
                  "mov.u32 %r1, %laneid;\n"
                  "setp.lt.u32 %p, %r1, 7;\n"
                  "@%p bra A;\n"
                  "barrier.cluster.arrive" +
                      rest + "barrier.cluster.wait" + rest + "A: ret; }",
                  shape(1, 32), buffers);
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    ASSERT_FALSE(result->clean());
    const Finding &found = result->findings.front();
    EXPECT_EQ(found.kind,
              aligned ? FindingKind::DivergentAligned : FindingKind::Deadlock);
    if (aligned)
      continue;
    ASSERT_EQ(found.barriers.size(), 1u);
    EXPECT_EQ(found.barriers[0].state,
              "25 of 32 threads arrived, the first at line 9");
  }
}

// Blocks of a grid wait for each other: all of them must be resident.
TEST(Control, GridBarrier) {
  std::vector<std::vector<uint32_t>> buffers{{0}, std::vector<uint32_t>(40)};
  ASSERT_EQ(problem(runKernel(
                ".entry k(.param .u64 p, .param .u64 q) {\n"
                ".reg .b64 %a, %b, %o; .reg .b32 %r<5>; .reg .pred %p;\n"
                "ld.param.u64 %a, [p]; ld.param.u64 %b, [q];\n"
                "atom.acq_rel.gpu.global.add.u32 %r1, [%a], 1;\n"
                "mov.u32 %r2, %nctaid.x;\n"
                "L: ld.acquire.gpu.global.u32 %r3, [%a];\n"
                "setp.lt.u32 %p, %r3, %r2;\n"
                "@%p bra L;\n"
                "mov.u32 %r4, %ctaid.x; mul.wide.u32 %o, %r4, 4;\n"
                "add.u64 %b, %b, %o; st.global.u32 [%b], %r3;\n"
                "ret; }",
                shape(40, 1), buffers)),
            "");
  EXPECT_EQ(buffers[1], std::vector<uint32_t>(40, 40));
}

// Each block of a cluster reads its neighbour's shared memory.
TEST(Control, ClusterSharedMemory) {
  std::vector<std::vector<uint32_t>> buffers{std::vector<uint32_t>(8)};
  ASSERT_EQ(
      problem(runKernel(
          ".entry k(.param .u64 p) {\n"
          ".reg .b64 %a, %o; .reg .b32 %r<8>;\n"
          ".shared .align 4 .b32 s;\n"
          "ld.param.u64 %a, [p];\n"
          "mov.u32 %r1, %ctaid.x; mov.u32 %r2, s;\n"
          "add.u32 %r3, %r1, 100; st.shared.u32 [%r2], %r3;\n"
          "barrier.cluster.arrive.release.aligned;\n"
          "barrier.cluster.wait.acquire.aligned;\n"
          "mov.u32 %r4, %cluster_ctarank; xor.b32 %r4, %r4, 1;\n"
          "mapa.shared::cluster.u32 %r5, %r2, %r4;\n"
          "ld.shared::cluster.u32 %r6, [%r5];\n"
          "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
          "mul.wide.u32 %o, %r1, 4; add.u64 %a, %a, %o;\n"
          "st.global.u32 [%a], %r6; ret; }",
          shape(8, 1, 4), buffers)),
      "");
  EXPECT_EQ(buffers[0],
            (std::vector<uint32_t>{101, 100, 103, 102, 105, 104, 107, 106}));
}

// A block whose memory a neighbour uses must not exit before. (It happens to be
// there long enough.)
TEST(Control, ClusterMemoryOfABlockThatMayExit) {
  std::vector<std::vector<uint32_t>> buffers;
  EXPECT_EQ(problem(runKernel(
                ".entry k() {\n"
                ".reg .b32 %r<4>; .reg .pred %p;\n"
                ".shared .align 4 .b32 s[4];\n"
                "mov.u32 %r0, %cluster_ctarank; setp.eq.u32 %p, %r0, 1;\n"
                "mov.u32 %r1, s; mapa.shared::cluster.u32 %r1, %r1, 0;\n"
                "@%p st.shared::cluster.u32 [%r1+12], %r0;\n"
                "@%p ret;\n"
                "mov.u32 %r2, 0;\n"
                "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, 999;\n"
                "@%p bra L;\n"
                "ret; }",
                shape(2, 1, 2), buffers)),
            "race: line 9: Shared address 0x40c is used by warp 0 of CTA "
            "(1,0,0) lane 0, but nothing keeps CTA (0,0,0) from exiting "
            "before.");
}

} // namespace attn::ptx::test
