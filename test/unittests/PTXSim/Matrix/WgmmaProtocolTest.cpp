//===- WgmmaProtocolTest.cpp - What can be done wrong with wgmma ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each mistake is an edit of a right kernel, and is reported with its line.
//
//===----------------------------------------------------------------------===//

#include "WgmmaKernel.h"

using namespace attn::ptx;
using namespace attn::ptx::test;

namespace {
constexpr const char *kFence = "wgmma.fence.sync.aligned;\n";
constexpr const char *kCommit = "wgmma.commit_group.sync.aligned;\n";
constexpr const char *kWait = "wgmma.wait_group.sync.aligned 0;\n";
constexpr const char *kD = "{%d0, %d1, %d2, %d3}";
constexpr const char *kPoll =
    "POLL: mbarrier.try_wait.parity.shared.b64 %p4, [%bar], 0;\n"
    "@!%p4 bra POLL;\n";
} // namespace

/// m64n8k16, whose products are named by their comments.
static Product small() {
  Product p;
  p.n = 8;
  return p;
}

static Kernel changed(const std::string &from, const std::string &to,
                      const Product &p = small()) {
  Kernel kernel = p.kernel();
  kernel.body = without(kernel.body, from, to);
  return kernel;
}

static std::string product(const std::string &d = kD,
                           const std::string &comment = "second") {
  return "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + d +
         ", %rd5, %rd6, 1, 1, 1, 0, 0; // " + comment + "\n";
}

TEST(WgmmaProtocol, Right) { small().kernel().expectClean(); }

/// A warp besides the warpgroup executes only `text`. There is an mbarrier at
/// %bar for one arrival.
static Kernel withFifthWarp(Product p, const std::string &text) {
  p.threads = 160;
  Kernel kernel = p.kernel();
  kernel.body = without(kernel.body, "mov.u32 %r0, %tid;\n",
                        "@%p0 mbarrier.init.shared.b64 [%bar], 1;\n"
                        "bar.sync 3, 160;\n"
                        "setp.ge.u32 %p3, %tid, 128;\n@%p3 bra OTHER;\n"
                        "mov.u32 %r0, %tid;\n");
  kernel.body = without(kernel.body, "bar.sync 0;", "bar.sync 2, 128;");
  kernel.body += "ret;\nOTHER:\n" + text;
  return kernel;
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

TEST(WgmmaProtocol, NoFence) {
  changed(kFence, "")
      .expectFinding(FindingKind::AsyncMisuse, "mma_async", true);
}

TEST(WgmmaProtocol, AccumulatorWrittenAfterTheFence) {
  std::string text = std::string(kFence) + "add.u32 %d2, %d2, 0; // here\n";
  changed(kFence, text)
      .expectFinding(FindingKind::AsyncMisuse, "mma_async", true);
  changed(kFence, text).expectFinding(FindingKind::AsyncMisuse, "here", true);
  changed(kFence, "add.u32 %d2, %d2, 0;\n" + std::string(kFence))
      .expectClean(3);
}

TEST(WgmmaProtocol, OneLaneWritesAfterTheFence) {
  changed(kFence, std::string(kFence) + "@%p0 mov.b32 %d2, 0; // here\n")
      .expectFinding(FindingKind::AsyncMisuse, "here", true);
}

TEST(WgmmaProtocol, FragmentWrittenAfterTheFence) {
  Product p = small();
  p.fragment = true;
  p.kernel().expectClean(3);
  changed(kFence, std::string(kFence) + "mov.b32 %a3, %a3; // here\n", p)
      .expectFinding(FindingKind::AsyncMisuse, "here", true);
}

TEST(WgmmaProtocol, NoFenceForTheSecondProduct) {
  std::string again = std::string(kWait) + "mov.b32 %d1, %d1; // here\n" +
                      product() + kCommit + kWait;
  changed(kWait, again).expectFinding(FindingKind::AsyncMisuse, "second", true);
  changed(kWait, without(again, product(), kFence + product())).expectClean(3);
}

/// Products of one shape are in order by themselves, waited for or not.
TEST(WgmmaProtocol, ChainsNeedNoFence) {
  changed(kCommit, product() + product() + kCommit).expectClean();
  changed(kCommit, kCommit + product() + kCommit).expectClean();
  changed(kWait, kWait + product() + kCommit + kWait).expectClean();
  // The second forgets what the first has left, always.
  changed(kCommit,
          kCommit + without(product(), "%rd6, 1,", "%rd6, 0,") + kCommit)
      .expectClean();
}

TEST(WgmmaProtocol, ShapesNeedAFenceBetween) {
  std::string other = product("{%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}");
  other = without(other, "n8k16", "n16k16");
  changed(kCommit, other + kCommit)
      .expectFinding(FindingKind::AsyncMisuse, "second", true);
  // B has but 8 columns in the image's first part; the rest is zero.
  changed(kCommit, kFence + other + kCommit).expectClean(3);
}

//===----------------------------------------------------------------------===//
// Registers in flight
//===----------------------------------------------------------------------===//

TEST(WgmmaProtocol, AccumulatorReadTooEarly) {
  for (const char *use :
       {"mov.b32 %r9, %d3; // here\n", "add.u32 %r9, %r9, %d3; // here\n",
        "st.global.u32 [%rd3], %d3; // here\n",
        "@%p0 mov.b32 %r9, %d3; // here\n"})
    for (const char *at : {kCommit, kWait})
      changed(at, use + std::string(at))
          .expectFinding(FindingKind::InFlight, "here");
  // By the latest schedule always, and all warps.
  Kernel kernel = changed(kWait, std::string("mov.b32 %r9, %d3;\n") + kWait);
  Report report = kernel.run(Schedule::latest());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].count, 4u);
  EXPECT_EQ(report.findings[0].otherLine, kernel.lineOf("mma_async"));
}

