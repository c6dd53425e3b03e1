//===- Statistics.h - attn.statistics as vector loops -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ROWS_STATISTICS_H
#define ATTN_LIB_CONVERSION_ROWS_STATISTICS_H

#include "mlir/IR/PatternMatch.h"

namespace attn {

/// Statistics on memrefs with a schedule.
void populateStatisticsPattern(mlir::RewritePatternSet &patterns);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ROWS_STATISTICS_H
