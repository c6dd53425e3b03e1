//===- BitTest.cpp - Logic, shifts and bit fields -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values follow the pseudo-code of the PTX ISA, bit by bit.
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

namespace attn::ptx::test {

static std::string reg(unsigned bits) { return "b" + std::to_string(bits); }
static int64_t asSigned(uint64_t v, unsigned bits) {
  return bits == 64            ? int64_t(v)
         : v >> (bits - 1) & 1 ? int64_t(v | ~0ull << bits)
                               : int64_t(v);
}

TEST(Bits, Logic) {
  for (unsigned bits : {16u, 32u, 64u}) {
    std::vector<std::string> types{reg(bits), reg(bits), reg(bits)};
    std::string suffix = ".b" + std::to_string(bits);
    check2("and" + suffix, types, edgeIntegers(),
           [](uint64_t a, uint64_t b) { return a & b; });
    check2("or" + suffix, types, edgeIntegers(),
           [](uint64_t a, uint64_t b) { return a | b; });
    check2("xor" + suffix, types, edgeIntegers(),
           [](uint64_t a, uint64_t b) { return a ^ b; });
    check1("not" + suffix, {reg(bits), reg(bits)}, edgeIntegers(),
           [](uint64_t a) { return ~a; });
    check1("cnot" + suffix, {reg(bits), reg(bits)}, edgeIntegers(),
           [](uint64_t a) { return uint64_t(a == 0); });
  }
  std::vector<std::string> preds{"pred", "pred", "pred"};
  check2("and.pred", preds, {0, 1},
         [](uint64_t a, uint64_t b) { return a & b; });
  check2("or.pred", preds, {0, 1},
         [](uint64_t a, uint64_t b) { return a | b; });
  check2("xor.pred", preds, {0, 1},
         [](uint64_t a, uint64_t b) { return a ^ b; });
  check1("not.pred", {"pred", "pred"}, {0, 1}, [](uint64_t a) { return !a; });
}

// The table's bit a*4 + b*2 + c is the result.
TEST(Bits, Lop3) {
  for (unsigned table :
       {0x00u, 0x01u, 0x1bu, 0x80u, 0x96u, 0xe8u, 0xeau, 0xffu}) {
    Values got =
        evaluate("lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";",
                 {"b32", "b32", "b32", "b32"},
                 {{0x0f0f3355}, {0x00ff0f33}, {0x12345678}});
    uint64_t want = 0;
    for (unsigned bit = 0; bit != 32; ++bit) {
      unsigned index = (0x0f0f3355u >> bit & 1) * 4 +
                       (0x00ff0f33u >> bit & 1) * 2 + (0x12345678u >> bit & 1);
      want |= uint64_t(table >> index & 1) << bit;
    }
    EXPECT_EQ(got, Values{want}) << table;
  }
}

// Amounts beyond the size are clamped to it.
TEST(Bits, Shifts) {
  for (unsigned bits : {16u, 32u, 64u}) {
    std::vector<std::string> types{reg(bits), reg(bits), "b32"};
    std::string n = std::to_string(bits);
    check2("shl.b" + n, types, edgeIntegers(),
           [=](uint64_t a, uint64_t b) { return b >= bits ? 0 : a << b; });
    check2("shr.u" + n, types, edgeIntegers(),
           [=](uint64_t a, uint64_t b) { return b >= bits ? 0 : a >> b; });
    check2("shr.b" + n, types, edgeIntegers(),
           [=](uint64_t a, uint64_t b) { return b >= bits ? 0 : a >> b; });
    check2("shr.s" + n, types, edgeIntegers(), [=](uint64_t a, uint64_t b) {
      int64_t v = asSigned(a, bits);
      return uint64_t(b >= bits ? (v < 0 ? -1 : 0) : v >> b);
    });
  }
}

TEST(Bits, FunnelShifts) {
  std::vector<std::string> types{"b32", "b32", "b32", "b32"};
  for (bool wrap : {false, true})
    for (bool left : {false, true})
      check3(std::string("shf.") + (left ? "l." : "r.") +
                 (wrap ? "wrap" : "clamp") + ".b32",
             types, edgeIntegers(), [=](uint64_t a, uint64_t b, uint64_t c) {
               uint64_t n = wrap ? c & 31 : c > 32 ? 32 : c;
               // As the ISA writes it: parts of b and of a.
               if (left)
                 return n == 0    ? b
                        : n == 32 ? a
                                  : (b << n | a >> (32 - n)) & 0xffffffff;
               return n == 0    ? a
                      : n == 32 ? b
                                : (b << (32 - n) | a >> n) & 0xffffffff;
             });
}

TEST(Bits, Counts) {
  for (unsigned bits : {32u, 64u}) {
    std::string n = std::to_string(bits);
    check1("popc.b" + n, {"b32", reg(bits)}, edgeIntegers(), [](uint64_t a) {
      uint64_t count = 0;
      for (; a; a >>= 1)
        count += a & 1;
      return count;
    });
    check1("clz.b" + n, {"b32", reg(bits)}, edgeIntegers(), [=](uint64_t a) {
      uint64_t count = 0;
      while (count != bits && !(a >> (bits - 1 - count) & 1))
        ++count;
      return count;
    });
    check1("brev.b" + n, {reg(bits), reg(bits)}, edgeIntegers(),
           [=](uint64_t a) {
             uint64_t result = 0;
             for (unsigned k = 0; k != bits; ++k)
               result |= (a >> k & 1) << (bits - 1 - k);
             return result;
           });
    for (bool isSigned : {false, true})
      for (bool amount : {false, true})
        check1(std::string("bfind.") + (amount ? "shiftamt." : "") +
                   (isSigned ? "s" : "u") + n,
               {"b32", reg(bits)}, edgeIntegers(), [=](uint64_t a) {
                 if (isSigned && (a >> (bits - 1) & 1))
                   a = bits == 64 ? ~a : ~a & ((uint64_t(1) << bits) - 1);
                 for (int k = int(bits) - 1; k >= 0; --k)
                   if (a >> k & 1)
                     return uint64_t(amount ? int(bits) - 1 - k : k);
                 return uint64_t(0xffffffff);
               });
  }
}

TEST(Bits, Fields) {
  Values values{0,  1,  4,   8,   31,         32,    33,
                63, 64, 200, 255, 0x12345678, ~0ull, 0x8000000000000000};
  for (unsigned bits : {32u, 64u}) {
    std::string n = std::to_string(bits);
    for (bool isSigned : {false, true})
      check3(std::string("bfe.") + (isSigned ? "s" : "u") + n,
             {reg(bits), reg(bits), "b32", "b32"}, values,
             [=](uint64_t a, uint64_t b, uint64_t c) {
               unsigned msb = bits - 1, pos = b & 0xff, len = c & 0xff;
               unsigned at = pos + len - 1 < msb ? pos + len - 1 : msb;
               uint64_t sign = !isSigned || len == 0 ? 0 : a >> at & 1;
               uint64_t d = 0;
               for (unsigned i = 0; i <= msb; ++i)
                 d |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : sign)
                      << i;
               return d;
             });
    for (unsigned pos : {0u, 3u, 31u, 40u, 64u, 255u})
      for (unsigned len : {0u, 1u, 5u, 32u, 255u})
        check2(
            "bfi.b" + n, {reg(bits), reg(bits), reg(bits)}, values,
            [=](uint64_t a, uint64_t b) {
              uint64_t d = b;
              for (unsigned i = 0; i < len && pos + i < bits; ++i) {
                uint64_t bit = uint64_t(1) << (pos + i);
                d = (d & ~bit) | (a >> i & 1 ? bit : 0);
              }
              return d;
            },
            ", " + std::to_string(pos) + ", " + std::to_string(len));
  }
}

