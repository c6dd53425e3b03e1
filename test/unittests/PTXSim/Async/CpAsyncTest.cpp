//===- CpAsyncTest.cpp - cp.async, its groups and its races ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunKernel.h"

using namespace attn::ptx;
using namespace attn::ptx::test;

namespace {
// Lane l copies 16 bytes and lane 31-l reads them.
const char *const kCopy = R"(
  add.u32 %r1, %smem, %o16;
  cvt.u64.u32 %rd1, %o16; add.s64 %rd2, %in, %rd1;
  cp.async.cg.shared.global [%r1], [%rd2], 16;
  cp.async.commit_group;
  cp.async.wait_group 0;
  bar.warp.sync 0xffffffff;
  sub.u32 %r2, 31, %tid; shl.b32 %r3, %r2, 4; add.u32 %r3, %smem, %r3;
  ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3];
  add.s64 %rd3, %out, %rd1;
  st.global.v4.u32 [%rd3], {%r4, %r5, %r6, %r7};
)";

// Two groups; the first is used while the second is still under way.
const char *const kTwoGroups = R"(
  add.u32 %r1, %smem, %o4;
  cvt.u64.u32 %rd1, %o4; add.s64 %rd2, %in, %rd1; add.s64 %rd3, %out, %rd1;
  cp.async.ca.shared.global [%r1], [%rd2], 4;
  cp.async.commit_group;
  cp.async.ca.shared.global [%r1+128], [%rd2+128], 4;
  cp.async.commit_group;
  cp.async.wait_group 1;
  ld.shared.u32 %r2, [%r1];
  st.global.u32 [%rd3], %r2;
  cp.async.wait_group 0;
  ld.shared.u32 %r3, [%r1+128];
  st.global.u32 [%rd3+128], %r3;
)";
} // namespace

TEST(CpAsync, copies_what_was_there) {
  Kernel s(kCopy);
  s.expectClean();
  for (unsigned l = 0; l != 32; ++l)
    for (unsigned w = 0; w != 4; ++w)
      EXPECT_EQ(s.out[4 * l + w], 0x1000 + 4 * (31 - l) + w);
}

// Without the wait the bytes are in flight, or written by nobody known.
TEST(CpAsync, missing_wait) {
  Kernel s(without(kCopy, "cp.async.wait_group 0;"));
  s.expectFinding(FindingKind::InFlight, "ld.shared.v4");
  s.expectFinding(FindingKind::Race, "ld.shared.v4");
}

// A group that is never closed is not waited for.
TEST(CpAsync, missing_commit) {
  Kernel s(without(kCopy, "cp.async.commit_group;"));
  s.expectFinding(FindingKind::InFlight, "ld.shared.v4");
}

TEST(CpAsync, missing_warp_sync) {
  Kernel s(without(kCopy, "bar.warp.sync 0xffffffff;"));
  s.expectFinding(FindingKind::Race, "ld.shared.v4", true);
}

// wait_all needs no commit.
TEST(CpAsync, wait_all_waits_for_open_groups) {
  std::string body = without(kCopy, "cp.async.commit_group;");
  Kernel s(without(body, "cp.async.wait_group 0;", "cp.async.wait_all;"));
  s.expectClean();
  EXPECT_EQ(s.out[0], 0x1000u + 4 * 31);
}

TEST(CpAsync, groups_end_in_order) {
  Kernel s(kTwoGroups);
  s.expectClean();
  EXPECT_EQ(s.out[5], 0x1005u);
  EXPECT_EQ(s.out[37], 0x1025u);
}

TEST(CpAsync, wait_for_too_few_groups) {
  Kernel s(without(kTwoGroups, "wait_group 1;", "wait_group 2;"));
  s.expectFinding(FindingKind::InFlight, "ld.shared.u32 %r2");
  s.expectFinding(FindingKind::Race, "ld.shared.u32 %r2");
}

// Bytes beyond the source size become zero; size 0 reads nothing, so that its
// address may be anything.
TEST(CpAsync, source_size_fills_with_zero) {
  Kernel s(R"(
  add.u32 %r1, %smem, %o16;
  cvt.u64.u32 %rd1, %o16; add.s64 %rd2, %in, %rd1; add.s64 %rd3, %out, %rd1;
  mov.u32 %r8, 8;
  setp.gt.u32 %p1, %tid, 15;
  @%p1 mov.u32 %r8, 0;
  @%p1 mov.u64 %rd2, 0;
  cp.async.ca.shared.global [%r1], [%rd2], 16, %r8;
  cp.async.wait_all;
  ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r1];
  st.global.v4.u32 [%rd3], {%r4, %r5, %r6, %r7};
)");
  s.expectClean();
  EXPECT_EQ(s.out[4], 0x1004u);
  EXPECT_EQ(s.out[5], 0x1005u);
  EXPECT_EQ(s.out[6], 0u);
  EXPECT_EQ(s.out[64], 0u);
}

