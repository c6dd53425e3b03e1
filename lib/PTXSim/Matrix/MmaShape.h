//===- MmaShape.h - Which product an mma.sync computes ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_PTXSIM_MATRIX_MMASHAPE_H
#define ATTN_LIB_PTXSIM_MATRIX_MMASHAPE_H

#include "PTXSim/IR/Module.h"

#include <optional>
#include <string>

namespace attn::ptx {

/// D[m, 8] = A[m, k] B[k, 8] + C[m, 8] of a warp.
struct MmaShape {
  unsigned m = 16, k = 0;
  ir::Type d = ir::Type::None, a = ir::Type::None, b = ir::Type::None,
           c = ir::Type::None;
  bool saturate = false;
  unsigned architecture = 80; ///< The first that has it.

  /// Elements of A or B in one register, and of C or D.
  unsigned perRegister() const {
    unsigned bits = ir::bitWidth(a);
    return bits < 32 ? 32 / bits : 1;
  }
  unsigned perResult() const { return c == ir::Type::F16 ? 2 : 1; }
  unsigned registersA() const { return m * k / (32 * perRegister()); }
  unsigned registersB() const { return 8 * k / (32 * perRegister()); }
  unsigned registersC() const { return m * 8 / (32 * perResult()); }

  /// What the modifiers say; without a value when the combination does not
  /// exist, and then `problem` may say why.
  static std::optional<MmaShape> of(const ir::Instruction &inst,
                                    std::string &problem);
};

} // namespace attn::ptx

#endif // ATTN_LIB_PTXSIM_MATRIX_MMASHAPE_H
