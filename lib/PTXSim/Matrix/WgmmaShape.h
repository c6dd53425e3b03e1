//===- WgmmaShape.h - Which product a wgmma computes ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MATRIX_WGMMASHAPE_H
#define ATTN_LIB_PTXSIM_MATRIX_WGMMASHAPE_H

#include "PTXSim/IR/Module.h"

namespace attn::ptx {

/// D[64, n] = A[64, k] B[k, n] + D of a warpgroup. A warp computes 16 rows.
struct WgmmaShape {
  uint32_t n = 0, k = 0;
  ir::Type result = ir::Type::F32; ///< F32, F16 or S32.
  ir::Type a = ir::Type::F16, b = ir::Type::F16;
  bool saturate = false; ///< .satfinite of s32.
  bool negateA = false, negateB = false;
  bool kMajorA = true, kMajorB = true;

  uint32_t elementBytes() const { return ir::bitWidth(a) / 8; }
  /// 32-bit registers of one lane that hold D and, if it is in registers, A.
  uint32_t resultRegisters() const {
    return result == ir::Type::F16 ? n / 4 : n / 2;
  }
  static constexpr uint32_t operandRegisters = 4;
};

/// Where lane `lane` of a warp holds D[row, column] of the warp's 16 rows: four
/// values for each 8 columns, two of row lane / 4 and two of the row 8 below
/// (PTX ISA, register fragments of wgmma).
struct WgmmaResult {
  static uint32_t row(unsigned lane, uint32_t value) {
    return lane / 4 + 8 * (value / 2 % 2);
  }
  static uint32_t column(unsigned lane, uint32_t value) {
    return 8 * (value / 4) + 2 * (lane % 4) + value % 2;
  }
};

/// The same for A in registers: `value` counts its 4 registers' elements, of
/// which a register holds 4 / elementBytes.
struct WgmmaOperand {
  static uint32_t row(unsigned lane, uint32_t value, uint32_t perRegister) {
    return lane / 4 + 8 * (value / perRegister % 2);
  }
  static uint32_t column(unsigned lane, uint32_t value, uint32_t perRegister) {
    uint32_t reg = value / perRegister;
    return perRegister * (lane % 4 + 4 * (reg / 2)) + value % perRegister;
  }
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MATRIX_WGMMASHAPE_H
