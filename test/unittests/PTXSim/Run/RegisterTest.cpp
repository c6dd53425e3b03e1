//===- RegisterTest.cpp - Registers that nothing has written --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register holds nothing before it is written. Each mistake stands beside the
// same kernel without it.
//
//===----------------------------------------------------------------------===//

#include "../Async/RunKernel.h"

namespace attn::ptx::test {

namespace {
constexpr FindingKind kUnwritten = FindingKind::Uninitialised;

const char *const kStore =
    "\ncvt.u64.u32 %rd39, %o4; add.u64 %rd39, %out, %rd39;\n"
    "st.global.u32 [%rd39], %r9;";

/// Every lane stores %r9.
void expectGood(const std::string &body) {
  Kernel(body + kStore).expectClean(1);
}

/// `line` reads the register `name` too early; where %r9 is stored (or in
/// `line` itself) that comes out.
void expectUnwritten(const std::string &body, const std::string &line,
                     const std::string &name) {
  Kernel k(body + kStore);
  Report report = k.run(Schedule::latest());
  ASSERT_EQ(report.findings.size(), 1u) << Kernel::text(report);
  const Finding &f = report.findings[0];
  EXPECT_EQ(f.kind, kUnwritten);
  EXPECT_EQ(f.line, k.lineOf(line)) << Kernel::text(report);
  EXPECT_NE(f.message.find(name + " "), std::string::npos) << f.message;
  if (f.otherLine)
    EXPECT_EQ(f.otherLine, k.lineOf("st.global.u32 [%rd39]"));
}
} // namespace

TEST(Registers, ReadBeforeAnyWrite) {
  expectUnwritten("\nadd.u32 %r9, %r1, 1;\nmov.u32 %r1, 2;", "add.u32 %r9",
                  "%r1");
  expectGood("mov.u32 %r1, 2; add.u32 %r9, %r1, 1;");
}

TEST(Registers, Predicates) {
  expectUnwritten("mov.u32 %r9, 1;\n@%p3 add.u32 %r9, %r9, 1;\n", "@%p3 add",
                  "%p3");
  expectUnwritten("mov.u32 %r9, 1;\nselp.b32 %r9, %r9, 5, %p3;\n", "selp",
                  "%p3");
  expectUnwritten("mov.u32 %r9, 1;\n@%p3 bra DONE;\nDONE:", "@%p3 bra", "%p3");
}

TEST(Registers, AddressesAndStores) {
  expectUnwritten("mov.u32 %r9, 1;\nst.global.u32 [%out+512], %r1;\n",
                  "st.global.u32 [%out+512]", "%r1");
  expectUnwritten("mov.u32 %r9, 1;\nprefetch.global.L2 [%rd5];\n", "prefetch",
                  "%rd5");
}

/// Lanes count one by one.
TEST(Registers, WrittenBySomeLanes) {
  const std::string half = "setp.lt.u32 %p1, %tid, 16;\n@%p1 mov.u32 %r1, 1;\n";
  expectUnwritten(half + "add.u32 %r9, %r1, 1;\n", "add.u32 %r9", "%r1");
  expectGood(half + "@!%p1 mov.u32 %r1, 2;\nadd.u32 %r9, %r1, 1;");
  expectGood(half + "mov.u32 %r9, 0;\n@%p1 add.u32 %r9, %r1, 1;");
}

TEST(Registers, WrittenOnOneSideOfABranch) {
  const std::string one = "setp.lt.u32 %p1, %tid, 16;\n@%p1 bra MEET;\n"
                          "mov.u32 %r1, 1;\nMEET:\n";
  expectUnwritten(one + "add.u32 %r9, %r1, 1;\n", "add.u32 %r9", "%r1");
  expectGood(one + "mov.u32 %r9, 0;\n@!%p1 add.u32 %r9, %r1, 1;");
}

TEST(Registers, WrittenInAnEarlierTurn) {
  const std::string loop = "mov.u32 %r2, 0; mov.u32 %r9, 0;\nLOOP:\n"
                           "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra FIRST;\n"
                           "add.u32 %r9, %r9, %r1;\nFIRST:\n"
                           "mov.u32 %r1, 1;\nadd.u32 %r2, %r2, 1;\n"
                           "setp.lt.u32 %p1, %r2, 4;\n@%p1 bra LOOP;\n";
  expectGood(loop);
  expectUnwritten(without(loop, "@%p1 bra FIRST;"), "add.u32 %r9", "%r1");
}

/// Copies hand nothing on; what is done with them counts.
TEST(Registers, Copies) {
  expectGood("mov.u32 %r1, %r2; mov.b64 %rd1, {%r1, %tid};\n"
             "mov.b64 {%r3, %r9}, %rd1;");
  expectUnwritten("\nmov.u32 %r1, %r2;\nadd.u32 %r9, %r1, 1;\n",
                  "mov.u32 %r1, %r2", "%r2");
  expectUnwritten("\nmov.b64 %rd1, {%r1, %r2};\ncvt.u32.u64 %r9, %rd1;\n",
                  "mov.b64 %rd1", "%r1");
  expectGood("setp.lt.u32 %p1, %tid, 64; selp.b32 %r9, %tid, %r2, %p1;");
  expectUnwritten("setp.lt.u32 %p1, %tid, 8;\n"
                  "selp.b32 %r1, %tid, %r2, %p1;\nadd.u32 %r9, %r1, 1;\n",
                  "selp.b32 %r1", "%r2");
}

/// Lanes that a predicated load left out may compute, if that is all.
TEST(Registers, Arithmetic) {
  const std::string load = "setp.lt.u32 %p1, %tid, 8; mov.u32 %r9, 0;\n"
                           "@%p1 ld.global.u32 %r1, [%in];\n"
                           "add.u32 %r2, %r1, 1; cvt.rn.f32.u32 %f1, %r2;\n"
                           "setp.gt.f32 %p2, %f1, 0f00000000;\n";
  expectGood(load + "@%p1 cvt.rzi.u32.f32 %r9, %f1;");
  expectUnwritten(load + "cvt.rzi.u32.f32 %r9, %f1;", "add.u32 %r2, %r1",
                  "%r1");
  Kernel branch(load + "@%p2 bra DONE;\nDONE:");
  branch.expectFinding(kUnwritten, "@%p2 bra");
  Kernel shuffle(load + "shfl.sync.bfly.b32 %r9, %r2, 1, 31, -1;");
  shuffle.expectFinding(kUnwritten, "shfl.sync");
}

/// A function's registers are new in each call.
TEST(Registers, Calls) {
  const std::string text = R"(.version 8.0
.target sm_80
.address_size 64
.global .u32 address;
.func (.reg .b32 result) f(.reg .b32 n) {
  .reg .b32 %x; .reg .pred %p;
  setp.eq.u32 %p, n, 1;
  @%p mov.u32 %x, 5;
  add.u32 result, %x, 1;
  st.global.u32 [address], result;
  ret;
}
.visible .entry k() {
  .reg .b32 %a, %b; .reg .pred %p;
  call (%a), f, (1);
  call (%b), f, (2);
  add.u32 %a, %a, %b;
  setp.eq.u32 %p, %a, 6;
  @%p trap;
  ret;
})";
  llvm::Expected<Module> module = Module::parse(text);
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  Launch launch;
  llvm::Expected<Report> report = attn::ptx::run(*module, launch);
  ASSERT_TRUE(bool(report)) << llvm::toString(report.takeError());
  ASSERT_EQ(report->findings.size(), 1u) << Kernel::text(*report);
  EXPECT_EQ(report->findings[0].line, 9u);
  EXPECT_EQ(report->findings[0].count, 1u);
}

