//===- SoftmaxFragment.h - The softmax state of a warp's rows ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef ATTN_LIB_CONVERSION_GPU_ATTENTION_SOFTMAXFRAGMENT_H
#define ATTN_LIB_CONVERSION_GPU_ATTENTION_SOFTMAXFRAGMENT_H

#include "ScoreFragments.h"
#include "attn/Dialect/Attn/Score/SoftmaxState.h"

namespace attn {

/// The states of a lane's rows, in registers: loop-carried values. A maximum is
/// that of the whole row; sums are those of the lane's keys, until the end.
class SoftmaxFragment {
public:
  struct State {
    /// Accumulators: a vector for each row.
    llvm::SmallVector<mlir::Value> output;
    llvm::SmallVector<mlir::Value> max, sum;
    llvm::SmallVector<RowStatistics> statistics;
  };

  /// `columns` accumulators of each row lie in a lane.
  SoftmaxFragment(KernelBuilder &kernel, AttentionOpInterface op,
                  ScoreFragments &scores, int64_t columns)
      : kernel(kernel), op(op), scores(scores), columns(columns) {}

  State getIdentity();
  /// To loop-carried values and back.
  llvm::SmallVector<mlir::Value> flatten(const State &state);
  State restore(mlir::ValueRange values);

  /// Takes the scores of a row; gives their weights. `hides` says that some may
  /// be hidden, so that the row may have seen nothing.
  mlir::Value update(State &state, unsigned row, mlir::Value rowScores);
  /// The same but for the accumulators, which may be in flight: they are to be
  /// multiplied by `factor`.
  mlir::Value updateSums(State &state, unsigned row, mlir::Value rowScores,
                         llvm::function_ref<void(mlir::Value)> rescale);
  void rescale(State &state, unsigned row, mlir::Value factor);

  /// Adds up what lanes hold of a row's sums.
  void joinLanes(State &state);
  /// The maximum in log2 units.
  mlir::Value getMax(const State &state, unsigned row);
  /// 2^x of a scalar or a vector, as fast as the machine can.
  static mlir::Value emitExp2(LaneBuilder &lanes, mlir::Value x);
  /// The same of tanh, in f32: as near as numbers at 1 are to each other, which
  /// is no relative error near 0.
  static mlir::Value emitTanh(LaneBuilder &lanes, mlir::Value x);

private:
  KernelBuilder &kernel;
  AttentionOpInterface op;
  ScoreFragments &scores;
  int64_t columns;
};

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

#endif // ATTN_LIB_CONVERSION_GPU_ATTENTION_SOFTMAXFRAGMENT_H
