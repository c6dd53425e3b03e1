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
  bool isCentred = true; // a group norm, the others are by their kind
  /// The input's indices. Where groups of channels are normalised, those of
  /// the dimension `channelDim` are two, a group's and a channel's in it.
  llvm::SmallVector<mlir::AffineExpr> indices;
  std::optional<int64_t> channelDim;
  llvm::SmallVector<int64_t> axes;       // dimensions by those indices
  llvm::SmallVector<unsigned> variables; // along the axes
  llvm::SmallVector<int64_t> affineAxes; // those of gamma and beta
  Expr gamma = nullptr, beta = nullptr;  // or null; by the input's own indices
  Expr mean = nullptr, variance = nullptr; // given to a batch norm, or null
};

/// Reads `y`, an element of the result, as a norm of `x`, the load of the
/// element at the same place of the input.
bool readNorm(ExprGraph &graph, Expr y, Expr x, NormReading &norm,
              Rejection &why);

} // namespace attn::raise

#endif // ATTN_DIALECT_ATTN_TRANSFORMS_RAISE_READNORM_H
