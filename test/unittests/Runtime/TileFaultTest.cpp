//===- TileFaultTest.cpp - What the emulator of AMX finds -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileEmulatorTest.h"
#include <csignal>
#include <ucontext.h>

using namespace attn;
using namespace attn::test;

namespace {

class TileFaultTest : public TileConfigurationTest {
protected:
  void expectFault(const std::string &instruction, const std::string &why) {
    std::string text = emulator->getFault();
    EXPECT_EQ(text.substr(0, text.find(" at 0x")), instruction);
    size_t colon = text.find(": ");
    ASSERT_NE(colon, std::string::npos) << text;
    EXPECT_EQ(text.substr(colon + 2), why);
    EXPECT_EQ(emulator->getCounts().faults, 1u);
    // The next one is the first of another emulator.
    emulator.reset();
    emulator = std::make_unique<TileEmulator>();
  }

  void expectBadConfiguration(const Shapes &shapes, const std::string &why) {
    configure(shapes);
    expectFault("ldtilecfg", why);
  }

  void expectBadProduct(const Shapes &shapes, const std::string &why) {
    configure(shapes);
    asm volatile("tdpbf16ps %tmm2, %tmm1, %tmm0");
    expectFault("tdpbf16ps tmm0, tmm1, tmm2", why);
  }
};

TEST_F(TileFaultTest, Configurations) {
  Shapes shapes;
  shapes.palette = 2;
  expectBadConfiguration(shapes, "there is no palette 2");
  shapes = Shapes();
  shapes.startRow = 3;
  expectBadConfiguration(shapes, "the start row is 3, not 0");
  shapes = Shapes();
  shapes.reserved[13] = 1;
  expectBadConfiguration(shapes, "a reserved byte is not 0");
  shapes = Shapes();
  shapes.set(8, 1, 4);
  expectBadConfiguration(shapes, "a reserved byte is not 0");
  shapes = Shapes();
  shapes.set(7, 17, 64);
  expectBadConfiguration(shapes, "tmm7 has 17 rows of 64 bytes");
  shapes.set(7, 16, 65);
  expectBadConfiguration(shapes, "tmm7 has 16 rows of 65 bytes");
  shapes.set(7, 0, 64);
  expectBadConfiguration(shapes, "tmm7 has 0 rows of 64 bytes");
  shapes.set(7, 16, 0);
  expectBadConfiguration(shapes, "tmm7 has 16 rows of 0 bytes");
}

TEST_F(TileFaultTest, TilesThatAreNotThere) {
  Shapes shapes = productShapes(4, 4, 4);
  alignas(64) uint8_t memory[16][64] = {};
  auto load = [&] {
    asm volatile("tileloadd (%0,%1), %%tmm0" : : "r"(memory), "r"(64l));
  };
  load();
  expectFault("tileloadd tmm0", "the tiles are not configured");
  configure(shapes);
  asm volatile("tilezero %tmm5");
  expectFault("tilezero tmm5", "tmm5 is not configured");
  configure(shapes);
  release();
  load();
  expectFault("tileloadd tmm0", "the tiles were released");
  configure(shapes);
  Shapes none;
  none.palette = 0;
  configure(none);
  load();
  expectFault("tileloadd tmm0", "the tiles were released");
}

TEST_F(TileFaultTest, TilesThatNothingHasWritten) {
  Shapes shapes = productShapes(4, 4, 4);
  alignas(64) uint8_t memory[16][64];
  std::memset(memory, 1, sizeof(memory));
  auto store = [&] {
    asm volatile("tilestored %%tmm0, (%0,%1)"
                 :
                 : "r"(memory), "r"(64l)
                 : "memory");
  };
  configure(shapes);
  store();
  expectFault("tilestored tmm0",
              "tmm0 was not written since the tiles were configured");
  EXPECT_EQ(memory[0][0], 1);
  configure(shapes);
  asm volatile("tilezero %tmm0");
  configure(shapes);
  store();
  expectFault("tilestored tmm0",
              "tmm0 was not written since the tiles were configured");
  configure(shapes);
  asm volatile("tilezero %tmm0\n tilezero %tmm1\n"
               "tdpfp16ps %tmm2, %tmm1, %tmm0");
  expectFault("tdpfp16ps tmm0, tmm1, tmm2",
              "tmm2 was not written since the tiles were configured");
}

TEST_F(TileFaultTest, ShapesOfProducts) {
  Shapes shapes = productShapes(4, 5, 6);
  shapes.set(1, 3, 20);
  expectBadProduct(shapes, "tmm0 has 4 rows, but tmm1 has 3");
  shapes = productShapes(4, 5, 6);
  shapes.set(2, 5, 28);
  expectBadProduct(shapes,
                   "tmm0 has rows of 24 bytes, but tmm2 has rows of 28");
  shapes = productShapes(4, 5, 6);
  shapes.set(2, 6, 24);
  expectBadProduct(shapes, "tmm1 has 5 pairs a row, but tmm2 has 6 rows");
  shapes = productShapes(4, 5, 6);
  shapes.set(1, 4, 22);
  expectBadProduct(shapes, "tmm1 has rows of 22 bytes, no pairs");
  shapes = productShapes(4, 5, 6);
  shapes.set(2, 0, 0);
  expectBadProduct(shapes, "tmm2 is not configured");
  configure(productShapes(4, 4, 4));
  // No assembler takes it.
  asm volatile(".byte 0xc4, 0xe2, 0x72, 0x5c, 0xc1");
  expectFault("tdpbf16ps tmm0, tmm1, tmm1", "a tile stands twice");
}

TEST_F(TileFaultTest, TilesThatAreNotReleased) {
  emulator->expectReleased("the test");
  EXPECT_EQ(emulator->getCounts().faults, 0u);
  configure(productShapes(4, 4, 4));
  emulator->expectReleased("the test");
  EXPECT_EQ(emulator->getFault(), "the tiles are configured at the end of the "
                                  "test: tilerelease is missing");
  emulator->expectReleased("the test");
  EXPECT_EQ(emulator->getCounts().faults, 1u);
}

// The first of several is the one to mend.
TEST_F(TileFaultTest, OnlyTheFirstIsTold) {
  configure(productShapes(4, 4, 4));
  asm volatile("tilezero %tmm5");
  asm volatile("tilezero %tmm6");
  EXPECT_EQ(emulator->getCounts().faults, 2u);
  EXPECT_NE(emulator->getFault().find("tmm5"), std::string::npos)
      << emulator->getFault();
  release();
}

// What is no instruction of AMX, or a reserved form of one, is for others.
static unsigned strange;

void skipStrange(int, siginfo_t *, void *context) {
  auto *saved = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  auto *code = reinterpret_cast<const uint8_t *>(saved[REG_RIP]);
  ++strange;
  bool hasSIB = code[4] == 0x04;
  saved[REG_RIP] += code[0] == 0xc4 ? 5 + hasSIB : 2;
}

TEST_F(TileFaultTest, OthersGetTheirSignals) {
  emulator.reset();
  struct sigaction action = {}, before;
  action.sa_sigaction = skipStrange;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, &before);
  emulator = std::make_unique<TileEmulator>();
  strange = 0;
  asm volatile("ud2");
  EXPECT_EQ(strange, 1u);
  // tilezero of 256 bits; with W; of map 0F; with a second source; of a ninth
  // tile; tilerelease with a tile; a configuration from a register;
  // tdpbf16ps with a ninth source; a move of rows without its prefix, and one
  // from a register.
  asm volatile(".byte 0xc4, 0xe2, 0x7f, 0x49, 0xc0");
  asm volatile(".byte 0xc4, 0xe2, 0xfb, 0x49, 0xc0");
  asm volatile(".byte 0xc4, 0xe2, 0x73, 0x49, 0xc0");
  asm volatile(".byte 0xc4, 0x62, 0x7b, 0x49, 0xc0");
  asm volatile(".byte 0xc4, 0xe2, 0x78, 0x49, 0xc8");
  asm volatile(".byte 0xc4, 0xe2, 0x79, 0x49, 0xc0");
  asm volatile(".byte 0xc4, 0xe2, 0x3a, 0x5c, 0xc1");
  asm volatile(".byte 0xc4, 0xe2, 0x78, 0x4b, 0x04, 0x08");
  asm volatile(".byte 0xc4, 0xe2, 0x7b, 0x4b, 0xc4");
  EXPECT_EQ(strange, 10u);
  EXPECT_EQ(emulator->getCounts().faults, 0u);
  emulator.reset();
  asm volatile("tilerelease");
  EXPECT_EQ(strange, 11u);
  sigaction(SIGILL, &before, nullptr);
}

} // namespace
