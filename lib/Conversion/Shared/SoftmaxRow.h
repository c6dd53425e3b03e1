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

#ifndef ATTN_LIB_CONVERSION_SHARED_SOFTMAXROW_H
#define ATTN_LIB_CONVERSION_SHARED_SOFTMAXROW_H

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

/// What turns a score x into its weight exp(lambda (x - m)): `shift` is -m, m
/// the score that gets the weight 1, and `scale` is lambda. What is rounded is
/// the distance: of large scores, too, the largest one has the weight 1.
struct SoftmaxWeighting {
  mlir::Value shift, scale;
};

/// 1, or -1 for a negative lambda, whose largest score is the smallest x.
mlir::Value emitSoftmaxSign(LaneBuilder &lanes, mlir::Value scale);
/// From lambda and the maximum of x times the sign. The shift is 0 where that
/// is -inf, because then all scores are, and where it is so large that another
/// score may be further from it than the largest number, lambda so small (0
/// among them) that the distance counts all the same.
SoftmaxWeighting emitSoftmaxWeighting(LaneBuilder &lanes, mlir::Value scale,
                                      mlir::Value maximum);
/// lambda (x - m). The row may be one in a builder of lanes: then its numbers
/// are spread.
mlir::Value emitSoftmaxDistance(LaneBuilder &lanes, mlir::Value x,
                                const SoftmaxWeighting &row);
/// e0 exp(-lambda m), which may be infinite: then all weights are nothing
/// beside it.
mlir::Value emitSoftmaxExtra(LaneBuilder &lanes, mlir::Value logExtra,
                             const SoftmaxWeighting &row);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_SHARED_SOFTMAXROW_H
