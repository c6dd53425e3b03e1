//===- ConvertFormsTest.cpp - Every form of cvt between two numbers -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference holds a source value in a long double, which has 64 bits of
// mantissa and so every 64-bit integer and every double exactly, and rounds it
// once. The lists of modifiers are what ptxas 13.0 takes for sm_90a.
//
//===----------------------------------------------------------------------===//

#include "OneInstruction.h"

#include <cfenv>
#include <cmath>

namespace attn::ptx::test {

namespace {
using Real = long double;

/// A type of cvt: an integer, or a float with this many bits of each part.
struct Kind {
  std::string name;
  unsigned bits;
  bool isSigned = false, isFloat = false;
  int exponent = 0, mantissa = 0;

  std::string reg() const { return "b" + std::to_string(std::max(bits, 16u)); }
  uint64_t mask() const { return bits == 64 ? ~0ull : (1ull << bits) - 1; }
  int bias() const { return (1 << (exponent - 1)) - 1; }
  uint64_t infinity() const {
    return uint64_t((1u << exponent) - 1) << mantissa;
  }
  Real least() const { return isSigned ? -std::ldexp(Real(1), bits - 1) : 0; }
  Real most() const { return std::ldexp(Real(1), bits - isSigned) - 1; }

  Real value(uint64_t raw) const {
    raw &= mask();
    if (!isFloat)
      return isSigned && (raw >> (bits - 1) & 1)
                 ? Real(raw) - std::ldexp(Real(1), int(bits))
                 : Real(raw);
    bool negative = raw >> (bits - 1) & 1;
    uint64_t m = raw & ((1ull << mantissa) - 1);
    int e = int(raw >> mantissa & ((1u << exponent) - 1));
    Real v = e == (1 << exponent) - 1 ? (m ? NAN : INFINITY)
             : e == 0 ? std::ldexp(Real(m), 1 - bias() - mantissa)
                      : std::ldexp(Real(m | 1ull << mantissa),
                                   e - bias() - mantissa);
    return negative ? -v : v;
  }
  bool isSubnormal(uint64_t raw) const {
    return !(raw & infinity()) && (raw & ((1ull << mantissa) - 1));
  }
};

Kind integer(const char *name, unsigned bits, bool isSigned) {
  return {name, bits, isSigned};
}
const Kind integers[] = {integer("u8", 8, false),   integer("s8", 8, true),
                         integer("u16", 16, false), integer("s16", 16, true),
                         integer("u32", 32, false), integer("s32", 32, true),
                         integer("u64", 64, false), integer("s64", 64, true)};
const Kind f16{"f16", 16, true, true, 5, 10},
    bf16{"bf16", 16, true, true, 8, 7}, f32Kind{"f32", 32, true, true, 8, 23},
    f64Kind{"f64", 64, true, true, 11, 52}, tf32{"tf32", 32, true, true, 8, 23};

Real roundReal(Real v, char mode) {
  if (mode == 'a') // to nearest, ties away from zero
    return std::round(v);
  std::fesetround(mode == 'n'   ? FE_TONEAREST
                  : mode == 'z' ? FE_TOWARDZERO
                  : mode == 'm' ? FE_DOWNWARD
                                : FE_UPWARD);
  volatile Real in = v;
  volatile Real out = std::nearbyint(in);
  std::fesetround(FE_TONEAREST);
  return out;
}

struct Form {
  char rounding = 'n';
  bool integral = false, ftz = false, sat = false, finite = false, relu = false;
};

/// NaN results are compared as such: the marker of one.
constexpr uint64_t kNaN = ~0ull - 1;

uint64_t encodeFloat(const Kind &to, Real v, const Form &form) {
  if (form.sat)
    v = v > 0 ? std::min(v, Real(1)) : Real(0);
  if (std::isnan(v))
    return kNaN;
  if (form.relu && (v < 0 || std::signbit(v)))
    v = 0;
  uint64_t sign = std::signbit(v) ? 1ull << (to.bits - 1) : 0;
  uint64_t largest = to.infinity() - 1;
  int mantissa = to.mantissa;
  if (to.name == "tf32") {
    mantissa = 10;
    largest = to.infinity() - (1 << 13);
  }
  if (std::isinf(v))
    return sign | (form.finite ? largest : to.infinity());
  if (v == 0)
    return sign;
  // The unit of the last place, and the value as a multiple of it.
  int exponent = std::max(std::ilogb(v), 1 - to.bias());
  Real scaled = roundReal(std::ldexp(v, mantissa - exponent), form.rounding);
  Real rounded = std::ldexp(scaled, exponent - mantissa);
  if (std::fabs(rounded) > to.value(largest)) {
    bool inwards = form.rounding == 'z' || (form.rounding == 'm' && !sign) ||
                   (form.rounding == 'p' && sign);
    return sign | (form.finite || inwards ? largest : to.infinity());
  }
  Real magnitude = std::fabs(rounded);
  if (magnitude == 0)
    return sign;
  int e = std::max(std::ilogb(magnitude), 1 - to.bias());
  auto m = uint64_t(std::ldexp(magnitude, to.mantissa - e));
  bool normal = m >> to.mantissa;
  uint64_t bits = (normal ? uint64_t(e + to.bias()) << to.mantissa : 0) |
                  (m & ((1ull << to.mantissa) - 1));
  if (form.ftz && to.name == "f32" && to.isSubnormal(bits))
    bits = 0;
  return sign | bits;
}

uint64_t expected(const Kind &to, const Kind &from, uint64_t raw,
                  const Form &form) {
  Real v = from.value(raw);
  if (form.ftz && from.name == "f32" && from.isSubnormal(raw))
    v = std::copysign(Real(0), v);
  if (to.isFloat) {
    if (form.integral && !std::isnan(v))
      v = std::copysign(roundReal(v, form.rounding), v);
    return encodeFloat(to, v, form);
  }
  if (std::isnan(v))
    return from.name == "f64" || to.bits == 64 ? 1ull << (to.bits - 1) : 0;
  if (from.isFloat || form.sat)
    v = std::min(std::max(roundReal(v, form.rounding), to.least()), to.most());
  if (v < 0)
    return 0 - uint64_t(-v);
  return uint64_t(v);
}

Values samplesOf(const Kind &kind) {
  if (!kind.isFloat)
    return edgeIntegers();
  // Around every interesting number of the narrower formats, both signs.
  Values result{0, kind.infinity(), kind.infinity() + 1};
  auto add = [&](Real v) {
    uint64_t bits = encodeFloat(kind, v, {});
    if (bits == kNaN)
      return;
    for (uint64_t b : {bits - 1, bits, bits + 1})
      result.push_back(b & (kind.mask() >> 1));
  };
  for (int e : {-1074, -1022, -149, -133, -126, -34, -25, -24, -16,
                -15,   -14,   -9,   -7,   -2,   -1,  0,   1,   7,
                8,     15,    16,   31,   32,   63,  64,  127, 1023})
    for (Real m : {1.0L, 1.25L, 1.5L, 1 + 0x1p-8L, 1 + 0x3p-8L, 1 + 0x1p-11L,
                   1 + 0x3p-11L, 1 + 0x1p-24L, 1 + 0x3p-24L})
      add(std::ldexp(m, e));
  for (Real v : {2.5L, 3.5L, 126.5L, 127.5L, 255.5L, 65504.0L, 65519.0L,
                 65520.0L, 0.49999997L})
    add(v);
  size_t count = result.size();
  for (size_t k = 0; k != count; ++k)
    result.push_back(result[k] | 1ull << (kind.bits - 1));
  return result;
}

void checkForm(const std::string &modifiers, const Kind &to, const Kind &from,
               const Form &form) {
  std::string op = "cvt" + modifiers + "." + to.name + "." + from.name;
  auto isNaN = [&](uint64_t bits) {
    return to.isFloat && std::isnan(to.value(bits));
  };
  Values in = samplesOf(from), a;
  for (uint64_t v : in)
    a.push_back(v & from.mask());
  for (size_t begin = 0; begin < a.size(); begin += 512) {
    Values part(a.begin() + begin, a.begin() + std::min(a.size(), begin + 512));
    Values got = evaluate(op + " %d, %a;", {to.reg(), from.reg()}, {part});
    for (size_t k = 0; k != part.size(); ++k) {
      uint64_t want = expected(to, from, part[k], form);
      // Narrow integers fill their register, by sign.
      unsigned width = std::max(to.bits, 16u);
      uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
      if (!to.isFloat && to.bits == 8)
        want = to.isSigned ? uint64_t(int64_t(int8_t(want))) : want & 0xff;
      bool same =
          to.isFloat && want == kNaN ? isNaN(got[k]) : got[k] == (want & mask);
      ASSERT_TRUE(same) << op << " of 0x" << std::hex << part[k] << " gives 0x"
                        << got[k] << ", not 0x" << (want & mask);
    }
  }
}

const char kModes[] = {'n', 'z', 'm', 'p'};

/// All roundings with these additions; `integral` for .rni and the like.
void allRoundings(const Kind &to, const Kind &from, bool integral, bool ftz,
                  bool sat) {
  for (char mode : kModes)
    for (bool z : {false, true})
      for (bool s : {false, true}) {
        if ((z && !ftz) || (s && !sat))
          continue;
        Form form{mode, integral, z, s};
        checkForm(std::string(".r") + mode + (integral ? "i" : "") +
                      (z ? ".ftz" : "") + (s ? ".sat" : ""),
                  to, from, form);
      }
}

void withoutRounding(const Kind &to, const Kind &from, bool ftz, bool sat) {
  for (bool z : {false, true})
    for (bool s : {false, true})
      if ((ftz || !z) && (sat || !s))
        checkForm(std::string(z ? ".ftz" : "") + (s ? ".sat" : ""), to, from,
                  {'n', false, z, s});
}
} // namespace

TEST(ConvertForms, IntegersAndFloats) {
  for (const Kind &i : integers)
    for (const Kind *f : {&f16, &bf16, &f32Kind, &f64Kind}) {
      // There is no conversion between bytes and bf16.
      if (f == &bf16 && i.bits == 8)
        continue;
      bool single = f == &f32Kind, sat = f != &bf16;
      allRoundings(i, *f, true, single, sat);
      allRoundings(*f, i, false, single, sat);
    }
}

TEST(ConvertForms, ToNarrowerFloats) {
  allRoundings(f16, f32Kind, false, true, true);
  allRoundings(bf16, f32Kind, false, true, false);
  allRoundings(f16, f64Kind, false, false, true);
  allRoundings(bf16, f64Kind, false, false, false);
  allRoundings(f32Kind, f64Kind, false, true, true);
  allRoundings(bf16, f16, false, false, false);
  allRoundings(f16, bf16, false, false, false);
}

TEST(ConvertForms, ToWiderFloats) {
  withoutRounding(f32Kind, f16, true, true);
  withoutRounding(f32Kind, bf16, true, false);
  allRoundings(f32Kind, bf16, false, true, false);
  withoutRounding(f64Kind, f16, false, true);
  withoutRounding(f64Kind, bf16, false, false);
  allRoundings(f64Kind, bf16, false, false, false);
  withoutRounding(f64Kind, f32Kind, true, true);
}

TEST(ConvertForms, SameFloat) {
  for (const Kind *f : {&f16, &bf16, &f32Kind, &f64Kind}) {
    bool single = f == &f32Kind, sat = f != &bf16;
    allRoundings(*f, *f, true, single, sat);
    withoutRounding(*f, *f, single, sat);
  }
}

// .relu and .satfinite, in both orders.
TEST(ConvertForms, ReluAndSatFinite) {
  for (const Kind *to : {&f16, &bf16, &tf32})
    for (char mode : {'n', 'z'}) {
      std::string round = std::string(".r") + mode;
      Form form{mode};
      if (to == &tf32)
        checkForm(round, *to, f32Kind, form);
      form.relu = true;
      checkForm(round + ".relu", *to, f32Kind, form);
      if (to == &tf32)
        continue;
      form.finite = true;
      checkForm(round + ".relu.satfinite", *to, f32Kind, form);
      checkForm(round + ".satfinite.relu", *to, f32Kind, form);
      form.relu = false;
      checkForm(round + ".satfinite", *to, f32Kind, form);
    }
  Form away{'a'};
  checkForm(".rna", tf32, f32Kind, away);
  away.finite = true;
  checkForm(".rna.satfinite", tf32, f32Kind, away);
}

// Two singles to a pair, and pairs to and from bytes, over the same numbers.
TEST(ConvertForms, Pairs) {
  struct Narrow {
    const char *name;
    Kind kind;
    bool hasInfinity;
  };
  const Narrow bytes[] = {{"e4m3x2", {"e4m3", 8, true, true, 4, 3}, false},
                          {"e5m2x2", {"e5m2", 8, true, true, 5, 2}, true}};
  // e4m3 has no infinity: its largest exponent holds numbers up to 448.
  auto byteOf = [](const Narrow &n, Real v, bool relu) -> uint64_t {
    if (std::isnan(v))
      return 0x7f;
    Kind kind = n.kind;
    Real most = n.hasInfinity ? 57344 : 448;
    if (relu && std::signbit(v))
      v = 0;
    v = std::min(std::max(v, -most), most);
    if (n.hasInfinity)
      return encodeFloat(kind, v, {});
    // Rounded with a wider exponent, cut where e4m3 ends.
    int e = std::max(v == 0 ? -6 : std::ilogb(v), -6);
    Real r = std::ldexp(roundReal(std::ldexp(v, 3 - e), 'n'), e - 3);
    r = std::min(std::max(r, -most), most);
    uint64_t sign = std::signbit(v) ? 0x80 : 0;
    r = std::fabs(r);
    if (r == 0)
      return sign;
    e = std::max(std::ilogb(r), -6);
    auto m = uint64_t(std::ldexp(r, 3 - e));
    return sign | (m & 8 ? uint64_t(e + 7) << 3 : 0) | (m & 7);
  };
  Values singles = samplesOf(f32Kind), halves = samplesOf(f16);
  Values reversed(singles.rbegin(), singles.rend());
  for (const Narrow &n : bytes)
    for (bool relu : {false, true}) {
      std::string r = relu ? ".relu" : "";
      std::string op = std::string("cvt.rn.satfinite") + r + "." + n.name;
      for (size_t at = 0; at + 32 <= singles.size(); at += 32) {
        Values a(singles.begin() + at, singles.begin() + at + 32);
        Values b(reversed.begin() + at, reversed.begin() + at + 32);
        Values got =
            evaluate(op + ".f32 %d, %a, %b;", {"b16", "b32", "b32"}, {a, b});
        for (size_t k = 0; k != 32; ++k)
          ASSERT_EQ(got[k], byteOf(n, f32Kind.value(a[k]), relu) << 8 |
                                byteOf(n, f32Kind.value(b[k]), relu))
              << op << std::hex << " 0x" << a[k] << " 0x" << b[k];
      }
      for (uint64_t h : halves) {
        uint64_t pair = h << 16 | 0x3c00;
        ASSERT_EQ(evaluate(op + ".f16x2 %d, %a;", {"b16", "b32"}, {{pair}})[0],
                  byteOf(n, f16.value(h), relu) << 8 | byteOf(n, 1, false))
            << op << std::hex << " 0x" << h;
      }
      // All 256 bytes back.
      Values in;
      for (uint64_t v = 0; v != 256; ++v)
        in.push_back(v << 8 | (v ^ 0x80));
      Values back = evaluate("cvt.rn" + r + ".f16x2." + n.name + " %d, %a;",
                             {"b32", "b16"}, {in});
      auto half = [&](uint64_t byte) -> uint64_t {
        Real v = n.kind.value(byte);
        if (!n.hasInfinity && (byte >> 3 & 15) == 15)
          v = (byte & 7) == 7 ? Real(NAN)
                              : std::copysign(Real(256 + 32 * (byte & 7)),
                                              byte & 0x80 ? -1.0L : 1.0L);
        uint64_t bits =
            encodeFloat(f16, v, {'n', false, false, false, false, relu});
        return bits == kNaN ? 0x7fff : bits;
      };
      for (uint64_t v = 0; v != 256; ++v)
        ASSERT_EQ(back[v], half(v) << 16 | half(v ^ 0x80)) << n.name << v;
    }
}

TEST(ConvertForms, HalfPairs) {
  Values a = samplesOf(f32Kind), b(a.rbegin(), a.rend());
  for (const Kind *to : {&f16, &bf16})
    for (char mode : {'n', 'z'})
      for (const char *extra : {"", ".relu", ".satfinite", ".relu.satfinite"}) {
        Form form{mode};
        form.relu = std::string(extra).find("relu") != std::string::npos;
        form.finite = std::string(extra).find("finite") != std::string::npos;
        std::string op =
            std::string("cvt.r") + mode + extra + "." + to->name + "x2.f32";
        for (size_t at = 0; at + 32 <= a.size(); at += 32) {
          Values pa(a.begin() + at, a.begin() + at + 32);
          Values pb(b.begin() + at, b.begin() + at + 32);
          Values got =
              evaluate(op + " %d, %a, %b;", {"b32", "b32", "b32"}, {pa, pb});
          auto half = [&](uint64_t raw) {
            uint64_t bits = expected(*to, f32Kind, raw, form);
            return bits == kNaN ? 0x7fff : bits;
          };
          for (size_t k = 0; k != 32; ++k)
            ASSERT_EQ(got[k], half(pa[k]) << 16 | half(pb[k]))
                << op << std::hex << " 0x" << pa[k] << " 0x" << pb[k];
        }
      }
}

} // namespace attn::ptx::test
