//===- TileEmulatorTest.h - What the tests of AMX share ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_UNITTESTS_RUNTIME_TILEEMULATORTEST_H
#define ATTN_UNITTESTS_RUNTIME_TILEEMULATORTEST_H

#include "attn/Runtime/TileEmulator.h"
#include "gtest/gtest.h"
#include <cstring>
#include <memory>

namespace attn::test {

class TileEmulatorTest : public testing::Test {
protected:
  void SetUp() override {
    if (!TileEmulator::canEmulate())
      GTEST_SKIP() << "nothing stops at tiles here, or there is no FMA";
    emulator = std::make_unique<TileEmulator>();
  }

  std::unique_ptr<TileEmulator> emulator;
};

/// Of what configures tiles, and of each configuration on its own.
class TileConfigurationTest : public TileEmulatorTest {
protected:
  void SetUp() override {
    if (TileEmulator::configuresItself())
      GTEST_SKIP() << "this processor configures its tiles itself";
    TileEmulatorTest::SetUp();
  }
};

/// What LDTILECFG reads.
struct alignas(64) Shapes {
  uint8_t palette = 1, startRow = 0, reserved[14] = {};
  uint16_t rowBytes[16] = {};
  uint8_t rows[16] = {};

  void set(unsigned tile, unsigned numRows, unsigned bytes) {
    rows[tile] = uint8_t(numRows);
    rowBytes[tile] = uint16_t(bytes);
  }
};

/// tmm0 += tmm1 * tmm2, whose elements are of 16 bits.
inline Shapes productShapes(unsigned rows, unsigned pairs, unsigned columns) {
  Shapes shapes;
  shapes.set(0, rows, 4 * columns);
  shapes.set(1, rows, 4 * pairs);
  shapes.set(2, pairs, 4 * columns);
  return shapes;
}

inline void configure(const Shapes &shapes) {
  asm volatile("ldtilecfg %0" : : "m"(shapes));
}

inline void release() { asm volatile("tilerelease"); }

struct alignas(64) Matrices {
  float sums[16][16];
  uint16_t first[16][32], second[16][32];
};

inline void loadTiles(const Matrices &data) {
  asm volatile("tileloadd (%0,%3), %%tmm0\n"
               "tileloadd (%1,%3), %%tmm1\n"
               "tileloadd (%2,%3), %%tmm2\n"
               :
               : "r"(data.sums), "r"(data.first), "r"(data.second),
                 "r"(int64_t(64))
               : "memory");
}

inline void storeSums(Matrices &data) {
  asm volatile("tilestored %%tmm0, (%0,%1)"
               :
               : "r"(data.sums), "r"(int64_t(64))
               : "memory");
}

} // namespace attn::test

#endif // ATTN_UNITTESTS_RUNTIME_TILEEMULATORTEST_H
