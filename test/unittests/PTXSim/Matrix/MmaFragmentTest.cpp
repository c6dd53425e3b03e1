//===- MmaFragmentTest.cpp - Products of whole fragments ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices of small integers are spread over the lanes by the tables, run
// through the instruction, gathered by the table of D and compared with the
// product. All values are exact in all types, so one bit off is a failure.
//
//===----------------------------------------------------------------------===//

#include "FragmentTables.h"
#include "WarpKernel.h"

#include "PTXSim/Ops/FloatMath.h"

using namespace attn::ptx;
using namespace attn::ptx::test;

namespace {
enum class Element {
  Half,
  BFloat,
  TF32,
  Single,
  Double,
  S8,
  U8,
  E4M3,
  E5M2,
  S32
};

uint64_t encode(Element type, int value) {
  auto as = [&](const Format &format) {
    return encodeFloat(format, value, Rounding::Nearest);
  };
  switch (type) {
  case Element::Half:
    return as(formatF16);
  case Element::BFloat:
    return as(formatBF16);
  case Element::TF32:
  case Element::Single:
    return bits(float(value));
  case Element::Double:
    return llvm::bit_cast<uint64_t>(double(value));
  case Element::E4M3:
    return as(formatE4M3);
  case Element::E5M2:
    return as(formatE5M2);
  case Element::S8:
  case Element::U8:
    return uint8_t(value);
  case Element::S32:
    return uint32_t(value);
  }
  return 0;
}

unsigned bitsOf(Element type) {
  switch (type) {
  case Element::Double:
    return 64;
  case Element::TF32:
  case Element::Single:
  case Element::S32:
    return 32;
  case Element::Half:
  case Element::BFloat:
    return 16;
  default:
    return 8;
  }
}

struct Product {
  std::string name; ///< What follows mma.sync.aligned.
  unsigned m, k;
  Element a, b, c;
  Layout layoutA, layoutB, layoutC;
};

/// All shapes of f16, bf16, tf32 and f64.
const Product kWideProducts[] = {
    {"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, Element::Half, Element::Half,
     Element::Single, halfK8A, halfK8B, m16C},
    {"m16n8k8.row.col.f16.f16.f16.f16", 16, 8, Element::Half, Element::Half,
     Element::Half, halfK8A, halfK8B, m16C},
    {"m16n8k16.row.col.f32.f16.f16.f32", 16, 16, Element::Half, Element::Half,
     Element::Single, halfK16A, halfK16B, m16C},
    {"m16n8k16.row.col.f16.f16.f16.f16", 16, 16, Element::Half, Element::Half,
     Element::Half, halfK16A, halfK16B, m16C},
    {"m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, Element::BFloat,
     Element::BFloat, Element::Single, halfK8A, halfK8B, m16C},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16, Element::BFloat,
     Element::BFloat, Element::Single, halfK16A, halfK16B, m16C},
    {"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 4, Element::TF32, Element::TF32,
     Element::Single, tf32K4A, tf32K4B, m16C},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, Element::TF32, Element::TF32,
     Element::Single, tf32K8A, tf32K8B, m16C},
    {"m8n8k4.row.col.f64.f64.f64.f64", 8, 4, Element::Double, Element::Double,
     Element::Double, doubleM8A, doubleM8B, m8C},
    {"m16n8k4.row.col.f64.f64.f64.f64", 16, 4, Element::Double, Element::Double,
     Element::Double, doubleK4A, doubleM8B, m16C},
    {"m16n8k8.row.col.f64.f64.f64.f64", 16, 8, Element::Double, Element::Double,
     Element::Double, doubleK8A, doubleK8B, m16C},
    {"m16n8k16.row.col.f64.f64.f64.f64", 16, 16, Element::Double,
     Element::Double, Element::Double, doubleK16A, doubleK16B, m16C},
};

std::vector<Product> products() {
  std::vector<Product> all(std::begin(kWideProducts), std::end(kWideProducts));
  for (const char *rounding : {".rn", ".rz", ".rm", ".rp"}) {
    Product p = kWideProducts[8];
    p.name = std::string("m8n8k4.row.col") + rounding + ".f64.f64.f64.f64";
    all.push_back(p);
  }
  struct Shape {
    const char *name;
    unsigned m, k;
    Layout a, b, c;
  };
  const Shape shapes[] = {{"m8n8k16", 8, 16, byteM8A, byteM8B, m8C},
                          {"m16n8k16", 16, 16, byteK16A, byteK16B, m16C},
                          {"m16n8k32", 16, 32, byteK32A, byteK32B, m16C}};
  struct Type {
    const char *name;
    Element element;
  };
  const Type integers[] = {{"s8", Element::S8}, {"u8", Element::U8}};
  const Type floats[] = {{"e4m3", Element::E4M3}, {"e5m2", Element::E5M2}};
  const Type results[] = {{"f32", Element::Single}, {"f16", Element::Half}};
  auto add = [&](const Shape &s, const std::string &d, const Type &a,
                 const Type &b, const std::string &c, Element result) {
    all.push_back({std::string(s.name) + ".row.col" + d + "." + a.name + "." +
                       b.name + "." + c,
                   s.m, s.k, a.element, b.element, result, s.a, s.b, s.c});
  };
  for (const Shape &s : shapes) {
    for (const Type &a : integers)
      for (const Type &b : integers)
        for (const char *d : {".s32", ".satfinite.s32"})
          add(s, d, a, b, "s32", Element::S32);
    for (const Type &a : floats)
      for (const Type &b : floats)
        for (const Type &d : results)
          if (s.m == 16)
            add(s, std::string(".") + d.name, a, b, d.name, d.element);
  }
  return all;
}

