//===- Interval.h - What is known of a number without its tensors -*- C++
//-*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_INTERVAL_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_INTERVAL_H

#include "attn/Dialect/Attn/Transforms/Raise/Expr.h"
#include <limits>

namespace attn::raise {

/// Inclusive bounds of a number; integers are signed.
struct Interval {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// Bounds of an expression from its form, from the sizes that its indices run
/// over and from the types of the tensors that it reads.
Interval getInterval(const ExprGraph &graph, Expr x);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_INTERVAL_H
