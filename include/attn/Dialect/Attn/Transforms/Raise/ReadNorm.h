//===- ReadNorm.h - A norm read off an expression ---------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_READNORM_H
#define ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_READNORM_H

#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"

namespace attn::raise {

/// (x - mean x) / sqrt(v + eps) gamma + beta.
struct NormReading {
  NormKind kind = NormKind::Rms;
  double eps = 0.0;
  EpsMode epsMode = EpsMode::RsqrtSum;
  llvm::SmallVector<int64_t> axes;
  llvm::SmallVector<unsigned> variables; // along the axes
  Expr gamma = nullptr, beta = nullptr;  // or null
};

/// Reads `y`, an element of the result, as a norm of `x`, the load of the
/// element at the same place of the input.
bool readNorm(ExprGraph &graph, Expr y, Expr x, NormReading &norm,
              Rejection &why);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_READNORM_H
