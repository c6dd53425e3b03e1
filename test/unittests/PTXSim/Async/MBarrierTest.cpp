//===- MBarrierTest.cpp - mbarrier instructions and their misuse ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunKernel.h"

using namespace attn::ptx;
using namespace attn::ptx::test;

namespace {
// Warp 0 stores and arrives; warp 1 waits and reads.
const char *const kHandOver = R"(
  @%p0 mbarrier.init.shared.b64 [%bar], 32;
  bar.sync 0;
  add.u32 %r1, %smem, %o4;
  setp.gt.u32 %p2, %tid, 31;
  @%p2 bra CONSUMER;
  st.shared.u32 [%r1], %tid;
  mbarrier.arrive.shared.b64 %state, [%bar];
  bra END;
CONSUMER:
  mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;
  @!%p1 bra CONSUMER;
  ld.shared.u32 %r2, [%r1+-128];
  cvt.u64.u32 %rd1, %o4; add.s64 %rd2, %out, %rd1;
  st.global.u32 [%rd2], %r2;
END:
)";

Kernel handOver(const std::string &body = kHandOver) {
  Kernel k(body);
  k.threads = 64;
  return k;
}
} // namespace

TEST(MBarrier, arrival_hands_data_over) {
  Kernel k = handOver();
  k.expectClean();
  for (unsigned l = 0; l != 32; ++l)
    EXPECT_EQ(k.out[32 + l], l);
}

TEST(MBarrier, missing_wait_is_a_race) {
  Kernel k = handOver(without(kHandOver, "@!%p1 bra CONSUMER;"));
  k.expectFinding(FindingKind::Race, "ld.shared.u32", false);
}

// Parity 1 is that of the phase before the first: it is over at once.
TEST(MBarrier, wrong_parity_passes_at_once) {
  Kernel k = handOver(without(kHandOver, "[%bar], 0;", "[%bar], 1;"));
  k.expectFinding(FindingKind::Race, "ld.shared.u32", false);
}

// Compilers pass a negated predicate, 0 or -1, as the parity. Others are none.
TEST(MBarrier, parity_of_minus_one_is_odd) {
  Kernel k = handOver(without(kHandOver, "[%bar], 0;", "[%bar], -1;"));
  k.expectFinding(FindingKind::Race, "ld.shared.u32", false);
  Kernel two = handOver(without(kHandOver, "[%bar], 0;", "[%bar], 2;"));
  two.expectFinding(FindingKind::BarrierMisuse, "try_wait", true);
}

TEST(MBarrier, relaxed_arrival_publishes_nothing) {
  Kernel k = handOver(without(kHandOver, "mbarrier.arrive.shared.b64",
                              "mbarrier.arrive.relaxed.cta.shared.b64"));
  k.expectFinding(FindingKind::Race, "ld.shared.u32", true);
}

TEST(MBarrier, missing_arrival_is_a_deadlock) {
  Kernel k = handOver(
      without(kHandOver, "mbarrier.arrive.shared.b64 %state, [%bar];"));
  Report report = k.run(Schedule::latest());
  ASSERT_EQ(report.findings.size(), 1u) << Kernel::text(report);
  const Finding &f = report.findings[0];
  EXPECT_EQ(f.kind, FindingKind::Deadlock);
  bool named = false;
  for (const BarrierState &b : f.barriers)
    named |= b.state.find("pending arrivals 32 of 32") != std::string::npos;
  EXPECT_TRUE(named) << Kernel::text(report);
}

TEST(MBarrier, test_wait_spins_to_a_deadlock) {
  std::string body =
      without(kHandOver, "mbarrier.arrive.shared.b64 %state, [%bar];");
  Kernel k = handOver(without(body, "try_wait", "test_wait"));
  k.expectFinding(FindingKind::Deadlock, "mbarrier.test_wait", true);
}

// One lane waits for ever, the others of its warp at the barrier behind the
// branch: not the barrier is wrong.
TEST(MBarrier, deadlock_of_one_lane_before_a_barrier) {
  Kernel k("@%p0 mbarrier.init.shared.b64 [%bar], 1;\nbar.sync 0;\n"
           "@!%p0 bra MEET;\nWAIT:\n"
           "mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;\n"
           "@!%p1 bra WAIT;\nMEET:\nst.shared.u32 [%smem], 1;\n"
           "bar.sync 1;");
  k.threads = 64;
  k.expectFinding(FindingKind::Deadlock, "mbarrier.try_wait", true);
  Report report = k.run(Schedule::latest());
  ASSERT_EQ(report.findings.size(), 1u) << Kernel::text(report);
  EXPECT_FALSE(report.findings[0].barriers.empty());
}

TEST(MBarrier, missing_init) {
  Kernel k =
      handOver(without(kHandOver, "@%p0 mbarrier.init.shared.b64 [%bar], 32;"));
  k.expectFinding(FindingKind::BarrierMisuse, "mbarrier.try_wait", false);
}

