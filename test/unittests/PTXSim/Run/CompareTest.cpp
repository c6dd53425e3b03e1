//===- CompareTest.cpp - setp, set, selp, slct, testp ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

#include <cmath>

namespace attn::ptx::test {

namespace {
struct Kind {
  std::string name;
  unsigned bits;
  bool isSigned;
  std::string reg() const { return "b" + std::to_string(bits); }
};
const Kind kinds[] = {
    {"u16", 16, false}, {"s16", 16, true}, {"b16", 16, false},
    {"u32", 32, false}, {"s32", 32, true}, {"b32", 32, false},
    {"u64", 64, false}, {"s64", 64, true}, {"b64", 64, false}};

/// -1, 0, 1, or 2 when one is NaN.
int order(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? 2 : a < b ? -1 : a > b;
}
int order(const Kind &k, uint64_t a, uint64_t b) {
  if (!k.isSigned)
    return a < b ? -1 : a > b;
  int64_t x = int64_t(a << (64 - k.bits)), y = int64_t(b << (64 - k.bits));
  return x < y ? -1 : x > y;
}
struct Comparison {
  const char *name;
  bool less, equal, greater, unordered;
};
const Comparison ordered[] = {
    {"eq", false, true, false, false}, {"ne", true, false, true, false},
    {"lt", true, false, false, false}, {"le", true, true, false, false},
    {"gt", false, false, true, false}, {"ge", false, true, true, false}};
const Comparison floating[] = {
    {"equ", false, true, false, true}, {"neu", true, false, true, true},
    {"ltu", true, false, false, true}, {"leu", true, true, false, true},
    {"gtu", false, false, true, true}, {"geu", false, true, true, true},
    {"num", true, true, true, false},  {"nan", false, false, false, true}};
bool holds(const Comparison &c, int order) {
  return order == 2  ? c.unordered
         : order < 0 ? c.less
         : order     ? c.greater
                     : c.equal;
}
double value(const std::string &type, uint64_t bits) {
  if (type == "f32")
    return llvm::bit_cast<float>(uint32_t(bits));
  if (type == "f64")
    return llvm::bit_cast<double>(bits);
  if (type == "bf16")
    return llvm::bit_cast<float>(uint32_t(bits << 16));
  // f16 by moving the exponent of an f32.
  uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  float v = (bits & 0x7c00) == 0x7c00
                ? llvm::bit_cast<float>(magnitude | 0x7f800000)
                : llvm::bit_cast<float>(magnitude) * 0x1p112f;
  return bits & 0x8000 ? -v : v;
}
} // namespace

TEST(Compare, SetpIntegers) {
  for (const Kind &k : kinds)
    for (const Comparison &c : ordered) {
      bool bitsOnly = k.name[0] == 'b';
      if (bitsOnly && std::string(c.name) != "eq" &&
          std::string(c.name) != "ne")
        continue;
      check2(std::string("setp.") + c.name + "." + k.name,
             {"pred", k.reg(), k.reg()}, edgeIntegers(),
             [&](uint64_t a, uint64_t b) { return holds(c, order(k, a, b)); });
    }
  // The old names of unsigned comparisons.
  const Comparison names[] = {{"lo", true, false, false, false},
                              {"ls", true, true, false, false},
                              {"hi", false, false, true, false},
                              {"hs", false, true, true, false}};
  for (const Comparison &c : names)
    check2(std::string("setp.") + c.name + ".u32", {"pred", "b32", "b32"},
           edgeIntegers(), [&](uint64_t a, uint64_t b) {
             return holds(c, a < b ? -1 : a > b);
           });
}

TEST(Compare, SetpFloats) {
  std::vector<Comparison> all(std::begin(ordered), std::end(ordered));
  all.insert(all.end(), std::begin(floating), std::end(floating));
  struct {
    std::string name, reg;
    Values values;
  } types[] = {
      {"f32", "b32", edgeFloats()},
      {"f64", "b64", edgeDoubles()},
      {"f16", "b16", {0, 0x8000, 1, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00}},
      {"bf16", "b16", {0, 0x8000, 1, 0x3f80, 0xbf80, 0x7f80, 0x7fc0}}};
  for (const auto &type : types)
    for (const Comparison &c : all)
      check2(std::string("setp.") + c.name + "." + type.name,
             {"pred", type.reg, type.reg}, type.values,
             [&](uint64_t a, uint64_t b) {
               return holds(c, order(value(type.name, a), value(type.name, b)));
             });
  // Subnormals are zeros with .ftz.
  EXPECT_EQ(evaluate("setp.eq.ftz.f32 %d, %a, %b;", {"pred", "b32", "b32"},
                     {{1, 0x807fffff, 0x00800000}, {0, 0, 0}}),
            (Values{1, 1, 0}));
}

// The second result is the complement, before the combination.
TEST(Compare, SetpCombined) {
  Values a{1, 2, 1, 2}, b{1, 1, 1, 1}, c{0, 0, 1, 1};
  std::vector<std::string> types{"b32", "b32", "b32", "pred"};
  std::string rest = "selp.u32 %t1, 1, 0, %p1; selp.u32 %t2, 2, 0, %p2;\n"
                     "or.b32 %d, %t1, %t2;";
  auto run = [&](const std::string &op, const std::string &source) {
    return evaluate(op + " %p1|%p2, %a, %b" + source + ";\n" + rest, types,
                    {a, b, c});
  };
  EXPECT_EQ(run("setp.eq.u32", ""), (Values{1, 2, 1, 2}));
  EXPECT_EQ(run("setp.eq.and.u32", ", %c"), (Values{0, 0, 1, 2}));
  EXPECT_EQ(run("setp.eq.or.u32", ", %c"), (Values{1, 2, 3, 3}));
  EXPECT_EQ(run("setp.eq.xor.u32", ", %c"), (Values{1, 2, 2, 1}));
  EXPECT_EQ(run("setp.eq.and.u32", ", !%c"), (Values{1, 2, 0, 0}));
  // Pairs of halves give one predicate each.
  EXPECT_EQ(evaluate("setp.lt.f16x2 %p1|%p2, %a, %b;\n" + rest,
                     {"b32", "b32", "b32"},
                     {{0x3c004000, 0x40003c00}, {0x40003c00, 0x40004000}}),
            (Values{2, 1}));
  EXPECT_EQ(evaluate("setp.gt.bf16x2 %p1|%p2, %a, %b;\n" + rest,
                     {"b32", "b32", "b32"}, {{0x3f804000}, {0x40003f80}}),
            Values{1});
}

TEST(Compare, Set) {
  std::vector<std::string> types{"b32", "b32", "b32"};
  Values a{1, 2}, b{1, 1};
  EXPECT_EQ(evaluate("set.eq.u32.u32 %d, %a, %b;", types, {a, b}),
            (Values{0xffffffff, 0}));
  EXPECT_EQ(evaluate("set.gt.s32.u32 %d, %a, %b;", types, {a, b}),
            (Values{0, 0xffffffff}));
  EXPECT_EQ(evaluate("set.ne.f32.s32 %d, %a, %b;", types, {a, b}),
            (Values{0, f32(1)}));
  EXPECT_EQ(evaluate("set.lt.u32.f32 %d, %a, %b;", types,
                     {{f32(1), f32(NAN)}, {f32(2), f32(2)}}),
            (Values{0xffffffff, 0}));
  EXPECT_EQ(evaluate("set.eq.and.u32.u32 %d, %a, %b, %c;",
                     {"b32", "b32", "b32", "pred"}, {{1, 1}, {1, 1}, {0, 1}}),
            (Values{0, 0xffffffff}));
  EXPECT_EQ(evaluate("set.gt.f16x2.f16x2 %d, %a, %b;", types,
                     {{0x40003c00}, {0x3c003c00}}),
            Values{0x3c000000});
  EXPECT_EQ(evaluate("set.le.u32.f16x2 %d, %a, %b;", types,
                     {{0x40003c00}, {0x3c003c00}}),
            Values{0x0000ffff});
  EXPECT_EQ(evaluate("set.eq.u16.f16 %d, %a, %b;", {"b16", "b16", "b16"},
                     {{0x8000, 1}, {0, 0}}),
            (Values{0xffff, 0}));
}

TEST(Compare, Select) {
  for (unsigned bits : {16u, 32u, 64u}) {
    std::string n = std::to_string(bits), reg = "b" + n;
    for (const char *prefix : {"b", "u", "s"})
      EXPECT_EQ(evaluate("selp." + (prefix + n) + " %d, %a, %b, %c;",
                         {reg, reg, reg, "pred"}, {{7, 7}, {9, 9}, {0, 1}}),
                (Values{9, 7}));
    EXPECT_EQ(evaluate("slct.b" + n + ".s32 %d, %a, %b, %c;",
                       {reg, reg, reg, "b32"},
                       {{7, 7, 7}, {9, 9, 9}, {0, 5, uint32_t(-1)}}),
              (Values{7, 7, 9}));
  }
  EXPECT_EQ(evaluate("selp.f32 %d, %a, 0f40000000, %c;",
                     {"b32", "b32", "b32", "pred"}, {{f32(1)}, {0}, {0, 1}}),
            (Values{f32(2), f32(1)}));
  EXPECT_EQ(evaluate("selp.f64 %d, %a, %b, !%c;", {"b64", "b64", "b64", "pred"},
                     {{f64(1)}, {f64(2)}, {0, 1}}),
            (Values{f64(1), f64(2)}));
  // -0 and NaN: -0 counts as not negative, NaN selects the second.
  for (const char *op : {"slct.u32.f32", "slct.ftz.u32.f32"})
    EXPECT_EQ(evaluate(std::string(op) + " %d, %a, %b, %c;",
                       {"b32", "b32", "b32", "b32"},
                       {{7}, {9}, {f32(1), f32(-0.0f), f32(-1), f32(NAN)}}),
              (Values{7, 7, 9, 9}));
}

TEST(Compare, Classes) {
  struct {
    const char *name;
    bool zero, subnormal, normal, infinite, nan;
  } tests[] = {{"finite", true, true, true, false, false},
               {"infinite", false, false, false, true, false},
               {"number", true, true, true, true, false},
               {"notanumber", false, false, false, false, true},
               {"normal", true, false, true, false, false},
               {"subnormal", false, true, false, false, false}};
  for (const auto &t : tests) {
    auto expect = [&](double v, bool subnormal) {
      return v == 0          ? t.zero
             : std::isnan(v) ? t.nan
             : std::isinf(v) ? t.infinite
             : subnormal     ? t.subnormal
                             : t.normal;
    };
    check1(
        std::string("testp.") + t.name + ".f32", {"pred", "b32"}, edgeFloats(),
        [&](uint64_t a) { return expect(value("f32", a), !(a & 0x7f800000)); });
    check1(std::string("testp.") + t.name + ".f64", {"pred", "b64"},
           edgeDoubles(), [&](uint64_t a) {
             return expect(value("f64", a), !(a & 0x7ff0000000000000));
           });
  }
}

} // namespace attn::ptx::test
