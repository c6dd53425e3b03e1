//===- ScaleSolver.h - Gradient-maximising scales, from scratch -*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_REFERENCE_SCALESOLVER_H
#define ATTN_REFERENCE_SCALESOLVER_H

#include <cstdint>
#include <vector>

namespace attn::reference {

/// W0(x), the principal solution of w exp(w) = x, for x >= 0.
double lambertW0(double x);

/// The maximiser of alpha (1 - exp(alpha^2) / n): the temperature for normal
/// scores (n >= 1).
double solveNormalScale(double n);

/// Scores s = cos(theta) of random directions in d >= 2 dimensions, with
/// density ~ (1 - s^2)^((d - 3) / 2).
///
/// g(a) = E[exp(a s)] is computed by quadrature in theta, as the reference's
/// own check on closed forms with Bessel functions.
class CosineScores {
public:
  explicit CosineScores(int64_t dim);

  /// The maximiser of alpha (1 - g(2 alpha) / (n g(alpha)^2)), n >= 1.
  double solveScale(double n) const;

  /// The least-squares slope of solveScale(n) against log n over n = 40 k,
  /// k = 1..500.
  double fitSlope() const;

private:
  struct Moment {
    /// log of the integral of exp(a (s - 1)) sin(theta)^(d - 2).
    double logIntegral;
    /// Mean of 1 - s under the tilted density.
    double meanDefect;
  };
  Moment integrate(double a) const;

  double dim;
  std::vector<double> nodes, weights;
};

} // namespace attn::reference

#endif // ATTN_REFERENCE_SCALESOLVER_H
