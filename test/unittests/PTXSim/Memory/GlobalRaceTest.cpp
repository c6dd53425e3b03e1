//===- GlobalRaceTest.cpp - Threads of one CTA in global memory -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// %p0 is the first thread, %out memory that nothing has written. Each mistake
// stands beside the same kernel without it. Expected outcomes are those of the
// memory consistency model of the PTX ISA.
//
//===----------------------------------------------------------------------===//

#include "../Async/RunKernel.h"

namespace attn::ptx::test {

namespace {
constexpr FindingKind kRace = FindingKind::Race;
constexpr FindingKind kProxy = FindingKind::MissingProxyFence;

Kernel threads(uint32_t count, const std::string &body) {
  Kernel k(body);
  k.threads = count;
  return k;
}

/// Under every schedule this kind between a line with `one` and another with
/// `two`.
void expectBetween(Kernel k, FindingKind kind, const std::string &one,
                   const std::string &two) {
  uint32_t a = k.lineOf(one), b = k.lineOf(two);
  for (Schedule s : Kernel::schedules(3)) {
    Report report = k.run(s);
    bool found = false;
    for (const Finding &f : report.findings)
      found |= f.kind == kind && ((f.line == a && f.otherLine == b) ||
                                  (f.line == b && f.otherLine == a));
    EXPECT_TRUE(found) << "lines " << a << " and " << b << "\n"
                       << Kernel::text(report);
  }
}

/// Every thread stores its word; its neighbour (`xor` of the index) is read.
std::string exchange(const std::string &between, const char *neighbour) {
  return "cvt.u64.u32 %rd1, %o4; add.u64 %rd1, %out, %rd1;\n"
         "st.global.u32 [%rd1], %tid;\n" +
         between + "\nxor.b32 %r1, %tid, " + neighbour +
         "; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %out, %rd2;\n"
         "ld.global.u32 %r2, [%rd2];\n"
         "st.global.u32 [%rd1+1024], %r2;";
}
} // namespace

TEST(GlobalRace, ReadOfAnotherWarpsWord) {
  threads(64, exchange("bar.sync 0;", "32")).expectClean(3);
  expectBetween(threads(64, exchange("", "32")), kRace, "st.global.u32 [%rd1],",
                "ld.global");
}

TEST(GlobalRace, ReadOfAnotherLanesWord) {
  threads(32, exchange("bar.warp.sync -1;", "1")).expectClean(3);
  expectBetween(threads(32, exchange("", "1")), kRace, "st.global.u32 [%rd1],",
                "ld.global");
}

TEST(GlobalRace, WriteAfterRead) {
  std::string body = "ld.global.u32 %r1, [%in];\nbar.sync 0;\n"
                     "@%p0 st.global.u32 [%in], 5;\n"
                     "cvt.u64.u32 %rd1, %o4; add.u64 %rd1, %out, %rd1; "
                     "st.global.u32 [%rd1], %r1;";
  Kernel good = threads(64, body);
  Report report = good.run(Schedule::latest());
  EXPECT_TRUE(report.clean()) << Kernel::text(report);
  expectBetween(threads(64, without(body, "bar.sync 0;")), kRace,
                "ld.global.u32 %r1", "st.global.u32 [%in]");
}

TEST(GlobalRace, WritesOfDifferentValues) {
  expectBetween(threads(32, "st.global.u32 [%out], %tid;"), kRace,
                "st.global.u32", "st.global.u32");
  expectBetween(threads(64, "shr.u32 %r1, %tid, 5;\n"
                            "st.global.u32 [%out], %r1;"),
                kRace, "st.global.u32", "st.global.u32");
}

/// One instruction that leaves one value has no wrong order; two instructions
/// are two claims about the word.
TEST(GlobalRace, WritesOfTheSameValue) {
  threads(64, "st.global.u32 [%out], 1;").expectClean(3);
  threads(64, "st.global.v2.u32 [%out], {1, 2};").expectClean(3);
  expectBetween(threads(64, "setp.lt.u32 %p1, %tid, 32;\n"
                            "@%p1 st.global.u32 [%out], 1;\n"
                            "@!%p1 st.global.u32 [%out], 2;"),
                kRace, "@%p1 st", "@!%p1 st");
}

TEST(GlobalRace, BytesOfOneWordAreDifferentPlaces) {
  threads(64, "cvt.u64.u32 %rd1, %tid; add.u64 %rd1, %out, %rd1;\n"
              "st.global.u8 [%rd1], %tid; ld.global.u8 %r1, [%rd1];")
      .expectClean(3);
}

TEST(GlobalRace, AtomicsDoNotRace) {
  for (const char *form : {"red.global.add.u32 [%in], 1;",
                           "red.relaxed.cta.global.add.u32 [%in], 1;",
                           "st.volatile.global.u32 [%in], %tid;",
                           "st.relaxed.gpu.global.u32 [%in], %tid;",
                           "st.relaxed.cta.global.u32 [%in], %tid;"}) {
    Kernel k = threads(64, form);
    Report report = k.run(Schedule::seeded(1));
    EXPECT_TRUE(report.clean()) << form << Kernel::text(report);
  }
  expectBetween(threads(64, "red.global.add.u32 [%in], 1;\n"
                            "ld.global.u32 %r1, [%in];"),
                kRace, "red.global", "ld.global");
}

/// An operation of .cta scope is atomic for its own block only.
TEST(GlobalRace, AtomicsOfTheBlockRaceWithOtherBlocks) {
  Kernel k = threads(32, "red.relaxed.cta.global.add.u32 [%in], 1;");
  k.ctas = 2;
  expectBetween(k, kRace, "red.relaxed", "red.relaxed");
}

TEST(GlobalRace, MessageThroughAFlag) {
  std::string body = "setp.eq.u32 %p1, %tid, 32;\n"
                     "@%p0 st.global.u32 [%out], 7;\n"
                     "@%p0 st.release.cta.global.u32 [%in], 1;\n"
                     "@!%p1 bra END;\n"
                     "POLL: ld.acquire.cta.global.u32 %r1, [%in];\n"
                     "setp.ne.u32 %p2, %r1, 1; @%p2 bra POLL;\n"
                     "ld.global.u32 %r2, [%out];\nEND:";
  auto kernel = [](const std::string &text) {
    Kernel k = threads(64, text);
    k.in[0] = 0;
    return k;
  };
  Report report = kernel(body).run(Schedule::latest());
  EXPECT_TRUE(report.clean()) << Kernel::text(report);
  expectBetween(kernel(without(body, "st.release.cta", "st.relaxed.cta")),
                kRace, "st.global.u32 [%out]", "ld.global.u32 %r2");
  std::string fenced = without(without(body, "st.release.cta.global",
                                       "fence.acq_rel.cta;\n"
                                       "@%p0 st.volatile.global"),
                               "ld.acquire.cta.global", "ld.volatile.global");
  fenced = without(fenced, "ld.global.u32 %r2",
                   "fence.acq_rel.cta;\n"
                   "ld.global.u32 %r2");
  report = kernel(fenced).run(Schedule::latest());
  EXPECT_TRUE(report.clean()) << Kernel::text(report);
}

//===----------------------------------------------------------------------===//
// The async proxy
//===----------------------------------------------------------------------===//

namespace {
/// Threads store 128 bytes to global memory, the first copies them to shared
/// memory.
std::string copyBack(const std::string &fence) {
  return "cvt.u64.u32 %rd1, %o4; add.u64 %rd1, %out, %rd1;\n"
         "st.global.u32 [%rd1], %tid;\n"
         "@%p0 mbarrier.init.shared.b64 [%bar], 1;\n"
         "@%p0 fence.proxy.async.shared::cta;\n" +
         fence +
         "\nbar.sync 0;\n"
         "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 128;\n"
         "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
         "bytes [%smem], [%out], 128, [%bar];\n"
         "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%bar], 0;\n"
         "@!%p2 bra WAIT;\n"
         "add.u32 %r1, %smem, %o4; ld.shared.u32 %r2, [%r1];\n"
         "st.global.u32 [%rd1+1024], %r2;";
}
} // namespace

TEST(GlobalProxy, BulkReadOfGenericWrites) {
  threads(32, copyBack("fence.proxy.async;")).expectClean(5);
  threads(32, copyBack("fence.proxy.async.global;")).expectClean(5);
  for (const char *fence : {"", "fence.proxy.async.shared::cta;"})
    expectBetween(threads(32, copyBack(fence)), kProxy, "st.global.u32 [%rd1],",
                  "cp.async.bulk");
}

/// The fence of the reading thread does as well: it comes after the barrier.
TEST(GlobalProxy, FenceOnTheOtherSide) {
  threads(32, without(copyBack(""), "@%p0 cp.async.bulk",
                      "fence.proxy.async.global;\n@%p0 cp.async.bulk"))
      .expectClean(5);
}

namespace {
std::string store(const std::string &wait) {
  return "@!%p0 bra END;\n"
         "st.shared.v4.u32 [%smem], {1, 2, 3, 4};\n"
         "fence.proxy.async.shared::cta;\n"
         "cp.async.bulk.global.shared::cta.bulk_group [%out], [%smem], 16;\n"
         "cp.async.bulk.commit_group;\n" +
         wait +
         "\nEND: bar.sync 0;\n"
         "ld.global.u32 %r1, [%out];\n"
         "cvt.u64.u32 %rd1, %o4; add.u64 %rd1, %out, %rd1;\n"
         "st.global.u32 [%rd1+1024], %r1;";
}
} // namespace

TEST(GlobalProxy, GenericReadOfABulkStore) {
  threads(64, store("cp.async.bulk.wait_group 0;")).expectClean(5);
  // Its reads are done, its writes perhaps not.
  Kernel k = threads(64, store("cp.async.bulk.wait_group.read 0;"));
  k.expectFinding(kRace, "ld.global");
}

/// All lanes of a warp issue one copy: they write the same.
TEST(GlobalProxy, OneCopyManyTimes) {
  std::string body = "st.shared.u32 [%smem], 1;\nbar.warp.sync -1;\n"
                     "@%p0 st.shared.v4.u32 [%smem], {1, 2, 3, 4};\n"
                     "bar.warp.sync -1;\nfence.proxy.async.shared::cta;\n"
                     "bar.warp.sync -1;\n"
                     "cp.async.bulk.global.shared::cta.bulk_group [%out], "
                     "[%smem], 16;\n"
                     "cp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group 0;";
  threads(32, body).expectClean(3);
}

TEST(GlobalProxy, TwoCopiesToOnePlace) {
  std::string body = "setp.eq.u32 %p1, %tid, 32; or.pred %p1, %p0, %p1;\n"
                     "@!%p1 bra END;\n"
                     "shr.u32 %r1, %tid, 1; add.u32 %r1, %smem, %r1;\n"
                     "st.shared.v4.u32 [%r1], {%tid, 2, 3, 4};\n"
                     "fence.proxy.async.shared::cta;\n"
                     "cp.async.bulk.global.shared::cta.bulk_group [%out], "
                     "[%r1], 16;\n"
                     "cp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group 0;\nEND:";
  Kernel k = threads(64, body);
  k.expectFinding(kRace, "cp.async.bulk.global");
  threads(64, without(body, "{%tid,", "{1,")).expectClean(3);
}

} // namespace attn::ptx::test
