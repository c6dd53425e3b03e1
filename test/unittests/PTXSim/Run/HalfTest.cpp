//===- HalfTest.cpp - f16, bf16 and pairs of them -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalfModel.h"

namespace attn::ptx::test {

using namespace half;

TEST(Half, Arithmetic) {
  for (const Named &type : both) {
    const Format &f = *type.format;
    auto add = [&](uint64_t a, uint64_t b) {
      return sum(f, f.decode(a), f.decode(b));
    };
    auto sub = [&](uint64_t a, uint64_t b) {
      return sum(f, f.decode(a), -f.decode(b));
    };
    auto mul = [&](uint64_t a, uint64_t b) {
      return f.encode(f.decode(a) * f.decode(b));
    };
    binary("add", type, add);
    binary("add.rn", type, add);
    binary("sub", type, sub);
    binary("mul", type, mul);
    if (&f == &bf16)
      continue;
    binary("add.sat", type,
           [&](uint64_t a, uint64_t b) { return saturated(f, add(a, b)); });
    binary("mul.ftz", type, [&](uint64_t a, uint64_t b) {
      return flushBits(f, f.encode(flushed(f, a) * flushed(f, b)));
    });
    binary("sub.ftz.sat", type, [&](uint64_t a, uint64_t b) {
      return saturated(f, flushBits(f, sum(f, flushed(f, a), -flushed(f, b))));
    });
  }
}

TEST(Half, Fma) {
  for (const Named &type : both) {
    const Format &f = *type.format;
    std::vector<std::string> types{"b16", "b16", "b16", "b16"};
    check3("fma.rn." + type.name, types, samples(f),
           [&](uint64_t a, uint64_t b, uint64_t c) {
             return fused(f, f.decode(a), f.decode(b), f.decode(c));
           });
    check3("fma.rn.relu." + type.name, types, samples(f),
           [&](uint64_t a, uint64_t b, uint64_t c) {
             return relu(fused(f, f.decode(a), f.decode(b), f.decode(c)));
           });
    Values got = evaluate("fma.rn." + type.name + "x2 %d, %a, %b, %c;",
                          {"b32", "b32", "b32", "b32"},
                          {{f.encode(3) << 16 | f.encode(1.5)},
                           {f.encode(2) << 16 | f.encode(0.1)},
                           {f.encode(-7) << 16 | f.encode(100)}});
    EXPECT_EQ(got[0],
              f.encode(-1) << 16 | fused(f, 1.5, f.decode(f.encode(0.1)), 100));
  }
  check3("fma.rn.ftz.f16", {"b16", "b16", "b16", "b16"}, samples(f16),
         [](uint64_t a, uint64_t b, uint64_t c) {
           return flushBits(f16, fused(f16, flushed(f16, a), flushed(f16, b),
                                       flushed(f16, c)));
         });
  check3("fma.rn.sat.f16", {"b16", "b16", "b16", "b16"}, samples(f16),
         [](uint64_t a, uint64_t b, uint64_t c) {
           return saturated(
               f16, fused(f16, f16.decode(a), f16.decode(b), f16.decode(c)));
         });
}

TEST(Half, MinMax) {
  for (const Named &type : both)
    for (bool least : {true, false}) {
      const Format &f = *type.format;
      auto pick = [&](uint64_t a, uint64_t b) {
        double x = f.decode(a), y = f.decode(b);
        if (std::isnan(x) || std::isnan(y))
          return std::isnan(x) && std::isnan(y) ? uint64_t(0x7fff)
                 : std::isnan(x)                ? b
                                                : a;
        if (x == 0 && y == 0)
          return least ? a | b : a & b;
        return (x < y) == least ? a : b;
      };
      std::string name = least ? "min" : "max";
      binary(name, type, pick);
      binary(name + ".NaN", type, [&](uint64_t a, uint64_t b) {
        return std::isnan(f.decode(a)) || std::isnan(f.decode(b))
                   ? uint64_t(0x7fff)
                   : pick(a, b);
      });
    }
}

TEST(Half, Signs) {
  for (const Named &type : both) {
    check1("neg." + type.name, {"b16", "b16"}, samples(*type.format),
           [](uint64_t a) { return a ^ 0x8000; });
    check1("abs." + type.name, {"b16", "b16"}, samples(*type.format),
           [](uint64_t a) { return a & 0x7fff; });
    check1("neg." + type.name + "x2", {"b32", "b32"}, edgeIntegers(),
           [](uint64_t a) { return a ^ 0x80008000; });
    check1("abs." + type.name + "x2", {"b32", "b32"}, edgeIntegers(),
           [](uint64_t a) { return a & 0x7fff7fff; });
  }
}

// f16: 2^-9.9 relative; bf16: 2^-7. tanh: 2^-10.987 and 2^-8 absolute.
TEST(Half, Functions) {
  for (const Named &type : both) {
    const Format &f = *type.format;
    std::string ftz = &f == &bf16 ? ".ftz" : "";
    Values in;
    for (int k = -60; k <= 60; ++k)
      in.push_back(f.encode(k / 8.0));
    Values exps = evaluate("ex2.approx" + ftz + "." + type.name + " %d, %a;",
                           {"b16", "b16"}, {in});
    Values tanhs =
        evaluate("tanh.approx." + type.name + " %d, %a;", {"b16", "b16"}, {in});
    for (size_t i = 0; i != in.size(); ++i) {
      double x = f.decode(in[i]);
      double bound = &f == &f16 ? std::exp2(-9.9) : 0x1p-7;
      EXPECT_NEAR(f.decode(exps[i]) / std::exp2(x), 1, bound);
      EXPECT_NEAR(f.decode(tanhs[i]), std::tanh(x),
                  &f == &f16 ? std::exp2(-10.987) : 0x1p-8);
    }
    Values pair =
        evaluate("ex2.approx" + ftz + "." + type.name + "x2 %d, %a;",
                 {"b32", "b32"}, {{f.encode(3) << 16 | f.encode(-2)}});
    EXPECT_EQ(pair[0], f.encode(8) << 16 | f.encode(0.25));
    pair = evaluate("tanh.approx." + type.name + "x2 %d, %a;", {"b32", "b32"},
                    {{f.infinity() << 16 | f.encode(0)}});
    EXPECT_EQ(pair[0], f.encode(1) << 16);
  }
}

} // namespace attn::ptx::test
