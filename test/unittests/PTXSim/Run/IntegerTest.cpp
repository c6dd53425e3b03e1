//===- IntegerTest.cpp - Integer arithmetic -------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values are 128-bit arithmetic written down from the PTX ISA.
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

namespace attn::ptx::test {

using Wide = __int128;

namespace {
struct Kind {
  std::string name;
  unsigned bits;
  bool isSigned;

  std::string reg() const { return "b" + std::to_string(bits); }
  std::string twice() const { return "b" + std::to_string(2 * bits); }
  Wide value(uint64_t raw) const {
    if (!isSigned)
      return Wide(raw);
    if (bits == 64)
      return Wide(int64_t(raw));
    return raw >> (bits - 1) & 1 ? Wide(raw) - (Wide(1) << bits) : Wide(raw);
  }
  Wide least() const { return isSigned ? -(Wide(1) << (bits - 1)) : Wide(0); }
  Wide most() const { return (Wide(1) << (bits - isSigned)) - 1; }
  uint64_t clamped(Wide v) const {
    return uint64_t(v < least() ? least() : v > most() ? most() : v);
  }
};
const Kind all[] = {{"u16", 16, false}, {"s16", 16, true},  {"u32", 32, false},
                    {"s32", 32, true},  {"u64", 64, false}, {"s64", 64, true}};
const Kind u32{"u32", 32, false}, s32{"s32", 32, true};
} // namespace

/// Same type for all registers; `f` on mathematical values.
template <typename F> static void binary(std::string op, const Kind &k, F f) {
  check2(op, {k.reg(), k.reg(), k.reg()}, edgeIntegers(),
         [&](uint64_t a, uint64_t b) {
           return uint64_t(f(k.value(a), k.value(b)));
         });
}
template <typename F> static void ternary(std::string op, const Kind &k, F f) {
  check3(op, {k.reg(), k.reg(), k.reg(), k.reg()}, edgeIntegers(),
         [&](uint64_t a, uint64_t b, uint64_t c) {
           return uint64_t(f(k.value(a), k.value(b), k.value(c)));
         });
}

TEST(Integer, AddSub) {
  for (const Kind &k : all) {
    binary("add." + k.name, k, [](Wide a, Wide b) { return a + b; });
    binary("sub." + k.name, k, [](Wide a, Wide b) { return a - b; });
  }
  binary("add.sat.s32", s32, [](Wide a, Wide b) { return s32.clamped(a + b); });
  binary("sub.sat.s32", s32, [](Wide a, Wide b) { return s32.clamped(a - b); });
}

// The halves of a register do not carry into each other.
TEST(Integer, Packed) {
  auto halves = [](uint64_t a, uint64_t b, bool isSigned, auto f) {
    Kind k{"", 16, isSigned};
    uint64_t low = uint16_t(f(k.value(a & 0xffff), k.value(b & 0xffff)));
    return low | uint64_t(uint16_t(f(k.value(a >> 16), k.value(b >> 16))))
                     << 16;
  };
  std::vector<std::string> types{"b32", "b32", "b32"};
  for (bool isSigned : {false, true}) {
    std::string suffix = isSigned ? "s16x2" : "u16x2";
    check2("add." + suffix, types, edgeIntegers(), [&](uint64_t a, uint64_t b) {
      return halves(a, b, isSigned, [](Wide x, Wide y) { return x + y; });
    });
    check2("min." + suffix, types, edgeIntegers(), [&](uint64_t a, uint64_t b) {
      return halves(a, b, isSigned,
                    [](Wide x, Wide y) { return x < y ? x : y; });
    });
    check2("max." + suffix, types, edgeIntegers(), [&](uint64_t a, uint64_t b) {
      return halves(a, b, isSigned,
                    [](Wide x, Wide y) { return x > y ? x : y; });
    });
  }
  check2("max.relu.s16x2", types, edgeIntegers(), [&](uint64_t a, uint64_t b) {
    return halves(a, b, true, [](Wide x, Wide y) {
      Wide m = x > y ? x : y;
      return m > 0 ? m : Wide(0);
    });
  });
}

TEST(Integer, Products) {
  for (const Kind &k : all) {
    binary("mul.lo." + k.name, k,
           [](Wide a, Wide b) { return uint64_t(a) * uint64_t(b); });
    binary("mul.hi." + k.name, k, [&](Wide a, Wide b) {
      // An unsigned 64-bit product needs all 128 bits.
      return k.isSigned
                 ? uint64_t(a * b >> k.bits)
                 : uint64_t((unsigned __int128)a * (unsigned __int128)b >>
                            k.bits);
    });
    ternary("mad.lo." + k.name, k, [](Wide a, Wide b, Wide c) {
      return uint64_t(a) * uint64_t(b) + uint64_t(c);
    });
    ternary("mad.hi." + k.name, k, [&](Wide a, Wide b, Wide c) {
      uint64_t high =
          k.isSigned
              ? uint64_t(a * b >> k.bits)
              : uint64_t((unsigned __int128)a * (unsigned __int128)b >> k.bits);
      return high + uint64_t(c);
    });
    if (k.bits == 64)
      continue;
    check2("mul.wide." + k.name, {k.twice(), k.reg(), k.reg()}, edgeIntegers(),
           [&](uint64_t a, uint64_t b) {
             return uint64_t(k.value(a) * k.value(b));
           });
    check3("mad.wide." + k.name, {k.twice(), k.reg(), k.reg(), k.twice()},
           edgeIntegers(), [&](uint64_t a, uint64_t b, uint64_t c) {
             return uint64_t(k.value(a) * k.value(b)) + c;
           });
  }
  ternary("mad.hi.sat.s32", s32, [](Wide a, Wide b, Wide c) {
    return s32.clamped((a * b >> 32) + c);
  });
}

TEST(Integer, Products24) {
  for (const Kind &k : {u32, s32}) {
    Kind field{"", 24, k.isSigned};
    auto product = [=](uint64_t a, uint64_t b) {
      return field.value(a & 0xffffff) * field.value(b & 0xffffff);
    };
    std::vector<std::string> two{"b32", "b32", "b32"};
    std::vector<std::string> three{"b32", "b32", "b32", "b32"};
    check2("mul24.lo." + k.name, two, edgeIntegers(),
           [=](uint64_t a, uint64_t b) { return uint64_t(product(a, b)); });
    // The high part are bits 16 to 47 of the 48-bit product.
    check2(
        "mul24.hi." + k.name, two, edgeIntegers(),
        [=](uint64_t a, uint64_t b) { return uint64_t(product(a, b) >> 16); });
    check3("mad24.lo." + k.name, three, edgeIntegers(),
           [=](uint64_t a, uint64_t b, uint64_t c) {
             return uint64_t(product(a, b)) + c;
           });
    check3("mad24.hi." + k.name, three, edgeIntegers(),
           [=](uint64_t a, uint64_t b, uint64_t c) {
             return uint64_t(product(a, b) >> 16) + c;
           });
  }
}

// Division by zero has no defined result and is left out.
TEST(Integer, DivRem) {
  Values divisors;
  for (uint64_t v : edgeIntegers())
    if (uint16_t(v))
      divisors.push_back(v);
  for (const Kind &k : all) {
    auto run = [&](const char *op, auto f) {
      check2(op + k.name, {k.reg(), k.reg(), k.reg()}, divisors,
             [&](uint64_t a, uint64_t b) {
               return uint64_t(f(k.value(a), k.value(b)));
             });
    };
    run("div.", [](Wide a, Wide b) { return a / b; });
    run("rem.", [](Wide a, Wide b) { return a % b; });
  }
}

TEST(Integer, MinMaxAbsNeg) {
  for (const Kind &k : all) {
    binary("min." + k.name, k, [](Wide a, Wide b) { return a < b ? a : b; });
    binary("max." + k.name, k, [](Wide a, Wide b) { return a > b ? a : b; });
    if (!k.isSigned)
      continue;
    check1("abs." + k.name, {k.reg(), k.reg()}, edgeIntegers(),
           [&](uint64_t a) {
             Wide v = k.value(a);
             return uint64_t(v < 0 ? -v : v);
           });
    check1("neg." + k.name, {k.reg(), k.reg()}, edgeIntegers(),
           [&](uint64_t a) { return uint64_t(-k.value(a)); });
  }
  binary("min.relu.s32", s32, [](Wide a, Wide b) {
    Wide m = a < b ? a : b;
    return m > 0 ? m : Wide(0);
  });
  binary("max.relu.s32", s32, [](Wide a, Wide b) {
    Wide m = a > b ? a : b;
    return m > 0 ? m : Wide(0);
  });
}

TEST(Integer, SumOfDifferences) {
  for (const Kind &k : all)
    ternary("sad." + k.name, k, [](Wide a, Wide b, Wide c) {
      return uint64_t(a < b ? b - a : a - b) + uint64_t(c);
    });
}

TEST(Integer, DotProducts) {
  auto part = [](uint64_t v, unsigned at, unsigned bits, bool isSigned) {
    return Kind{"", bits, isSigned}.value(v >> at & ((1u << bits) - 1));
  };
  std::vector<std::string> types{"b32", "b32", "b32", "b32"};
  for (bool sa : {false, true})
    for (bool sb : {false, true}) {
      std::string suffix =
          std::string(sa ? ".s32" : ".u32") + (sb ? ".s32" : ".u32");
      check3("dp4a" + suffix, types, edgeIntegers(),
             [&](uint64_t a, uint64_t b, uint64_t c) {
               Wide sum = Wide(c);
               for (unsigned k = 0; k != 32; k += 8)
                 sum += part(a, k, 8, sa) * part(b, k, 8, sb);
               return uint64_t(sum);
             });
      for (bool high : {false, true})
        check3((high ? "dp2a.hi" : "dp2a.lo") + suffix, types, edgeIntegers(),
               [&](uint64_t a, uint64_t b, uint64_t c) {
                 unsigned at = high ? 16 : 0;
                 return uint64_t(Wide(c) +
                                 part(a, 0, 16, sa) * part(b, at, 8, sb) +
                                 part(a, 16, 16, sa) * part(b, at + 8, 8, sb));
               });
    }
}

// A 128-bit sum and difference in 32-bit steps, and a product with carries.
TEST(Integer, Carries) {
  std::vector<std::string> types{"b32", "b32", "b32", "b32"};
  auto carries = [&](const std::string &first, const std::string &second,
                     auto f) {
    // %a:%c with %b:%b; the upper word is the result.
    Values a, b, c, expected;
    for (uint64_t x : {0u, 1u, 0x80000000u, 0xffffffffu})
      for (uint64_t y : {0u, 1u, 0x7fffffffu, 0xffffffffu})
        for (uint64_t z : {0u, 5u, 0xffffffffu}) {
          a.push_back(x);
          b.push_back(y);
          c.push_back(z);
          expected.push_back(uint32_t(f(x, y, z)));
        }
    EXPECT_EQ(evaluate(first + " %t1, %a, %b; " + second + " %d, %c, %b;",
                       types, {a, b, c}),
              expected)
        << first;
  };
  carries("add.cc.u32", "addc.u32", [](uint64_t a, uint64_t b, uint64_t c) {
    return (a + b + ((c + b) << 32)) >> 32;
  });
  carries("sub.cc.u32", "subc.u32", [](uint64_t a, uint64_t b, uint64_t c) {
    return ((c << 32 | a) - (b << 32 | b)) >> 32;
  });
  EXPECT_EQ(evaluate("mad.lo.cc.u32 %t1, %a, %b, %c;\n"
                     "madc.hi.u32 %d, %a, %b, 0;",
                     types,
                     {{0xffffffff, 3}, {0xffffffff, 5}, {0xffffffff, 1}}),
            (Values{0xffffffff, 0}));
  EXPECT_EQ(evaluate("add.cc.u32 %t1, %a, %b; addc.cc.u32 %t2, %a, 0;\n"
                     "addc.u32 %d, 0, 0;",
                     types, {{0xffffffff, 3}, {1, 5}, {0, 0}}),
            (Values{1, 0}));
  EXPECT_EQ(evaluate("sub.cc.u32 %t1, %a, %b; subc.cc.u32 %t2, %a, 0;\n"
                     "subc.u32 %d, 0, 0;",
                     types, {{0, 6}, {1, 5}, {0, 0}}),
            (Values{0xffffffff, 0}));
  EXPECT_EQ(evaluate("add.cc.u64 %w1, %a, %b; addc.u64 %d, 7, 0;",
                     {"b64", "b64", "b64"}, {{~0ull, 3}, {1, 5}}),
            (Values{8, 7}));
}

} // namespace attn::ptx::test
