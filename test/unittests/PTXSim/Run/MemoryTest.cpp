//===- MemoryTest.cpp - ld, st and the hints that go with them ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

namespace attn::ptx::test {

static std::string reg(unsigned bits) { return "b" + std::to_string(bits); }

// What is narrower than its register is extended by the type's sign.
TEST(MemoryOps, SubWords) {
  struct {
    const char *type;
    unsigned bits;
    uint64_t in16, in32, in64;
  } cases[] = {{"u8", 8, 0x80, 0x80, 0x80},
               {"b8", 8, 0x80, 0x80, 0x80},
               {"s8", 8, 0xff80, 0xffffff80, 0xffffffffffffff80},
               {"u16", 16, 0x8180, 0x8180, 0x8180},
               {"b16", 16, 0x8180, 0x8180, 0x8180},
               {"s16", 16, 0x8180, 0xffff8180, 0xffffffffffff8180},
               {"u32", 32, 0, 0x83828180, 0x83828180},
               {"s32", 32, 0, 0x83828180, 0xffffffff83828180}};
  for (const auto &c : cases)
    for (unsigned bits : {16u, 32u, 64u}) {
      if (bits < c.bits)
        continue;
      EXPECT_EQ(evaluate(".shared .align 8 .b8 s[256]; shl.b32 %t1, %t, 3;\n"
                         "mov.u32 %t2, s; add.u32 %t1, %t1, %t2;\n"
                         "st.shared.b64 [%t1], %a;\n"
                         "ld.shared." +
                             std::string(c.type) + " %d, [%t1];",
                         {reg(bits), "b64"}, {{0x8786858483828180}})[0],
                bits == 16   ? c.in16
                : bits == 32 ? c.in32
                             : c.in64)
          << c.type << " into " << bits;
    }
}

// A store takes the low bits of a wide register and touches nothing else.
TEST(MemoryOps, NarrowStores) {
  for (const char *type : {"u8", "s8", "b8"})
    EXPECT_EQ(evaluate(".shared .align 8 .b8 s[256]; shl.b32 %t1, %t, 3;\n"
                       "mov.u32 %t2, s; add.u32 %t1, %t1, %t2;\n"
                       "st.shared.b64 [%t1], %a; mov.u32 %t3, 0x12345678;\n"
                       "st.shared." +
                           std::string(type) +
                           " [%t1+2], %t3;\n"
                           "ld.shared.b64 %d, [%t1];",
                       {"b64", "b64"}, {{0x8786858483828180}}),
              Values{0x8786858483788180});
  EXPECT_EQ(evaluate(".shared .align 8 .b8 s[256]; shl.b32 %t1, %t, 3;\n"
                     "mov.u32 %t2, s; add.u32 %t1, %t1, %t2;\n"
                     "st.shared.b64 [%t1], %a; mov.u32 %t3, 0x12345678;\n"
                     "st.shared.u16 [%t1+6], %t3; ld.shared.b64 %d, [%t1];",
                     {"b64", "b64"}, {{0x8786858483828180}}),
            Values{0x5678858483828180});
}

// Each element of a vector goes to its own place.
TEST(MemoryOps, Vectors) {
  struct {
    const char *form, *value;
    unsigned bits, n;
  } cases[] = {{"v2.b16", "{%h1, %h2}", 16, 2},
               {"v4.u16", "{%h1, %h2, %h3, %h4}", 16, 4},
               {"v2.b32", "{%t1, %t2}", 32, 2},
               {"v4.f32", "{%t1, %t2, %t3, %t4}", 32, 4},
               {"v4.u32", "{%t1, %t2, %t3, %t4}", 32, 4},
               {"v2.b64", "{%w1, %w2}", 64, 2},
               {"v2.f64", "{%w1, %w2}", 64, 2}};
  for (const auto &c : cases)
    for (const char *space : {"global", "shared", "local"}) {
      std::string ops, where = std::string(space) == "global" ? "%out" : "%w7";
      std::string setup;
      if (std::string(space) == "shared")
        setup = ".shared .align 16 .b8 m[512]; mov.u64 %w7, m;\n"
                "mul.wide.u32 %w6, %t, 16; add.u64 %w7, %w7, %w6;\n";
      if (std::string(space) == "local")
        setup = ".local .align 16 .b8 m[16]; mov.u64 %w7, m;\n";
      // Global: this thread's own 8 bytes of the result are enough for 8.
      if (std::string(space) == "global" && c.bits * c.n != 64)
        continue;
      std::string prefix = c.bits == 16 ? "%h" : c.bits == 32 ? "%t" : "%w";
      std::string fill, sum;
      for (unsigned k = 1; k <= c.n; ++k) {
        std::string r = prefix + std::to_string(k);
        fill += "mov.b" + std::to_string(c.bits) + " " + r + ", " +
                std::to_string(3 * k + 1) + ";\n";
        std::string wide = c.bits == 64 ? r : "%w5";
        if (c.bits != 64)
          sum += "cvt.u64.u" + std::to_string(c.bits) + " %w5, " + r + ";\n";
        sum += "mad.lo.u64 %d, %d, 100, " + wide + ";\n";
      }
      std::string wipe;
      for (unsigned k = 1; k <= c.n; ++k)
        wipe += "mov.b" + std::to_string(c.bits) + " " + prefix +
                std::to_string(k) + ", 0;\n";
      uint64_t want = 0;
      for (unsigned k = 1; k <= c.n; ++k)
        want = want * 100 + 3 * k + 1;
      std::string op = std::string(".") + space + "." + c.form;
      EXPECT_EQ(evaluate(setup + fill + "st" + op + " [" + where + "], " +
                             c.value + ";\n" + wipe + "ld" + op + " " +
                             c.value + ", [" + where + "];\nmov.u64 %d, 0;\n" +
                             sum,
                         {"b64"}, {})[3],
                want)
          << op;
    }
  EXPECT_EQ(
      evaluate(".reg .b128 %q; .local .align 16 .b8 m[16];\n"
               "mov.b128 %q, {%a, %b}; mov.u64 %w7, m;\n"
               "st.local.b128 [%w7], %q; ld.local.v2.b64 {%w1, %w2}, [%w7];\n"
               "mad.lo.u64 %d, %w2, 1000, %w1;",
               {"b64", "b64", "b64"}, {{5}, {17}}),
      Values{17005});
}

// Cache operators, eviction and prefetch hints change no value.
TEST(MemoryOps, Hints) {
  for (const char *hint :
       {".ca", ".cg", ".cs", ".lu", ".cv", ".nc", ".L1::evict_last",
        ".L1::no_allocate", ".L1::evict_first.L2::128B", ".L2::256B",
        ".nc.L1::no_allocate.L2::64B", ".weak", ".relaxed.gpu", ".relaxed.cta",
        ".acquire.gpu", ".acquire.sys", ".volatile", ".relaxed.cluster",
        ".acquire.cta"}) {
    std::string form = hint;
    size_t at = form.find(".nc");
    std::string op = at == 0               ? "ld.global" + form
                     : form == ".volatile" ? "ld.volatile.global"
                     : form[1] == 'r' || form[1] == 'a' || form == ".weak"
                         ? "ld" + form + ".global"
                         : "ld.global" + form;
    EXPECT_EQ(evaluate(op + ".b64 %d, [%in];", {"b64", "b64"}, {{77}}),
              Values{77})
        << op;
  }
  for (const char *op :
       {"st.global.wb", "st.global.cg", "st.global.cs", "st.global.wt",
        "st.relaxed.gpu.global", "st.release.gpu.global", "st.volatile.global",
        "st.weak.global", "st.global.L1::no_allocate"})
    EXPECT_EQ(
        evaluate(std::string(op) + ".b64 [%out], %a; ld.global.b64 %d, [%out];",
                 {"b64", "b64"}, {{77}}),
        Values{77})
        << op;
  EXPECT_EQ(evaluate("createpolicy.fractional.L2::evict_last.b64 %w1, 1.0;\n"
                     "ld.global.L2::cache_hint.b64 %d, [%in], %w1;\n"
                     "prefetch.global.L2 [%in]; prefetchu.L1 [%in];\n"
                     "prefetch.global.L2::evict_last [%in];\n"
                     "applypriority.global.L2::evict_normal [%in], 128;",
                     {"b64", "b64"}, {{5}}),
            Values{5});
}

// Generic addresses reach every space.
TEST(MemoryOps, Generic) {
  EXPECT_EQ(evaluate(".shared .b64 s[32]; mov.u64 %w1, s;\n"
                     "mad.wide.u32 %w1, %t, 8, %w1; cvta.shared.u64 %w1, %w1;\n"
                     "st.b64 [%w1], %a; ld.b64 %d, [%w1];",
                     {"b64", "b64"}, {{9, 8}}),
            (Values{9, 8}));
  EXPECT_EQ(
      evaluate(".local .b64 s[2]; mov.u64 %w1, s; cvta.local.u64 %w1, %w1;\n"
               "st.b64 [%w1+8], %a; ld.local.b64 %d, [s+8];",
               {"b64", "b64"}, {{9, 8}}),
      (Values{9, 8}));
  EXPECT_EQ(evaluate("ld.b64 %d, [%in];", {"b64", "b64"}, {{9, 8}}),
            (Values{9, 8}));
  EXPECT_EQ(evaluate("mov.u64 %w1, in; cvta.param.u64 %w1, %w1;\n"
                     "ld.b64 %w2, [%w1]; ld.param.b64 %w3, [in];\n"
                     "sub.u64 %d, %w2, %w3;",
                     {"b64"}, {})[0],
            0u);
}

// Variables of the module with initial values, by name and offset.
TEST(MemoryOps, ModuleVariables) {
  std::string text = R"(
.const .align 4 .u32 table[4] = {10, 20, 30, 40};
.global .align 8 .b8 bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.global .f32 number = 0f3F800000;
.global .u64 pointer = bytes;
.extern .shared .align 16 .b8 dynamic[];
.entry k(.param .u64 p, .param .align 8 .b8 pair[8]) {
.reg .b64 %a, %o; .reg .b32 %r<8>; .reg .b16 %h;
.shared .align 4 .u32 word[3];
ld.param.u64 %a, [p];
ld.const.u32 %r1, [table+8]; st.global.u32 [%a], %r1;
ld.global.u8 %h, [bytes+5]; cvt.u32.u16 %r2, %h; st.global.u32 [%a+4], %r2;
ld.global.u32 %r3, [number]; st.global.u32 [%a+8], %r3;
ld.global.u64 %o, [pointer]; ld.global.u32 %r4, [%o+4];
st.global.u32 [%a+12], %r4;
ld.param.u32 %r5, [pair+4]; st.global.u32 [%a+16], %r5;
st.shared.u32 [word+8], 5; ld.shared.u32 %r6, [word+8];
st.global.u32 [%a+20], %r6;
st.shared.u32 [dynamic+60], 6; ld.shared.u32 %r7, [dynamic+60];
st.global.u32 [%a+24], %r7;
ret; })";
  Launch launch;
  launch.dynamicShared = 64;
  std::vector<uint32_t> out(7);
  launch.buffers = {{"out", out.data(), out.size() * 4, true, false}};
  launch.arguments = {Argument::pointer(0),
                      Argument::scalar<uint64_t>(0x2222222211111111)};
  llvm::Expected<Module> module = Module::parse(moduleText(text));
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  EXPECT_EQ(problem(run(*module, launch)), "");
  EXPECT_EQ(out, (std::vector<uint32_t>{30, 6, 0x3f800000, 0x08070605,
                                        0x22222222, 5, 6}));
}