// Without the barrier after it nobody may rely on the init.
TEST(MBarrier, init_is_not_ordered) {
  Kernel k = handOver(without(kHandOver, "bar.sync 0;"));
  bool found = false;
  for (Schedule s : Kernel::schedules(5))
    for (const Finding &f : k.run(s).findings)
      found |=
          f.kind == FindingKind::Race || f.kind == FindingKind::BarrierMisuse;
  EXPECT_TRUE(found);
}

TEST(MBarrier, too_many_arrivals) {
  Kernel k = handOver(
      without(kHandOver, "@%p0 mbarrier.init.shared.b64 [%bar], 32;",
              "@%p0 mbarrier.init.shared.b64 [%bar], 33;\n"
              "  @%p0 mbarrier.arrive.shared.b64 %state, [%bar], 34;"));
  k.expectFinding(FindingKind::BarrierMisuse, "[%bar], 34", true);
}

TEST(MBarrier, init_over_a_live_barrier) {
  Kernel k(R"(
  @%p0 mbarrier.init.shared.b64 [%bar], 1;
  @%p0 mbarrier.init.shared.b64 [%bar], 2;
)");
  k.expectFinding(FindingKind::BarrierMisuse, "[%bar], 2", true);
  Kernel good(R"(
  @%p0 mbarrier.init.shared.b64 [%bar], 1;
  @%p0 mbarrier.inval.shared.b64 [%bar];
  @%p0 mbarrier.init.shared.b64 [%bar], 2;
)");
  good.expectClean(2);
}

TEST(MBarrier, use_after_inval) {
  Kernel k(R"(
  @%p0 mbarrier.init.shared.b64 [%bar], 1;
  @%p0 mbarrier.inval.shared.b64 [%bar];
  @%p0 mbarrier.arrive.shared.b64 %state, [%bar];
)");
  k.expectFinding(FindingKind::BarrierMisuse, "mbarrier.arrive", true);
}

TEST(MBarrier, generic_access_to_the_object) {
  Kernel k(R"(
  @%p0 mbarrier.init.shared.b64 [%bar], 1;
  @%p0 ld.shared.u64 %rd1, [%bar];
)");
  k.expectFinding(FindingKind::BarrierMisuse, "ld.shared.u64", true);
}

TEST(MBarrier, bad_count_and_alignment) {
  Kernel zero("  @%p0 mbarrier.init.shared.b64 [%bar], 0;");
  zero.expectFinding(FindingKind::BarrierMisuse, "mbarrier.init", true);
  Kernel odd("  @%p0 mbarrier.init.shared.b64 [%bar+4], 1;");
  odd.expectFinding(FindingKind::Misaligned, "mbarrier.init", true);
  // Said once, although an arrival looks at the object twice.
  Report report = Kernel("  @%p0 mbarrier.arrive.shared.b64 _, [%bar+4];")
                      .run(Schedule::latest());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].count, 1u);
}

// The state form: the token of an arrival names the phase to wait for.
TEST(MBarrier, state_token_and_pending_count) {
  Kernel k(R"(
  @%p0 mbarrier.init.shared.b64 [%bar], 32;
  bar.sync 0;
  mbarrier.arrive.shared.b64 %state, [%bar];
  mbarrier.pending_count.b64 %r2, %state;
WAIT:
  mbarrier.test_wait.shared.b64 %p1, [%bar], %state;
  @!%p1 bra WAIT;
  cvt.u64.u32 %rd1, %o4; add.s64 %rd2, %out, %rd1;
  st.global.u32 [%rd2], %r2;
)");
  k.expectClean(3);
  std::set<uint32_t> counts(k.out.begin(), k.out.begin() + 32);
  EXPECT_EQ(counts.size(), 32u);
  EXPECT_EQ(*counts.begin(), 1u);
  EXPECT_EQ(*counts.rbegin(), 32u);
}

// arrive_drop: the thread takes no part in later phases.
TEST(MBarrier, arrive_drop_lowers_later_phases) {
  Kernel k(R"(
  @%p0 mbarrier.init.shared.b64 [%bar], 2;
  @%p0 mbarrier.arrive_drop.shared.b64 %state, [%bar];
  @%p0 mbarrier.arrive.shared.b64 %state, [%bar];
  @%p0 mbarrier.arrive.shared.b64 %state, [%bar];
  @%p0 mbarrier.test_wait.parity.shared.b64 %p1, [%bar], 1;
  selp.u32 %r1, 1, 0, %p1;
  @%p0 st.global.u32 [%out], %r1;
)");
  k.expectClean(2);
  EXPECT_EQ(k.out[0], 1u);
}

TEST(MBarrier, transaction_overflow) {
  Kernel k(R"(
  @%p0 mbarrier.init.shared.b64 [%bar], 1;
  @%p0 mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 1048575;
  @%p0 mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 16;
)");
  k.expectFinding(FindingKind::BarrierMisuse, "[%bar], 16", true);
}

