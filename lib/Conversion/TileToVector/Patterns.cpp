//===- Patterns.cpp - The ops that become vector loops --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../VectorRows/RowPatterns.h"
#include "DecodeShape.h"
#include "TileShape.h"

using namespace mlir;

void attn::populateVectorPatterns(RewritePatternSet &patterns,
                                  ScratchPool &scratch,
                                  const TargetDescription &target) {
  populatePackQueryPattern(patterns, scratch);
  populateOnlineAttentionPattern(patterns, scratch, target);
  populateFinalizePattern(patterns, scratch);
  populateRowPatterns(patterns, target);
  populateDecodePatterns(patterns, scratch, target);
}
