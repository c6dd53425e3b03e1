//===- QueryBound.h - Similarities that stay in range -----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_TILETOVECTOR_QUERYBOUND_H
#define ATTN_LIB_CONVERSION_TILETOVECTOR_QUERYBOUND_H

#include "attn/Dialect/Attn/IR/Attn.h"

namespace attn {

/// Whether rows of queries are divided by powers of two so that no sum of
/// products with a key overflows: a softcap makes +-c of a similarity that has
/// no number, but of an infinity in a sum only if no other one follows.
bool needsQueryBound(AttentionOpInterface op);

/// The power of two of each of a vector of rows.
class QueryBound {
public:
  /// From the largest magnitude among a row's `headDim` elements.
  QueryBound(LaneBuilder &lanes, mlir::Value largest, int64_t headDim);

  /// In the loops around, too.
  mlir::Value divide(LaneBuilder &inner, mlir::Value element);
  /// What the similarities of the divided row are multiplied by instead of
  /// `factor`; the largest number where that has none.
  mlir::Value multiply(mlir::Value factor);

private:
  LaneBuilder &lanes;
  mlir::Value down[2], up[2]; // roots: the power itself may have no number
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_TILETOVECTOR_QUERYBOUND_H
