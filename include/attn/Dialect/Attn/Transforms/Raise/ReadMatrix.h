//===- ReadMatrix.h - Tensors as matrices -----------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product has rows, columns and terms, each of any number of variables. Its
// tensors are matrices where the dimensions of one kind lie side by side.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_READMATRIX_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_READMATRIX_H

#include "attn/Dialect/Attn/Transforms/Raise/Expr.h"
#include "mlir/IR/Builders.h"

namespace attn::raise {

using Variables = llvm::SmallVector<unsigned>;

/// Whether the dimensions [begin, end) of what is loaded hold the variables in
/// this order: each dimension one of them, or several in row-major order, or
/// nothing but a size of 1.
bool holds(const ExprGraph &graph, Expr load, size_t begin, size_t end,
           llvm::ArrayRef<unsigned> variables);

/// The number of dimensions that hold `first` where the others, behind them,
/// hold `second`. Each has at least one.
std::optional<size_t> splitDims(const ExprGraph &graph, Expr load,
                                llvm::ArrayRef<unsigned> first,
                                llvm::ArrayRef<unsigned> second);

/// Those of the variables that the load depends on, as they lie in memory, the
/// outermost first.
Variables orderAsLoaded(Expr load, llvm::ArrayRef<unsigned> variables);

/// The dimensions in the order in which they hold these variables, one each;
/// those of size 1 first. Nothing where a dimension holds something else.
std::optional<llvm::SmallVector<int64_t>>
findOrder(const ExprGraph &graph, Expr load,
          llvm::ArrayRef<unsigned> variables);

/// `tensor` with the dimensions [begin, end) as one.
mlir::Value collapseDims(mlir::OpBuilder &builder, mlir::Value tensor,
                         size_t begin, size_t end);

/// `tensor` with dimension `at` as one of each of these sizes.
mlir::Value expandDim(mlir::OpBuilder &builder, mlir::Value tensor, size_t at,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_READMATRIX_H
