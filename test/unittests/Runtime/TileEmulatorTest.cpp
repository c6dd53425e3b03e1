//===- TileEmulatorTest.cpp - AMX in software -----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions as the assembler writes them, which stop and are computed in
// software, against loops that are written from the manual once more.
//
//===----------------------------------------------------------------------===//

#include "TileEmulatorTest.h"
#include <cmath>
#include <random>
#include <thread>
#include <vector>

using namespace attn;
using namespace attn::test;

namespace {

float flush(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

/// A fused step of the tile unit.
float step(float a, float b, float c) {
  return flush(std::fmaf(flush(a), flush(b), flush(c)));
}

float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float fromBF16(uint16_t bits) { return fromBits(uint32_t(bits) << 16); }

float fromF16(uint16_t bits) {
  int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  float magnitude = exponent == 31 ? (mantissa ? NAN : INFINITY)
                    : exponent
                        ? std::ldexp(float(1024 + mantissa), exponent - 25)
                        : std::ldexp(float(mantissa), -24);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// What sums[m][n] becomes, by the manual.
float multiplyOne(const Matrices &data, unsigned m, unsigned n, unsigned pairs,
                  float widen(uint16_t)) {
  float even = 0, odd = 0;
  for (unsigned k = 0; k < pairs; ++k) {
    even =
        step(widen(data.first[m][2 * k]), widen(data.second[k][2 * n]), even);
    odd = step(widen(data.first[m][2 * k + 1]),
               widen(data.second[k][2 * n + 1]), odd);
  }
  return flush(flush(data.sums[m][n]) + flush(even + odd));
}

/// Values of all magnitudes, some of them denormal, infinite or no number.
class RandomBits {
public:
  explicit RandomBits(unsigned seed) : engine(seed) {}
  uint16_t narrow(bool wild) {
    uint16_t bits = uint16_t(engine());
    // Of either type: near 1, so that sums round.
    return wild ? bits : uint16_t((bits & 0x81ff) | 0x3c00);
  }
  float wide(bool wild) {
    return wild ? fromBits(uint32_t(engine()))
                : float(int32_t(engine())) * 0x1p-28f;
  }

private:
  std::mt19937 engine;
};

void expectSame(float got, float expected) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(got));
  else
    EXPECT_EQ(toBits(got), toBits(expected)) << got << " " << expected;
}

void checkProduct(bool isF16, unsigned seed, bool wild) {
  RandomBits random(seed);
  unsigned rows = 1 + seed % 16, pairs = 1 + seed * 7 % 16,
           columns = 1 + seed * 5 % 16;
  Matrices data = {};
  for (auto *matrix : {&data.first, &data.second})
    for (auto &row : *matrix)
      for (uint16_t &element : row)
        element = random.narrow(wild);
  for (auto &row : data.sums)
    for (float &sum : row)
      sum = random.wide(wild);
  const Matrices before = data;
  configure(productShapes(rows, pairs, columns));
  loadTiles(data);
  if (isF16)
    asm volatile("tdpfp16ps %tmm2, %tmm1, %tmm0");
  else
    asm volatile("tdpbf16ps %tmm2, %tmm1, %tmm0");
  storeSums(data);
  release();
  for (unsigned m = 0; m < 16; ++m)
    for (unsigned n = 0; n < 16; ++n)
      expectSame(data.sums[m][n], m < rows && n < columns
                                      ? multiplyOne(before, m, n, pairs,
                                                    isF16 ? fromF16 : fromBF16)
                                      : before.sums[m][n]);
}

TEST_F(TileEmulatorTest, ProductsAreThoseOfTheManual) {
  for (unsigned seed = 0; seed < 64; ++seed)
    for (bool isF16 : {false, true}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " f16 " << isF16);
      checkProduct(isF16, seed, /*wild=*/seed % 4 == 3);
    }
  EXPECT_EQ(emulator->getCounts().products, 128u);
  EXPECT_EQ(emulator->getFault(), "");
}

