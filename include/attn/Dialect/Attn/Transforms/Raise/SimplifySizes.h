//===- SimplifySizes.h - Steps of attn-simplify-sizes -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_SIMPLIFYSIZES_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_SIMPLIFYSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace attn::raise {

/// Index and integer arithmetic in bodies that needs nothing of them moves in
/// front of their ops.
void hoistSizesFromBodies(mlir::func::FuncOp func);

/// i64 arithmetic on casts of indices becomes arithmetic on indices.
void populateIndexArithmeticPatterns(mlir::RewritePatternSet &patterns);

/// Comparisons of sizes that hold for all sizes, or for none, become constants,
/// and arithmetic that gives the size of an argument becomes that; so do sizes
/// of what is computed. Returns whether there were any.
bool foldSizes(mlir::func::FuncOp func);

/// An element that a body extracts of a tensor of dynamic sizes at the loops'
/// own indices becomes an operand. An index that is 0 where a size is 1 counts
/// as one: the program asserts that the size is not to be broadcast.
void makeExtractsOperands(mlir::func::FuncOp func);

/// A tensor.reshape to listed sizes becomes a collapse and an expansion, where
/// the sizes say which dimensions belong together.
void makeReshapesGroups(mlir::func::FuncOp func);

/// Batched products whose result is split into sizes of which an inner one is
/// unknown get a dimension for each.
llvm::LogicalResult expandProducts(mlir::func::FuncOp func);

/// What is computed of rows of unknown length with a few columns beside them is
/// computed of both, where slices and reductions are all that uses it.
void splitConcats(mlir::func::FuncOp func);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_SIMPLIFYSIZES_H
