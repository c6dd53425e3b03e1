//===- WgmmaKernel.h - One product of a warpgroup ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts matrices of small integers where the tables say, runs one wgmma as PTX
// text and compares D with the product computed here.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_UNITTESTS_PTXSIM_MATRIX_WGMMAKERNEL_H
#define ATTN_UNITTESTS_PTXSIM_MATRIX_WGMMAKERNEL_H

#include "../Async/RunKernel.h"
#include "WgmmaTables.h"

#include <functional>

namespace attn::ptx::test {

/// The bits of an integer in a format that holds it exactly.
/// Types: f16, bf16, tf32, f32, e4m3, e5m2, s8, u8, s32.
uint32_t encodeInteger(const std::string &type, int value);
unsigned typeBytes(const std::string &type);

struct Product {
  unsigned n = 64, k = 16;
  std::string result = "f32", a = "f16", b = "f16";
  Layout layoutA{0, true, 128, 256, 0, 0};
  Layout layoutB{0, true, 128, 256, 4096, 0};
  uint64_t extraBitsA = 0; ///< Of the descriptor: base offset.
  bool fragment = false;   ///< A in registers.
  int scaleA = 1, scaleB = 1;
  std::string scaleD = "1"; ///< 0, 1, or a predicate: %p0 is "thread 0".
  bool saturate = false;
  unsigned threads = 128;
  /// Element values; D's are what the accumulators hold before.
  std::function<int(unsigned row, unsigned k)> valueA = [](unsigned r,
                                                           unsigned k) {
    return int((r * 7 + k * 5 + r * k) % 15) - 7;
  };
  std::function<int(unsigned k, unsigned column)> valueB = [](unsigned k,
                                                              unsigned c) {
    return int((k * 3 + c * 11 + k * c / 2) % 13) - 6;
  };
  std::function<int(unsigned row, unsigned column)> valueD =
      [](unsigned r, unsigned c) { return int((r * 5 + c) % 9) - 4; };
  /// Bits put over those of an element: tf32 has 13 that do not count.
  std::function<uint32_t(uint32_t bits)> spoilA;

  unsigned resultRegisters() const { return result == "f16" ? n / 4 : n / 2; }
  std::string instruction() const; ///< As text, for lineOf.
  std::string body() const;
  Kernel kernel() const;
  /// D's bits at a row of 64 and a column, from the kernel's output.
  uint32_t at(const Kernel &kernel, unsigned row, unsigned column) const;
  /// Runs under some schedules; every element must be D + A B.
  void expectExact() const;
};

} // namespace attn::ptx::test

#endif // ATTN_UNITTESTS_PTXSIM_MATRIX_WGMMAKERNEL_H
