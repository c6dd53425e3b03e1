//===- BulkTest.cpp - cp.async.bulk in every direction --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunKernel.h"

using namespace attn::ptx;
using namespace attn::ptx::test;

namespace {
const char *const kLoad = R"(
  @%p0 mbarrier.init.shared.b64 [%bar], 1;
  @%p0 fence.mbarrier_init.release.cluster;
  bar.sync 0;
  @!%p0 bra WAIT;
  mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], 512;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%smem], [%in], 512, [%bar];
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;
  @!%p1 bra WAIT;
  add.u32 %r1, %smem, %o4;
  ld.shared.u32 %r2, [%r1+128];
  cvt.u64.u32 %rd1, %o4; add.s64 %rd2, %out, %rd1;
  st.global.u32 [%rd2], %r2;
)";

// Each thread writes a word, one stores them all.
const char *const kStore = R"(
  add.u32 %r1, %smem, %o4;
  mul.lo.u32 %r2, %tid, 3;
  st.shared.u32 [%r1], %r2;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @!%p0 bra JOIN;
  cp.async.bulk.global.shared::cta.bulk_group [%out], [%smem], 256;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
JOIN:
  bar.sync 0;
  st.shared.u32 [%r1], 7;
)";

Kernel store(const std::string &body = kStore) {
  Kernel k(body);
  k.threads = 64;
  return k;
}
} // namespace

TEST(Bulk, load_arrives_whole) {
  Kernel k(kLoad);
  k.threads = 64;
  k.expectClean();
  for (unsigned t = 0; t != 64; ++t)
    EXPECT_EQ(k.out[t], 0x1020 + t);
}

TEST(Bulk, load_without_wait) {
  Kernel k(without(kLoad, "@!%p1 bra WAIT;"));
  k.expectFinding(FindingKind::InFlight, "ld.shared.u32");
}

// The wait of one thread says nothing to the others.
TEST(Bulk, load_waited_for_by_one_thread_only) {
  Kernel k(without(kLoad, "WAIT:\n", "WAIT:\n  @!%p0 bra PAST;\n"));
  k.body = without(k.body, "  add.u32 %r1, %smem, %o4;",
                   "PAST:\n  add.u32 %r1, %smem, %o4;");
  k.threads = 64;
  bool race = false, flight = false;
  for (Schedule s : Kernel::schedules(0))
    for (const Finding &f : k.run(s).findings) {
      race |= f.kind == FindingKind::Race;
      flight |= f.kind == FindingKind::InFlight ||
                f.kind == FindingKind::Race ||
                f.kind == FindingKind::Uninitialised;
    }
  EXPECT_TRUE(race);
  EXPECT_TRUE(flight);
}

TEST(Bulk, too_few_expected_bytes) {
  Kernel k(without(kLoad, "[%bar], 512;", "[%bar], 496;"));
  k.expectFinding(FindingKind::Deadlock, "mbarrier.try_wait", false);
}

TEST(Bulk, too_many_expected_bytes) {
  Kernel k(without(kLoad, "[%bar], 512;", "[%bar], 528;"));
  k.expectFinding(FindingKind::Deadlock, "mbarrier.try_wait", true);
  Report report = k.run(Schedule::latest());
  ASSERT_FALSE(report.findings.empty());
  ASSERT_FALSE(report.findings[0].barriers.empty());
  bool named = false;
  for (const BarrierState &b : report.findings[0].barriers)
    named |= b.state.find("tx 16 bytes") != std::string::npos;
  EXPECT_TRUE(named) << Kernel::text(report);
}

TEST(Bulk, load_misaligned_or_out_of_bounds) {
  Kernel odd(without(kLoad, "[%smem], [%in]", "[%smem+8], [%in]"));
  odd.expectFinding(FindingKind::Misaligned, "cp.async.bulk", true);
  Kernel size(without(kLoad, "[%in], 512", "[%in], 500"));
  size.expectFinding(FindingKind::Misaligned, "cp.async.bulk", true);
  Kernel past(without(kLoad, "[%smem], [%in]", "[%smem], [%in+3712]"));
  past.expectFinding(FindingKind::OutOfBounds, "cp.async.bulk", true);
  Kernel beyond(without(kLoad, "[%smem], [%in]", "[%smem+16384], [%in]"));
  beyond.expectFinding(FindingKind::OutOfBounds, "cp.async.bulk", true);
}

