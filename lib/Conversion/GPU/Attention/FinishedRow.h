//===- FinishedRow.h - What a row of an attention comes to ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef ATTN_LIB_CONVERSION_GPU_ATTENTION_FINISHEDROW_H
#define ATTN_LIB_CONVERSION_GPU_ATTENTION_FINISHEDROW_H

#include "ScoreFragments.h"
#include "attn/Dialect/Attn/Score/SoftmaxState.h"

namespace attn {

/// What accumulators are multiplied by, and the numbers of the outputs after
/// the first: lse, if the op has it, and the probes.
struct FinishedRow {
  mlir::Value factor;
  llvm::SmallVector<mlir::Value> numbers;
};

/// The end of row `row` of `scores`, which has seen all of its keys. `max` is
/// in log2 units.
FinishedRow emitFinishedRow(AttentionOp op, ScoreFragments &scores,
                            unsigned row, llvm::ArrayRef<mlir::Value> sizes,
                            mlir::Value max, mlir::Value sum,
                            const RowStatistics &statistics);

/// Stores one element of an output: of `column` (i32), null where the output
/// has one number a row.
void storeElement(KernelBuilder &kernel, AttentionOp op, unsigned output,
                  llvm::ArrayRef<mlir::Value> batch, mlir::Value row,
                  mlir::Value column, mlir::Value element);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_GPU_ATTENTION_FINISHEDROW_H
