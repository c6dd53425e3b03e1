//===- ScoreMend.h - The scale policy that scores ask for -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_SCOREMEND_H
#define ATTN_ANALYSIS_SCOREMEND_H

#include "attn/Analysis/MomentAnalysis.h"

namespace attn {

/// The weights of fewer keys than its inverse are nearly one-hot: sum p^2.
constexpr double kNearlyOneHot = 0.25;

struct ScoreMend {
  ScalePolicyAttrInterface policy;
  /// What the variance of a row's scores would be.
  double variance;
};

/// The policy that gives scores a variance of about 1: for dot products
/// 1/sqrt(d) or, where that is in the rows, none; for cosines the one that is
/// largest in gradient. Nothing where none does.
std::optional<ScoreMend> findScoreMend(mlir::MLIRContext *context,
                                       const ScoreMoments &scores,
                                       bool isCosine, double headDim);

} // namespace attn

#endif // ATTN_ANALYSIS_SCOREMEND_H
