//===- ElementOps.h - Activations, initial weights, statistics --*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_ATTNTOLINALG_ELEMENTOPS_H
#define ATTN_CONVERSION_ATTNTOLINALG_ELEMENTOPS_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Dialect/Attn/IR/GaussianMoments.h"

namespace mlir {
class RewriterBase;
} // namespace mlir

namespace attn {

/// (f(x) - center) * gain of a number or vector of any float type, in
/// arithmetic of f32 or wider, rounded once to the type of `x`.
mlir::Value emitActivation(mlir::OpBuilder &builder, mlir::Location loc,
                           Function function, const OutputScale &scale,
                           mlir::Value x);

/// Each replaces one op: an activation on numbers or vectors by arithmetic, on
/// tensors by a structured op, the others by structured ops.
mlir::LogicalResult decompose(mlir::RewriterBase &rewriter, ActivationOp op);
mlir::LogicalResult decompose(mlir::RewriterBase &rewriter, InitOp op);
mlir::LogicalResult decompose(mlir::RewriterBase &rewriter, StatisticsOp op);

} // namespace attn

#endif // ATTN_CONVERSION_ATTNTOLINALG_ELEMENTOPS_H
