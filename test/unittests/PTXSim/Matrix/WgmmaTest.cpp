//===- WgmmaTest.cpp - Products of a warpgroup ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices of small integers, so that every sum is exact.
//
//===----------------------------------------------------------------------===//

#include "WgmmaKernel.h"

using namespace attn::ptx;
using namespace attn::ptx::test;

static Layout kMajor(unsigned width, uint32_t start) {
  if (width == 0)
    return {0, true, 128, 256, start, 0};
  return {width, true, 16, 8 * width, start, 0};
}

/// `rows` rows: atoms along the rows follow each other; then the second eight
/// k.
static Layout mnMajor(unsigned width, unsigned rows, uint32_t start) {
  if (width == 0)
    return {0, false, rows * 16, 128, start, 0};
  return {width, false, 16 * width, 8 * width, start, 0};
}

static Product sixteenBit(const std::string &type) {
  Product p;
  p.a = p.b = type;
  return p;
}

static Product ofTypes(const std::string &result, const std::string &a,
                       const std::string &b) {
  Product p;
  p.result = result;
  p.a = a;
  p.b = b;
  p.k = 32 / typeBytes(a);
  return p;
}

TEST(Wgmma, EveryN) {
  for (unsigned n = 8; n <= 256; n += 8) {
    Product p;
    p.n = n;
    p.expectExact();
    if (HasFailure())
      return;
  }
}

/// Shapes of every type, A in shared memory and in registers in turn.
TEST(Wgmma, EveryShapeAndType) {
  struct Types {
    const char *d, *a, *b;
  };
  std::vector<Types> all{
      {"f16", "f16", "f16"}, {"f32", "bf16", "bf16"}, {"f32", "tf32", "tf32"}};
  for (const char *a : {"e4m3", "e5m2"})
    for (const char *b : {"e4m3", "e5m2"})
      for (const char *d : {"f32", "f16"})
        all.push_back({d, a, b});
  for (const char *a : {"s8", "u8"})
    for (const char *b : {"s8", "u8"})
      all.push_back({"s32", a, b});
  for (const Types &t : all)
    for (unsigned n = 8; n <= 256; n += 8) {
      bool integer = t.d == std::string("s32");
      // For bytes, of which there are many kinds, some sizes are enough.
      bool some = n == 8 || n == 24 || n == 64 || n == 144 || n == 256;
      if (t.a == std::string("e4m3") || t.a == std::string("e5m2") || integer)
        if (!some)
          continue;
      Product p = ofTypes(t.d, t.a, t.b);
      p.n = n;
      p.fragment = n / 8 % 2;
      if (t.a[0] == 'u')
        p.valueA = [](unsigned r, unsigned k) { return int(r * 31 + k) % 256; };
      if (t.b[0] == 'u')
        p.valueB = [](unsigned k, unsigned c) { return 255 - int(k + c) % 9; };
      p.expectExact();
      p.saturate = integer;
      if (integer)
        p.expectExact();
      if (HasFailure())
        return;
    }
}

TEST(Wgmma, KMajorSwizzles) {
  for (unsigned a : {0u, 32u, 64u, 128u})
    for (unsigned b : {0u, 32u, 64u, 128u}) {
      Product p;
      p.n = 32;
      p.layoutA = kMajor(a, 0);
      p.layoutB = kMajor(b, 8192);
      p.expectExact();
    }
}

TEST(Wgmma, MNMajorSwizzles) {
  for (unsigned a : {0u, 32u, 64u, 128u})
    for (unsigned b : {0u, 32u, 64u, 128u}) {
      Product p;
      p.n = 128;
      p.layoutA = mnMajor(a, 64, 0);
      p.layoutB = mnMajor(b, 128, 8192);
      p.expectExact();
    }
}

TEST(Wgmma, OneTransposed) {
  for (bool a : {false, true}) {
    Product p;
    p.layoutA = a ? mnMajor(128, 64, 0) : kMajor(64, 0);
    p.layoutB = a ? kMajor(32, 8192) : mnMajor(64, 64, 8192);
    p.expectExact();
    p.a = p.b = "bf16";
    p.expectExact();
  }
}

/// Two strides that are not those of a packed tile.
TEST(Wgmma, Strides) {
  Product p;
  p.n = 24;
  p.layoutA = {0, true, 1024, 128, 0, 0};
  p.layoutB = {128, true, 0, 2048, 8192, 0};
  p.expectExact();
  p.layoutA = {64, false, 2048, 512, 0, 0};
  p.expectExact();
}

