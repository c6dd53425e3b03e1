//===- PairInstruction.cpp - AVX512-BF16, beside the tiles ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairInstruction.h"

#if defined(__x86_64__)
#include "TileProducts.h"
#include <cstring>

using namespace attn;

namespace {

constexpr uint8_t kEVEX = 0x62, kMap0F38 = 2, kF3 = 2, kF2 = 3;
constexpr uint8_t kDot = 0x52, kNarrow = 0x72;

/// Of four bytes; what names registers is stored inverted.
struct EVEX {
  bool r, x, b, r2, v2, w, zeroes, isSpread, isValid;
  uint8_t vvvv, pp, length, mask;

  explicit EVEX(const uint8_t *code)
      : r(!(code[1] & 0x80)), x(!(code[1] & 0x40)), b(!(code[1] & 0x20)),
        r2(!(code[1] & 0x10)), v2(!(code[3] & 8)), w(code[2] & 0x80),
        zeroes(code[3] & 0x80), isSpread(code[3] & 0x10),
        isValid((code[1] & 15) == kMap0F38 && (code[2] & 4)),
        vvvv((~code[2] >> 3) & 15), pp(code[2] & 3), length((code[3] >> 5) & 3),
        mask(code[3] & 7) {}
};

uint8_t getNumber(bool bit4, bool bit3, uint8_t low) {
  return uint8_t((bit4 ? 16 : 0) | (bit3 ? 8 : 0) | low);
}

bool findOp(uint8_t opcode, uint8_t pp, PairOp &op) {
  op = opcode == kDot ? PairOp::Dot
       : pp == kF2    ? PairOp::NarrowTwo
                      : PairOp::NarrowOne;
  return (opcode == kDot && pp == kF3) ||
         (opcode == kNarrow && (pp == kF3 || pp == kF2));
}

/// Denormals are zero, and what is no number stays none.
uint16_t narrow(uint32_t bits) {
  uint32_t exponent = bits & 0x7f800000, mantissa = bits & 0x7fffff;
  if (exponent == 0)
    return uint16_t((bits >> 16) & 0x8000);
  if (exponent == 0x7f800000 && mantissa)
    return uint16_t((bits >> 16) | 0x40);
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

} // namespace

bool attn::decodePairInstruction(const uint8_t *code,
                                 PairInstruction &decoded) {
  if (code[0] != kEVEX)
    return false;
  EVEX evex(code);
  decoded = PairInstruction();
  if (!evex.isValid || evex.w || evex.length == 3 ||
      !findOp(code[4], evex.pp, decoded.op))
    return false;
  ModRM modRM(code[5]);
  bool hasFirst = decoded.op != PairOp::NarrowOne;
  if ((!hasFirst && (evex.vvvv || evex.v2)) ||
      (evex.isSpread && !modRM.isMemory()) || (evex.zeroes && !evex.mask))
    return false;
  decoded.vectorBytes = uint8_t(16 << evex.length);
  decoded.target = getNumber(evex.r2, evex.r, modRM.reg);
  decoded.first = getNumber(evex.v2, false, evex.vvvv);
  decoded.second = getNumber(evex.x, evex.b, modRM.rm);
  decoded.mask = evex.mask;
  decoded.zeroes = evex.zeroes;
  decoded.isMemory = modRM.isMemory();
  decoded.isSpread = evex.isSpread;
  const uint8_t *end = code + 6;
  if (decoded.isMemory)
    end = decodeMemory(end, modRM, evex.x, evex.b,
                       evex.isSpread ? 4 : decoded.vectorBytes, decoded.memory);
  decoded.length = decoded.memory.length = uint8_t(end - code);
  return true;
}

/// The second operand. Elements that the mask hides are not read.
static VectorBytes readSecond(const PairInstruction &instruction, uint64_t mask,
                              const GeneralRegisters &registers,
                              VectorFrame &vectors) {
  if (!instruction.isMemory)
    return vectors.read(instruction.second);
  VectorBytes value = {};
  uint64_t address = instruction.memory.getAddress(registers);
  for (unsigned at = 0; at < instruction.vectorBytes; at += 4)
    if (mask & (uint64_t(1) << (at / 4)))
      std::memcpy(value.bytes + at,
                  reinterpret_cast<const void *>(
                      address + (instruction.isSpread ? 0 : at)),
                  4);
  return value;
}

void attn::executePairInstruction(const PairInstruction &instruction,
                                  const GeneralRegisters &registers,
                                  VectorFrame &vectors) {
  uint64_t mask =
      instruction.mask ? vectors.readMask(instruction.mask) : ~uint64_t(0);
  VectorBytes second = readSecond(instruction, mask, registers, vectors);
  VectorBytes first = vectors.read(instruction.first);
  VectorBytes before = vectors.read(instruction.target), result = {};
  bool isDot = instruction.op == PairOp::Dot;
  unsigned words = instruction.vectorBytes / 4;
  // All results, then those that the mask shows.
  if (isDot) {
    result = before;
    addPairs(reinterpret_cast<float *>(result.bytes), first.bytes,
             second.bytes);
  } else {
    auto narrowInto = [&](const VectorBytes &source, unsigned begin) {
      for (unsigned i = 0; i < words; ++i) {
        uint32_t bits;
        std::memcpy(&bits, source.bytes + 4 * i, sizeof(bits));
        uint16_t half = narrow(bits);
        std::memcpy(result.bytes + 2 * (begin + i), &half, sizeof(half));
      }
    };
    narrowInto(second, 0);
    if (instruction.op == PairOp::NarrowTwo)
      narrowInto(first, words);
  }
  unsigned size = isDot ? 4 : 2;
  unsigned count = instruction.op == PairOp::NarrowTwo ? 2 * words : words;
  VectorBytes written = {};
  for (unsigned i = 0; i < count; ++i) {
    bool isShown = mask & (uint64_t(1) << i);
    if (isShown || !instruction.zeroes)
      std::memcpy(written.bytes + i * size,
                  (isShown ? result : before).bytes + i * size, size);
  }
  vectors.write(instruction.target, written);
}
#endif
