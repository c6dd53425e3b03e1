//===- TileAddressTest.cpp - Memory operands of AMX -----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every base, index, scale and displacement: the bytes of the instruction are
// put together here, and run between others that set its registers.
//
//===----------------------------------------------------------------------===//

#include "TileEmulatorTest.h"
#include <sys/mman.h>
#include <vector>

using namespace attn;
using namespace attn::test;

namespace {

constexpr int kNone = -1, kRSP = 4, kRBP = 5;
constexpr unsigned kMoveOpcode = 0x4b, kF2 = 3, kF3 = 2;

struct Address {
  int base, index;
  unsigned scale;
  /// 0, 1 or 4.
  unsigned displacementBytes;
  int32_t displacement;
};

/// Machine code that grows.
class Assembler {
public:
  void bytes(std::initializer_list<unsigned> values) {
    for (unsigned value : values)
      code.push_back(uint8_t(value));
  }
  void number(uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      code.push_back(uint8_t(value >> (8 * i)));
  }
  void moveImmediate(int reg, uint64_t value) {
    bytes({0x48u | (reg >= 8), 0xb8u | (reg & 7)});
    number(value, 8);
  }
  void moveTile(unsigned prefix, unsigned tile, const Address &address) {
    bool x = address.index >= 8, b = address.base >= 8;
    bytes({0xc4, 0x82u | (x ? 0 : 0x40) | (b ? 0 : 0x20), 0x78u | prefix,
           kMoveOpcode});
    unsigned mod = address.base == kNone            ? 0
                   : address.displacementBytes == 4 ? 2
                                                    : address.displacementBytes;
    unsigned base = address.base == kNone ? 5 : address.base & 7;
    unsigned index = address.index == kNone ? 4 : address.index & 7;
    bytes({mod << 6 | tile << 3 | 4, address.scale << 6 | index << 3 | base});
    number(uint32_t(address.displacement), address.displacementBytes);
  }
  /// Keeps what the caller wants back; rsp in memory, as a test may set it.
  void enter(const uint64_t *stack) {
    bytes({0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57});
    bytes({0x48, 0x89, 0xe0, 0x48, 0xa3});
    number(reinterpret_cast<uint64_t>(stack), 8);
  }
  void leave(const uint64_t *stack) {
    bytes({0x48, 0xa1});
    number(reinterpret_cast<uint64_t>(stack), 8);
    bytes({0x48, 0x89, 0xc4});
    bytes({0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3});
  }

  std::vector<uint8_t> code;
};

/// Memory below 2 GiB, so that a displacement alone reaches it, with room for
/// the handler's frame below the bytes that rsp may point to.
struct LowMemory {
  uint8_t stack[1 << 18];
  alignas(64) uint8_t from[1 << 16];
  alignas(64) uint8_t to[16][64];
  uint64_t savedStack;
  alignas(64) uint8_t code[4096];
};

class TileAddressTest : public TileEmulatorTest {
protected:
  void SetUp() override {
    TileEmulatorTest::SetUp();
    void *mapped =
        mmap(nullptr, sizeof(LowMemory), PROT_READ | PROT_WRITE | PROT_EXEC,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    memory = static_cast<LowMemory *>(mapped);
    for (unsigned i = 0; i < sizeof(memory->from); ++i)
      memory->from[i] = uint8_t(i * 131 + i / 256 * 17);
  }
  void TearDown() override {
    if (memory)
      munmap(memory, sizeof(LowMemory));
  }

  /// Rows of a load by its definition: from + row * stride.
  void check(const Address &address) {
    const uint8_t *from = memory->from + 0x4000;
    auto at = reinterpret_cast<uint64_t>(from);
    bool isOne = address.index != kNone && address.base == address.index;
    // One register for both says where the only row is; the next is far away.
    unsigned rows = isOne ? 1 : 4;
    int64_t stride = address.index == kNone ? 0 : int64_t(48) << address.scale;
    Assembler assembler;
    assembler.enter(&memory->savedStack);
    if (address.index != kNone)
      assembler.moveImmediate(address.index, 48);
    Address used = address;
    if (address.base == kNone)
      used.displacement = int32_t(at);
    else
      assembler.moveImmediate(address.base, at - int64_t(address.displacement));
    Shapes shapes;
    shapes.set(5, rows, 44);
    configure(shapes);
    assembler.moveTile(kF2, 5, used);
    assembler.moveImmediate(6, reinterpret_cast<uint64_t>(memory->to));
    assembler.moveImmediate(2, 64);
    assembler.moveTile(kF3, 5, {6, 2, 0, 0, 0});
    assembler.leave(&memory->savedStack);
    std::memcpy(memory->code, assembler.code.data(), assembler.code.size());
    std::memset(memory->to, 0, sizeof(memory->to));
    reinterpret_cast<void (*)()>(memory->code)();
    for (unsigned row = 0; row < rows; ++row)
      ASSERT_EQ(std::memcmp(memory->to[row], from + row * stride, 44), 0)
          << "base " << address.base << " index " << address.index << " scale "
          << address.scale << " displacement " << address.displacement
          << " row " << row;
  }

  LowMemory *memory = nullptr;
};

TEST_F(TileAddressTest, EveryFormOfAnAddress) {
  const std::pair<unsigned, int32_t> displacements[] = {
      {0, 0}, {1, 0x70}, {1, -0x80}, {4, 0x12340}, {4, -0x6450}};
  for (int base = kNone; base < 16; ++base)
    for (int index = kNone; index < 16; ++index)
      for (auto [bytes, value] : displacements) {
        // Forms that there are not.
        if (index == kRSP || ((base & 7) == kRBP && base != kNone && !bytes) ||
            (base == kNone && bytes != 4))
          continue;
        unsigned scale = unsigned(base + index + 2) & 3;
        if (HasFatalFailure())
          return;
        check({base, index, scale, bytes, base == kNone ? 0 : value});
      }
  release();
  EXPECT_EQ(emulator->getFault(), "");
}

alignas(64) Shapes fixedShapes = productShapes(3, 2, 1);

// Configurations have all forms, too, and one from where the instruction lies.
TEST_F(TileConfigurationTest, TheyHaveAllForms) {
  Shapes read[2] = {};
  asm volatile("ldtilecfg %1\n sttilecfg 64(%0)"
               :
               : "r"(read), "m"(fixedShapes)
               : "memory");
  EXPECT_EQ(std::memcmp(&read[1], &fixedShapes, sizeof(Shapes)), 0);
  asm volatile("ldtilecfg (%0,%1,8)\n sttilecfg (%0)"
               :
               : "r"(read), "r"(8l)
               : "memory");
  EXPECT_EQ(std::memcmp(&read[0], &fixedShapes, sizeof(Shapes)), 0);
  release();
  EXPECT_EQ(emulator->getCounts().configurations, 2u);
  EXPECT_EQ(emulator->getFault(), "");
}

} // namespace
