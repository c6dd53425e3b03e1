//===- GradientMax.h - The gradient-maximising scale ------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// alpha* maximises alpha (1 - g(2 alpha) / (n g(alpha)^2)), the expected L1
// norm of the softmax's gradient with respect to one row of n scores, where g
// is the moment generating function of a score of unit scale.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_GRADIENTMAX_H
#define ATTN_DIALECT_ATTN_IR_GRADIENTMAX_H

#include <vector>

namespace attn {

/// Standard normal scores, g(a) = exp(a^2 / 2): alpha* = sqrt(W0(n sqrt(e) / 2)
/// - 1/2) with the Lambert function W0. 0 for n <= 1.
double gradientMaxNormal(double n);

/// Scores of l2-normalised random rows of dimension `headDim` >= 2: the density
/// of s is ~ (1 - s^2)^((d - 3) / 2) on [-1, 1], so that
/// g(a) = Gamma(d/2) (2/a)^(d/2 - 1) I_(d/2 - 1)(a). 0 for n <= 1.
double gradientMaxCosine(double headDim, double n);

/// The slope c of the least-squares fit alpha* = c log n over n = 40 k,
/// k = 1..500, for cosine scores.
double gradientMaxCosineSlope(double headDim);

/// log alpha* of cosine scores as a Chebyshev series in t, which runs from -1
/// to 1 as log n runs from log 2 to log 2^31: log alpha* = sum_k c_k T_k(t).
struct ChebyshevSeries {
  /// t = scale log n + shift.
  double scale, shift;
  std::vector<double> coefficients;
};
/// Terms below `smallest` are left out.
ChebyshevSeries fitGradientMaxCosine(double headDim, double smallest = 1e-9);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_GRADIENTMAX_H
