//===- LhsPointers.h - Addresses of a register tile's scalars ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CONTRACTION_LHSPOINTERS_H
#define ATTN_LIB_CONVERSION_CONTRACTION_LHSPOINTERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace attn {

/// Pointers to the `height` rows of A from `row` on, each in a register of its
/// own, so that a step of k addresses every row as pointer + k. With strides
/// known at run time only, LLVM's loop strength reduction would otherwise
/// build the rows from one another inside the loop: seven more instructions
/// per step, which the front end of a core with two FMA units cannot hide.
class LhsPointers {
public:
  /// `lhs` is a rank-2 memref; `rowDim` says which of its dimensions is the
  /// row, the other one is k.
  LhsPointers(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lhs,
              unsigned rowDim, mlir::Value row, int64_t height);

  /// The distance of step `k` from the start of a row, in elements.
  mlir::Value getOffset(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value k) const;

  /// The element in row `row + r`, `offset` elements from its start; or the
  /// bits of `count` elements that lie side by side, as one integer.
  mlir::Value load(mlir::OpBuilder &builder, mlir::Location loc, int64_t r,
                   mlir::Value offset, int64_t count = 1) const;

private:
  mlir::Type element;
  /// One pointer a row, or one for all rows when they are a constant apart.
  llvm::SmallVector<mlir::Value> pointers;
  int64_t rowStride;
  mlir::Value depthStride;
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CONTRACTION_LHSPOINTERS_H