/// Columns 16, 32 and 48 of a tile that is 64 elements wide.
TEST(Wgmma, StartInsideALine) {
  for (uint32_t skip : {32u, 64u, 96u}) {
    Product p;
    p.n = 32;
    p.layoutA = kMajor(128, 0);
    p.layoutB = kMajor(128, 8192);
    p.layoutA.skip = p.layoutB.skip = skip;
    p.expectExact();
  }
}

TEST(Wgmma, BaseOffset) {
  Product p;
  p.n = 32;
  p.layoutA = kMajor(128, 0x100);
  p.extraBitsA = 2ull << 49;
  p.layoutB = kMajor(128, 9 * 1024);
  p.expectExact();
}

TEST(Wgmma, Types) {
  ofTypes("f16", "f16", "f16").expectExact();
  sixteenBit("bf16").expectExact();
  ofTypes("f32", "tf32", "tf32").expectExact();
  for (const char *a : {"e4m3", "e5m2"})
    for (const char *b : {"e4m3", "e5m2"})
      for (const char *d : {"f32", "f16"}) {
        // Of e5m2's integers, those up to 8.
        Product p = ofTypes(d, a, b);
        p.expectExact();
      }
  for (const char *a : {"s8", "u8"})
    for (const char *b : {"s8", "u8"}) {
      Product p = ofTypes("s32", a, b);
      if (a[0] == 'u')
        p.valueA = [](unsigned r, unsigned k) { return int(r * 31 + k) % 256; };
      if (b[0] == 'u')
        p.valueB = [](unsigned k, unsigned c) { return 255 - int(k + c) % 9; };
      else
        p.valueB = [](unsigned k, unsigned c) {
          return int(k + c) % 129 - 128;
        };
      p.expectExact();
    }
}

TEST(Wgmma, AInRegisters) {
  for (const char *type : {"f16", "bf16", "tf32", "e4m3", "e5m2"}) {
    Product p = ofTypes("f32", type, type);
    p.fragment = true;
    p.expectExact();
  }
  Product half = ofTypes("f16", "f16", "f16");
  half.fragment = true;
  half.layoutB = mnMajor(64, 64, 4096);
  half.expectExact();
  Product integer = ofTypes("s32", "s8", "u8");
  integer.fragment = true;
  integer.valueB = [](unsigned k, unsigned c) { return int(k * 8 + c) % 256; };
  integer.expectExact();
}

TEST(Wgmma, Signs) {
  for (int a : {1, -1})
    for (int b : {1, -1}) {
      Product p;
      p.n = 16;
      p.scaleA = a;
      p.scaleB = b;
      p.expectExact();
    }
}

/// Without scale-d what the accumulators held does not matter.
TEST(Wgmma, ScaleD) {
  Product p;
  p.n = 16;
  p.scaleD = "0";
  p.expectExact();
  Kernel kernel = p.kernel();
  for (size_t i = 4096; i != 4096 + 8 * 128; ++i)
    kernel.in[i] = 0x7fc00000;
  kernel.run(Schedule::latest());
  float first;
  std::memcpy(&first, &kernel.out[0], 4);
  EXPECT_EQ(first, first);
}

TEST(Wgmma, LowBitsOfTF32DoNotCount) {
  Product p = ofTypes("f32", "tf32", "tf32");
  p.spoilA = [](uint32_t bits) { return bits ? bits | 0x1abc : 0; };
  p.expectExact();
}

TEST(Wgmma, SaturatedIntegers) {
  Product p = ofTypes("s32", "s8", "s8");
  p.n = 8;
  p.valueA = [](unsigned, unsigned) { return 127; };
  p.valueB = [](unsigned, unsigned c) { return c % 2 ? -128 : 127; };
  p.valueD = [](unsigned, unsigned c) {
    return c % 2 ? int(0x80000005u) : 0x7ffffff0;
  };
  Kernel wraps = p.kernel();
  EXPECT_TRUE(wraps.run(Schedule::earliest()).clean());
  EXPECT_EQ(p.at(wraps, 5, 0), 0x7ffffff0u + 32 * 127 * 127);
  EXPECT_EQ(p.at(wraps, 5, 1), 0x80000005u - 32 * 127 * 128);
  p.saturate = true;
  Kernel stays = p.kernel();
  EXPECT_TRUE(stays.run(Schedule::earliest()).clean());
  EXPECT_EQ(p.at(stays, 63, 2), 0x7fffffffu);
  EXPECT_EQ(p.at(stays, 63, 3), 0x80000000u);
}

