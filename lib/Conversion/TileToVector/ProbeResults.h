//===- ProbeResults.h - From a row's statistics to its probes ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_PROBERESULTS_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_PROBERESULTS_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// The statistics of rows in lanes; what no probe needs is null.
struct RowStatistics {
  mlir::Value squares, logs, top;

  mlir::Value &get(Statistic kind);
};

/// A distance to the maximum that a weight can be multiplied with: 2^-inf -inf
/// is 0.
mlir::Value emitFiniteDistance(LaneBuilder &lanes, mlir::Value distance);

/// The probes of finished rows, in the order of their outputs. `sum` is that of
/// the weights without e0, `factor` turns a weight into a probability, and
/// `emitScale` gives the rows' lambda.
llvm::SmallVector<mlir::Value>
emitProbes(LaneBuilder &lanes, AttentionOpInterface op, mlir::Value sum,
           mlir::Value factor, RowStatistics statistics,
           llvm::function_ref<mlir::Value()> emitScale);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_PROBERESULTS_H
