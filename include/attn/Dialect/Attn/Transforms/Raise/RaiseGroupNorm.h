//===- RaiseGroupNorm.h - Layer norms of groups of channels -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_RAISEGROUPNORM_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_RAISEGROUPNORM_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

namespace attn::raise {

/// Says what norm was found, and with which params.
void remarkRaised(NormOp op);

/// A norm of groups of channels. The dimension `dim` of the input has the
/// groups, the next one the channels of a group; of the result it has both.
struct GroupNorm {
  mlir::Value input;
  mlir::Value gamma, beta; // of all channels, or null
  int64_t dim = 0;
  llvm::SmallVector<int64_t> axes;
  bool isCentred = true;
  mlir::FloatAttr eps;
  EpsModeAttr epsMode;
};

/// What makes two dimensions of the dimension `dim` of `rank`.
llvm::SmallVector<mlir::ReassociationIndices>
getSplitReassociation(int64_t rank, int64_t dim);

/// The norm as a tensor of the type `type`.
mlir::Value buildGroupNorm(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::RankedTensorType type, const GroupNorm &group);

/// Makes layer norms of whole groups of channels, with what follows them and
/// belongs to the channels, norms of kind `group`.
void raiseGroupNorms(mlir::Operation *root);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_RAISEGROUPNORM_H
