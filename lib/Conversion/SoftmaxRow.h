//===- SoftmaxRow.h - What the rows of a softmax share ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lambda and e0 of a row of attn.softmax by its policies, and the steps from
// scores to weights that both lowerings take.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_SOFTMAXROW_H
#define ATTN_LIB_CONVERSION_SOFTMAXROW_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// Where a row is: called only for policies that ask.
struct SoftmaxPlace {
  /// A size of the input, a scalar index.
  llvm::function_ref<mlir::Value(unsigned dim)> getSize;
  /// The row's index along the dimension of rows, an int of the builder.
  llvm::function_ref<mlir::Value()> getRow;
};

/// lambda of the row, from the params of the scale: floats and ints of the
/// builder.
mlir::Value emitSoftmaxScale(LaneBuilder &lanes, SoftmaxOp op,
                             mlir::ValueRange params,
                             const SoftmaxPlace &place);
/// log e0 of the row, -inf where e0 is 0, from the params of the normaliser.
mlir::Value emitSoftmaxLogExtra(LaneBuilder &lanes, SoftmaxOp op,
                                mlir::ValueRange params);

/// What is added to scaled scores before exp: -m, or 0 where the maximum m is
/// -inf, because then all scores are.
mlir::Value emitSoftmaxShift(LaneBuilder &lanes, mlir::Value top);
/// e0 exp(-m): 1 where e0 is the maximum, infinite or not.
mlir::Value emitSoftmaxExtra(LaneBuilder &lanes, mlir::Value logExtra,
                             mlir::Value top);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_SOFTMAXROW_H
