//===- ScoreMend.cpp - The scale policy that scores ask for ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/ScoreMend.h"
#include "attn/Analysis/Entropy.h"

using namespace mlir;
using namespace attn;

/// About 1. Temperatures of cosines make more of it where there are many keys.
static constexpr double kLeast = 0.25, kMost = 4.0, kMostOfCosines = 16.0;

std::optional<ScoreMend> attn::findScoreMend(MLIRContext *context,
                                             const ScoreMoments &scores,
                                             bool isCosine, double headDim) {
  if (scores.scale == 0.0 || headDim < (isCosine ? 2.0 : 1.0))
    return std::nullopt;
  SmallVector<ScalePolicyAttrInterface> policies;
  if (isCosine)
    policies = {
        GradientMaxFitAttr::get(context, ScoreModel::Cosine,
                                LengthAttr::get(context, LengthKind::Keys, 0))};
  else
    policies = {InvSqrtDimAttr::get(context), NoScaleAttr::get(context)};
  for (ScalePolicyAttrInterface policy : policies) {
    double factor = *getScaleAt(policy, headDim, scores.keys) / scores.scale;
    double product = scores.rowVariance * scores.productShare;
    double variance = factor * factor * product + scores.rowVariance - product;
    if (variance >= kLeast && variance <= (isCosine ? kMostOfCosines : kMost))
      return ScoreMend{policy, variance};
  }
  return std::nullopt;
}
