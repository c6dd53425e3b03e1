//===- MatrixRoles.h - Structured ops as matrix products --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_MATRIXROLES_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_MATRIXROLES_H

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include <optional>
#include <string>

namespace attn {

/// Which loops of a product are rows, columns and terms, for an output whose
/// last dimension is the columns. What else the output has is the batch: an
/// operand that lacks such a loop is the same in all its steps.
struct MatrixRoles {
  llvm::SmallVector<unsigned> batch;
  std::optional<unsigned> row;
  unsigned column, term;
  /// The operand with the rows, and the one with the columns.
  unsigned lhs, rhs;
  /// Whether the terms are the last dimension of the right operand, and of
  /// both.
  bool rhsTransposed, areTermsLast;
};

/// The roles of a structured op that multiplies and adds, on tensors or
/// memrefs. Where it is no such product of matrices, `reason` says why; the
/// reason is empty where it is no product at all.
std::optional<MatrixRoles> readMatrixRoles(mlir::linalg::LinalgOp op,
                                           std::string &reason);

/// The position of loop `dim` in the operand's dimensions.
std::optional<unsigned> findDim(mlir::linalg::LinalgOp op, unsigned operand,
                                unsigned dim);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_MATRIXROLES_H
