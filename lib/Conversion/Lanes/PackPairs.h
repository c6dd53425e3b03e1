//===- PackPairs.h - Rows of bf16 as pairs of rows --------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_LANES_PACKPAIRS_H
#define ATTN_LIB_CONVERSION_LANES_PACKPAIRS_H

#include "mlir/IR/Builders.h"

namespace attn {

/// Terms of two rows of memory in vectors of bf16, as elements of `element`, 32
/// bits, with a term of each: those of the first or the second half of the
/// columns (`half` 0 or 1).
mlir::Value emitInterleaved(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value first, mlir::Value second, int64_t half,
                            mlir::Type element);

/// Copies a rank-2 memref of bf16 whose columns lie side by side to the part of
/// `scratch` that it needs, and returns that part: row i, of elements of 32
/// bits, has rows 2i and 2i + 1, the first in the lower halves. Beside the last
/// of an odd number of rows stand zeros. Scratch has one row for two and no
/// fewer columns.
mlir::Value emitPackedPairs(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value block, mlir::Value scratch,
                            int64_t lanes);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_LANES_PACKPAIRS_H
