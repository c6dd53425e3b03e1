//===- Positions.h - Rotary and sinusoidal positions as loops ---*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ROWS_POSITIONS_H
#define ATTN_LIB_CONVERSION_ROWS_POSITIONS_H

#include "mlir/IR/PatternMatch.h"

namespace attn {

void populateRopePattern(mlir::RewritePatternSet &patterns);
void populateSinusoidalPositionsPattern(mlir::RewritePatternSet &patterns);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ROWS_POSITIONS_H
