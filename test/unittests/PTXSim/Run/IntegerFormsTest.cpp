//===- IntegerFormsTest.cpp - Carries and rare forms of integers ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every instruction that reads or writes the carry flag, in all its types. The
// reference is one 128-bit sum; the flag of a subtraction is its borrow.
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

namespace attn::ptx::test {

using Wide = __int128;
using UWide = unsigned __int128;

namespace {
struct Kind {
  std::string name;
  unsigned bits;
  bool isSigned;

  std::string reg() const { return "b" + std::to_string(bits); }
  uint64_t mask() const { return bits == 64 ? ~0ull : (1ull << bits) - 1; }
  Wide value(uint64_t raw) const {
    raw &= mask();
    bool negative = isSigned && (raw >> (bits - 1) & 1);
    return negative ? Wide(raw) - (Wide(1) << bits) : Wide(raw);
  }
  /// One half of the product.
  uint64_t product(uint64_t a, uint64_t b, bool high) const {
    UWide p = isSigned ? UWide(value(a) * value(b)) : UWide(a) * UWide(b);
    return uint64_t(high ? p >> bits : p) & mask();
  }
};
const Kind kinds[] = {{"u32", 32, false},
                      {"s32", 32, true},
                      {"u64", 64, false},
                      {"s64", 64, true}};

/// Result and flag of an addition, or a subtraction, with a carry in.
struct Sum {
  uint64_t value;
  bool flag;
};
Sum addition(const Kind &k, uint64_t a, uint64_t b, bool in) {
  UWide s = UWide(a) + b + in;
  return {uint64_t(s) & k.mask(), bool(s >> k.bits)};
}
Sum subtraction(const Kind &k, uint64_t a, uint64_t b, bool in) {
  return {(a - b - in) & k.mask(), UWide(a) < UWide(b) + in};
}

/// Runs `code` with a carry in of (c & 1); the result's low bit of the upper
/// word, or of the word itself, is the flag behind it.
void expectChain(const Kind &k, const std::string &code, bool flagOut,
                 llvm::function_ref<Sum(uint64_t, uint64_t, bool)> f) {
  Values a, b, c, value, flag;
  Values edges{0,
               1,
               2,
               0x7fffffff,
               0x80000000,
               0xfffffffe,
               0xffffffff,
               0x7fffffffffffffff,
               0x8000000000000000,
               ~0ull};
  for (uint64_t x : edges)
    for (uint64_t y : edges)
      for (uint64_t in : {0, 1}) {
        a.push_back(x & k.mask());
        b.push_back(y & k.mask());
        c.push_back(in);
        Sum s = f(a.back(), b.back(), in);
        value.push_back(s.value);
        flag.push_back(s.flag);
      }
  std::vector<std::string> types{k.reg(), k.reg(), k.reg(), "b32"};
  // 0xffffffff + c carries when c is 1.
  std::string setup = "add.cc.u32 %t1, %c, 0xffffffff;\n";
  EXPECT_EQ(evaluate(setup + code, types, {a, b, c}), value) << code;
  std::string after =
      "addc." + std::string(k.bits == 64 ? "u64" : "u32") + " %d, 0, 0;";
  // Without .cc the flag stays as it was.
  EXPECT_EQ(evaluate(setup + code + "\n" + after, types, {a, b, c}),
            flagOut ? flag : c)
      << code;
}
} // namespace

TEST(IntegerForms, Carries) {
  for (const Kind &k : kinds)
    for (bool in : {false, true})
      for (bool out : {false, true}) {
        if (!in && !out)
          continue;
        auto form = [&](const char *name) {
          return std::string(name) + (in ? "c" : "") + (out ? ".cc." : ".") +
                 k.name;
        };
        expectChain(k, form("add") + " %d, %a, %b;", out,
                    [&](uint64_t a, uint64_t b, bool carry) {
                      return addition(k, a, b, in && carry);
                    });
        expectChain(k, form("sub") + " %d, %a, %b;", out,
                    [&](uint64_t a, uint64_t b, bool carry) {
                      return subtraction(k, a, b, in && carry);
                    });
        for (bool high : {false, true}) {
          std::string name = std::string("mad") + (in ? "c" : "") +
                             (high ? ".hi" : ".lo") + (out ? ".cc." : ".") +
                             k.name;
          expectChain(k, name + " %d, %a, %b, %b;", out,
                      [&](uint64_t a, uint64_t b, bool carry) {
                        return addition(k, k.product(a, b, high), b,
                                        in && carry);
                      });
        }
      }
}

// A 256-bit product of two 128-bit numbers as compilers write it.
TEST(IntegerForms, LongMultiplication) {
  std::string code = "mul.lo.u32 %t1, %a, %b; mul.hi.u32 %t2, %a, %b;\n"
                     "mad.lo.cc.u32 %t2, %a, %c, %t2;\n"
                     "madc.hi.u32 %t3, %a, %c, 0;\n";
  Values a{0xffffffff, 0x12345678}, b{0xffffffff, 0x9abcdef0},
      c{0xffffffff, 0x87654321};
  std::vector<std::string> types{"b32", "b32", "b32", "b32"};
  for (unsigned word = 0; word != 3; ++word) {
    Values want;
    for (size_t k = 0; k != 2; ++k) {
      UWide product = UWide(c[k] << 32 | b[k]) * a[k];
      want.push_back(uint32_t(product >> (32 * word)));
    }
    EXPECT_EQ(evaluate(code + "mov.b32 %d, %t" + std::to_string(word + 1) + ";",
                       types, {a, b, c}),
              want);
  }
}

TEST(IntegerForms, Mad24HighSaturates) {
  auto field = [](uint64_t v) {
    v &= 0xffffff;
    return v & 0x800000 ? int64_t(v) - 0x1000000 : int64_t(v);
  };
  check3("mad24.hi.sat.s32", {"b32", "b32", "b32", "b32"}, edgeIntegers(),
         [&](uint64_t a, uint64_t b, uint64_t c) {
           int64_t sum = (field(a) * field(b) >> 16) + int64_t(int32_t(c));
           return uint64_t(
               std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX));
         });
}

