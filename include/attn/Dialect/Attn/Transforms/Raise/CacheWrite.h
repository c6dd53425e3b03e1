//===- CacheWrite.h - Ops that put tensors together -------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_CACHEWRITE_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_CACHEWRITE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attn::raise {

/// Whether the op's body moves floats and computes none: an expression says
/// nothing of how they are rounded on the way.
bool onlyMovesFloats(mlir::linalg::LinalgOp op);

/// The tensor that `op` makes, by the insertion of a row, where `op` selects a
/// row's element at one index of a dimension, and that of an argument
/// elsewhere; null where it does not.
mlir::Value insertSelectedRow(mlir::linalg::LinalgOp op);

/// The concatenation that `op` computes by a branch for each element; null
/// where it does not.
mlir::Value concatBranches(mlir::linalg::LinalgOp op);

/// Lets what a loop puts together, part by part, begin as the argument of
/// which each turn reads its part: the parts are those of a stacked cache.
void raiseScannedCaches(mlir::Operation *func);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_CACHEWRITE_H