TEST(CpAsync, overwriting_a_target_in_flight) {
  Kernel s(without(kCopy, "cp.async.commit_group;",
                   "cp.async.commit_group;\n  st.shared.u32 [%r1], 5;"));
  s.expectFinding(FindingKind::InFlight, "st.shared.u32");
  s.expectFinding(FindingKind::Race, "st.shared.u32");
}

TEST(CpAsync, source_out_of_bounds) {
  Kernel s(without(kCopy, "cp.async.cg.shared.global [%r1], [%rd2], 16;",
                   "cp.async.cg.shared.global [%r1], [%rd2+4096], 16;"));
  s.expectFinding(FindingKind::OutOfBounds, "cp.async.cg", true);
}

TEST(CpAsync, misaligned_target) {
  Kernel s(without(kCopy, "[%r1], [%rd2]", "[%r1+8], [%rd2]"));
  s.expectFinding(FindingKind::Misaligned, "cp.async.cg", true);
}

// The barrier tracks the copies of each thread.
const char *const kTracked = R"(
  @%p0 mbarrier.init.shared.b64 [%bar], 32;
  bar.sync 0;
  add.u32 %r1, %smem, %o4;
  cvt.u64.u32 %rd1, %o4; add.s64 %rd2, %in, %rd1; add.s64 %rd3, %out, %rd1;
  cp.async.ca.shared.global [%r1], [%rd2], 4;
  cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;
  @!%p1 bra WAIT;
  xor.b32 %r2, %o4, 4; add.u32 %r2, %smem, %r2;
  ld.shared.u32 %r3, [%r2];
  st.global.u32 [%rd3], %r3;
)";

TEST(CpAsync, mbarrier_tracks_copies) {
  Kernel s(kTracked);
  s.expectClean();
  EXPECT_EQ(s.out[0], 0x1001u);
  EXPECT_EQ(s.out[1], 0x1000u);
}

// Without .noinc the arrival takes no part in the count.
TEST(CpAsync, arrival_without_noinc_nets_to_zero) {
  std::string body =
      without(kTracked, "mbarrier.arrive.noinc", "mbarrier.arrive");
  Kernel hangs(body);
  hangs.expectFinding(FindingKind::Deadlock, "mbarrier.try_wait", true);
  Kernel good(without(
      body, "WAIT:", "  mbarrier.arrive.shared.b64 %state, [%bar];\nWAIT:"));
  // The plain arrivals complete the phase only when no copy is pending.
  good.expectClean();
  EXPECT_EQ(good.out[0], 0x1001u);
}

TEST(CpAsync, mbarrier_arrival_before_the_copy) {
  std::string copy = "cp.async.ca.shared.global [%r1], [%rd2], 4;";
  std::string arrive = "cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];";
  std::string body =
      without(without(kTracked, copy), arrive, arrive + "\n" + copy);
  Kernel s(body);
  s.expectFinding(FindingKind::Race, "ld.shared.u32");
}

// Every size, hint and kind of source: what is not read is zero.
TEST(CpAsync, every_form) {
  struct Source {
    const char *operand;
    unsigned bytes; ///< Read of the 16, at most.
  };
  const Source sources[] = {{"", 16},   {", %r9", 4}, {", 4", 4},
                            {", 0", 0}, {", %p4", 0}, {", %p5", 16}};
  for (const char *cache : {".ca", ".cg"})
    for (const char *space : {".shared", ".shared::cta"})
      for (const char *prefetch : {"", ".L2::64B", ".L2::128B", ".L2::256B"})
        for (bool hint : {false, true})
          for (const Source &s : sources)
            for (unsigned size : {4u, 8u, 16u}) {
              if (std::string(cache) == ".cg" && size != 16)
                continue;
              std::string form = std::string("cp.async") + cache + space +
                                 ".global" + (hint ? ".L2::cache_hint" : "") +
                                 prefetch + " [%r1], [%rd2], " +
                                 std::to_string(size) + s.operand +
                                 (hint ? ", %rd9;" : ";");
              Kernel k("mov.u32 %r9, 4; setp.eq.u32 %p4, %r9, 4;\n"
                       "setp.ne.u32 %p5, %r9, 4;\n"
                       "createpolicy.fractional.L2::evict_first.b64 %rd9;\n"
                       "add.u32 %r1, %smem, %o16; cvt.u64.u32 %rd1, %o16;\n"
                       "add.s64 %rd2, %in, %rd1; add.s64 %rd3, %out, %rd1;\n"
                       "st.shared.v4.u32 [%r1], {7, 7, 7, 7};\n" +
                       form +
                       "\ncp.async.wait_all;\n"
                       "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r1];\n"
                       "st.global.v4.u32 [%rd3], {%r4, %r5, %r6, %r7};");
              Report report = k.run(Schedule::latest());
              ASSERT_TRUE(report.clean()) << Kernel::text(report) << form;
              for (unsigned w = 0; w != 128; ++w) {
                unsigned at = w % 4 * 4;
                uint32_t want = at >= size ? 7 : at >= s.bytes ? 0 : 0x1000 + w;
                ASSERT_EQ(k.out[w], want) << form;
              }
            }
}
