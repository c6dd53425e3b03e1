//===- AffineRange.h - Where the values of an expression lie ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CHECKS_AFFINERANGE_H
#define ATTN_LIB_CONVERSION_CHECKS_AFFINERANGE_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"

namespace attn {

/// The smallest and the largest value that a number takes, both included.
struct IndexRange {
  mlir::OpFoldResult low;
  mlir::OpFoldResult high;
};

/// Arithmetic on numbers of type index, folded where they are constants.
mlir::OpFoldResult addIndices(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::OpFoldResult a, mlir::OpFoldResult b);
mlir::OpFoldResult subtractIndices(mlir::OpBuilder &builder, mlir::Location loc,
                                   mlir::OpFoldResult a, mlir::OpFoldResult b);
mlir::OpFoldResult multiplyIndices(mlir::OpBuilder &builder, mlir::Location loc,
                                   mlir::OpFoldResult a, mlir::OpFoldResult b);

/// [0, size - 1].
IndexRange getRangeBelow(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::OpFoldResult size);

/// The range of an expression in which each dimension runs through its range
/// independently of the others. It is never too small.
IndexRange getAffineRange(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::AffineExpr expr,
                          llvm::ArrayRef<IndexRange> dims);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CHECKS_AFFINERANGE_H