TEST_F(TileEmulatorTest, DenormalsAreZeroButThoseOfF16) {
  Matrices data = {};
  data.first[0][0] = 0x0040; // In bf16 and in f16 denormal.
  data.second[0][0] = 0x3c00;
  data.sums[0][0] = fromBits(0x00400000);
  configure(productShapes(1, 1, 1));
  loadTiles(data);
  asm volatile("tdpbf16ps %tmm2, %tmm1, %tmm0");
  storeSums(data);
  EXPECT_EQ(data.sums[0][0], 0.0f);
  loadTiles(data);
  asm volatile("tdpfp16ps %tmm2, %tmm1, %tmm0");
  storeSums(data);
  EXPECT_EQ(data.sums[0][0], 0x40 * 0x1p-24f);
  release();
}

// Rows and bytes that a tile does not have are not read, not written, and zero
// in products.
TEST_F(TileEmulatorTest, LoadsAndStoresKeepToTheShape) {
  uint8_t from[16][64], to[16][64] = {};
  for (unsigned i = 0; i < 16 * 64; ++i)
    from[i / 64][i % 64] = uint8_t(i * 37 + 1);
  Shapes shapes;
  shapes.set(3, 5, 24);
  configure(shapes);
  int64_t stride = 64;
  asm volatile("tileloaddt1 (%0,%2), %%tmm3\n tilestored %%tmm3, (%1,%2)"
               :
               : "r"(from), "r"(to), "r"(stride)
               : "memory");
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned byte = 0; byte < 64; ++byte)
      EXPECT_EQ(to[row][byte], row < 5 && byte < 24 ? from[row][byte] : 0);
  asm volatile("tilezero %%tmm3\n tilestored %%tmm3, (%0,%1)"
               :
               : "r"(to), "r"(stride)
               : "memory");
  EXPECT_EQ(to[4][23], 0);
  // A row backwards, and one for all.
  asm volatile("tileloadd (%0,%2), %%tmm3\n tilestored %%tmm3, (%1,%3)"
               :
               : "r"(from[7]), "r"(to), "r"(int64_t(-64)), "r"(stride)
               : "memory");
  EXPECT_EQ(to[4][23], from[3][23]);
  asm volatile("tileloadd (%0), %%tmm3\n tilestored %%tmm3, (%1,%2)"
               :
               : "r"(from[9]), "r"(to), "r"(stride)
               : "memory");
  EXPECT_EQ(to[4][23], from[9][23]);
  release();
}

TEST_F(TileConfigurationTest, TheyCanBeRead) {
  Shapes given = productShapes(7, 5, 3), read;
  std::memset(&read, 0xff, sizeof(read));
  configure(given);
  asm volatile("sttilecfg %0" : "=m"(read));
  EXPECT_EQ(std::memcmp(&given, &read, sizeof(read)), 0);
  release();
  asm volatile("sttilecfg %0" : "=m"(read));
  Shapes none;
  none.palette = 0;
  EXPECT_EQ(std::memcmp(&none, &read, sizeof(read)), 0);
  EXPECT_EQ(emulator->getCounts().configurations, 1u);
  EXPECT_EQ(emulator->getCounts().releases, 1u);
}

// What a kernel has in its registers is as it was.
TEST_F(TileEmulatorTest, VectorsAndFlagsStay) {
  if (!__builtin_cpu_supports("avx512f"))
    GTEST_SKIP() << "no AVX-512";
  configure(productShapes(16, 16, 16));
  uint32_t low[16], high[16], mask = 0, rounding = 0x7f80, after = 0;
  uint8_t carry = 0;
  asm volatile("vpbroadcastd %5, %%zmm0\n"
               "vpaddd %%zmm0, %%zmm0, %%zmm31\n"
               "kmovw %5, %%k3\n"
               "ldmxcsr %6\n"
               "stc\n"
               "tilezero %%tmm0\n"
               "setc %3\n"
               "vmovdqu32 %%zmm0, %0\n"
               "vmovdqu32 %%zmm31, %1\n"
               "kmovw %%k3, %2\n"
               "stmxcsr %4\n"
               : "=m"(low), "=m"(high), "=&r"(mask), "=&r"(carry), "=m"(after)
               : "r"(0x1234), "m"(rounding)
               : "xmm0", "cc");
  uint32_t usual = 0x1f80;
  asm volatile("ldmxcsr %0" : : "m"(usual));
  for (unsigned i = 0; i < 16; ++i) {
    EXPECT_EQ(low[i], 0x1234u);
    EXPECT_EQ(high[i], 0x2468u);
  }
  EXPECT_EQ(mask, 0x1234u);
  EXPECT_EQ(carry, 1);
  EXPECT_EQ(after, rounding);
  release();
}