TEST(Bulk, store_writes_what_was_fenced) {
  Kernel k = store();
  k.expectClean();
  for (unsigned t = 0; t != 64; ++t)
    EXPECT_EQ(k.out[t], 3 * t);
}

// The fence may stand on the other side of the barrier.
TEST(Bulk, fence_by_the_issuer) {
  std::string body = without(kStore, "  fence.proxy.async.shared::cta;\n");
  Kernel k = store(without(body, "@!%p0 bra JOIN;",
                           "@!%p0 bra JOIN;\n  fence.proxy.async;"));
  k.expectClean(5);
}

TEST(Bulk, store_without_fence) {
  Kernel k = store(without(kStore, "fence.proxy.async.shared::cta;"));
  k.expectFinding(FindingKind::MissingProxyFence, "cp.async.bulk.global", true);
}

TEST(Bulk, store_without_barrier) {
  Kernel k = store(without(kStore, "bar.sync 0;"));
  k.expectFinding(FindingKind::Race, "cp.async.bulk.global", false);
}

TEST(Bulk, source_reused_without_wait) {
  Kernel k = store(without(kStore, "cp.async.bulk.wait_group.read 0;"));
  k.expectFinding(FindingKind::InFlight, "[%r1], 7", false);
  k.expectFinding(FindingKind::Race, "[%r1], 7", false);
}

TEST(Bulk, source_reused_without_commit) {
  Kernel k = store(without(kStore, "cp.async.bulk.commit_group;"));
  k.expectFinding(FindingKind::InFlight, "[%r1], 7", false);
}

TEST(Bulk, exit_without_wait) {
  std::string body = without(kStore, "cp.async.bulk.wait_group.read 0;");
  Kernel k = store(without(body, "st.shared.u32 [%r1], 7;"));
  k.expectFinding(FindingKind::AsyncMisuse, "cp.async.bulk.global", true);
}

// Reading what a store has still to write.
TEST(Bulk, result_read_before_it_is_there) {
  Kernel k = store(without(kStore, "  st.shared.u32 [%r1], 7;",
                           "  @%p0 ld.global.u32 %r3, [%out];"));
  k.expectFinding(FindingKind::InFlight, "ld.global.u32 %r3", false);
  Kernel good = store(without(
      without(kStore, "wait_group.read 0", "wait_group 0"),
      "  st.shared.u32 [%r1], 7;", "  @%p0 ld.global.u32 %r3, [%out];"));
  good.expectClean(5);
}

TEST(Bulk, reductions_add_up) {
  Kernel k = store(without(
      kStore,
      "cp.async.bulk.global.shared::cta.bulk_group [%out], [%smem], 256;",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%in], "
      "[%smem], 256;"));
  std::vector<uint32_t> before = k.in;
  Report report = k.run(Schedule::latest());
  EXPECT_TRUE(report.clean()) << Kernel::text(report);
  for (unsigned t = 0; t != 64; ++t)
    EXPECT_EQ(k.in[t], before[t] + 3 * t);
}

// Rank 0 copies into the shared memory of rank 1, whose barrier tracks it.
TEST(Bulk, copy_to_another_cta) {
  Kernel k(R"(
  mov.u32 %r9, %cluster_ctarank;
  @%p0 mbarrier.init.shared.b64 [%bar], 1;
  @%p0 fence.mbarrier_init.release.cluster;
  add.u32 %r1, %smem, %o4;
  st.shared.u32 [%r1], %tid;
  fence.proxy.async;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  setp.ne.u32 %p2, %r9, 0;
  @%p2 bra RECEIVE;
  @!%p0 bra END;
  add.u32 %r2, %smem, 1024;
  mapa.shared::cluster.u32 %r3, %r2, 1;
  mapa.shared::cluster.u32 %r4, %bar, 1;
  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r3], [%smem], 128, [%r4];
  bra END;
RECEIVE:
  @%p0 mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], 128;
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;
  @!%p1 bra WAIT;
  ld.shared.u32 %r5, [%r1+1024];
  cvt.u64.u32 %rd1, %o4; add.s64 %rd2, %out, %rd1;
  st.global.u32 [%rd2], %r5;
END:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
)");
  k.ctas = 2;
  k.cluster = 2;
  k.expectClean(5);
  EXPECT_EQ(k.out[9], 9u);
}
