//===- RowPatterns.h - Ops of rows as vector loops --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_VECTORROWS_ROWPATTERNS_H
#define ATTN_LIB_CONVERSION_VECTORROWS_ROWPATTERNS_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "attn/Target/TargetDescription.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace attn {

/// Norms, softmaxes, statistics and positions on memrefs with a schedule.
void populateRowPatterns(mlir::RewritePatternSet &patterns,
                         const TargetDescription &target);

/// Each emits the whole op, which stays.
void emitRows(mlir::OpBuilder &builder, SoftmaxOp op,
              const TargetDescription &target);
void emitRows(mlir::OpBuilder &builder, SinusoidalPositionsOp op,
              const TargetDescription &target);
void emitNormTiles(mlir::OpBuilder &builder, NormOp op);
void emitSoftmaxColumns(mlir::OpBuilder &builder, SoftmaxOp op,
                        const TargetDescription &target);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_VECTORROWS_ROWPATTERNS_H
