//===- MoveTest.cpp - mov, addresses, special registers -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

namespace attn::ptx::test {

/// A value of each lane, from `f(lane)`.
template <typename F> static Values lanes(F f) {
  Values result;
  for (uint64_t l = 0; l != 32; ++l)
    result.push_back(f(l));
  return result;
}

TEST(Move, Registers) {
  for (unsigned bits : {16u, 32u, 64u}) {
    std::string n = std::to_string(bits), reg = "b" + n;
    for (const char *prefix : {"b", "u", "s"})
      check1("mov." + (prefix + n), {reg, reg}, edgeIntegers(),
             [](uint64_t a) { return a; });
  }
  check1("mov.f32", {"b32", "b32"}, edgeFloats(), [](uint64_t a) { return a; });
  check1("mov.f64", {"b64", "b64"}, edgeDoubles(),
         [](uint64_t a) { return a; });
  check1("mov.pred", {"pred", "pred"}, {0, 1}, [](uint64_t a) { return a; });
  EXPECT_EQ(evaluate("mov.u32 %d, -2;", {"b32"}, {})[0], 0xfffffffeu);
  EXPECT_EQ(evaluate("mov.u64 %d, 0x123456789abcdef0;", {"b64"}, {})[0],
            0x123456789abcdef0u);
  EXPECT_EQ(evaluate("mov.f64 %d, 0d3FF8000000000000;", {"b64"}, {})[0],
            f64(1.5));
  EXPECT_EQ(evaluate("mov.f32 %d, 1.5;", {"b32"}, {})[0], f32(1.5));
}

// The first element is the least significant.
TEST(Move, Vectors) {
  EXPECT_EQ(evaluate("mov.b64 %d, {%a, %b};", {"b64", "b32", "b32"},
                     {{0x11111111}, {0x22222222}}),
            Values{0x2222222211111111});
  EXPECT_EQ(evaluate("mov.b32 %d, {%a, %b};", {"b32", "b16", "b16"},
                     {{0x1111}, {0x2222}}),
            Values{0x22221111});
  EXPECT_EQ(evaluate("mov.b64 {%t1, %t2}, %a; xor.b32 %d, %t1, %t2;",
                     {"b32", "b64"}, {{0xf0f0f0f00f0f0f0e}}),
            Values{0xfffffffe});
  EXPECT_EQ(evaluate("mov.b64 {%h1, %h2, %h3, %h4}, %a;\n"
                     "mov.b64 %d, {%h4, %h3, %h2, %h1};",
                     {"b64", "b64"}, {{0x4444333322221111}}),
            Values{0x1111222233334444});
  // What a register holds before it is written stays in its half.
  EXPECT_EQ(evaluate("cvt.u16.u32 %h1, %a; mov.b32 %t1, {%h7, %h1};\n"
                     "shr.u32 %d, %t1, 16;",
                     {"b32", "b32"}, {{0x2222}}),
            Values{0x2222});
  EXPECT_EQ(evaluate("mov.b32 {_, %h2}, %a; cvt.u32.u16 %d, %h2;",
                     {"b32", "b32"}, {{0x22221111}}),
            Values{0x2222});
  EXPECT_EQ(evaluate(".reg .b128 %q; mov.b128 %q, {%a, %b};\n"
                     "mov.b128 {%w1, %w2}, %q; sub.u64 %d, %w2, %w1;",
                     {"b64", "b64", "b64"}, {{5}, {17}}),
            Values{12});
  EXPECT_EQ(evaluate(".reg .b128 %q, %r; mov.b128 %q, {%a, %b};\n"
                     "mov.b128 %r, %q;\n"
                     "mov.b128 {%w1, %w2}, %r; sub.u64 %d, %w2, %w1;",
                     {"b64", "b64", "b64"}, {{5}, {17}}),
            Values{12});
}

TEST(Move, SpecialRegisters) {
  auto read = [](const std::string &name, const std::string &type = "b32") {
    return evaluate("mov." + type + " %d, %" + name + ";", {type}, {});
  };
  EXPECT_EQ(read("tid.x"), lanes([](uint64_t l) { return l; }));
  EXPECT_EQ(read("laneid"), lanes([](uint64_t l) { return l; }));
  EXPECT_EQ(read("lanemask_eq"), lanes([](uint64_t l) { return 1ull << l; }));
  EXPECT_EQ(read("lanemask_lt"),
            lanes([](uint64_t l) { return (1ull << l) - 1; }));
  EXPECT_EQ(read("lanemask_le"),
            lanes([](uint64_t l) { return (2ull << l) - 1; }));
  EXPECT_EQ(read("lanemask_gt"),
            lanes([](uint64_t l) { return 0xffffffff & ~((2ull << l) - 1); }));
  EXPECT_EQ(read("lanemask_ge"),
            lanes([](uint64_t l) { return 0xffffffff & ~((1ull << l) - 1); }));
  for (const char *zero : {"tid.y", "tid.z", "ctaid.x", "ctaid.y", "ctaid.z",
                           "warpid", "cluster_ctarank", "clusterid.x",
                           "cluster_ctaid.x", "clock_hi", "dynamic_smem_size"})
    EXPECT_EQ(read(zero)[7], 0u) << zero;
  for (const char *one :
       {"ntid.y", "ntid.z", "nctaid.x", "nctaid.y", "nctaid.z", "nwarpid",
        "cluster_nctarank", "nclusterid.x", "cluster_nctaid.x"})
    EXPECT_EQ(read(one)[7], 1u) << one;
  EXPECT_EQ(read("ntid.x")[0], 32u);
  EXPECT_LT(read("smid")[0], read("nsmid")[0]);
  // Time goes on.
  EXPECT_EQ(evaluate("mov.u32 %t1, %clock; mov.u32 %t2, %clock;\n"
                     "setp.gt.u32 %d, %t2, %t1;",
                     {"pred"}, {})[0],
            1u);
  EXPECT_EQ(evaluate("mov.u64 %w1, %clock64; mov.u64 %w2, %clock64;\n"
                     "setp.gt.u64 %d, %w2, %w1;",
                     {"pred"}, {})[0],
            1u);
  EXPECT_EQ(evaluate("mov.u64 %w1, %globaltimer; add.u32 %t1, 1, 2;\n"
                     "mov.u64 %w2, %globaltimer; setp.gt.u64 %d, %w2, %w1;",
                     {"pred"}, {})[0],
            1u);
  EXPECT_EQ(evaluate("mov.pred %d, %is_explicit_cluster;", {"pred"}, {})[0],
            0u);
}

// Threads of a block of three dimensions are numbered x first.
TEST(Move, ThreadIndices) {
  Launch launch;
  launch.grid = {2, 3, 2};
  launch.block = {4, 3, 5};
  std::vector<std::vector<uint32_t>> buffers{std::vector<uint32_t>(12 * 60)};
  std::string code = R"(
.entry k(.param .u64 p) {
.reg .b64 %a, %o; .reg .b32 %r<20>;
ld.param.u64 %a, [p];
mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y; mov.u32 %r6, %ctaid.z;
mov.u32 %r10, %nctaid.y; mov.u32 %r11, %nctaid.x;
mad.lo.u32 %r7, %r6, %r10, %r5; mad.lo.u32 %r7, %r7, %r11, %r4;
mov.u32 %r12, %ntid.z; mov.u32 %r13, %ntid.y; mov.u32 %r14, %ntid.x;
mad.lo.u32 %r7, %r7, %r12, %r3; mad.lo.u32 %r7, %r7, %r13, %r2;
mad.lo.u32 %r7, %r7, %r14, %r1;
mul.wide.u32 %o, %r7, 4; add.u64 %a, %a, %o;
mul.lo.u32 %r8, %r3, 100; mad.lo.u32 %r8, %r2, 10, %r8; add.u32 %r8, %r8, %r1;
st.global.u32 [%a], %r8;
ret; })";
  EXPECT_EQ(problem(runKernel(code, launch, buffers)), "");
  for (unsigned i = 0; i != buffers[0].size(); ++i) {
    unsigned t = i % 60;
    EXPECT_EQ(buffers[0][i], t / 12 * 100 + t / 4 % 3 * 10 + t % 4);
  }
}

