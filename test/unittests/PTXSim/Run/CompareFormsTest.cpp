//===- CompareFormsTest.cpp - Every form of setp, set, selp and slct ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A comparison is a set of the four relations less, equal, greater and
// unordered; the tables here say which relations make each one true.
//
//===----------------------------------------------------------------------===//

#include "HalfModel.h"

namespace attn::ptx::test {

namespace {
enum Relation : unsigned { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };
struct Comparison {
  const char *name;
  unsigned relations;
  bool floats, unsignedOnly;
};
const Comparison comparisons[] = {
    {"eq", Equal, false, false},
    {"ne", Less | Greater, false, false},
    {"lt", Less, false, false},
    {"le", Less | Equal, false, false},
    {"gt", Greater, false, false},
    {"ge", Greater | Equal, false, false},
    {"lo", Less, false, true},
    {"ls", Less | Equal, false, true},
    {"hi", Greater, false, true},
    {"hs", Greater | Equal, false, true},
    {"equ", Equal | Unordered, true, false},
    {"neu", Less | Greater | Unordered, true, false},
    {"ltu", Less | Unordered, true, false},
    {"leu", Less | Equal | Unordered, true, false},
    {"gtu", Greater | Unordered, true, false},
    {"geu", Greater | Equal | Unordered, true, false},
    {"num", Less | Equal | Greater, true, false},
    {"nan", Unordered, true, false}};

struct Kind {
  std::string name;
  unsigned bits;
  enum { Bits, Unsigned, Signed, Float } sort;

