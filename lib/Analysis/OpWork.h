//===- OpWork.h - Counting what ops do --------------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_OPWORK_H
#define ATTN_LIB_ANALYSIS_OPWORK_H

#include "attn/Analysis/Work.h"

namespace attn {

/// A number that is not known where a size is not.
using Count = std::optional<double>;

inline Count add(Count a, Count b) {
  return a && b ? Count(*a + *b) : std::nullopt;
}
inline Count times(Count a, double factor) {
  return a ? Count(*a * factor) : std::nullopt;
}

Count countTensorBytes(mlir::Value tensor, SizeEvaluator &sizes);

/// 2 m for each element of the output.
Count countProducts(LinearOp op, SizeEvaluator &sizes);

/// Operations of one element of a structured op's body.
double countBody(mlir::Block &body);

} // namespace attn

#endif // ATTN_LIB_ANALYSIS_OPWORK_H
