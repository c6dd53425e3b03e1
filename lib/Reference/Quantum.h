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

/// The set of numbers a value is rounded to; none keeps the double.
///
/// A sum, difference, product, quotient or square root of narrow numbers that
/// is computed in double and rounded once equals the narrow operation: double
/// has more than twice the digits of f32 plus two.
struct Quantum {
  enum Kind { None, F32, F16, BF16, F64 };

  Quantum(Kind kind = None, unsigned variant = 0)
      : kind(kind), variant(variant) {}

  bool isNone() const { return kind == None; }
  bool isNarrow() const { return kind == F16 || kind == BF16; }
  /// Where arithmetic on numbers of this set happens: f32 for narrow ones.
  Quantum getWide() const { return isNarrow() ? Quantum(F32, variant) : *this; }

  Kind kind;
  /// 0 takes the nearest number. Others take, where f32 cannot hold a number,
  /// its lower or upper neighbour, as the number's bits say: an odd variant and
  /// the one after it take opposite ones. f64 numbers are moved by as much as a
  /// quarter of the slack of a f64 result, unless they are short (whole, say).
  /// f16 and bf16 always take the nearest: what stores them is alike in all
  /// programs.
  unsigned variant;
};

/// 0 for a run as written.
inline unsigned getVariant(Rounding rounding) {
  return rounding < Rounding::Varied
             ? 0
             : unsigned(rounding) - unsigned(Rounding::Varied) + 1;
}

inline Quantum getQuantum(mlir::Type type, Rounding rounding) {
  if (rounding == Rounding::F64)
    return Quantum::None;
  unsigned variant = getVariant(rounding);
  if (type.isF64())
    return variant == 0 ? Quantum() : Quantum(Quantum::F64, variant);
  return type.isF32()    ? Quantum(Quantum::F32, variant)
         : type.isF16()  ? Quantum(Quantum::F16, variant)
         : type.isBF16() ? Quantum(Quantum::BF16, variant)
                         : Quantum();
}

/// Which of `count` terms a sum takes as its `i`th: varied runs start elsewhere
/// and every other one goes backwards.
inline int64_t getTerm(int64_t i, int64_t count, Rounding rounding) {
  unsigned variant = getVariant(rounding);
  if (variant == 0)
    return i;
  int64_t at = (i + count * variant / 7) % count;
  return variant % 2 == 1 ? count - 1 - at : at;
}

/// Rounds `count` numbers in place.
void quantise(double *values, int64_t count, Quantum quantum);

} // namespace attn::reference::detail

#endif // ATTN_LIB_REFERENCE_QUANTUM_H
