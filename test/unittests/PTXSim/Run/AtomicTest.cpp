//===- AtomicTest.cpp - atom and red --------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each lane works on a cell of its own for values; all lanes on one cell for
// the sum of what they do.
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

#include <set>

namespace attn::ptx::test {

namespace {
/// Old value and new value of a cell that holds %a.
struct Cell {
  uint64_t before, after;
  bool operator==(const Cell &o) const {
    return before == o.before && after == o.after;
  }
};

/// op [cell], %b{, %c} in a space, as atom (returns the old value) and as red.
Values run(const std::string &op, unsigned bits, const std::string &space,
           uint64_t a, uint64_t b, const std::string &third, bool old) {
  std::string n = std::to_string(bits), reg = "b" + n;
  std::string setup, cell = "%out";
  if (space != ".global" && !space.empty()) {
    setup = ".shared .align 8 .b8 s[256]; mov.u64 %w1, s;\n"
            "mad.wide.u32 %w1, %t, 8, %w1;\n";
    cell = "%w1";
  }
  std::string memory = space.empty() ? "" : space;
  std::string code = setup + "st" + memory + "." + reg + " [" + cell +
                     "], %a;\n" + op + (old ? " %d, [" : " [") + cell +
                     "], %b" + third + ";\n";
  if (!old)
    code += "ld" + memory + "." + reg + " %d, [" + cell + "];";
  return evaluate(code, {reg, reg, reg}, {{a}, {b}});
}

void expectUpdate(const std::string &name, const std::string &type, uint64_t a,
                  uint64_t b, uint64_t after, const std::string &third = "",
                  bool hasRed = true) {
  unsigned bits = type == "f16" || type == "bf16" || type == "b16" ? 16
                  : type.find("64") != std::string::npos           ? 64
                                                                   : 32;
  std::string halves = type.find("f16") != std::string::npos ? ".noftz" : "";
  for (const char *space : {".global", ".shared", ""}) {
    std::string op = std::string(space) + "." + name + halves + "." + type;
    EXPECT_EQ(run("atom" + op, bits, space, a, b, third, true)[0], a) << op;
    if (!hasRed)
      continue;
    EXPECT_EQ(run("red" + op, bits, space, a, b, third, false)[0], after) << op;
  }
}
} // namespace

TEST(Atomic, Integers) {
  expectUpdate("add", "u32", 0xfffffffe, 5, 3);
  expectUpdate("add", "s32", 7, uint32_t(-9), uint32_t(-2));
  expectUpdate("add", "u64", ~0ull, 5, 4);
  expectUpdate("min", "u32", 0x80000000, 1, 1);
  expectUpdate("min", "s32", 0x80000000, 1, 0x80000000);
  expectUpdate("max", "u32", 0x80000000, 1, 0x80000000);
  expectUpdate("max", "s32", 0x80000000, 1, 1);
  expectUpdate("min", "u64", 1ull << 63, 1, 1);
  expectUpdate("min", "s64", 1ull << 63, 1, 1ull << 63);
  expectUpdate("max", "u64", 1ull << 63, 1, 1ull << 63);
  expectUpdate("max", "s64", 1ull << 63, 1, 1);
  expectUpdate("and", "b32", 0xff00ff00, 0x0ff00ff0, 0x0f000f00);
  expectUpdate("or", "b32", 0xff00ff00, 0x0ff00ff0, 0xfff0fff0);
  expectUpdate("xor", "b32", 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0);
  expectUpdate("and", "b64", 0xff00ff00ff00ff00, 0xf, 0);
  expectUpdate("or", "b64", 0xff00ff00ff00ff00, 0xf, 0xff00ff00ff00ff0f);
  expectUpdate("xor", "b64", 0xff00ff00ff00ff00, 0xff0f, 0xff00ff00ff00000f);
  // inc wraps to 0 at the bound; dec wraps to the bound at 0 and above it.
  expectUpdate("inc", "u32", 4, 5, 5);
  expectUpdate("inc", "u32", 5, 5, 0);
  expectUpdate("inc", "u32", 9, 5, 0);
  expectUpdate("dec", "u32", 4, 5, 3);
  expectUpdate("dec", "u32", 0, 5, 5);
  expectUpdate("dec", "u32", 9, 5, 5);
}

TEST(Atomic, Floats) {
  expectUpdate("add", "f32", f32(1.5f), f32(2.25f), f32(3.75f));
  expectUpdate("add", "f64", f64(1.5), f64(0.1), f64(1.6));
  expectUpdate("add", "f16", 0x3c00, 0x4200, 0x4400);
  expectUpdate("add", "bf16", 0x3f80, 0x4040, 0x4080);
  expectUpdate("add", "f16x2", 0x3c004200, 0x42003c00, 0x44004400);
  expectUpdate("add", "bf16x2", 0x3f804040, 0x40403f80, 0x40804080);
}

TEST(Atomic, ExchangeAndCompare) {
  std::vector<std::string> types{"b32", "b32", "b32"};
  for (const char *space : {".global", ".shared", ""})
    for (const char *bits : {"32", "64"}) {
      std::string reg = std::string("b") + bits;
      std::string setup =
          std::string(".shared .align 8 .b8 s[256];\n"
                      "mov.u64 %w1, s; mad.wide.u32 %w1, %t, 8, %w1;\n") +
          (std::string(space) == ".shared" ? "" : "mov.u64 %w1, %out;\n");
      std::string cell = "[%w1]", form = std::string(space) + ".";
      std::string load = "ld" + std::string(space) + "." + reg +
                         " %b, [%w1];\n" + "mad.lo.u" + bits +
                         " %d, %d, 100, %b;";
      std::string store =
          "st" + std::string(space) + "." + reg + " [%w1], %a;\n";
      std::vector<std::string> types{reg, reg, reg};
      EXPECT_EQ(evaluate(setup + store + "atom" + form + "exch." + reg +
                             " %d, [%w1], %b;\n" + load,
                         types, {{7}, {9}}),
                Values{709});
      EXPECT_EQ(evaluate(setup + store + "atom" + form + "cas." + reg +
                             " %d, [%w1], %b, 5;\n" + load,
                         types, {{7, 9}, {9, 9}}),
                (Values{707, 905}));
    }
  EXPECT_EQ(evaluate("st.global.b16 [%out], %a;\n"
                     "atom.global.cas.b16 %d, [%out], %b, 5;\n"
                     "ld.global.b16 %d, [%out];",
                     {"b16", "b16", "b16"}, {{7, 9}, {9, 9}}),
            (Values{7, 5}));
}

// All orders, scopes and hints that PTX has.
TEST(Atomic, OrdersAndScopes) {
  for (const char *order : {"", ".relaxed", ".acquire", ".release", ".acq_rel"})
    for (const char *scope : {".cta", ".cluster", ".gpu", ".sys"}) {
      std::string form = std::string(order) + scope + ".global";
      EXPECT_EQ(evaluate("st.global.b32 [%out], %a;\natom" + form +
                             ".add.u32 %d, [%out], 1;\n"
                             "ld.global.b32 %d, [%out];",
                         {"b32", "b32"}, {{41}}),
                Values{42})
          << form;
      if (std::string(order) == ".acquire" || std::string(order) == ".acq_rel")
        continue;
      EXPECT_EQ(evaluate("st.global.b32 [%out], %a;\nred" + form +
                             ".add.u32 [%out], 1;\nld.global.b32 %d, [%out];",
                         {"b32", "b32"}, {{41}}),
                Values{42})
          << form;
    }
}

// 32 lanes take 32 different tickets, and the sum is there at the end.
TEST(Atomic, OneCell) {
  Values got =
      evaluate(".shared .b32 s; st.shared.u32 [s], 0; bar.warp.sync -1;\n"
               "atom.shared.add.u32 %d, [s], 1;",
               {"b32"}, {});
  EXPECT_EQ(std::set<uint64_t>(got.begin(), got.end()).size(), 32u);
  std::vector<std::vector<uint32_t>> buffers{{0}, {1000}};
  Launch launch;
  launch.grid.x = 7;
  launch.block.x = 96;
  std::string code = ".entry k(.param .u64 p, .param .u64 q) {\n"
                     ".reg .b64 %a, %b; .reg .b32 %r;\n"
                     "ld.param.u64 %a, [p]; ld.param.u64 %b, [q];\n"
                     "red.global.add.u32 [%a], 2;\n"
                     "mov.u32 %r, %tid.x; red.global.min.u32 [%b], %r;\n"
                     "ret; }";
  EXPECT_EQ(problem(runKernel(code, launch, buffers)), "");
  EXPECT_EQ(buffers[0][0], 7u * 96 * 2);
  EXPECT_EQ(buffers[1][0], 0u);
}

// Vector forms of sm_90: one atomic update an element.
TEST(Atomic, Vectors) {
  EXPECT_EQ(evaluate("st.global.b64 [%out], %a;\n"
                     "mov.b32 %t1, 0f3F800000; mov.b32 %t2, 0f40000000;\n"
                     "red.global.add.v2.f32 [%out], {%t1, %t2};\n"
                     "ld.global.b64 %d, [%out];",
                     {"b64", "b64"}, {{f32(3) << 32 | f32(5)}}),
            Values{f32(5) << 32 | f32(6)});
  EXPECT_EQ(evaluate("st.global.b64 [%out], %a;\n"
                     "mov.b32 %t1, 0f3F800000; mov.b32 %t2, 0f40000000;\n"
                     "atom.global.v2.f32.add {%t3, %t4}, [%out], {%t1, %t2};\n"
                     "mov.b64 %d, {%t3, %t4};",
                     {"b64", "b64"}, {{f32(3) << 32 | f32(5)}}),
            Values{f32(3) << 32 | f32(5)});
}

} // namespace attn::ptx::test