TEST(WgmmaProtocol, AccumulatorWrittenTooEarly) {
  changed(kWait, std::string("mov.b32 %d0, 0; // here\n") + kWait)
      .expectFinding(FindingKind::InFlight, "here");
}

TEST(WgmmaProtocol, FragmentInFlight) {
  Product p = small();
  p.fragment = true;
  changed(kWait, std::string("ld.global.u32 %a1, [%rd2]; // here\n") + kWait, p)
      .expectFinding(FindingKind::InFlight, "here");
  changed(kWait, std::string("mov.b32 %r9, %a1;\n") + kWait, p).expectClean(3);
  changed(kWait, std::string("st.global.u32 [%rd3], %a1;\n") + kWait, p)
      .expectClean(3);
}

TEST(WgmmaProtocol, FragmentIsAnAccumulatorInFlight) {
  std::string next = without(product("{%d4, %d5, %d6, %d7}"), "%rd5", kD);
  next = without(next, "1, 0, 0;", "1, 0;");
  changed(kCommit, kCommit + next + kCommit)
      .expectFinding(FindingKind::InFlight, "second");
  changed(kWait, kWait + (kFence + next) + kCommit + kWait).expectClean(3);
}

TEST(WgmmaProtocol, AccumulatorIsAFragmentInFlight) {
  Product p = small();
  p.fragment = true;
  changed(kCommit, kCommit + product("{%a0, %a1, %a2, %a3}") + kCommit, p)
      .expectFinding(FindingKind::InFlight, "second");
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

TEST(WgmmaProtocol, NoWait) {
  changed(kWait, "").expectFinding(FindingKind::InFlight, "st.global");
}

TEST(WgmmaProtocol, NoCommit) {
  changed(kCommit, "").expectFinding(FindingKind::InFlight, "st.global");
}

TEST(WgmmaProtocol, WaitsForAllButOne) {
  std::string other = "{%d4, %d5, %d6, %d7}";
  std::string two = std::string(kCommit) + product(other) + kCommit +
                    "wgmma.wait_group.sync.aligned 1;\n";
  changed(kCommit, two + "mov.b32 %r9, %d0;\n").expectClean(5);
  changed(kCommit, two + "mov.b32 %r9, %d4; // here\n")
      .expectFinding(FindingKind::InFlight, "here");
}

TEST(WgmmaProtocol, EndsWithoutWaiting) {
  changed(kWait, std::string("ret;\n") + kWait)
      .expectFinding(FindingKind::AsyncMisuse, "mma_async", true);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

TEST(WgmmaProtocol, NoProxyFence) {
  changed("fence.proxy.async;\n", "")
      .expectFinding(FindingKind::MissingProxyFence, "mma_async", true);
}

TEST(WgmmaProtocol, NoBarrier) {
  changed("bar.sync 0;\n", "bar.warp.sync 0xffffffff;\n")
      .expectFinding(FindingKind::Race, "mma_async");
}

TEST(WgmmaProtocol, MatrixOverwrittenTooEarly) {
  changed(kWait,
          std::string("st.shared.u32 [%smem+4096], 0; // here\n") + kWait)
      .expectFinding(FindingKind::InFlight, "here");
}

/// What one warp waits for is read by all four.
TEST(WgmmaProtocol, MatrixOverwrittenAfterTheWait) {
  std::string text = kWait;
  changed(kWait, text + "@%p0 st.shared.u32 [%smem+4096], 0;\n").expectClean();
}

/// Another warp may overwrite what a product has read when one thread tells it
/// that it has waited: products belong to all four warps.
TEST(WgmmaProtocol, MatrixHandedBack) {
  const std::string arrive = "setp.eq.u32 %p4, %tid, 40;\n"
                             "@%p4 mbarrier.arrive.shared.b64 %rd9, [%bar];\n";
  // The fourth warp's rows of A; that warp comes late.
  Kernel kernel = withFifthWarp(small(), std::string(kPoll) +
                                             "st.shared.u32 [%smem+1536], 0; "
                                             "// here\n");
  kernel.body = without(kernel.body, kFence,
                        "setp.lt.u32 %p4, %tid, 96;\n@%p4 bra NOW;\n"
                        "mov.u32 %r9, 0;\nLATE: add.u32 %r9, %r9, 1;\n"
                        "setp.lt.u32 %p4, %r9, 2000;\n@%p4 bra LATE;\nNOW:\n" +
                            std::string(kFence));
  Kernel waits = kernel, early = kernel;
  waits.body = without(waits.body, kWait, kWait + arrive);
  waits.expectClean();
  early.body = without(early.body, kWait, arrive + kWait);
  early.expectFinding(FindingKind::Race, "here");
}

/// Each warp must itself be ordered after the writes of A and B, even if the
/// first to come to the instruction is.
TEST(WgmmaProtocol, OneThreadWritesLate) {
  // B, and row 48 of A.
  for (const char *offset : {"4096", "1536"})
    changed(kFence, "@%p0 st.shared.u32 [%smem+" + std::string(offset) +
                        "], 0; // here\nfence.proxy.async;\n" + kFence)
        .expectFinding(FindingKind::Race, "here");
}

/// One lane's arrival does not speak for the other lanes of its warp.
TEST(WgmmaProtocol, OneLaneArrivesForMany) {
  std::string text = "setp.ge.u32 %p4, %tid, 96; sub.u32 %r9, %tid, 96;\n"
                     "shl.b32 %r9, %r9, 2; add.u32 %r9, %r9, %smem;\n"
                     "@%p4 st.shared.u32 [%r9], 0; // here\n"
                     "fence.proxy.async;\nbar.warp.sync 0xffffffff;\n"
                     "setp.eq.u32 %p4, %tid, 96;\n"
                     "@%p4 mbarrier.arrive.shared.b64 %rd9, [%bar];\n" +
                     std::string(kPoll) + kFence;
  Kernel kernel = changed(kFence, text);
  kernel.body = without(kernel.body, "mov.u32 %r0, %tid;\n",
                        "@%p0 mbarrier.init.shared.b64 [%bar], 1;\n"
                        "mov.u32 %r0, %tid;\n");
  kernel.expectClean();
  kernel.body = without(kernel.body, "bar.warp.sync 0xffffffff;\n");
  kernel.expectFinding(FindingKind::Race, "here", true);
}

TEST(WgmmaProtocol, NothingWritten) {
  Kernel kernel = changed("st.shared.u32 [%r2], %r1;", "");
  kernel.expectFinding(FindingKind::Uninitialised, "mma_async", true);
  // Pieces that lie side by side are one range.
  std::string text = Kernel::text(kernel.run(Schedule::latest()));
  EXPECT_NE(text.find("Asynchronous read of 512 bytes"), std::string::npos)
      << text;
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

static void expectBadDescriptor(uint64_t add, FindingKind kind) {
  changed(kFence, "add.s64 %rd6, %rd6, " + std::to_string(int64_t(add)) +
                      ";\n" + kFence)
      .expectFinding(kind, "mma_async", true);
}

TEST(WgmmaProtocol, Descriptors) {
  expectBadDescriptor(1ull << 55, FindingKind::BadDescriptor);
  expectBadDescriptor(1ull << 49, FindingKind::BadDescriptor);
  // A 128-byte swizzle that begins in the middle of its pattern.
  expectBadDescriptor(1ull << 62 | 128 >> 4, FindingKind::BadDescriptor);
  expectBadDescriptor(100000 >> 4, FindingKind::OutOfBounds);
  expectBadDescriptor(uint64_t(200000 >> 4) << 16, FindingKind::OutOfBounds);
  // 16 bytes before the CTA's memory.
  changed(kFence, std::string("mov.b64 %rd6, 63;\n") + kFence)
      .expectFinding(FindingKind::OutOfBounds, "mma_async", true);
}

/// A and B are one tile of 64 x 64 that a tensor copy wrote.
TEST(WgmmaProtocol, SwizzleOfTheTensorCopy) {
  std::string body =
      ".reg .b32 %d<4>;\n@%p0 mbarrier.init.shared.b64 [%bar], 1;\n"
      "@%p0 fence.proxy.async;\nbar.sync 0;\n"
      "@%p0 mbarrier.arrive.expect_tx.shared.b64 %rd9, [%bar], 8192;\n"
      "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
      "complete_tx::bytes [%smem], [%map, {0, 0}], [%bar];\n" +
      std::string(kPoll) +
      "cvt.u64.u32 %rd5, %smem; shr.u64 %rd5, %rd5, 4;\n"
      "add.s64 %rd5, %rd5, " +
      std::to_string(test::Layout{128, true, 16, 1024, 0, 0}.bits()) +
      ";\nmov.b64 %rd6, %rd5;\nmov.b32 %d0, 0; mov.b32 %d1, 0;\n"
      "mov.b32 %d2, 0; mov.b32 %d3, 0;\n" +
      kFence + product() + kCommit + kWait;
  Kernel kernel(body);
  kernel.threads = 128;
  kernel.in.assign(2048, 0x3c003c00);
  kernel.map.emplace();
  kernel.map->type = TensorMap::Type::F16;
  kernel.map->rank = 2;
  kernel.map->dims = {64, 64};
  kernel.map->strides = {128};
  kernel.map->box = {64, 64};
  kernel.map->swizzle = TensorMap::Swizzle::B128;
  kernel.expectClean(3);
  // The pieces at even multiples of 512 bytes are the same as with 128.
  Kernel wrong = kernel;
  wrong.body = without(
      wrong.body,
      std::to_string(test::Layout{128, true, 16, 1024, 0, 0}.bits()),
      std::to_string(int64_t(test::Layout{64, true, 16, 1024, 0, 0}.bits())));
  wrong.expectFinding(FindingKind::BadDescriptor, "mma_async", true);
  wrong.expectFinding(FindingKind::BadDescriptor, "cp.async.bulk.tensor", true);
}

TEST(WgmmaProtocol, LanesDiffer) {
  changed(kFence, "cvt.u64.u32 %rd9, %tid; add.s64 %rd6, %rd6, %rd9;\n" +
                      std::string(kFence))
      .expectFinding(FindingKind::AsyncMisuse, "mma_async", true);
  Product p = small();
  p.scaleD = "%p0";
  p.kernel().expectFinding(FindingKind::AsyncMisuse, "mma_async", true);
}

TEST(WgmmaProtocol, WarpsDiffer) {
  changed(kFence, "shr.u32 %r9, %tid, 5; cvt.u64.u32 %rd9, %r9;\n"
                  "add.s64 %rd6, %rd6, %rd9;\n" +
                      std::string(kFence))
      .expectFinding(FindingKind::DivergentAligned, "mma_async", true);
}

//===----------------------------------------------------------------------===//
// Warpgroups
//===----------------------------------------------------------------------===//

static Kernel skipping(const std::string &condition, const std::string &what) {
  return changed(what, condition + "@%p5 bra SKIP;\n" + what + "SKIP:\n");
}

TEST(WgmmaProtocol, HalfAWarp) {
  for (const char *what : {kFence, kCommit, kWait})
    skipping("and.b32 %r9, %tid, 1; setp.eq.u32 %p5, %r9, 0;\n", what)
        .expectFinding(FindingKind::DivergentAligned, what, true);
}

TEST(WgmmaProtocol, OneWarpOmitsIt) {
  for (const char *what : {kFence, kCommit, kWait})
    skipping("shr.u32 %r9, %tid, 5; setp.eq.u32 %p5, %r9, 3;\n", what)
        .expectFinding(FindingKind::DivergentAligned, what);
  // What a whole warp does is told of its first lane.
  Kernel kernel =
      skipping("shr.u32 %r9, %tid, 5; setp.eq.u32 %p5, %r9, 3;\n", kFence);
  for (const Finding &found : kernel.run(Schedule()).findings)
    if (found.kind == FindingKind::DivergentAligned)
      EXPECT_EQ(found.lane, 0u);
}

TEST(WgmmaProtocol, OneWarpEnds) {
  for (const char *warp : {"0", "1"})
    skipping("shr.u32 %r9, %tid, 5; setp.eq.u32 %p5, %r9, " +
                 std::string(warp) + ";\n@%p5 ret;\n",
             kFence)
        .expectFinding(FindingKind::DivergentAligned, kFence);
  skipping("shr.u32 %r9, %tid, 5; setp.eq.u32 %p5, %r9, 2;\n@%p5 ret;\n",
           kCommit)
      .expectFinding(FindingKind::DivergentAligned, kCommit);
}

TEST(WgmmaProtocol, LanesHaveEnded) {
  changed(kFence, std::string("@%p0 ret;\n") + kFence)
      .expectFinding(FindingKind::DivergentAligned, kFence, true);
}

TEST(WgmmaProtocol, TooFewWarps) {
  Product p = small();
  for (unsigned threads : {32u, 96u, 120u}) {
    p.threads = threads;
    p.kernel().expectFinding(FindingKind::AsyncMisuse, kFence, true);
  }
  // The fifth warp alone is no warpgroup.
  withFifthWarp(p, "wgmma.fence.sync.aligned; // fifth\n")
      .expectFinding(FindingKind::AsyncMisuse, "fifth", true);
}

//===----------------------------------------------------------------------===//
// Forms that do not exist
//===----------------------------------------------------------------------===//

static void expectRefused(Kernel kernel) {
  llvm::Expected<Module> module = Module::parse(frame(kernel.body));
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  Launch launch;
  launch.block.x = 128;
  launch.buffers.resize(1);
  launch.buffers[0] = {"in", kernel.in.data(), kernel.in.size() * 4, true,
                       false};
  launch.arguments = {Argument::pointer(0), Argument::pointer(0)};
  llvm::Expected<Report> report = attn::ptx::run(*module, launch);
  ASSERT_FALSE(bool(report)) << kernel.body;
  std::string message = llvm::toString(report.takeError());
  std::string line = std::to_string(kernel.lineOf("wgmma.mma_async"));
  EXPECT_NE(message.find(line), std::string::npos) << message;
}

TEST(WgmmaProtocol, RefusedForms) {
  for (auto [from, to] :
       {std::pair("m64n8k16", "m64n264k16"), std::pair("m64n8k16", "m64n8k8"),
        std::pair("m64n8k16", "m32n8k16"), std::pair("m64n8k16", "m64n16k16"),
        std::pair("f32.f16.f16", "f32.f16.bf16"),
        std::pair("f32.f16.f16", "f16.bf16.bf16"),
        std::pair("f32.f16.f16", "s32.f16.f16"),
        std::pair("f32.f16.f16", "satfinite.f32.f16.f16"),
        std::pair("mma_async.sync", "mma_async.sp.sync"),
        std::pair("1, 1, 1, 0, 0;", "1, 2, 1, 0, 0;"),
        std::pair("1, 1, 1, 0, 0;", "1, 1, 1, 2, 0;"),
        std::pair("1, 1, 1, 0, 0;", "1, 1, 1;"), std::pair("%d3}", "4}")})
    expectRefused(changed(from, to));
}

TEST(WgmmaProtocol, RefusedN) {
  Product p;
  p.n = 12;
  expectRefused(p.kernel());
  p.result = "s32";
  p.a = p.b = "u8";
  p.k = 32;
  p.valueA = [](unsigned r, unsigned k) { return int(r + k); };
  p.valueB = p.valueA;
  p.n = 40;
  expectRefused(p.kernel());
  p.n = 24;
  p.expectExact();
  p.n = 48;
  p.expectExact();
}