TEST(Bits, Masks) {
  Values values{0, 1, 7, 16, 31, 32, 33, 63, 64, 0x80000000, 0xffffffff};
  for (bool wrap : {false, true}) {
    std::string mode = wrap ? "wrap" : "clamp";
    auto amount = [=](uint64_t v) { return wrap ? v & 31 : v > 32 ? 32 : v; };
    check2("bmsk." + mode + ".b32", {"b32", "b32", "b32"}, values,
           [=](uint64_t a, uint64_t b) {
             uint64_t mask = (uint64_t(1) << amount(b)) - 1;
             return amount(a) == 32 ? 0 : mask << amount(a);
           });
    for (bool isSigned : {false, true})
      check2("szext." + mode + (isSigned ? ".s32" : ".u32"),
             {"b32", "b32", "b32"}, values, [=](uint64_t a, uint64_t b) {
               uint64_t n = amount(b);
               if (n == 0)
                 return uint64_t(0);
               uint64_t mask = (uint64_t(1) << n) - 1;
               bool sign = isSigned && (a >> (n - 1) & 1);
               return sign ? a | ~mask : a & mask;
             });
  }
}

// Byte k of the result is byte (selector & 7) of b:a; bit 3 copies its sign.
TEST(Bits, Permute) {
  std::vector<std::string> types{"b32", "b32", "b32", "b32"};
  Values values{0x03020100, 0x87868584, 0x7654, 0xfedc, 0x3210, 0x9ab8, 0x1};
  check3("prmt.b32", types, values, [](uint64_t a, uint64_t b, uint64_t c) {
    uint64_t both = b << 32 | a, result = 0;
    for (unsigned k = 0; k != 4; ++k) {
      unsigned selector = c >> (4 * k) & 15;
      uint64_t byte = both >> (8 * (selector & 7)) & 0xff;
      if (selector & 8)
        byte = byte & 0x80 ? 0xff : 0;
      result |= byte << (8 * k);
    }
    return result;
  });
  // The tables of the modes: source bytes for selector 0 to 3, highest first.
  struct Mode {
    const char *name;
    uint32_t selectors[4];
  };
  const Mode modes[] = {{"f4e", {0x3210, 0x4321, 0x5432, 0x6543}},
                        {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
                        {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}},
                        {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
                        {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}},
                        {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  for (const Mode &mode : modes)
    check3(std::string("prmt.b32.") + mode.name, types, values,
           [&](uint64_t a, uint64_t b, uint64_t c) {
             uint64_t both = b << 32 | a, result = 0;
             for (unsigned k = 0; k != 4; ++k) {
               unsigned from = mode.selectors[c & 3] >> (4 * k) & 7;
               result |= (both >> (8 * from) & 0xff) << (8 * k);
             }
             return result;
           });
}

// The n-th set bit from a base, upwards or downwards.
TEST(Bits, FindNth) {
  check3("fns.b32", {"b32", "b32", "b32", "b32"},
         {0, 1, 2, 3, 4, 9, 31, 0xaaaaaaaa, 0x80000001, 0xffffffff, 0xfffffffe,
          0xfffffffd},
         [](uint64_t a, uint64_t b, uint64_t c) {
           if (b > 31)
             return ~uint64_t(0); // Only the bases 0 to 31 are defined.
           int32_t n = int32_t(c);
           if (n == 0)
             return a >> b & 1 ? b : 0xffffffff;
           int step = n > 0 ? 1 : -1;
           int64_t left = n > 0 ? n : -int64_t(n);
           for (int k = int(b); k >= 0 && k < 32; k += step)
             if (a >> k & 1)
               if (--left == 0)
                 return uint64_t(k);
           return uint64_t(0xffffffff);
         });
}

} // namespace attn::ptx::test
