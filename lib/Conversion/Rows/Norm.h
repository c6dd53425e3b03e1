//===- Norm.h - attn.norm as vector loops -----------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ROWS_NORM_H
#define ATTN_LIB_CONVERSION_ROWS_NORM_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// Emits a norm on memrefs whose schedule has panels.
mlir::LogicalResult lowerNormTiles(mlir::PatternRewriter &rewriter, NormOp op);

/// The running statistics at `indices`, where the norm has any, take in those
/// of groups with `count` elements each, a scalar.
void updateRunning(LaneBuilder &lanes, NormOp op, mlir::Value mean,
                   mlir::Value variance, mlir::Value count,
                   mlir::ValueRange indices, mlir::Value mask = {});

/// Norms on memrefs with a schedule.
void populateNormPattern(mlir::RewritePatternSet &patterns);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ROWS_NORM_H
