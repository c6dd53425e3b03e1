//===- AttnOps.h - What each op of the dialect means ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_REFERENCE_ATTNOPS_H
#define ATTN_LIB_REFERENCE_ATTNOPS_H

#include "Evaluator.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"

namespace attn::reference::detail {

/// One for each op on tensors: it sets the results, or emits a diagnostic. The
/// ops with AttentionOpInterface are run together.
mlir::LogicalResult execute(Evaluator &evaluator, ActivationOp op);
mlir::LogicalResult execute(Evaluator &evaluator, FeedForwardOp op);
mlir::LogicalResult execute(Evaluator &evaluator, InitOp op);
mlir::LogicalResult execute(Evaluator &evaluator, LinearOp op);
mlir::LogicalResult execute(Evaluator &evaluator, MultiHeadAttentionOp op);
mlir::LogicalResult execute(Evaluator &evaluator, NormOp op);
mlir::LogicalResult execute(Evaluator &evaluator, ResidualOp op);
mlir::LogicalResult execute(Evaluator &evaluator, RopeOp op);
mlir::LogicalResult execute(Evaluator &evaluator, SinusoidalPositionsOp op);
mlir::LogicalResult execute(Evaluator &evaluator, SoftmaxOp op);
mlir::LogicalResult execute(Evaluator &evaluator, StatisticsOp op);

} // namespace attn::reference::detail

#endif // ATTN_LIB_REFERENCE_ATTNOPS_H
