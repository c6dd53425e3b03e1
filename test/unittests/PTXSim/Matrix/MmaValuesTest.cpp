//===- MmaValuesTest.cpp - Rounding, infinities, saturation ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element of A is the same, so is every element of B and of C: then every
// element of D is k * a * b + c, whatever the layout. `first` puts another
// value into the element k = 0 of all rows of A.
//
//===----------------------------------------------------------------------===//

#include "WarpKernel.h"

#include <cmath>
#include <limits>

using namespace attn::ptx;
using namespace attn::ptx::test;

namespace {
constexpr uint32_t kNaN = 0x7fffffff, kInfinity = 0x7f800000;

struct Uniform {
  std::string name;
  unsigned registersA = 4, registersB = 2, registersC = 4;
  uint32_t a, b, c; ///< Whole words: all their elements are alike.
  uint32_t first = 0;
  bool hasFirst = false;

  /// The one word that all registers of D hold.
  uint32_t result() const {
    WarpKernel kernel;
    kernel.in.assign(registersA, everywhere(a));
    // k = 0 lies in the low element of lanes 0, 4, 8, ... of the registers of
    // the left half of A: those of rows 0-7 and of rows 8-15.
    if (hasFirst)
      for (unsigned r = 0; r != 2; ++r)
        for (unsigned lane = 0; lane != 32; lane += 4)
          kernel.in[r][lane] = first;
    kernel.in.insert(kernel.in.end(), registersB, everywhere(b));
    kernel.in.insert(kernel.in.end(), registersC, everywhere(c));
    kernel.results = registersC;
    kernel.body = "mma.sync.aligned." + name + " {" +
                  names("%o", 0, registersC) + "}, {" +
                  names("%i", 0, registersA) + "}, {" +
                  names("%i", registersA, registersB) + "}, {" +
                  names("%i", registersA + registersB, registersC) + "};";
    kernel.clean();
    for (unsigned r = 0; r != registersC; ++r)
      EXPECT_EQ(kernel.out[r], everywhere(kernel.out[0][0])) << name;
    return kernel.out[0][0];
  }
  Uniform &withFirst(uint32_t word) {
    first = word;
    hasFirst = true;
    return *this;
  }
};

Uniform half(uint32_t a, uint32_t b, float c) {
  return {"m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, a, b, bits(c)};
}
Uniform halfToHalf(uint32_t a, uint32_t b, uint32_t c) {
  return {"m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, a, b, c};
}
Uniform bfloat(uint32_t a, uint32_t b, float c) {
  return {"m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, a, b, bits(c)};
}
Uniform tf32(uint32_t a, uint32_t b, float c) {
  return {"m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, a, b, bits(c)};
}
Uniform bytes(const std::string &types, uint32_t a, uint32_t b, uint32_t c) {
  return {"m16n8k32.row.col." + types, 4, 2, 4, a, b, c};
}

constexpr uint32_t kHalfOne = 0x3c003c00, kHalfInf = 0x7c007c00,
                   kHalfMax = 0x7bff7bff, kHalfTiny = 0x00010001;

TEST(MmaValues, HalfInfinitiesAndNaNs) {
  float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(half(kHalfInf, kHalfOne, 1).result(), kInfinity);
  EXPECT_EQ(half(kHalfInf, kHalfOne, -inf).result(), kNaN);
  EXPECT_EQ(half(kHalfInf, 0, 1).result(), kNaN) << "infinity times zero";
  EXPECT_EQ(half(kHalfOne, kHalfOne, -inf).result(), bits(-inf));
  EXPECT_EQ(half(0xfe00fe00, kHalfOne, 1).result(), kNaN);
  EXPECT_EQ(half(kHalfOne, kHalfOne, single(0xffc12345)).result(), kNaN);
  // Two infinities of different signs inside one sum.
  EXPECT_EQ(half(kHalfInf, kHalfOne, 0).withFirst(0x7c00fc00).result(), kNaN);
}

TEST(MmaValues, HalfExtremesAreExact) {
  EXPECT_EQ(half(kHalfMax, kHalfMax, 0).result(), bits(65504.f * 65504.f * 16));
  // Products of subnormal numbers: 2^-48 each.
  EXPECT_EQ(half(kHalfTiny, kHalfTiny, 0).result(), bits(0x1p-44f));
  EXPECT_EQ(half(0x80018001, kHalfOne, 0).result(), bits(-0x1p-20f));
  // The largest subnormal number.
  EXPECT_EQ(half(0x03ff03ff, kHalfOne, 0).result(), bits(1023 * 0x1p-20f));
}

TEST(MmaValues, OneRoundingOfTheWholeSum) {
  // Adding sixteen ones to 2^24 one at a time in f32 would lose all of them.
  EXPECT_EQ(half(kHalfOne, kHalfOne, 0x1p24f).result(), bits(0x1p24f + 16));
  // 2^24 + 15 * 1 + 0 lies between two floats: ties go to the even one.
  EXPECT_EQ(half(kHalfOne, kHalfOne, 0x1p24f).withFirst(0x3c000000).result(),
            bits(0x1p24f + 16));
  EXPECT_EQ(
      half(kHalfOne, kHalfOne, 0x1p24f + 2).withFirst(0x3c000000).result(),
      bits(0x1p24f + 16));
}

TEST(MmaValues, HalfResultsRoundToEvenAndOverflow) {
  // 2048 + 16 + 1/16 * 16 = 2065: between 2064 and 2066.
  EXPECT_EQ(halfToHalf(kHalfOne, 0x2c002c00, 0x68086808).result(), 0x68086808u);
  EXPECT_EQ(halfToHalf(kHalfOne, 0x2c002c00, 0x68096809).result(), 0x680a680au);
  // 65504 + 16 is the tie between the largest number and 65536.
  EXPECT_EQ(halfToHalf(kHalfOne, kHalfOne, 0x7bff7bff).result(), 0x7c007c00u);
  EXPECT_EQ(halfToHalf(kHalfOne, 0x3bff3bff, 0x7bff7bff).result(), 0x7bff7bffu);
  EXPECT_EQ(halfToHalf(kHalfInf, 0, 0).result(), 0x7fff7fffu);
  EXPECT_EQ(halfToHalf(kHalfTiny, 0x2c002c00, 0).result(), kHalfTiny);
}

TEST(MmaValues, BFloatOverflowAndSubnormals) {
  // 2^127 * 2 * 16 is beyond the largest float.
  EXPECT_EQ(bfloat(0x7f007f00, 0x40004000, 0).result(), kInfinity);
  EXPECT_EQ(bfloat(0xff00ff00, 0x40004000, 0).result(), 0xff800000u);
  // 2^-133, the smallest subnormal bfloat, times 16.
  EXPECT_EQ(bfloat(0x00010001, 0x3f803f80, 0).result(), bits(0x1p-129f));
  EXPECT_EQ(bfloat(0x7fc07fc0, 0x3f803f80, 0).result(), kNaN);
  // Products of 2^128 and -2^128 are beyond the floats, their sum is not.
  EXPECT_EQ(bfloat(0, 0x40004000, 0x1p100f).withFirst(0xff007f00).result(),
            bits(0x1p100f));
}

TEST(MmaValues, TF32IgnoresTheLowBits) {
  EXPECT_EQ(tf32(bits(1.5f), bits(2), 1).result(), bits(25));
  EXPECT_EQ(tf32(0x3f801fff, bits(1), 0).result(), bits(8))
      << "1 + 2^-10 - ulp";
  EXPECT_EQ(tf32(0x3f802000, bits(1), 0).result(), bits(8 + 0x1p-7f));
  EXPECT_EQ(tf32(bits(1), 0x3f801fff, 0).result(), bits(8));
  EXPECT_EQ(tf32(0x7f801fff, bits(1), 0).result(), kInfinity);
}

TEST(MmaValues, FloatsOfEightBits) {
  const char *e4m3 = "f32.e4m3.e4m3.f32", *e5m2 = "f32.e5m2.e5m2.f32";
  EXPECT_EQ(bytes(e4m3, 0x7e7e7e7e, 0x7e7e7e7e, 0).result(),
            bits(448.f * 448 * 32));
  EXPECT_EQ(bytes(e4m3, 0x01010101, 0x38383838, 0).result(), bits(0x1p-4f))
      << "the smallest subnormal number is 2^-9";
  EXPECT_EQ(bytes(e4m3, 0xffffffff, 0x38383838, 0).result(), kNaN);
  EXPECT_EQ(bytes(e5m2, 0x7b7b7b7b, 0x3c3c3c3c, 0).result(),
            bits(57344.f * 32));
  EXPECT_EQ(bytes(e5m2, 0x7c7c7c7c, 0x3c3c3c3c, 0).result(), kInfinity);
  EXPECT_EQ(bytes(e5m2, 0x7d7d7d7d, 0x3c3c3c3c, 0).result(), kNaN);
  EXPECT_EQ(bytes("f32.e4m3.e5m2.f32", 0x38383838, 0xfcfcfcfc, 0).result(),
            0xff800000u);
}

TEST(MmaValues, IntegersWrapOrSaturate) {
  const char *wrap = "s32.s8.s8.s32", *clamp = "satfinite.s32.s8.s8.s32";
  // 32 * 128 * 128 = 2^19
  EXPECT_EQ(bytes(wrap, 0x80808080, 0x80808080, 5).result(), 0x80005u);
  EXPECT_EQ(bytes(wrap, 0x80808080, 0x80808080, 0x7fffffff).result(),
            0x8007ffffu);
  EXPECT_EQ(bytes(clamp, 0x80808080, 0x80808080, 0x7fffffff).result(),
            0x7fffffffu);
  EXPECT_EQ(bytes(clamp, 0x80808080, 0x80808080, 0x7ff7ffff).result(),
            0x7fffffffu);
  EXPECT_EQ(bytes(clamp, 0x80808080, 0x80808080, 0x7ff7fffe).result(),
            0x7ffffffeu);
  EXPECT_EQ(bytes(wrap, 0x80808080, 0x7f7f7f7f, 0x80000000).result(),
            0x80000000u - 32 * 128 * 127);
  EXPECT_EQ(bytes(clamp, 0x80808080, 0x7f7f7f7f, 0x80000000).result(),
            0x80000000u);
}

TEST(MmaValues, SignsOfBytes) {
  // 255 as unsigned, -1 as signed.
  EXPECT_EQ(bytes("s32.u8.u8.s32", ~0u, ~0u, 0).result(), 32u * 255 * 255);
  EXPECT_EQ(bytes("s32.s8.s8.s32", ~0u, ~0u, 0).result(), 32u);
  EXPECT_EQ(bytes("s32.u8.s8.s32", ~0u, ~0u, 0).result(), uint32_t(-32 * 255));
  EXPECT_EQ(bytes("s32.s8.u8.s32", ~0u, ~0u, 0).result(), uint32_t(-32 * 255));
  EXPECT_EQ(bytes("s32.s8.u8.s32", 0x7f7f7f7f, ~0u, 0).result(),
            32u * 127 * 255);
}

/// (1 + 2^-30)(1 - 2^-30) - 1 is -2^-60 only when the product is not rounded.
TEST(MmaValues, DoublesAreFused) {
  auto halves = [](double value) {
    uint64_t b = llvm::bit_cast<uint64_t>(value);
    return std::pair<uint32_t, uint32_t>(uint32_t(b), uint32_t(b >> 32));
  };
  WarpKernel kernel;
  auto add = [&](double value) {
    kernel.in.push_back(everywhere(halves(value).first));
    kernel.in.push_back(everywhere(halves(value).second));
  };
  add(1 + 0x1p-30);
  add(0);
  add(-1);
  // Of the four products of a sum only k = 0 is there: B is zero in lanes whose
  // threadID_in_group is not 0.
  for (unsigned lane = 0; lane != 32; lane += 4) {
    kernel.in[2][lane] = halves(1 - 0x1p-30).first;
    kernel.in[3][lane] = halves(1 - 0x1p-30).second;
  }
  kernel.results = 4;
  kernel.body =
      "mov.b64 %x0, {%i0, %i1}; mov.b64 %x1, {%i2, %i3};\n"
      "mov.b64 %x2, {%i4, %i5};\n"
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%x4, %x5}, {%x0}, "
      "{%x1}, {%x2, %x2};\n"
      "mov.b64 {%o0, %o1}, %x4; mov.b64 {%o2, %o3}, %x5;";
  kernel.clean();
  EXPECT_EQ(kernel.out[0], everywhere(halves(-0x1p-60).first));
  EXPECT_EQ(kernel.out[1], everywhere(halves(-0x1p-60).second));
  EXPECT_EQ(kernel.out[3], everywhere(halves(-0x1p-60).second));
}

/// D may be the registers of A, B or C.
TEST(MmaValues, ResultsMayOverwriteOperands) {
  WarpKernel kernel;
  kernel.in.assign(4, everywhere(kHalfOne));
  kernel.in.insert(kernel.in.end(), 2, everywhere(0x40004000));
  kernel.results = 4;
  kernel.body = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                "{%i0, %i5, %i2, %i1}, {%i0, %i1, %i2, %i3}, {%i4, %i5}, "
                "{%i0, %i0, %i0, %i0};\n"
                "mov.b32 %o0, %i0; mov.b32 %o1, %i5; mov.b32 %o2, %i2;\n"
                "mov.b32 %o3, %i1;";
  kernel.clean();
  uint32_t expected = bits(32 + single(kHalfOne));
  for (unsigned r = 0; r != 4; ++r)
    EXPECT_EQ(kernel.out[r], everywhere(expected));
}
} // namespace