  std::string reg() const { return "b" + std::to_string(bits); }
  bool takes(const Comparison &c) const {
    if (sort == Bits)
      return c.name == std::string("eq") || c.name == std::string("ne");
    return (!c.floats || sort == Float) &&
           (!c.unsignedOnly || sort == Unsigned);
  }
  double number(uint64_t raw, bool ftz) const {
    if (name == "f32") {
      float v = llvm::bit_cast<float>(uint32_t(raw));
      return ftz && std::fpclassify(v) == FP_SUBNORMAL ? 0 : v;
    }
    if (name == "f64")
      return llvm::bit_cast<double>(raw);
    const half::Format &f = name == "f16" ? half::f16 : half::bf16;
    return ftz ? half::flushed(f, raw) : f.decode(raw);
  }
  Relation relation(uint64_t a, uint64_t b, bool ftz) const {
    auto order = [](auto x, auto y) {
      return x < y ? Less : x > y ? Greater : x == y ? Equal : Unordered;
    };
    if (sort == Float)
      return order(number(a, ftz), number(b, ftz));
    if (sort != Signed)
      return order(a, b);
    unsigned shift = 64 - bits;
    return order(int64_t(a << shift), int64_t(b << shift));
  }
  Values samples() const {
    return name == "f32"    ? edgeFloats()
           : name == "f64"  ? edgeDoubles()
           : name == "f16"  ? half::samples(half::f16)
           : name == "bf16" ? half::samples(half::bf16)
                            : edgeIntegers();
  }
};
const Kind kinds[] = {{"b16", 16, Kind::Bits},     {"b32", 32, Kind::Bits},
                      {"b64", 64, Kind::Bits},     {"u16", 16, Kind::Unsigned},
                      {"u32", 32, Kind::Unsigned}, {"u64", 64, Kind::Unsigned},
                      {"s16", 16, Kind::Signed},   {"s32", 32, Kind::Signed},
                      {"s64", 64, Kind::Signed},   {"f16", 16, Kind::Float},
                      {"bf16", 16, Kind::Float},   {"f32", 32, Kind::Float},
                      {"f64", 64, Kind::Float}};
bool hasFtz(const Kind &k) { return k.name == "f32" || k.name == "f16"; }
bool isHalf(const Kind &k) { return k.name == "f16" || k.name == "bf16"; }

struct Combine {
  const char *name;
  bool (*f)(bool, bool);
};
const Combine combines[] = {{".and", [](bool a, bool b) { return a && b; }},
                            {".or", [](bool a, bool b) { return a || b; }},
                            {".xor", [](bool a, bool b) { return a != b; }}};
} // namespace

TEST(CompareForms, Setp) {
  for (const Kind &k : kinds)
    for (const Comparison &c : comparisons)
      for (bool ftz : {false, true}) {
        if (!k.takes(c) || (ftz && !hasFtz(k)))
          continue;
        std::string op =
            std::string("setp.") + c.name + (ftz ? ".ftz." : ".") + k.name;
        auto holds = [&](uint64_t a, uint64_t b) -> uint64_t {
          return (k.relation(a, b, ftz) & c.relations) != 0;
        };
        check2(op, {"pred", k.reg(), k.reg()}, k.samples(), holds);
        for (const Combine &m : combines) {
          std::string form = std::string("setp.") + c.name + m.name +
                             (ftz ? ".ftz." : ".") + k.name;
          // Lanes with odd a have a true third operand.
          Values a, b, want;
          for (uint64_t x : k.samples())
            for (uint64_t y : {k.samples()[0], k.samples()[3], x}) {
              uint64_t mask = k.bits == 64 ? ~0ull : (1ull << k.bits) - 1;
              a.push_back(x & mask);
              b.push_back(y & mask);
              want.push_back(m.f(holds(x & mask, y & mask), !(x & 1)));
            }
          std::string wide = k.bits == 16   ? "cvt.u64.u16 %w1, %a;"
                             : k.bits == 32 ? "cvt.u64.u32 %w1, %a;"
                                            : "mov.b64 %w1, %a;";
          ASSERT_EQ(evaluate(wide +
                                 " and.b64 %w1, %w1, 1;\n"
                                 "setp.ne.u64 %p3, %w1, 0;\n" +
                                 form + " %d, %a, %b, !%p3;",
                             {"pred", k.reg(), k.reg()}, {a, b}),
                    want)
              << form;
        }
      }
}

// The second predicate is that of the opposite comparison; with .and and the
// others both are combined.
TEST(CompareForms, SetpPairOfPredicates) {
  for (const Kind &k : kinds) {
    if (isHalf(k))
      continue;
    Values a, b, want;
    for (uint64_t x : k.samples())
      for (uint64_t y : {k.samples()[1], k.samples()[6], x}) {
        uint64_t mask = k.bits == 64 ? ~0ull : (1ull << k.bits) - 1;
        a.push_back(x & mask);
        b.push_back(y & mask);
        Relation r = k.relation(x & mask, y & mask, false);
        want.push_back(r & (Less | Greater) ? 1 : 2);
      }
    std::string collect = " selp.b32 %d, 1, 0, %p1; @%p2 add.u32 %d, %d, 2;";
    std::vector<std::string> types{"b32", k.reg(), k.reg()};
    EXPECT_EQ(evaluate("setp.ne." + k.name + " %p1|%p2, %a, %b;" + collect,
                       types, {a, b}),
              want)
        << k.name;
    for (uint64_t &w : want)
      w = 0;
    EXPECT_EQ(evaluate("setp.ne.u32 %p3, 0, 0;\nsetp.ne.and." + k.name +
                           " %p1|%p2, %a, %b, %p3;" + collect,
                       types, {a, b}),
              want)
        << k.name;
  }
}

TEST(CompareForms, SetpPairs) {
  for (const Kind &k : kinds)
    for (const Comparison &c : comparisons)
      for (bool ftz : {false, true}) {
        if (!isHalf(k) || !k.takes(c) || (ftz && k.name == "bf16"))
          continue;
        std::string tail = (ftz ? ".ftz." : ".") + k.name + "x2";
        Values a, b, plain, combined;
        for (uint64_t x : k.samples())
          for (uint64_t y : k.samples()) {
            a.push_back(y << 16 | x);
            b.push_back(x << 16 | y);
            uint64_t low = (k.relation(x, y, ftz) & c.relations) != 0;
            uint64_t high = (k.relation(y, x, ftz) & c.relations) != 0;
            plain.push_back(low | high << 1);
            combined.push_back(x & 1 ? 3 : plain.back());
          }
        std::string collect = " selp.b32 %d, 1, 0, %p1;\n"
                              "@%p2 add.u32 %d, %d, 2;";
        std::vector<std::string> types{"b32", "b32", "b32"};
        ASSERT_EQ(evaluate(std::string("setp.") + c.name + tail +
                               " %p1|%p2, %a, %b;" + collect,
                           types, {a, b}),
                  plain)
            << c.name << tail;
        ASSERT_EQ(evaluate("and.b32 %t1, %a, 1; setp.ne.u32 %p3, %t1, 0;\n"
                           "setp." +
                               std::string(c.name) + ".or" + tail +
                               " %p1|%p2, %a, %b, %p3;" + collect,
                           types, {a, b}),
                  combined)
            << c.name << tail;
      }
}

// True is all ones, or 1.0 in a float type.
TEST(CompareForms, Set) {
  struct Target {
    const char *name, *reg;
    uint64_t yes;
    bool withHalves, withOthers;
  };
  const Target targets[] = {{"u32", "b32", 0xffffffff, true, true},
                            {"s32", "b32", 0xffffffff, true, true},
                            {"f32", "b32", 0x3f800000, false, true},
                            {"u16", "b16", 0xffff, true, false},
                            {"s16", "b16", 0xffff, true, false},
                            {"f16", "b16", 0x3c00, true, true},
                            {"bf16", "b16", 0x3f80, true, true}};
  for (const Kind &k : kinds)
    for (const Comparison &c : comparisons)
      for (const Target &t : targets)
        for (bool ftz : {false, true}) {
          bool fits = isHalf(k) ? t.withHalves : t.withOthers;
          std::string to = t.name;
          // A half is compared into its own kind of half only.
          if ((k.name == "f16" && to == "bf16") ||
              (k.name == "bf16" && to == "f16"))
            fits = false;
          if (!fits || !k.takes(c) || (ftz && !hasFtz(k)))
            continue;
          std::string z = ftz ? ".ftz." : ".";
          auto holds = [&](uint64_t a, uint64_t b) {
            return (k.relation(a, b, ftz) & c.relations) != 0;
          };
          check2(
              std::string("set.") + c.name + z + to + "." + k.name,
              {t.reg, k.reg(), k.reg()}, k.samples(),
              [&](uint64_t a, uint64_t b) { return holds(a, b) ? t.yes : 0; });
          if (c.relations != Less && c.relations != (Equal | Unordered))
            continue;
          for (const Combine &m : combines)
            for (const char *q : {"1", "0"})
              check2(
                  std::string("setp.ne.u32 %p3, ") + q + ", 0; set." + c.name +
                      m.name + z + to + "." + k.name,
                  {t.reg, k.reg(), k.reg()},
                  {k.samples()[0], k.samples()[1], k.samples()[5]},
                  [&](uint64_t a, uint64_t b) {
                    return m.f(holds(a, b), *q == '1') ? t.yes : 0;
                  },
                  ", %p3");
        }
}

// Pairs: of 1.0, or of all ones in each half.
TEST(CompareForms, SetPairs) {
  for (const Kind &k : kinds)
    for (const Comparison &c : comparisons)
      for (bool ftz : {false, true}) {
        if (!isHalf(k) || !k.takes(c) || (ftz && k.name == "bf16"))
          continue;
        Values a, b;
        for (uint64_t x : k.samples())
          for (uint64_t y : k.samples()) {
            a.push_back(y << 16 | x);
            b.push_back(x << 16 | y);
          }
        for (const std::string &to :
             {std::string("u32"), std::string("s32"), k.name + "x2"}) {
          uint64_t yes = to != k.name + "x2" ? 0xffff
                         : k.name == "f16"   ? 0x3c00
                                             : 0x3f80;
          Values want;
          for (size_t i = 0; i != a.size(); ++i) {
            uint64_t low =
                k.relation(a[i] & 0xffff, b[i] & 0xffff, ftz) & c.relations;
            uint64_t high =
                k.relation(a[i] >> 16, b[i] >> 16, ftz) & c.relations;
            want.push_back((high ? yes << 16 : 0) | (low ? yes : 0));
          }
          std::string op = std::string("set.") + c.name +
                           (ftz ? ".ftz." : ".") + to + "." + k.name + "x2";
          ASSERT_EQ(
              evaluate(op + " %d, %a, %b;", {"b32", "b32", "b32"}, {a, b}),
              want)
              << op;
        }
      }
}

// slct takes a when c is not negative; NaN is not, -0 is. With .ftz a
// negative subnormal number counts as -0.
TEST(CompareForms, Slct) {
  for (const Kind &k : kinds) {
    if (isHalf(k))
      continue;
    std::vector<std::string> types{k.reg(), k.reg(), k.reg(), "b32"};
    Values a{0x11}, b{0x22};
    EXPECT_EQ(evaluate("slct." + k.name + ".s32 %d, %a, %b, %c;", types,
                       {a, b, {0, 1, 0x7fffffff, 0x80000000, 0xffffffff}}),
              (Values{0x11, 0x11, 0x11, 0x22, 0x22}))
        << k.name;
    Values c{f32(1),     f32(0),        f32(-0.0f), f32(-1),
             0x80000001, f32(INFINITY), 0x7fc00000, f32(-INFINITY)};
    EXPECT_EQ(
        evaluate("slct." + k.name + ".f32 %d, %a, %b, %c;", types, {a, b, c}),
        (Values{0x11, 0x11, 0x11, 0x22, 0x22, 0x11, 0x22, 0x22}))
        << k.name;
    EXPECT_EQ(evaluate("slct.ftz." + k.name + ".f32 %d, %a, %b, %c;", types,
                       {a, b, c}),
              (Values{0x11, 0x11, 0x11, 0x22, 0x11, 0x11, 0x22, 0x22}))
        << k.name;
    EXPECT_EQ(evaluate("and.b32 %t1, %c, 1; setp.ne.u32 %p1, %t1, 0;\n"
                       "selp." +
                           k.name + " %d, %a, %b, %p1;",
                       types, {a, b, {0, 1, 2, 3}}),
              (Values{0x22, 0x11, 0x22, 0x11}))
        << k.name;
  }
}

} // namespace attn::ptx::test
