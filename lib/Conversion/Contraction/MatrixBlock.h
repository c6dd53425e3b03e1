//===- MatrixBlock.h - Blocked matrix products on memrefs ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C[i, j] = sum_k A[i, k] B[k, j] for matrices of any size in memory. Blocks of
// rows by groups of columns are independent and run in parallel. A block goes
// over k in steps: it copies its part of B into panels that stay in the L2
// cache, in the type of the sums, and runs down its rows of A. The rows of one
// register tile are copied, too, next to each other in the L1 cache, where they
// meet all panels of the group. Nothing here knows about attention.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_CONTRACTION_MATRIXBLOCK_H
#define ATTN_LIB_CONVERSION_CONTRACTION_MATRIXBLOCK_H

#include "../Lanes/LaneMemory.h"
#include "../Lanes/RegisterTile.h"
#include "../Shared/MatrixProduct.h"
#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// Emits the loops of one product before `user`. Its right operand and its
/// output have unit inner strides.
void emitMatrixProduct(mlir::OpBuilder &builder, mlir::Operation *user,
                       const MatrixProduct &product,
                       ContractionScheduleAttr schedule,
                       mlir::FloatType compute);

/// The schedule's register tile, with sums of type `compute`, for operands of
/// the types of these.
RegisterTile getRegisterTile(ContractionScheduleAttr schedule,
                             mlir::FloatType compute, mlir::Value lhs,
                             mlir::Value rhs);

/// Emits one block in the body of a parallel loop. `packed` is what
/// packConstant() gave.
void emitMatrixBlock(mlir::OpBuilder &builder, mlir::Location loc,
                     const MatrixProduct &product, mlir::Value packed,
                     ContractionScheduleAttr schedule, mlir::FloatType compute,
                     mlir::Value batch, mlir::Value rowBlock,
                     mlir::Value columnGroup);

/// Copies rhs[begin .. begin + depth, column .. column + count] into `panels`,
/// which are [panel, step of k, column of the panel], with getPanelSteps()
/// steps. Terms that a step has too many are 0. Columns of the last panel that
/// do not exist are filled with numbers that do not matter.
struct PanelSource {
  mlir::Value rhs;
  bool transposed;
  mlir::Value begin, depth;
  mlir::Value column, count;
  /// From a part of a panel to the next, in steps.
  int64_t partSteps = 0;
};
int64_t getPanelSteps(const RegisterTile &tile, int64_t depth);
void emitPanels(mlir::OpBuilder &builder, mlir::Location loc,
                const PanelSource &source, mlir::Value panels,
                const RegisterTile &tile);

/// The products of rows `row` to `row + height` of `lhs` with rows `column` to
/// `column + lanes` of `rhs` from its column `begin` on, both with unit inner
/// stride: a vector for each row of `lhs`. Rows of `rhs` from `end` on repeat
/// the last.
struct DotSource {
  mlir::Value lhs, rhs;
  mlir::Value row;
  int64_t height;
  mlir::Value column, end;
  mlir::Value begin;
  mlir::OpFoldResult depth;
  /// Where partial sums wait: a memref of getDotScratch().
  mlir::Value scratch;
};
/// `stored`: the type of the right operand's elements.
llvm::SmallVector<int64_t> getDotScratch(const RegisterTile &tile,
                                         mlir::Type stored);
llvm::SmallVector<mlir::Value> emitDotProducts(mlir::OpBuilder &builder,
                                               mlir::Location loc,
                                               const DotSource &source,
                                               const RegisterTile &tile);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_CONTRACTION_MATRIXBLOCK_H
