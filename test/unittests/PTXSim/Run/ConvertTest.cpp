//===- ConvertTest.cpp - cvt ----------------------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

#include <cfenv>
#include <cmath>

namespace attn::ptx::test {

namespace {
struct Kind {
  std::string name;
  unsigned bits;
  bool isSigned;

  /// 8-bit values live in 16-bit registers here.
  std::string reg() const {
    return bits <= 16 ? "b16" : "b" + std::to_string(bits);
  }
  uint64_t mask() const { return bits == 64 ? ~0ull : (1ull << bits) - 1; }
  __int128 value(uint64_t raw) const {
    raw &= mask();
    bool negative = isSigned && (raw >> (bits - 1) & 1);
    return negative ? __int128(raw) - (__int128(1) << bits) : __int128(raw);
  }
  __int128 least() const { return isSigned ? -(__int128(1) << (bits - 1)) : 0; }
  __int128 most() const { return (__int128(1) << (bits - isSigned)) - 1; }
  __int128 clamped(__int128 v) const {
    return v < least() ? least() : v > most() ? most() : v;
  }
};
const Kind kinds[] = {{"u8", 8, false},   {"s8", 8, true},
                      {"u16", 16, false}, {"s16", 16, true},
                      {"u32", 32, false}, {"s32", 32, true},
                      {"u64", 64, false}, {"s64", 64, true}};
struct Mode {
  const char *name;
  int round;
};
const Mode modes[] = {{"n", FE_TONEAREST},
                      {"z", FE_TOWARDZERO},
                      {"m", FE_DOWNWARD},
                      {"p", FE_UPWARD}};

float toFloat(uint64_t bits) { return llvm::bit_cast<float>(uint32_t(bits)); }
double toDouble(uint64_t bits) { return llvm::bit_cast<double>(bits); }
double integral(double v, int round) {
  std::fesetround(round);
  volatile double in = v, out = std::nearbyint(in);
  std::fesetround(FE_TONEAREST);
  return out;
}
/// What the ISA gives for NaN and what does not fit.
uint64_t toInteger(const Kind &k, double v, bool fromDouble) {
  if (std::isnan(v))
    return fromDouble || k.bits == 64 ? uint64_t(1) << (k.bits - 1) : 0;
  __int128 wide = v >= 0x1p100    ? __int128(1) << 100
                  : v <= -0x1p100 ? -(__int128(1) << 100)
                                  : __int128(v);
  return uint64_t(k.clamped(wide));
}
} // namespace

// Cut off or extended by the sign of the source; .sat clamps instead.
TEST(Convert, Integers) {
  for (const Kind &to : kinds)
    for (const Kind &from : kinds) {
      std::string types = to.name + "." + from.name;
      // Narrow results are extended to their register by their own sign.
      auto extended = [&](__int128 v) {
        return uint64_t(to.value(uint64_t(v)));
      };
      check1("cvt." + types, {to.reg(), from.reg()}, edgeIntegers(),
             [&](uint64_t a) { return extended(from.value(a)); });
      check1("cvt.sat." + types, {to.reg(), from.reg()}, edgeIntegers(),
             [&](uint64_t a) { return extended(to.clamped(from.value(a))); });
    }
}

TEST(Convert, FloatToInteger) {
  Values floats = edgeFloats();
  for (float v :
       {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 127.5f, 255.5f, -128.5f, 32767.5f,
        2147483648.0f, -2147483648.0f, 4294967296.0f, 9.3e18f, -9.3e18f, 1e30f})
    floats.push_back(f32(v));
  Values doubles = edgeDoubles();
  for (double v : {0.5, 2.5, -1.5, 2147483647.5, 4294967295.5, -2147483648.5,
                   9223372036854775807.0, 1.8446744073709552e19, 1e300})
    doubles.push_back(f64(v));
  for (const Kind &to : kinds) {
    if (to.bits == 8)
      continue;
    for (const Mode &m : modes) {
      std::string op = std::string("cvt.r") + m.name + "i.";
      check1(op + to.name + ".f32", {to.reg(), "b32"}, floats, [&](uint64_t a) {
        return toInteger(to, integral(toFloat(a), m.round), false);
      });
      check1(op + to.name + ".f64", {to.reg(), "b64"}, doubles,
             [&](uint64_t a) {
               return toInteger(to, integral(toDouble(a), m.round), true);
             });
    }
    check1("cvt.rni.ftz." + to.name + ".f32", {to.reg(), "b32"}, floats,
           [&](uint64_t a) {
             return toInteger(to, integral(toFloat(a), FE_TONEAREST), false);
           });
  }
  EXPECT_EQ(evaluate("cvt.rpi.ftz.s32.f32 %d, %a;", {"b32", "b32"}, {{1}}),
            Values{0});
  EXPECT_EQ(evaluate("cvt.rpi.s32.f32 %d, %a;", {"b32", "b32"}, {{1}}),
            Values{1});
  EXPECT_EQ(evaluate("cvt.rzi.s32.f16 %d, %a;", {"b32", "b16"},
                     {{0x4900, 0xc500, 0x7c00}}),
            (Values{10, uint32_t(-5), 0x7fffffff}));
}

TEST(Convert, IntegerToFloat) {
  for (const Kind &from : kinds)
    for (const Mode &m : modes) {
      if (from.bits == 8)
        continue;
      std::string op = std::string("cvt.r") + m.name;
      auto convert = [&](uint64_t a, auto zero) {
        using T = decltype(zero);
        std::fesetround(m.round);
        volatile int64_t s = int64_t(from.value(a));
        volatile uint64_t u = uint64_t(from.value(a));
        volatile T result = from.isSigned ? T(s) : T(u);
        std::fesetround(FE_TONEAREST);
        // The host may compute a zero as a difference, which has a sign.
        return result == 0 ? T(0) : T(result);
      };
      check1(op + ".f32." + from.name, {"b32", from.reg()}, edgeIntegers(),
             [&](uint64_t a) { return f32(convert(a, 0.0f)); });
      check1(op + ".f64." + from.name, {"b64", from.reg()}, edgeIntegers(),
             [&](uint64_t a) { return f64(convert(a, 0.0)); });
    }
  // 2049 lies between two f16 numbers, 65520 half way to infinity.
  EXPECT_EQ(evaluate("cvt.rn.f16.s32 %d, %a;", {"b16", "b32"},
                     {{2049, 2051, 65519, 65520, uint32_t(-7)}}),
            (Values{0x6800, 0x6802, 0x7bff, 0x7c00, 0xc700}));
  EXPECT_EQ(evaluate("cvt.rz.f16.u32 %d, %a;", {"b16", "b32"}, {{2051, 70000}}),
            (Values{0x6801, 0x7bff}));
}

TEST(Convert, FloatToFloat) {
  Values doubles = edgeDoubles();
  for (double v : {1 + 0x1p-24, 1 + 0x1p-23 + 0x1p-24, 0x1p-149, 0x1p-150,
                   0x1.8p-150, -0x1.fffffffp127, 1e-320, 0.1})
    doubles.push_back(f64(v));
  for (const Mode &m : modes) {
    auto narrowed = [&](uint64_t a) {
      std::fesetround(m.round);
      volatile double in = toDouble(a);
      volatile float out = float(in);
      std::fesetround(FE_TONEAREST);
      return float(out);
    };
    std::string op = std::string("cvt.r") + m.name;
    check1(op + ".f32.f64", {"b32", "b64"}, doubles, [&](uint64_t a) {
      float v = narrowed(a);
      return std::isnan(v) ? 0x7fffffff : f32(v);
    });
    // To an integral value of the same type.
    check1(
        op + "i.f32.f32", {"b32", "b32"},
        {f32(0.5), f32(1.5), f32(2.5), f32(-0.5), f32(-2.7f), f32(1e20f),
         f32(INFINITY), f32(-0.0f)},
        [&](uint64_t a) { return f32(float(integral(toFloat(a), m.round))); });
    check1(op + "i.f64.f64", {"b64", "b64"}, {f64(0.5), f64(-2.5), f64(1e300)},
           [&](uint64_t a) { return f64(integral(toDouble(a), m.round)); });
  }
  check1("cvt.f64.f32", {"b64", "b32"},
         {0, 0x80000000, 1, 0x3f800001, 0x7f7fffff, 0xff800000},
         [](uint64_t a) { return f64(double(toFloat(a))); });
  check1("cvt.ftz.f64.f32", {"b64", "b32"}, {1, 0x80000001, 0x00800000},
         [](uint64_t a) {
           return a & 0x7f800000 ? f64(toFloat(a))
                                 : f64(std::copysign(0.0, toFloat(a)));
         });
  check1("cvt.sat.f32.f32", {"b32", "b32"},
         {f32(-1), f32(0.25), f32(2), f32(NAN), f32(INFINITY)}, [](uint64_t a) {
           float v = toFloat(a);
           return f32(v > 0 ? (v < 1 ? v : 1) : 0);
         });
}

// Patterns worked out by hand: ties to even, overflow, subnormals.
TEST(Convert, Halves) {
  std::vector<std::string> narrow{"b16", "b32"}, wide{"b32", "b16"};
  Values in{f32(1),     f32(1 + 0x1p-11f), f32(1 + 0x3p-11f), f32(65504),
            f32(65520), f32(0x1p-24f),     f32(0x1p-25f),     f32(0x3p-26f),
            f32(-0.0f), f32(NAN)};
  EXPECT_EQ(evaluate("cvt.rn.f16.f32 %d, %a;", narrow, {in}),
            (Values{0x3c00, 0x3c00, 0x3c02, 0x7bff, 0x7c00, 1, 0, 1, 0x8000,
                    0x7fff}));
  EXPECT_EQ(evaluate("cvt.rz.f16.f32 %d, %a;", narrow, {in}),
            (Values{0x3c00, 0x3c00, 0x3c01, 0x7bff, 0x7bff, 1, 0, 0, 0x8000,
                    0x7fff}));
  EXPECT_EQ(evaluate("cvt.rp.f16.f32 %d, %a;", narrow, {in}),
            (Values{0x3c00, 0x3c01, 0x3c02, 0x7bff, 0x7c00, 1, 1, 1, 0x8000,
                    0x7fff}));
  Values bf{f32(1),           f32(1 + 0x1p-8f), f32(1 + 0x3p-8f),
            f32(0x1.ffp127f), f32(0x1p-133f),   f32(-3),
            f32(INFINITY)};
  EXPECT_EQ(evaluate("cvt.rn.bf16.f32 %d, %a;", narrow, {bf}),
            (Values{0x3f80, 0x3f80, 0x3f82, 0x7f80, 0x0001, 0xc040, 0x7f80}));
  EXPECT_EQ(evaluate("cvt.rz.bf16.f32 %d, %a;", narrow, {bf}),
            (Values{0x3f80, 0x3f80, 0x3f81, 0x7f7f, 0x0001, 0xc040, 0x7f80}));
  EXPECT_EQ(evaluate("cvt.rn.relu.bf16.f32 %d, %a;", narrow,
                     {{f32(-3), f32(2), f32(-0.0f)}}),
            (Values{0, 0x4000, 0}));
  EXPECT_EQ(evaluate("cvt.f32.f16 %d, %a;", wide,
                     {{0x3c00, 1, 0x83ff, 0x7c00, 0xfbff}}),
            (Values{f32(1), f32(0x1p-24f), f32(-0x3ffp-24f), f32(INFINITY),
                    f32(-65504)}));
  EXPECT_EQ(evaluate("cvt.f32.bf16 %d, %a;", wide, {{0x3f80, 1, 0xc040}}),
            (Values{f32(1), f32(0x1p-133f), f32(-3)}));
  EXPECT_EQ(evaluate("cvt.f64.f16 %d, %a;", {"b64", "b16"}, {{0x3555}}),
            Values{f64(0x1.554p-2)});
  EXPECT_EQ(evaluate("cvt.rn.f16.f64 %d, %a;", {"b16", "b64"},
                     {{f64(1 + 0x1p-11 + 0x1p-50), f64(1 + 0x1p-11)}}),
            (Values{0x3c01, 0x3c00}));
  EXPECT_EQ(evaluate("cvt.sat.f16.f16 %d, %a;", {"b16", "b16"},
                     {{0xbc00, 0x3800, 0x4000}}),
            (Values{0, 0x3800, 0x3c00}));
}

// The first source goes to the upper half.
TEST(Convert, Pairs) {
  std::vector<std::string> types{"b32", "b32", "b32"};
  Values a{f32(1), f32(-2), f32(1e9f)}, b{f32(0.5), f32(3), f32(-1)};
  EXPECT_EQ(evaluate("cvt.rn.f16x2.f32 %d, %a, %b;", types, {a, b}),
            (Values{0x3c003800, 0xc0004200, 0x7c00bc00}));
  EXPECT_EQ(evaluate("cvt.rz.f16x2.f32 %d, %a, %b;", types, {a, b}),
            (Values{0x3c003800, 0xc0004200, 0x7bffbc00}));
  EXPECT_EQ(evaluate("cvt.rn.relu.f16x2.f32 %d, %a, %b;", types, {a, b}),
            (Values{0x3c003800, 0x00004200, 0x7c000000}));
  EXPECT_EQ(evaluate("cvt.rn.bf16x2.f32 %d, %a, %b;", types, {a, b}),
            (Values{0x3f803f00, 0xc0004040, 0x4e6ebf80}));
  EXPECT_EQ(evaluate("cvt.rn.relu.bf16x2.f32 %d, %a, %b;", types, {a, b}),
            (Values{0x3f803f00, 0x00004040, 0x4e6e0000}));
}

// Ten mantissa bits; ties away from zero.
TEST(Convert, TF32) {
  std::vector<std::string> types{"b32", "b32"};
  EXPECT_EQ(
      evaluate("cvt.rna.tf32.f32 %d, %a;", types,
               {{0x3f800fff, 0x3f801000, 0xbf801000, 0x3f803000, 0x7f800000}}),
      (Values{0x3f800000, 0x3f802000, 0xbf802000, 0x3f804000, 0x7f800000}));
  EXPECT_EQ(evaluate("cvt.rn.tf32.f32 %d, %a;", types,
                     {{0x3f801000, 0x3f803000, 0x3f801001}}),
            (Values{0x3f800000, 0x3f804000, 0x3f802000}));
  EXPECT_EQ(evaluate("cvt.rz.tf32.f32 %d, %a;", types, {{0x3f803fff}}),
            Values{0x3f802000});
}

// e4m3: largest 448 = 0x7e, NaN 0x7f; e5m2: largest 57344 = 0x7b.
TEST(Convert, FP8) {
  std::vector<std::string> types{"b16", "b32", "b32"};
  Values a{f32(1), f32(448), f32(1e9f), f32(0x1p-9f), f32(1.0625f), f32(NAN)};
  Values b{f32(-2), f32(464), f32(-1e9f), f32(0x1p-10f), f32(1.1875f), f32(0)};
  EXPECT_EQ(evaluate("cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b;", types, {a, b}),
            (Values{0x38c0, 0x7e7e, 0x7efe, 0x0100, 0x383a, 0x7f00}));
  EXPECT_EQ(evaluate("cvt.rn.satfinite.e5m2x2.f32 %d, %a, %b;", types,
                     {{f32(1), f32(1e9f), f32(0x1p-16f), f32(1.125f)},
                      {f32(-2), f32(-1e9f), f32(0x1p-17f), f32(1.375f)}}),
            (Values{0x3cc0, 0x7bfb, 0x0100, 0x3c3e}));
  EXPECT_EQ(evaluate("cvt.rn.satfinite.relu.e4m3x2.f32 %d, %a, %b;", types,
                     {{f32(-1)}, {f32(1)}}),
            Values{0x0038});
  EXPECT_EQ(evaluate("cvt.rn.f16x2.e4m3x2 %d, %a;", {"b32", "b16"},
                     {{0x38c0, 0x7efe, 0x0180}}),
            (Values{0x3c00c000, 0x5f00df00, 0x18008000}));
  EXPECT_EQ(evaluate("cvt.rn.f16x2.e5m2x2 %d, %a;", {"b32", "b16"},
                     {{0x3cc0, 0x7bfc}}),
            (Values{0x3c00c000, 0x7b00fc00}));
  EXPECT_EQ(evaluate("cvt.rn.satfinite.e4m3x2.f16x2 %d, %a;", {"b16", "b32"},
                     {{0x3c00c000, 0x7bff8000}}),
            (Values{0x38c0, 0x7e80}));
  EXPECT_EQ(evaluate("cvt.rn.satfinite.e5m2x2.f16x2 %d, %a;", {"b16", "b32"},
                     {{0x3c00c000, 0x7bff8000}}),
            (Values{0x3cc0, 0x7b80}));
}

// Saturated, packed, the third source moved up.
TEST(Convert, Pack) {
  EXPECT_EQ(evaluate("cvt.pack.sat.s16.s32 %d, %a, %b;", {"b32", "b32", "b32"},
                     {{40000, 5}, {uint32_t(-40000), 6}}),
            (Values{0x7fff8000, 0x00050006}));
  EXPECT_EQ(evaluate("cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;",
                     {"b32", "b32", "b32", "b32"},
                     {{300}, {uint32_t(-1)}, {0x12345678}}),
            Values{0x5678ff00});
  EXPECT_EQ(evaluate("cvt.pack.sat.s8.s32.b32 %d, %a, %b, %c;",
                     {"b32", "b32", "b32", "b32"},
                     {{300}, {uint32_t(-200)}, {0}}),
            Values{0x00007f80});
}

} // namespace attn::ptx::test