/// With scale-d zero the accumulators are written only.
TEST(Registers, AccumulatorsOfProducts) {
  const std::string body =
      "add.u32 %r1, %smem, %o4;\n"
      "mov.u32 %r2, 0;\n"
      "LOOP: add.u32 %r3, %r1, %r2; st.shared.u32 [%r3], 0;\n"
      "add.u32 %r2, %r2, 512; setp.lt.u32 %p1, %r2, 4096; @%p1 bra LOOP;\n"
      "fence.proxy.async.shared::cta; bar.sync 0;\n"
      "shr.u32 %r2, %smem, 4; cvt.u64.u32 %rd1, %r2;\n"
      "or.b64 %rd1, %rd1, 0x0000002000080000; setp.ne.u32 %p1, %tid, %tid;\n"
      "wgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, "
      "%rd1, %rd1, %p1, 1, 1, 0, 0;\n"
      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
      "add.f32 %f1, %f1, %f2;\n";
  Kernel good(body);
  good.threads = 128;
  Report report = good.run(Schedule::latest());
  EXPECT_TRUE(report.clean()) << Kernel::text(report);
  Kernel bad(without(body, "setp.ne.u32 %p1, %tid, %tid",
                     "setp.eq.u32 %p1, %tid, %tid"));
  bad.threads = 128;
  bad.expectFinding(kUnwritten, "wgmma.mma_async");
}

} // namespace attn::ptx::test