TEST(Wgmma, InfinitiesAndNaN) {
  Product p;
  p.n = 8;
  p.valueA = [](unsigned r, unsigned k) { return k == 3 && r < 2 ? 1 : 0; };
  p.valueB = [](unsigned, unsigned) { return 1; };
  p.valueD = [](unsigned, unsigned) { return 0; };
  // Row 0 has an infinity, row 1 a NaN.
  unsigned row = 0;
  p.spoilA = [&row](uint32_t bits) {
    return bits ? (row++ == 0 ? 0x7c00u : 0x7e01u) : 0;
  };
  Kernel kernel = p.kernel();
  EXPECT_TRUE(kernel.run(Schedule::earliest()).clean());
  EXPECT_EQ(p.at(kernel, 0, 5), 0x7f800000u);
  EXPECT_EQ(p.at(kernel, 1, 5), 0x7fffffffu);
  EXPECT_EQ(p.at(kernel, 2, 5), 0u);
}

/// A sum that f16 cannot hold is rounded once, to even.
TEST(Wgmma, HalfAccumulatorsRound) {
  Product p = ofTypes("f16", "f16", "f16");
  p.n = 8;
  p.valueA = [](unsigned r, unsigned k) { return k == 0 ? int(r % 4) : 0; };
  p.valueB = [](unsigned, unsigned) { return 1; };
  p.valueD = [](unsigned, unsigned) { return 2048; };
  Kernel kernel = p.kernel();
  EXPECT_TRUE(kernel.run(Schedule::latest()).clean());
  EXPECT_EQ(p.at(kernel, 1, 0), encodeInteger("f16", 2048));
  EXPECT_EQ(p.at(kernel, 2, 0), encodeInteger("f16", 2050));
  EXPECT_EQ(p.at(kernel, 3, 0), encodeInteger("f16", 2052));
}

/// In a function's frame registers lie elsewhere.
TEST(Wgmma, InAFunction) {
  Product p;
  p.n = 8;
  Kernel kernel = p.kernel();
  std::string text = frame(kernel.body);
  size_t begin = text.find("wgmma.fence"),
         end = text.find("st.global.u32 [%rd3");
  std::string product = text.substr(begin, end - begin);
  std::string call =
      "{ .param .b64 a0; .param .b64 a1; .param .b64 a2;\n"
      "st.param.b64 [a0], %rd5; st.param.b64 [a1], %rd6;\n"
      "st.param.b64 [a2], %rd3; call multiply, (a0, a1, a2); }\n";
  std::string function =
      ".func multiply(.param .b64 pa, .param .b64 pb, .param .b64 pd) {\n"
      ".reg .b32 %d<4>; .reg .b64 %rd<8>;\n"
      "ld.param.u64 %rd5, [pa]; ld.param.u64 %rd6, [pb];\n"
      "ld.param.u64 %rd3, [pd];\nmov.b32 %d0, 0; mov.b32 %d1, 0;\n"
      "mov.b32 %d2, 0; mov.b32 %d3, 0;\n" +
      product;
  for (unsigned i = 0; i != 4; ++i)
    function += "st.global.u32 [%rd3+" + std::to_string(i * 512) + "], %d" +
                std::to_string(i) + ";\n";
  text = text.substr(0, begin) + call + "ret;\n}\n";
  text.insert(text.find(".visible"), function + "ret;\n}\n");
  llvm::Expected<Module> module = Module::parse(text);
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  Launch launch;
  launch.block.x = 128;
  kernel.out.assign(kernel.outWords, 0);
  launch.buffers.resize(2);
  launch.buffers[0] = {"in", kernel.in.data(), kernel.in.size() * 4, true,
                       false};
  launch.buffers[1] = {"out", kernel.out.data(), kernel.out.size() * 4, false,
                       false};
  launch.arguments = {Argument::pointer(0), Argument::pointer(1)};
  Options options;
  options.schedule = Schedule::latest();
  llvm::Expected<Report> report = attn::ptx::run(*module, launch, options);
  ASSERT_TRUE(bool(report)) << llvm::toString(report.takeError());
  EXPECT_TRUE(report->clean()) << Kernel::text(*report);
  for (unsigned row = 0; row != 64; ++row)
    for (unsigned column = 0; column != 8; ++column) {
      int sum = 0;
      for (unsigned i = 0; i != 16; ++i)
        sum += p.valueA(row, i) * p.valueB(i, column);
      ASSERT_EQ(p.at(kernel, row, column), encodeInteger("f32", sum)) << row;
    }
}
