//===- LinearReading.h - A linear layer as it was read ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_LINEARREADING_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_LINEARREADING_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn::raise {

struct LinearReading {
  /// What the product says of its parts; null if nothing.
  mlir::Attribute products;
  mlir::Value input, weight, bias; // bias or null
  /// The orders in which input and weight have to be copied, empty where they
  /// lie as they are wanted, and that of the result which the layer gives.
  llvm::SmallVector<int64_t> inputOrder, weightOrder, resultOrder;
  /// The input's dimensions before the terms, the weight's before the second
  /// kind, the result's before the columns.
  size_t inputRows = 0, weightSplit = 0, resultRows = 0;
  llvm::SmallVector<mlir::OpFoldResult> columnSizes;
  WeightLayout layout = WeightLayout::InOut;
  Parameterisation parameterisation = Parameterisation::Standard;
};

/// Whether the input has the rows of a result of this shape, but for sizes
/// of 1. Files whose sizes contradict each other are not told by their maps.
bool hasRowsOfResult(const LinearReading &linear,
                     llvm::ArrayRef<int64_t> resultShape);

/// The layer, before the op that makes `root`, with its result as `root` is.
mlir::Value buildLinear(mlir::Value root, mlir::Location product,
                        const LinearReading &linear);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_LINEARREADING_H