TEST_F(TileEmulatorTest, EachThreadHasItsTiles) {
  constexpr unsigned kThreads = 4, kRounds = 50;
  std::vector<std::thread> threads;
  std::vector<unsigned> wrong(kThreads);
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([t, &wrong] {
      for (unsigned round = 0; round < kRounds; ++round) {
        Matrices data = {};
        data.first[0][0] = uint16_t(0x3f80 + t * 0x80); // 1, 2, 4, 8 in bf16.
        data.second[0][0] = 0x3f80;
        configure(productShapes(1 + t, 1 + t, 1 + t));
        loadTiles(data);
        asm volatile("tdpbf16ps %tmm2, %tmm1, %tmm0");
        std::this_thread::yield();
        storeSums(data);
        release();
        wrong[t] += data.sums[0][0] != float(1 << t);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (unsigned count : wrong)
    EXPECT_EQ(count, 0u);
  TileCounts counts = emulator->getCounts();
  if (!TileEmulator::configuresItself()) {
    EXPECT_EQ(counts.configurations, kThreads * kRounds);
    EXPECT_EQ(counts.releases, kThreads * kRounds);
  }
  EXPECT_EQ(counts.loads, 3u * kThreads * kRounds);
  EXPECT_EQ(counts.products, kThreads * kRounds);
  EXPECT_EQ(counts.stores, kThreads * kRounds);
  EXPECT_EQ(counts.faults, 0u);
}

TEST_F(TileEmulatorTest, WhatAProcessorConfiguresIsSeen) {
  if (!TileEmulator::configuresItself())
    GTEST_SKIP() << "this processor does not configure tiles";
  Matrices data = {};
  data.first[0][0] = data.second[0][0] = 0x3f80;
  for (unsigned size : {1u, 2u}) {
    configure(productShapes(size, size, size));
    loadTiles(data);
    asm volatile("tdpbf16ps %tmm2, %tmm1, %tmm0");
    storeSums(data);
    EXPECT_EQ(data.sums[0][0], float(size));
  }
  release();
  emulator->expectReleased("a call");
  EXPECT_EQ(emulator->getFault(), "");
  EXPECT_EQ(emulator->getCounts().configurations, 2u);
  EXPECT_EQ(emulator->getCounts().releases, 1u);

  configure(productShapes(1, 1, 1));
  asm volatile("tilezero %tmm0");
  emulator->expectReleased("a call");
  EXPECT_EQ(emulator->getFault(), "the tiles are configured at the end of a "
                                  "call: tilerelease is missing");
  // They are released then, so that nobody finds them again.
  emulator->expectReleased("a call");
  EXPECT_EQ(emulator->getCounts().faults, 1u);
  asm volatile("tilezero %tmm0");
  EXPECT_EQ(emulator->getCounts().faults, 2u);
}

TEST_F(TileConfigurationTest, TheNextEmulatorBeginsAnew) {
  configure(productShapes(1, 1, 1));
  emulator.reset();
  emulator = std::make_unique<TileEmulator>();
  EXPECT_EQ(emulator->getCounts().configurations, 0u);
  asm volatile("tilezero %tmm0");
  EXPECT_EQ(emulator->getCounts().faults, 1u);
}

} // namespace
