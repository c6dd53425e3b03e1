//===- LocalPatterns.h - Patterns without a search through regions --*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_MATH_LOCALPATTERNS_H
#define ATTN_CONVERSION_MATH_LOCALPATTERNS_H

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace attn {

/// Patterns and folding only, as late phases want them: structured loops have
/// no blocks to merge, what is dead goes with its last user, and of what is
/// left LLVM finds the rest. MLIR's search for dead values through all regions
/// takes two thirds of the time of the patterns.
inline mlir::GreedyRewriteConfig getLocalPatterns() {
  mlir::GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
  return config;
}

} // namespace attn

#endif // ATTN_CONVERSION_MATH_LOCALPATTERNS_H
