//===- RowLoop.h - Loops over the elements of a row -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is gone over in vectors, as far as they fill, and then element by
// element, or in one vector with a mask.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_VECTORROWS_ROWLOOP_H
#define ATTN_LIB_CONVERSION_VECTORROWS_ROWLOOP_H

#include "../Rows/RowMachine.h"

namespace attn {

/// The sizes of a row and how to go over it.
struct RowShape {
  mlir::FloatType type;
  int64_t lanes;
  int64_t unroll;
  /// False where an operand's elements do not lie side by side.
  bool inVectors;
  /// What does not fill a vector is gone over in one with a mask, instead of
  /// element by element.
  bool masksRest = false;
  /// By dimension of the row.
  llvm::SmallVector<mlir::Value> sizes;
  /// What positions along the last dimension count from; null for 0.
  mlir::Value begin = {};
};

/// Goes over the row.
void emitRowLoop(mlir::OpBuilder &builder, mlir::Location loc,
                 const RowShape &row, RowVisit visit);

/// Goes over the row with an accumulator for each of `neutrals`, which it is at
/// first, per lane of each unrolled vector. Returns what `combine` makes of
/// them, in a fixed order.
llvm::SmallVector<mlir::Value>
emitRowReduction(mlir::OpBuilder &builder, mlir::Location loc,
                 const RowShape &row, llvm::ArrayRef<double> neutrals,
                 RowStep step, RowCombine combine);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_VECTORROWS_ROWLOOP_H
