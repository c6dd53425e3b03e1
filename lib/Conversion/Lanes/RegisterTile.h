//===- RegisterTile.h - What a target's registers hold ----------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_CONVERSION_LANES_REGISTERTILE_H
#define ATTN_LIB_CONVERSION_LANES_REGISTERTILE_H

#include "mlir/IR/BuiltinTypes.h"

namespace attn {

/// What a target's registers allow: vectors of `lanes` elements, `mr * nr` of
/// them as accumulators.
struct RegisterTile {
  mlir::FloatType element;
  int64_t lanes;
  int64_t mr;
  int64_t nr;

  int64_t getColumns() const { return lanes * nr; }
  mlir::VectorType getVectorType() const {
    return mlir::VectorType::get({lanes}, element);
  }
};

} // namespace attn

#endif // ATTN_LIB_CONVERSION_LANES_REGISTERTILE_H