// One elected lane waits; the others know of it only after bar.warp.sync.
TEST(MBarrier, elected_wait_needs_a_warp_sync) {
  std::string wait = "  mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;\n"
                     "  @!%p1 bra CONSUMER;\n";
  std::string elected = "  setp.eq.u32 %p3, %tid, 32;\n"
                        "  @!%p3 bra JOIN;\nSPIN:\n"
                        "  mbarrier.try_wait.parity.shared.b64 %p1, [%bar], "
                        "0;\n  @!%p1 bra SPIN;\nJOIN:\n";
  std::string sync = "  bar.warp.sync 0xffffffff;\n";
  Kernel good = handOver(without(kHandOver, wait, elected + sync));
  good.expectClean(5);
  Kernel bad = handOver(without(kHandOver, wait, elected));
  bad.expectFinding(FindingKind::Race, "ld.shared.u32", false);
}

//===----------------------------------------------------------------------===//
// What an mbarrier.init needs before the async proxy completes on the object
//===----------------------------------------------------------------------===//

namespace {
std::string copyAfterInit(const std::string &fence) {
  return "@%p0 mbarrier.init.shared.b64 [%bar], 1;\n" + fence +
         "\nbarrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
         "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 128;\n"
         "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
         "bytes [%smem], [%in], 128, [%bar];\n"
         "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;\n"
         "@!%p1 bra WAIT;\n"
         "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
}
const char *const kInitFence = "@%p0 fence.mbarrier_init.release.cluster;";

Kernel inCluster(const std::string &body, uint32_t ctas) {
  Kernel k(body);
  k.ctas = k.cluster = ctas;
  return k;
}
} // namespace

TEST(InitFence, one_of_the_two_fences) {
  for (const char *fence : {kInitFence, "fence.proxy.async.shared::cta;"})
    for (uint32_t ctas : {1, 2}) {
      Report report =
          inCluster(copyAfterInit(fence), ctas).run(Schedule::latest());
      EXPECT_TRUE(report.clean() && report.notes.empty())
          << Kernel::text(report);
    }
}

TEST(InitFence, missing_in_a_cluster) {
  inCluster(copyAfterInit(""), 2)
      .expectFinding(FindingKind::MissingProxyFence, "mbarrier.init", true);
  inCluster(copyAfterInit(""), 2)
      .expectFinding(FindingKind::MissingProxyFence, "cp.async.bulk", true);
}

// Of a CTA that is alone only Options::strict asks for it.
TEST(InitFence, missing_in_one_cta) {
  Kernel k(copyAfterInit(""));
  Report report = k.run(Schedule::latest());
  EXPECT_TRUE(report.clean()) << Kernel::text(report);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0].line, k.lineOf("cp.async.bulk"));
  EXPECT_EQ(report.notes[0].otherLine, k.lineOf("mbarrier.init"));
  k.strict = true;
  k.expectFinding(FindingKind::MissingProxyFence, "mbarrier.init", true);
}

// A relaxed arrival hands over what the fence covers, and nothing else.
TEST(InitFence, relaxed_barrier_of_the_cluster) {
  auto kernel = [](const std::string &fence) {
    return inCluster(
        "@%p0 mbarrier.init.shared.b64 [%bar], 2;\n" + fence +
            "\nbarrier.cluster.arrive.relaxed.aligned;\n"
            "barrier.cluster.wait.aligned;\n"
            "mov.u32 %r1, %cluster_ctarank; xor.b32 %r1, %r1, 1;\n"
            "mapa.shared::cluster.u32 %r2, %bar, %r1;\n"
            "@%p0 mbarrier.arrive.shared::cluster.b64 _, [%r2];\n"
            "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
        2);
  };
  kernel(kInitFence).expectClean(3);
  kernel("").expectFinding(FindingKind::Race, "mbarrier.arrive", true);
}

// Who arrives at another block's barrier uses its shared memory: a race if that
// block might have been the first to end, out of bounds if it was.
TEST(InitFence, block_that_ends_before_others_arrive) {
  auto kernel = [](const std::string &visitor, const std::string &end) {
    return inCluster(
        "@%p0 mbarrier.init.shared.b64 [%bar], 2;\n" + std::string(kInitFence) +
            "\nbarrier.cluster.arrive.aligned; "
            "barrier.cluster.wait.aligned;\n"
            "mov.u32 %r1, %cluster_ctarank;\n"
            "setp.eq.and.u32 %p1, %r1, " +
            visitor +
            ", %p0;\n"
            "xor.b32 %r1, %r1, 1;\n"
            "mapa.shared::cluster.u32 %r2, %bar, %r1;\n"
            "@%p1 mbarrier.arrive.shared::cluster.b64 _, [%r2];\n" +
            end,
        2);
  };
  kernel("0", "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;")
      .expectClean(3);
  kernel("0", "").expectFinding(FindingKind::OutOfBounds, "mbarrier.arrive");
  kernel("1", "").expectFinding(FindingKind::Race, "mbarrier.arrive");
}