// LLVM writes the constants of a kernel as arrays of bytes.
TEST(MemoryOps, ConstantTables) {
  for (const char *space : {"global", "const"}) {
    std::string text =
        "." + std::string(space) +
        R"( .align 16 .b8 table[32] = {0, 0, 128, 63, 0, 0, 0, 64,
  0, 0, 64, 64, 0, 0, 128, 64, 0, 0, 160, 64, 0xC0, 0x00, 192, 64, 0, 0, 224};
.entry k(.param .u64 .ptr .global .align 16 p) {
.reg .b64 %a<4>; .reg .b32 %t; .reg .b32 %r<4>;
ld.param.u64 %a0, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %a1, %t, 16;
mov.u64 %a2, table; add.u64 %a2, %a2, %a1; add.u64 %a0, %a0, %a1;
ld.)" + space +
        R"(.v4.b32 {%r0, %r1, %r2, %r3}, [%a2];
st.global.v4.b32 [%a0], {%r0, %r1, %r2, %r3};
ret; })";
    std::vector<std::vector<uint32_t>> out{std::vector<uint32_t>(8)};
    Launch launch;
    launch.block.x = 2;
    EXPECT_EQ(problem(runKernel(text, launch, out)), "") << space;
    EXPECT_EQ(out[0], (std::vector<uint32_t>{0x3f800000, 0x40000000, 0x40400000,
                                             0x40800000, 0x40a00000, 0x40c000c0,
                                             0x00e00000, 0}))
        << space;
  }
}

