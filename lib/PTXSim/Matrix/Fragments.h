//===- Fragments.h - Which lane holds which element -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts of mma.sync (PTX ISA, "Matrix Fragments for mma.*"). A warp is
// eight groups of four lanes: the group selects the row of A, C and D or the
// column of B, the lane within it a run of elements along the other dimension.
// All shapes follow from how many elements lie in a register.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MATRIX_FRAGMENTS_H
#define ATTN_LIB_PTXSIM_MATRIX_FRAGMENTS_H

#include <cstdint>

namespace attn::ptx {

struct Place {
  unsigned row, column;
};

/// Element `j` of register `reg` of A with m rows, 8 or 16: registers go
/// through the rows first.
inline Place placeInA(unsigned m, unsigned perRegister, unsigned lane,
                      unsigned reg, unsigned j) {
  unsigned halves = m / 8;
  return {lane / 4 + 8 * (reg % halves),
          perRegister * (lane % 4 + 4 * (reg / halves)) + j};
}

inline Place placeInB(unsigned perRegister, unsigned lane, unsigned reg,
                      unsigned j) {
  return {perRegister * (lane % 4 + 4 * reg) + j, lane / 4};
}

/// Element `v` of C or D, whatever the size of a register.
inline Place placeInC(unsigned lane, unsigned v) {
  return {lane / 4 + 8 * (v / 2), 2 * (lane % 4) + v % 2};
}

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MATRIX_FRAGMENTS_H
