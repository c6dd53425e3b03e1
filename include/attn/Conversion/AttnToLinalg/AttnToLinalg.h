//===- AttnToLinalg.h - attn ops as plain linalg ----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The portable path: each attention op on tensors becomes structured ops that
// hold all scores at once. It covers every combination of policies, on any
// target, and favours being right over being fast.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_ATTNTOLINALG_ATTNTOLINALG_H
#define ATTN_CONVERSION_ATTNTOLINALG_ATTNTOLINALG_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace mlir {
class DialectRegistry;
class RewriterBase;
} // namespace mlir

namespace attn {

/// Each replaces one op on tensors; an op has a form where there is an overload
/// for it, here or in ElementOps.h. They fail, with the reason told to the
/// rewriter, on memrefs, and where a tile does not know what its scale needs.
mlir::LogicalResult decompose(mlir::RewriterBase &rewriter, AttentionOp op);
mlir::LogicalResult decompose(mlir::RewriterBase &rewriter,
                              OnlineAttentionOp op);
mlir::LogicalResult decompose(mlir::RewriterBase &rewriter, PackQueryOp op);
mlir::LogicalResult decompose(mlir::RewriterBase &rewriter, FinalizeOp op);
mlir::LogicalResult decompose(mlir::RewriterBase &rewriter, NormOp op);
mlir::LogicalResult decompose(mlir::RewriterBase &rewriter, LinearOp op);
mlir::LogicalResult decompose(mlir::RewriterBase &rewriter, RopeOp op);
mlir::LogicalResult decompose(mlir::RewriterBase &rewriter,
                              SinusoidalPositionsOp op);
mlir::LogicalResult decompose(mlir::RewriterBase &rewriter, SoftmaxOp op);

/// Moves the changes of an attention's loaded rows in front of it, rounded to
/// the operands' types, for kernels that read rows as they lie.
mlir::LogicalResult peelLoadedRows(mlir::RewriterBase &rewriter,
                                   AttentionOp op);

/// Gives an attention with n = seen the number of keys that each row sees, as a
/// position; leaves others as they are.
void countSeenKeys(mlir::RewriterBase &rewriter, AttentionOp op);

/// Gives each op its form, by DecomposeOpInterface.
void registerDecomposeOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace attn

#include "attn/Conversion/DecomposeOpInterface.h.inc"

#endif // ATTN_CONVERSION_ATTNTOLINALG_ATTNTOLINALG_H
