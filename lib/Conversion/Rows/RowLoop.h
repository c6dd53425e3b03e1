//===- RowLoop.h - Loops over the elements of a row -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is what one mean and variance, or one maximum and sum, belong to: the
// last dimensions of the input, however many they are. It is gone over in
// vectors, as far as they fill, and then element by element.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ROWS_ROWLOOP_H
#define ATTN_LIB_CONVERSION_ROWS_ROWLOOP_H

#include "attn/Dialect/Attn/IR/Attn.h"

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
};

/// What to do with the element (or vector of elements) at `position` in the
/// row.
using RowVisit =
    llvm::function_ref<void(LaneBuilder &, mlir::ValueRange position)>;
/// The accumulator after the element at `position`.
using RowAccumulate = llvm::function_ref<mlir::Value(
    LaneBuilder &, mlir::ValueRange position, mlir::Value accumulator)>;

/// What to do with the element, or the vector of elements, at `position`: lanes
/// that are off in `mask`, which may be null, are past the end of the row.
/// `sums` are the accumulators.
using RowStep = llvm::function_ref<void(
    LaneBuilder &, mlir::ValueRange position, mlir::Value mask,
    llvm::MutableArrayRef<mlir::Value> sums)>;
using RowCombine =
    llvm::function_ref<mlir::Value(LaneBuilder &, mlir::Value, mlir::Value)>;

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

/// The same with 0, and addition: an accumulator, 0 at first, per lane of each
/// unrolled vector.
mlir::Value emitRowSum(mlir::OpBuilder &builder, mlir::Location loc,
                       const RowShape &row, RowAccumulate accumulate);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ROWS_ROWLOOP_H