namespace {
/// Word i of the destination becomes word i of the source, one a thread.
struct CopyKernel {
  std::vector<uint32_t> from, to;
  std::vector<uint8_t> fromDefined, toDefined;
  bool readOnly = false;

  std::string run(uint32_t threads) {
    llvm::Expected<Module> module = Module::parse(moduleText(R"(
.entry k(.param .u64 from, .param .u64 to) {
.reg .b64 %f, %d, %o; .reg .b32 %t, %v;
ld.param.u64 %f, [from]; ld.param.u64 %d, [to];
mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4;
add.u64 %f, %f, %o; add.u64 %d, %d, %o;
ld.global.u32 %v, [%f]; st.global.u32 [%d], %v;
ret; })"));
    if (!module)
      return llvm::toString(module.takeError());
    Launch launch;
    launch.block.x = threads;
    launch.buffers = {
        {"from", from.data(), from.size() * 4, true, readOnly,
         fromDefined.data()},
        {"to", to.data(), to.size() * 4, true, false, toDefined.data()}};
    launch.arguments = {Argument::pointer(0), Argument::pointer(1)};
    return problem(attn::ptx::run(*module, launch));
  }
};
} // namespace

// The first launch writes half of what the second one reads.
TEST(MemoryOps, DefinedOverLaunches) {
  CopyKernel first{{1, 2, 3, 4, 5, 6, 7, 8},
                   std::vector<uint32_t>(8, 42),
                   std::vector<uint8_t>(32, 1),
                   std::vector<uint8_t>(32, 0)};
  EXPECT_EQ(first.run(4), "");
  std::vector<uint8_t> half(16, 1);
  half.resize(32);
  EXPECT_EQ(first.toDefined, half);
  EXPECT_EQ(first.fromDefined, std::vector<uint8_t>(32, 1));
  EXPECT_EQ(first.to[3], 4u);
  EXPECT_EQ(first.to[4], ~0u) << "poison";

  CopyKernel second{first.to, std::vector<uint32_t>(8), first.toDefined,
                    std::vector<uint8_t>(32, 0), /*readOnly=*/true};
  EXPECT_EQ(second.run(4), "");
  EXPECT_NE(second.run(5).find("uninitialised: line 10"), std::string::npos);
  EXPECT_EQ(second.fromDefined, half);
  // One byte of a word is enough.
  second.fromDefined[16] = second.fromDefined[17] = second.fromDefined[19] = 1;
  EXPECT_NE(second.run(5).find("uninitialised"), std::string::npos);
  second.fromDefined[18] = 0xff;
  EXPECT_EQ(second.run(5), "");
}

// Shared variables of another kernel are not part of this one's memory.
TEST(MemoryOps, OtherKernelsSharedMemory) {
  std::string text = R"(
.entry other() { .shared .b8 own[128]; .reg .b32 %r;
mov.u32 %r, own; st.shared.u32 [%r], 0; ret; }
.entry k() { .shared .b8 own[64]; .reg .b32 %r;
mov.u32 %r, own; st.shared.u32 [%r+64], 0; ret; })";
  Launch launch;
  launch.kernel = "k";
  std::vector<std::vector<uint32_t>> none;
  EXPECT_NE(
      problem(runKernel(text, launch, none)).find("out-of-bounds: line 8"),
      std::string::npos);
}

TEST(MemoryOps, Faults) {
  auto finding = [](const std::string &code) {
    Report report;
    evaluate(code, {"b32"}, {}, &report);
    return report.findings.empty() ? ""
                                   : toString(report.findings[0].kind).str();
  };
  EXPECT_EQ(finding("add.u64 %w1, %in, 1; ld.global.u32 %d, [%w1];"),
            "misaligned");
  EXPECT_EQ(finding("ld.global.u32 %d, [%in+4096];"), "out-of-bounds");
  EXPECT_EQ(finding("mov.u64 %w1, 0; ld.global.u32 %d, [%w1];"),
            "out-of-bounds");
  EXPECT_EQ(finding("mov.u64 %w1, 64; ld.u32 %d, [%w1];"), "out-of-bounds");
  EXPECT_EQ(finding(".shared .b32 s; ld.shared.u32 %d, [s];"), "uninitialised");
  EXPECT_EQ(finding("ld.global.u32 %d, [%out];"), "uninitialised");
  EXPECT_EQ(finding(".local .b32 s; ld.local.u32 %d, [s+4000];"),
            "out-of-bounds");
  EXPECT_EQ(finding("ld.shared.u32 %d, [1024];"), "out-of-bounds");
}

} // namespace attn::ptx::test
