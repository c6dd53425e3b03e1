//===- PairInstructionTest.cpp - AVX512-BF16 in software ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside the processor's own: random instructions run twice on the same
// registers, once as they are and once behind ud2, whose handler computes them
// in the registers that Linux has saved.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/TileEmulator/PairInstruction.h"
#include "gtest/gtest.h"
#include <csignal>
#include <cstring>
#include <random>
#include <sys/mman.h>
#include <ucontext.h>

using namespace attn;

namespace {

constexpr uint8_t kUD2[] = {0x0f, 0x0b};

void computeNext(int, siginfo_t *, void *context) {
  mcontext_t &saved = static_cast<ucontext_t *>(context)->uc_mcontext;
  GeneralRegisters registers = {};
  registers.general[7] = uint64_t(saved.gregs[REG_RDI]);
  registers.general[9] = uint64_t(saved.gregs[REG_R9]);
  registers.address = uint64_t(saved.gregs[REG_RIP]) + sizeof(kUD2);
  PairInstruction instruction;
  ASSERT_TRUE(decodePairInstruction(
      reinterpret_cast<const uint8_t *>(registers.address), instruction));
  VectorFrame vectors(saved.fpregs);
  executePairInstruction(instruction, registers, vectors);
  uint64_t next = registers.address + instruction.length;
  saved.gregs[REG_RIP] = greg_t(next);
}

struct State {
  VectorBytes vectors[32];
  uint64_t masks[8];
  alignas(64) uint8_t memory[256];
};

/// void run(State *state): loads all registers, with rdi at the memory and r9
/// an index, and stores them behind the instruction.
class Program {
public:
  Program() {
    code = static_cast<uint8_t *>(mmap(nullptr, 1 << 14,
                                       PROT_READ | PROT_WRITE | PROT_EXEC,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  ~Program() { munmap(code, 1 << 14); }

  void run(State &state, const std::vector<uint8_t> &instruction, bool stops) {
    end = 0;
    put({0x48, 0x89, 0xf8}); // mov rax, rdi
    forVectors(0x6f);
    forMasks(0x90);
    putAddress({0x48, 0x8d, 0xb8},
               offsetof(State, memory)); // lea rdi, [rax + n]
    put({0x41, 0xb9, 16, 0, 0, 0});      // mov r9d, 16
    if (stops)
      put({kUD2[0], kUD2[1]});
    for (uint8_t byte : instruction)
      code[end++] = byte;
    forVectors(0x7f);
    put({0xc5, 0xf8, 0x77, 0xc3}); // vzeroupper; ret
    reinterpret_cast<void (*)(State *)>(code)(&state);
  }

private:
  void put(std::initializer_list<unsigned> bytes) {
    for (unsigned byte : bytes)
      code[end++] = uint8_t(byte);
  }
  void putAddress(std::initializer_list<unsigned> bytes, size_t offset) {
    put(bytes);
    auto displacement = uint32_t(offset);
    std::memcpy(code + end, &displacement, 4);
    end += 4;
  }
  /// vmovdqu32 zmmN, [rax + 64 N], or the other way.
  void forVectors(unsigned opcode) {
    for (unsigned i = 0; i < 32; ++i)
      putAddress({0x62, 0x61u | (i & 8 ? 0 : 0x80) | (i & 16 ? 0 : 0x10), 0x7e,
                  0x48, opcode, 0x80 | (i & 7) << 3},
                 sizeof(VectorBytes) * i);
  }
  /// kmovq kN, [rax + ...]
  void forMasks(unsigned opcode) {
    for (unsigned i = 1; i < 8; ++i)
      putAddress({0xc4, 0xe1, 0xf8, opcode, 0x80 | i << 3},
                 offsetof(State, masks) + 8 * i);
  }

  uint8_t *code;
  size_t end = 0;
};

/// Any of the three, with any registers, mask and address.
std::vector<uint8_t> makeInstruction(std::mt19937 &random) {
  auto pick = [&](unsigned count) { return unsigned(random() % count); };
  unsigned op = pick(3), reg = pick(32), first = op == 1 ? 0 : pick(32),
           second = pick(32), mask = pick(8);
  bool isMemory = pick(2), isSpread = isMemory && pick(2),
       hasIndex = isMemory && pick(2);
  unsigned rm = isMemory ? (hasIndex ? 4 : 7) : second & 7;
  // Of memory: rdi, and r9 as an index, whose bit 3 is X.
  bool x = isMemory ? hasIndex : second & 16, b = !isMemory && (second & 8);
  unsigned p0 = 2u | (reg & 8 ? 0 : 0x80) | (x ? 0 : 0x40) | (b ? 0 : 0x20) |
                (reg & 16 ? 0 : 0x10);
  unsigned p1 = 4u | (~first & 15) << 3 | (op == 2 ? 3 : 2);
  unsigned p2 = (mask && pick(2) ? 0x80u : 0) | pick(3) << 5 |
                (isSpread ? 0x10 : 0) | (first & 16 ? 0 : 8) | mask;
  unsigned mod = isMemory ? pick(3) : 3;
  std::vector<uint8_t> code = {0x62,
                               uint8_t(p0),
                               uint8_t(p1),
                               uint8_t(p2),
                               uint8_t(op == 0 ? 0x52 : 0x72),
                               uint8_t(mod << 6 | (reg & 7) << 3 | rm)};
  if (hasIndex)
    code.push_back(uint8_t(pick(2) << 6 | 1 << 3 | 7));
  for (unsigned i = 0; isMemory && i < (mod == 2 ? 4 : mod); ++i)
    code.push_back(i == 0 ? uint8_t(1 + pick(2)) : 0);
  return code;
}

void fill(State &state, std::mt19937 &random) {
  auto *words = reinterpret_cast<uint32_t *>(&state);
  for (size_t i = 0; i < sizeof(State) / 4; ++i) {
    // Half of them of the magnitudes that sums round at.
    auto word = uint32_t(random());
    words[i] = random() % 2 ? word : (word & 0x81ff81ff) | 0x3e003e00;
  }
}

TEST(PairInstructions, AreThoseOfTheProcessor) {
  if (!__builtin_cpu_supports("avx512bf16") ||
      !__builtin_cpu_supports("avx512bw"))
    GTEST_SKIP() << "no AVX512-BF16";
  struct sigaction action = {}, before;
  action.sa_sigaction = computeNext;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, &before);
  std::mt19937 random(22);
  Program program;
  for (unsigned round = 0; round < 4000 && !testing::Test::HasFailure();
       ++round) {
    State native, emulated;
    fill(native, random);
    emulated = native;
    std::vector<uint8_t> instruction = makeInstruction(random);
    program.run(native, instruction, /*stops=*/false);
    program.run(emulated, instruction, /*stops=*/true);
    std::string text;
    for (uint8_t byte : instruction)
      text += " " + std::to_string(byte);
    for (unsigned i = 0; i < 32; ++i)
      for (unsigned word = 0; word < 16; ++word) {
        uint32_t want, got;
        std::memcpy(&want, native.vectors[i].bytes + 4 * word, 4);
        std::memcpy(&got, emulated.vectors[i].bytes + 4 * word, 4);
        // Which of two that are no numbers comes out is not said.
        bool isNone =
            (want & 0x7fffffff) > 0x7f800000 && (got & 0x7fffffff) > 0x7f800000;
        EXPECT_TRUE(want == got || isNone)
            << "round " << round << " zmm" << i << " word " << word << std::hex
            << " " << want << " " << got << ":" << text;
      }
  }
  sigaction(SIGILL, &before, nullptr);
}

} // namespace
