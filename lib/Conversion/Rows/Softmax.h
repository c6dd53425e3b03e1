//===- Softmax.h - attn.softmax as vector loops -----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_ROWS_SOFTMAX_H
#define ATTN_LIB_CONVERSION_ROWS_SOFTMAX_H

#include "attn/Target/TargetDescription.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// Softmaxes on memrefs with a schedule.
void populateSoftmaxPattern(mlir::RewritePatternSet &patterns,
                            const TargetDescription &target);

} // namespace attn

#endif // ATTN_LIB_CONVERSION_ROWS_SOFTMAX_H
