//===- SoftmaxState.h - What a row has seen of its keys ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row's state is (acc, max, sum) and what probes add up beside it. Weights
// are the exponentials of the distances to a reference, so a state moves to
// another reference by one factor. That is all that an update, a merge of
// states and the end of a row do; here are their formulas, on a scalar or on
// lanes. Loops and memory are the caller's.
//
// A NaN is never a maximum: it loses, and comes back from the exponential of
// its distance. So a NaN score makes sum, output, lse and all probes of its row
// but the largest logit NaN, and no other row.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_SCORE_SOFTMAXSTATE_H
#define ATTN_DIALECT_ATTN_SCORE_SOFTMAXSTATE_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// What scores and maxima are the logarithms of.
enum class Units {
  /// e: no rounding beyond that of the formula. For whole problems.
  Natural,
  /// 2: the states of tiles.
  Log2
};

/// The exponential in the state's units of a distance, which is hardly above 0.
/// -inf has to give 0, and NaN NaN.
using Exponential = llvm::function_ref<mlir::Value(LaneBuilder &, mlir::Value)>;

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// What the parts of a state are before any key: acc, max, sum and then the
/// statistics of the op's probes.
llvm::SmallVector<double> getStateIdentity(AttentionOpInterface op);

/// A maximum as a subtrahend: 0 for -inf, the maximum of a row that has seen
/// nothing, because -inf - -inf would be NaN.
mlir::Value emitReference(LaneBuilder &lanes, mlir::Value max);

/// What a state becomes relative to another reference.
struct Rescale {
  /// By how much its weights' logarithms change, and they themselves.
  mlir::Value distance, factor;
};
/// From the maximum `max` to a reference that is no less.
Rescale emitRescale(LaneBuilder &lanes, mlir::Value max, mlir::Value reference,
                    Exponential exp);

/// A part of a state, acc or sum, moved by `factor` and added to `rest`, which
/// may be null for 0.
mlir::Value emitMoved(LaneBuilder &lanes, mlir::Value part, mlir::Value factor,
                      mlir::Value rest);

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

/// The statistics of a row; what no probe needs is null.
struct RowStatistics {
  mlir::Value squares, logs, top, cubes, fourths, gaps, gaps2, gaps3, gaps4;

  mlir::Value &get(Statistic kind);
  mlir::Value get(Statistic kind) const {
    return const_cast<RowStatistics *>(this)->get(kind);
  }
  /// Those that are there and are sums over keys.
  llvm::SmallVector<Statistic> getSums() const;
};

/// What a weight adds to a statistic that is a sum, added to `rest`, which may
/// be null for 0. `distance` is the logarithm of the weight.
mlir::Value emitStatistic(LaneBuilder &lanes, Statistic kind,
                          mlir::Value weight, mlir::Value distance,
                          mlir::Value rest);

/// The statistics that are sums, moved and added to those of `rest` (null for
/// 0); `sum` is the state's sum of weights before it moves.
RowStatistics emitMovedStatistics(LaneBuilder &lanes,
                                  const RowStatistics &statistics,
                                  mlir::Value sum, const Rescale &rescale,
                                  const RowStatistics &rest);

//===----------------------------------------------------------------------===//
// Ends of rows
//===----------------------------------------------------------------------===//

/// What a row's state turns into.
struct RowEnd {
  /// o = acc * factor.
  mlir::Value factor;
  /// Null when it was not asked for.
  mlir::Value lse;
};

/// Adds e0 (`logExtra` is log e0, natural, or null for 0), once, and
/// normalises. Outputs may be as small as their type allows, unlike weights:
/// `exp` flushes no normal number.
RowEnd emitRowEnd(LaneBuilder &lanes, Units units, mlir::Value max,
                  mlir::Value sum, mlir::Value logExtra, bool wantsLse,
                  Exponential exp);

/// alpha_i: how fast the logit grows with the similarity in units of its own
/// spread. `headDim` is a scalar of type index.
mlir::Value emitLogitSlope(LaneBuilder &lanes, AttentionOpInterface op,
                           mlir::Value headDim, mlir::Value scale);

/// The probes of finished rows, in the order of their outputs. `sum` is that of
/// the weights without e0, `factor` turns a weight into a probability, and
/// `emitSlope` gives alpha_i.
llvm::SmallVector<mlir::Value>
emitProbes(LaneBuilder &lanes, AttentionOpInterface op, Units units,
           mlir::Value sum, mlir::Value factor, RowStatistics statistics,
           llvm::function_ref<mlir::Value()> emitSlope);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_SCORE_SOFTMAXSTATE_H