// p = (lop3 != 0) op q
TEST(IntegerForms, Lop3WithPredicate) {
  for (bool isAnd : {false, true})
    for (const char *q : {"%p2", "!%p2"}) {
      std::string op = isAnd ? "lop3.and.b32" : "lop3.or.b32";
      std::string setup = "setp.ne.u32 %p2, %c, 0;\n";
      std::string collect = " selp.b32 %t2, 16, 0, %p1;\n"
                            "and.b32 %d, %t1, 15; or.b32 %d, %d, %t2;";
      Values a{0, 0, 1, 1, 3, 3}, b{0, 0, 2, 2, 1, 1}, c{0, 1, 0, 1, 0, 1}, w;
      for (size_t k = 0; k != a.size(); ++k) {
        uint64_t value = a[k] & b[k]; // table 0xc0
        bool third = (c[k] != 0) == (*q == '%');
        bool p = isAnd ? value && third : value || third;
        w.push_back(value | (p ? 16 : 0));
      }
      std::vector<std::string> types{"b32", "b32", "b32", "b32"};
      EXPECT_EQ(evaluate(setup + op + " %t1|%p1, %a, %b, %c, 0xc0, " + q + ";" +
                             collect,
                         types, {a, b, c}),
                w)
          << op << q;
      // The value may be dropped.
      for (uint64_t &v : w)
        v &= 16;
      EXPECT_EQ(evaluate(setup + "mov.b32 %t1, 0; " + op +
                             " _|%p1, %a, %b, %c, 0xc0, " + q + ";" + collect,
                         types, {a, b, c}),
                w)
          << op << q;
    }
}

// All 256 tables, on operands that hold every combination of three bits.
TEST(IntegerForms, Lop3Tables) {
  std::vector<std::string> types{"b32", "b32", "b32", "b32"};
  for (unsigned table = 0; table != 256; ++table) {
    uint64_t want = 0;
    for (unsigned bit = 0; bit != 32; ++bit) {
      unsigned index = (0xf0f0f0f0u >> bit & 1) << 2 |
                       (0xccccccccu >> bit & 1) << 1 | (0xaaaaaaaau >> bit & 1);
      want |= uint64_t(table >> index & 1) << bit;
    }
    ASSERT_EQ(
        evaluate("lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";",
                 types, {{0xf0f0f0f0}, {0xcccccccc}, {0xaaaaaaaa}})[0],
        want)
        << table;
  }
}

// Differences of the four bytes, and their sum with the third operand.
TEST(IntegerForms, Vabsdiff4) {
  for (bool isSigned : {false, true})
    for (bool sum : {false, true})
      check3(std::string("vabsdiff4.u32.") +
                 (isSigned ? "s32.s32" : "u32.u32") + (sum ? ".add" : ""),
             {"b32", "b32", "b32", "b32"}, edgeIntegers(),
             [&](uint64_t a, uint64_t b, uint64_t c) {
               uint64_t result = sum ? c : 0;
               for (unsigned at = 0; at != 32; at += 8) {
                 int x = int(a >> at & 255), y = int(b >> at & 255);
                 if (isSigned) {
                   x -= x > 127 ? 256 : 0;
                   y -= y > 127 ? 256 : 0;
                 }
                 auto difference = uint64_t(x < y ? y - x : x - y);
                 result += sum ? difference : (difference & 255) << at;
               }
               return result;
             });
}

// Fields of 2, 4 and 8 bits: clamped, the third source moved up by two.
TEST(IntegerForms, CvtPack) {
  for (unsigned bits : {2u, 4u, 8u, 16u})
    for (bool isSigned : {false, true}) {
      int64_t least = isSigned ? -(1ll << (bits - 1)) : 0;
      int64_t most = (1ll << (bits - isSigned)) - 1;
      auto field = [&](uint64_t raw) {
        int64_t v = int32_t(raw);
        v = std::min(std::max(v, least), most);
        return uint64_t(v) & ((1ull << bits) - 1);
      };
      std::string type = (isSigned ? "s" : "u") + std::to_string(bits);
      if (bits == 16)
        check2("cvt.pack.sat." + type + ".s32", {"b32", "b32", "b32"},
               edgeIntegers(), [&](uint64_t a, uint64_t b) {
                 return field(a) << bits | field(b);
               });
      else
        check3("cvt.pack.sat." + type + ".s32.b32",
               {"b32", "b32", "b32", "b32"}, edgeIntegers(),
               [&](uint64_t a, uint64_t b, uint64_t c) {
                 return c << (2 * bits) | field(a) << bits | field(b);
               });
    }
}

} // namespace attn::ptx::test