TEST(Move, AddressSpaces) {
  // 1 shared, 2 local, 4 global, 8 param, 16 const
  std::string classify = "mov.u32 %d, 0;\n"
                         "isspacep.shared %p1, %w1; @%p1 or.b32 %d, %d, 1;\n"
                         "isspacep.local %p1, %w1; @%p1 or.b32 %d, %d, 2;\n"
                         "isspacep.global %p1, %w1; @%p1 or.b32 %d, %d, 4;\n"
                         "isspacep.param %p1, %w1; @%p1 or.b32 %d, %d, 8;";
  auto where = [&](const std::string &code) {
    return evaluate(code + classify, {"b32"}, {})[0];
  };
  EXPECT_EQ(where(".shared .b32 s; mov.u64 %w1, s; cvta.shared.u64 %w1, %w1;"),
            1u);
  EXPECT_EQ(where(".local .b32 s; mov.u64 %w1, s; cvta.local.u64 %w1, %w1;"),
            2u);
  EXPECT_EQ(where("cvta.global.u64 %w1, %in;"), 4u);
  EXPECT_EQ(where("mov.u64 %w1, in; cvta.param.u64 %w1, %w1;"), 8u);
  // There and back.
  EXPECT_EQ(
      evaluate(".shared .b32 s; mov.u64 %w1, s; cvta.shared.u64 %w2, %w1;\n"
               "cvta.to.shared.u64 %w3, %w2; sub.u64 %d, %w3, %w1;",
               {"b64"}, {})[0],
      0u);
  EXPECT_EQ(evaluate(".local .b32 s; mov.u64 %w1, s; cvta.local.u64 %w2, %w1;\n"
                     "cvta.to.local.u64 %w3, %w2; sub.u64 %d, %w3, %w1;",
                     {"b64"}, {})[0],
            0u);
}

// In a cluster of one the own rank is the only one.
TEST(Move, ClusterAddresses) {
  EXPECT_EQ(
      evaluate(".shared .b32 s; mov.u32 %t1, s;\n"
               "mapa.shared::cluster.u32 %t2, %t1, 0; sub.u32 %d, %t1, %t2;",
               {"b32"}, {})[0],
      0u);
  EXPECT_EQ(evaluate(".shared .b32 s; mov.u32 %t1, s;\n"
                     "getctarank.shared::cluster.u32 %d, %t1;",
                     {"b32"}, {})[0],
            0u);
  Report report;
  evaluate(".shared .b32 s; mov.u32 %t1, s;\n"
           "mapa.shared::cluster.u32 %d, %t1, 1;",
           {"b32"}, {}, &report);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, FindingKind::OutOfBounds);
}

} // namespace attn::ptx::test
