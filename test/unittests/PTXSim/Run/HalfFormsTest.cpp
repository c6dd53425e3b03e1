//===- HalfFormsTest.cpp - Every form of f16 and bf16 arithmetic ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All combinations of .rn, .ftz, .sat, .relu, .NaN and .xorsign.abs that ptxas
// 13.0 takes. Functions of one operand are run over all 65536 of them.
//
//===----------------------------------------------------------------------===//

#include "HalfModel.h"

namespace attn::ptx::test {

using namespace half;

namespace {
/// As binary, with three operands.
template <typename F>
void ternary(const std::string &name, const Named &type, F f) {
  check3(name + "." + type.name, {"b16", "b16", "b16", "b16"},
         samples(*type.format), f);
  Values a, b, c, expected, in = samples(*type.format);
  for (size_t k = 0; k != 512; ++k) {
    uint64_t x = in[k % in.size()], y = in[k * 7 / 3 % in.size()],
             z = in[k * 11 / 5 % in.size()];
    a.push_back(y << 16 | x);
    b.push_back(z << 16 | y);
    c.push_back(x << 16 | z);
    expected.push_back(uint64_t(f(y, z, x)) << 16 | uint64_t(f(x, y, z)));
  }
  EXPECT_EQ(evaluate(name + "." + type.name + "x2 %d, %a, %b, %c;",
                     {"b32", "b32", "b32", "b32"}, {a, b, c}),
            expected)
      << name;
}

uint64_t zero(const Format &f, uint64_t bits, bool ftz) {
  return ftz ? flushBits(f, bits) : bits;
}

/// `check(operand, result)` for every operand, scalar and pair.
template <typename F>
void everyHalf(const std::string &name, const std::string &type, F check) {
  for (uint64_t begin = 0; begin != 65536; begin += 1024) {
    Values in, pairs;
    for (uint64_t v = begin; v != begin + 1024; ++v) {
      in.push_back(v);
      pairs.push_back((v ^ 0x8001) << 16 | v);
    }
    Values got = evaluate(name + "." + type + " %d, %a;", {"b16", "b16"}, {in});
    Values both =
        evaluate(name + "." + type + "x2 %d, %a;", {"b32", "b32"}, {pairs});
    for (size_t k = 0; k != in.size(); ++k) {
      check(in[k], got[k]);
      check(in[k], both[k] & 0xffff);
      check(in[k] ^ 0x8001, both[k] >> 16);
      if (::testing::Test::HasFailure())
        return;
    }
  }
}
} // namespace

TEST(HalfForms, AddSubMul) {
  for (const Named &type : both)
    for (const char *round : {"", ".rn"})
      for (bool ftz : {false, true})
        for (bool sat : {false, true}) {
          const Format &f = *type.format;
          if (&f == &bf16 && (ftz || sat))
            continue;
          std::string tail =
              std::string(round) + (ftz ? ".ftz" : "") + (sat ? ".sat" : "");
          auto done = [&](uint64_t bits) {
            bits = zero(f, bits, ftz);
            return sat ? saturated(f, bits) : bits;
          };
          auto in = [&](uint64_t bits) { return f.decode(zero(f, bits, ftz)); };
          binary("add" + tail, type, [&](uint64_t a, uint64_t b) {
            return done(sum(f, in(a), in(b)));
          });
          binary("sub" + tail, type, [&](uint64_t a, uint64_t b) {
            return done(sum(f, in(a), -in(b)));
          });
          binary("mul" + tail, type, [&](uint64_t a, uint64_t b) {
            return done(f.encode(in(a)*in(b)));
          });
        }
}

TEST(HalfForms, Fma) {
  for (const Named &type : both)
    for (bool ftz : {false, true})
      for (const char *clamp : {"", ".sat", ".relu"}) {
        const Format &f = *type.format;
        std::string last = clamp;
        if (&f == &bf16 && (ftz || last == ".sat"))
          continue;
        ternary(std::string("fma.rn") + (ftz ? ".ftz" : "") + clamp, type,
                [&](uint64_t a, uint64_t b, uint64_t c) {
                  auto in = [&](uint64_t bits) {
                    return f.decode(zero(f, bits, ftz));
                  };
                  uint64_t bits = zero(f, fused(f, in(a), in(b), in(c)), ftz);
                  return last == ".sat"    ? saturated(f, bits)
                         : last == ".relu" ? relu(bits)
                                           : bits;
                });
      }
}

TEST(HalfForms, MinMax) {
  for (const Named &type : both)
    for (bool least : {true, false})
      for (bool ftz : {false, true})
        for (bool nan : {false, true})
          for (bool sign : {false, true}) {
            const Format &f = *type.format;
            if (&f == &bf16 && ftz)
              continue;
            auto pick = [&](uint64_t a, uint64_t b) -> uint64_t {
              a = zero(f, a, ftz);
              b = zero(f, b, ftz);
              uint64_t flip = sign ? (a ^ b) & 0x8000 : 0;
              if (sign) {
                a &= 0x7fff;
                b &= 0x7fff;
              }
              double x = f.decode(a), y = f.decode(b);
              if (std::isnan(x) && std::isnan(y))
                return 0x7fff;
              if (std::isnan(x) || std::isnan(y)) {
                if (nan)
                  return 0x7fff;
                return (std::isnan(x) ? b : a) | flip;
              }
              if (x == 0 && y == 0)
                return (least ? a | b : a & b) | flip;
              return ((x < y) == least ? a : b) | flip;
            };
            binary(std::string(least ? "min" : "max") + (ftz ? ".ftz" : "") +
                       (nan ? ".NaN" : "") + (sign ? ".xorsign.abs" : ""),
                   type, pick);
          }
}

TEST(HalfForms, AbsNeg) {
  for (bool ftz : {false, true})
    for (bool negate : {false, true})
      everyHalf(std::string(negate ? "neg" : "abs") + (ftz ? ".ftz" : ""),
                "f16", [&](uint64_t in, uint64_t got) {
                  uint64_t bits = zero(f16, in, ftz);
                  ASSERT_EQ(got, negate ? bits ^ 0x8000 : bits & 0x7fff) << in;
                });
  everyHalf("neg", "bf16",
            [](uint64_t in, uint64_t got) { ASSERT_EQ(got, in ^ 0x8000); });
  everyHalf("abs", "bf16",
            [](uint64_t in, uint64_t got) { ASSERT_EQ(got, in & 0x7fff); });
}

/// |got - want| <= relative |want| + absolute, and the limits at infinity.
static void expectNear(const Format &f, uint64_t in, uint64_t got, double want,
                       double relative, double absolute) {
  double value = f.decode(got);
  if (std::isnan(want)) {
    ASSERT_TRUE(std::isnan(value)) << in;
    return;
  }
  // A result that rounds past the largest number is infinite.
  if (std::isinf(f.decode(f.encode(want)))) {
    ASSERT_EQ(got, f.encode(want)) << in;
    return;
  }
  ASSERT_LE(std::fabs(value - want), relative * std::fabs(want) + absolute)
      << std::hex << "0x" << in << " gives 0x" << got;
}

// Bounds of the ISA: 2^-9.9 for f16, 2^-7 for bf16, whose subnormal operands
// and results are zeros.
TEST(HalfForms, Ex2) {
  everyHalf("ex2.approx", "f16", [](uint64_t in, uint64_t got) {
    expectNear(f16, in, got, std::exp2(f16.decode(in)), std::exp2(-9.9),
               0x1p-25);
  });
  everyHalf("ex2.approx.ftz", "bf16", [](uint64_t in, uint64_t got) {
    double want = std::exp2(bf16.decode(in));
    if (want < 0x1p-126 * (1 - 0x1p-9)) {
      ASSERT_EQ(got, 0u) << in;
      return;
    }
    if (want < 0x1p-126 && got == 0) // may round up to the smallest or go
      return;
    expectNear(bf16, in, got, want, 0x1p-7, 0);
  });
}

// Absolute error 2^-10.987 for f16, 2^-8 for bf16.
TEST(HalfForms, Tanh) {
  everyHalf("tanh.approx", "f16", [](uint64_t in, uint64_t got) {
    expectNear(f16, in, got, std::tanh(f16.decode(in)), 0, std::exp2(-10.987));
  });
  everyHalf("tanh.approx", "bf16", [](uint64_t in, uint64_t got) {
    expectNear(bf16, in, got, std::tanh(bf16.decode(in)), 0, 0x1p-8);
  });
}

} // namespace attn::ptx::test
