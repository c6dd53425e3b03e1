//===- ExpandBlocks.h - Composite ops as their parts ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_EXPANDBLOCKS_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_EXPANDBLOCKS_H

#include "attn/Dialect/Attn/IR/TransformerOps.h"

namespace mlir {
class RewriterBase;
} // namespace mlir

namespace attn {

/// Attribute of a sum that was an attn.residual of policy `fixup`: a string,
/// the policy. The sum itself does not tell that its branch starts at 0.
constexpr llvm::StringLiteral kSumPolicyAttrName = "attn.residual";

/// Each replaces one op by the ops that its definition names.
void expandMultiHeadAttention(mlir::RewriterBase &rewriter,
                              MultiHeadAttentionOp op);
void expandFeedForward(mlir::RewriterBase &rewriter, FeedForwardOp op);
void expandResidual(mlir::RewriterBase &rewriter, ResidualOp op);

/// Replaces `op` if it is one of them.
void expandBlock(mlir::RewriterBase &rewriter, mlir::Operation *op);

/// Replaces all of them below `root`.
void expandBlocks(mlir::RewriterBase &rewriter, mlir::Operation *root);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_EXPANDBLOCKS_H
