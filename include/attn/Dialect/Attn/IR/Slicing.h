//===- Slicing.h - Iteration sizes and operand slices -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_SLICING_H
#define ATTN_DIALECT_ATTN_IR_SLICING_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// The sizes of the op's iteration dimensions, read off its operands. For a
/// tile these are the tile's sizes, not the problem's.
llvm::SmallVector<mlir::OpFoldResult>
getIterationSizes(mlir::OpBuilder &builder, mlir::Location loc,
                  AttentionOpInterface op);

/// The part of an operand with indexing map `map` that the iteration tile at
/// `offsets` of `sizes` touches. A tile of heads must lie inside one key head's
/// group or cover whole groups.
void getSliceOfMap(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::AffineMap map,
                   llvm::ArrayRef<mlir::OpFoldResult> offsets,
                   llvm::ArrayRef<mlir::OpFoldResult> sizes,
                   llvm::SmallVectorImpl<mlir::OpFoldResult> &sliceOffsets,
                   llvm::SmallVectorImpl<mlir::OpFoldResult> &sliceSizes);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_SLICING_H
