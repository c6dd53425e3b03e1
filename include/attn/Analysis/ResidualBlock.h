//===- ResidualBlock.h - x + F(x), however it is spelled --------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_RESIDUALBLOCK_H
#define ATTN_ANALYSIS_RESIDUALBLOCK_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include <optional>

namespace attn {

/// A block of a residual stream: an attn.residual, or a sum one side of which
/// is computed from the other by layers.
struct ResidualBlock {
  /// attn.residual, or the op that adds.
  mlir::Operation *op = nullptr;
  /// Nothing for a sum x + F(x) without a norm or a factor.
  std::optional<ResidualPolicy> policy;
  /// x, F(x) before any factor, and what goes on: the norm of a post block.
  mlir::Value input, branch, result;
  /// Whether the branch is multiplied by factors before it is added.
  bool isScaled = false;
  /// Constants that x is multiplied by before the sum (DeepNorm), and the sum
  /// before it goes on.
  double inputFactor = 1.0, resultFactor = 1.0;
  /// The norm of a pre or post block, where it is one op.
  NormOp norm;
};

/// The block that `op` adds up, nothing where it is no sum of that form.
std::optional<ResidualBlock> matchResidualBlock(mlir::Operation *op);

/// The policy, `rezero` or `scheduled`, of the sum that has for the factor of
/// its branch what `use` reads, or a function of it.
std::optional<ResidualPolicy> findFactorPolicy(mlir::OpOperand &use);

/// Whether `is` holds of `op` or of one inside it.
bool hasInside(mlir::Operation *op,
               llvm::function_ref<bool(mlir::Operation *)> is);

/// Whether an op mixes the elements of its rows, or the rows: linear layers,
/// products, attentions and the ops that are made of them.
bool isLayer(mlir::Operation *op);

/// Whether an op divides by a root: attn.norm, or the part of a spelled-out
/// norm that makes it one.
bool isNormLike(mlir::Operation *op);

} // namespace attn

#endif // ATTN_ANALYSIS_RESIDUALBLOCK_H