/// Spreads `matrix` over registers of 32 bits; a double takes two.
std::vector<Words> spread(const std::vector<int> &matrix, unsigned columns,
                          Element type, Layout layout) {
  unsigned width = bitsOf(type);
  unsigned elements = unsigned(matrix.size()) / 32;
  std::vector<Words> registers(elements * width / 32, Words{});
  for (unsigned lane = 0; lane != 32; ++lane)
    for (unsigned i = 0; i != elements; ++i) {
      At at = layout(lane / 4, lane % 4, i);
      uint64_t value = encode(type, matrix[at.row * columns + at.column]);
      if (width == 64) {
        registers[2 * i][lane] = uint32_t(value);
        registers[2 * i + 1][lane] = uint32_t(value >> 32);
      } else {
        registers[i * width / 32][lane] |= uint32_t(value) << (i * width % 32);
      }
    }
  return registers;
}

/// Moves words to and from registers of 64 bits.
std::string doubleMoves(unsigned words, unsigned results, std::string mma) {
  std::string text;
  for (unsigned k = 0; k != words / 2; ++k)
    text += "  mov.b64 %x" + std::to_string(k) + ", {" + names("%i", 2 * k, 2) +
            "};\n";
  text += mma;
  for (unsigned k = 0; k != results / 2; ++k)
    text += "  mov.b64 {" + names("%o", 2 * k, 2) + "}, %x" +
            std::to_string(20 + k) + ";\n";
  return text;
}

std::vector<int> randomMatrix(Numbers &numbers, unsigned size, int low,
                              int high) {
  std::vector<int> result(size);
  for (int &value : result)
    value = numbers.between(low, high);
  return result;
}

class MmaFragment : public ::testing::TestWithParam<Product> {};

TEST_P(MmaFragment, IsTheProductOfItsMatrices) {
  const Product &p = GetParam();
  Numbers numbers{p.k * 131 + p.m};
  int low = p.a == Element::U8 || p.b == Element::U8 ? 0 : -6;
  std::vector<int> a = randomMatrix(numbers, p.m * p.k, low, 7);
  std::vector<int> b = randomMatrix(numbers, p.k * 8, low, 4);
  std::vector<int> c = randomMatrix(numbers, p.m * 8, -60, 60);
  std::vector<int> d = c;
  for (unsigned row = 0; row != p.m; ++row)
    for (unsigned n = 0; n != 8; ++n)
      for (unsigned k = 0; k != p.k; ++k)
        d[row * 8 + n] += a[row * p.k + k] * b[k * 8 + n];

  WarpKernel kernel;
  unsigned sizes[3];
  auto add = [&](const std::vector<int> &matrix, unsigned columns, Element type,
                 Layout layout) {
    std::vector<Words> words = spread(matrix, columns, type, layout);
    kernel.in.insert(kernel.in.end(), words.begin(), words.end());
    return unsigned(words.size());
  };
  sizes[0] = add(a, p.k, p.a, p.layoutA);
  sizes[1] = add(b, 8, p.b, p.layoutB);
  sizes[2] = add(c, 8, p.c, p.layoutC);
  kernel.results = sizes[2];
  bool wide = p.c == Element::Double;
  unsigned per = wide ? 2 : 1;
  std::string in = wide ? "%x" : "%i", out = wide ? "%x" : "%o";
  unsigned first = sizes[0] / per, second = sizes[1] / per,
           third = sizes[2] / per;
  std::string mma = std::string("  mma.sync.aligned.") + p.name + " {" +
                    names(out, wide ? 20 : 0, third) + "}, {" +
                    names(in, 0, first) + "}, {" + names(in, first, second) +
                    "}, {" + names(in, first + second, third) + "};\n";
  kernel.body =
      wide ? doubleMoves(unsigned(kernel.in.size()), sizes[2], mma) : mma;
  kernel.clean();
  std::vector<Words> expected = spread(d, 8, p.c, p.layoutC);
  for (unsigned r = 0; r != expected.size(); ++r)
    for (unsigned lane = 0; lane != 32; ++lane)
      EXPECT_EQ(kernel.out[r][lane], expected[r][lane])
          << p.name << " register " << r << " lane " << lane;
}

INSTANTIATE_TEST_SUITE_P(Shapes, MmaFragment, ::testing::ValuesIn(products()),
                         [](const auto &info) {
                           std::string name = info.param.name;
                           for (char &c : name)
                             c = c == '.' ? '_' : c;
                           return name;
                         });

/// The formulas of the tables against the figures of the same chapter.
TEST(FragmentTables, FormulasAgreeWithFigures) {
  for (unsigned lane = 0; lane != 32; ++lane) {
    for (unsigned i = 0; i != 8; ++i) {
      At a = halfK16A(lane / 4, lane % 4, i);
      EXPECT_EQ(kFigureA[a.row][a.column], lane);
      unsigned quarter = (a.row >= 8) + 2 * (a.column >= 8);
      EXPECT_EQ(i / 2, quarter);
      EXPECT_EQ(i % 2, a.column % 2);
    }
    for (unsigned i = 0; i != 4; ++i) {
      At b = halfK16B(lane / 4, lane % 4, i);
      EXPECT_EQ(kFigureB[b.row % 8][b.column], lane);
      EXPECT_EQ(i / 2, b.row / 8);
      At c = m16C(lane / 4, lane % 4, i);
      EXPECT_EQ(kFigureRows[c.row % 8][c.column], lane);
      EXPECT_EQ(i / 2, c.row / 8);
    }
  }
}
} // namespace
