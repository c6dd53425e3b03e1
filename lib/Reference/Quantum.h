//===- Quantum.h - Rounds doubles to narrower float types -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_REFERENCE_QUANTUM_H
#define ATTN_LIB_REFERENCE_QUANTUM_H

#include "attn/Reference/Tensor.h"

namespace attn::reference::detail {

/// The set of numbers a value is rounded to; None keeps the double.
///
/// A sum, difference, product, quotient or square root of narrow numbers that
/// is computed in double and rounded once equals the narrow operation: double
/// has more than twice the digits of f32 plus two.
enum class Quantum { None, F32, F16, BF16 };

inline Quantum getQuantum(mlir::Type type, Rounding rounding) {
  if (rounding == Rounding::F64)
    return Quantum::None;
  return type.isF32()    ? Quantum::F32
         : type.isF16()  ? Quantum::F16
         : type.isBF16() ? Quantum::BF16
                         : Quantum::None;
}

/// Rounds `count` numbers in place, to nearest even.
void quantise(double *values, int64_t count, Quantum quantum);

} // namespace attn::reference::detail

#endif // ATTN_LIB_REFERENCE_QUANTUM_H
