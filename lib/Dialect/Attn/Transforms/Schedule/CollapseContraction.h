//===- CollapseContraction.h - Contractions of many loops -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_COLLAPSECONTRACTION_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_COLLAPSECONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// Gives a structured product on tensors loops that MatrixRoles can read, with
/// as few of one kind as there can be. Loops that lie side by side in all
/// tensors become one, by reshapes. Tensors whose last dimension is of no use,
/// or whose terms lie apart, are copied in another order.
/// Returns the product that stands for `op` now, which may be `op` itself.
mlir::linalg::LinalgOp collapseContraction(mlir::RewriterBase &rewriter,
                                           mlir::linalg::LinalgOp op);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_COLLAPSECONTRACTION_H
