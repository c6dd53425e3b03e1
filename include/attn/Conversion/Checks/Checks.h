//===- Checks.h - What kernels check of sizes and indices -------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops demand things of sizes and indices: that two sizes are equal, that an
// index is inside of a tensor. attn-check-sizes proves what it can, and makes
// assertions of the rest.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_CONVERSION_CHECKS_CHECKS_H
#define ATTN_CONVERSION_CHECKS_CHECKS_H

#include "attn/Conversion/Host/EntryNames.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// Positions inside kernels are 32 bits wide: sizes are less than this.
constexpr int64_t kSizeLimit = int64_t(1) << 31;

/// Patterns that express the size of a tensor by the sizes of what it was
/// computed from.
void populateResolveSizesPatterns(mlir::RewritePatternSet &patterns);

} // namespace attn

#endif // ATTN_CONVERSION_CHECKS_CHECKS_H
