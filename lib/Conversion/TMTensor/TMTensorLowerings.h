//===- TMTensorLowerings.h - One function an op -----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TMTENSOR_TMTENSORLOWERINGS_H
#define ATTN_LIB_CONVERSION_TMTENSOR_TMTENSORLOWERINGS_H

#include "attn/Dialect/TMTensor/TMTensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace attn::tm_tensor {

/// The values that take the place of an op's results. Each is called with the
/// builder in front of the op.
mlir::SmallVector<mlir::Value> lowerScan(mlir::ImplicitLocOpBuilder &builder,
                                         ScanOp op);
mlir::SmallVector<mlir::Value> lowerScatter(mlir::ImplicitLocOpBuilder &builder,
                                            ScatterOp op);
mlir::SmallVector<mlir::Value> lowerSort(mlir::ImplicitLocOpBuilder &builder,
                                         SortOp op);
mlir::SmallVector<mlir::Value> lowerTopk(mlir::ImplicitLocOpBuilder &builder,
                                         TopkOp op);

/// What the region of `op` gives for these numbers.
mlir::Value inlineRegion(mlir::OpBuilder &builder, mlir::Operation *op,
                         mlir::ValueRange arguments);

/// The part of a tensor at `position` of dimension `dim`, without it.
mlir::Value createPart(mlir::ImplicitLocOpBuilder &builder, mlir::Value tensor,
                       int64_t dim, mlir::Value position);
mlir::Value insertPart(mlir::ImplicitLocOpBuilder &builder, mlir::Value part,
                       mlir::Value tensor, int64_t dim, mlir::Value position);

/// Rows along a dimension: all other dimensions are looped over. `body` gets a
/// row of each tensor as a tensor of rank 1, or of `inputs` as well, and gives
/// those that take the place of the rows of `tensors`.
using RowBody = llvm::function_ref<mlir::SmallVector<mlir::Value>(
    mlir::ImplicitLocOpBuilder &builder, mlir::ValueRange inputs,
    mlir::ValueRange rows)>;
mlir::SmallVector<mlir::Value>
createRowLoops(mlir::ImplicitLocOpBuilder &builder, mlir::ValueRange inputs,
               mlir::ValueRange tensors, int64_t dimension, RowBody body);

} // namespace attn::tm_tensor

#endif // ATTN_LIB_CONVERSION_TMTENSOR_TMTENSORLOWERINGS_H
