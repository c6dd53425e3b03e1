//===- SoftmaxState.h - The running state as tensors ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ATTNTOLINALG_SOFTMAXSTATE_H
#define ATTN_LIB_CONVERSION_ATTNTOLINALG_SOFTMAXSTATE_H

#include "ScoreTensors.h"

namespace attn {

/// What a row has seen so far: unnormalised output, maximum, sum.
struct SoftmaxState {
  MappedTensor acc, max, sum;
  Units units;
  /// The statistics of probes that are sums, in the order of their kinds.
  llvm::SmallVector<std::pair<Statistic, MappedTensor>, 2> statistics;
};

/// (0, -inf, 0).
SoftmaxState createIdentity(IterationBuilder &iterations, Units units);

/// Adds keys with their scores, which are overwritten, and their values.
/// `fresh` says that the state is the identity, so that there is nothing to
/// rescale.
SoftmaxState createUpdate(IterationBuilder &iterations, SoftmaxState state,
                          const ScoreTensors &scores, MappedTensor value,
                          bool fresh);

/// Adds e0 and divides, into `outputs`: o and, optionally, lse.
llvm::SmallVector<mlir::Value>
createResults(IterationBuilder &iterations, SoftmaxState state,
              llvm::ArrayRef<MappedTensor> outputs);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ATTNTOLINALG_SOFTMAXSTATE_H
