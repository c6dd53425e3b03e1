//===- Tensor.h - Values of the reference interpreter -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_REFERENCE_TENSOR_H
#define ATTN_REFERENCE_TENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace attn::reference {

/// How float values are rounded while a module is interpreted.
enum class Rounding : unsigned {
  /// Every float value is a double, whatever its type says.
  F64,
  /// Every float value is rounded to its type, once per operation.
  AsWritten,
  /// The first of the varied runs: as written, by another program that does the
  /// same. Its sums have another order, and f32 numbers are one of the two
  /// neighbours of what they should be. Every other one takes exp2 of an
  /// attention's scores, in units of log 2.
  Varied
};

/// How many varied runs there are. One alone may be right by luck, as the run
/// as written may.
constexpr unsigned numVariedRuns = 6;

inline Rounding getVariedRounding(unsigned index) {
  return Rounding(unsigned(Rounding::Varied) + index);
}

/// A dense row-major tensor, or a scalar (rank 0). Elements of float types are
/// doubles, which holds f64 and everything narrower exactly. Integers and
/// indices are sign-extended to 64 bits, except that i1 is 0 or 1.
struct Tensor {
  mlir::Type elementType;
  llvm::SmallVector<int64_t> shape;
  /// Exactly one of the two is in use, as isFloat() says.
  std::vector<double> floats;
  std::vector<int64_t> ints;

  Tensor() = default;
  /// All elements are zero.
  Tensor(mlir::Type elementType, llvm::ArrayRef<int64_t> shape);

  static Tensor scalar(mlir::Type type, double value);
  static Tensor scalar(mlir::Type type, int64_t value);

  bool isFloat() const { return !elementType.isIntOrIndex(); }
  int64_t getRank() const { return int64_t(shape.size()); }
  int64_t getNumElements() const;
  /// Row-major strides in elements.
  llvm::SmallVector<int64_t> getStrides() const;
};

/// Whether the interpreter can hold elements of this type: f16, bf16, f32,
/// f64, index and integers of at most 64 bits.
bool isSupportedElementType(mlir::Type type);

/// `value` rounded to nearest even in a float type, overflow to infinity.
double roundToType(double value, mlir::Type type);

} // namespace attn::reference

#endif // ATTN_REFERENCE_TENSOR_H
