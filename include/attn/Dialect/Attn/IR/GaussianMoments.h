//===- GaussianMoments.h - Expectations over normal numbers -*- C++ -*- ---===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mathematics behind activations and initial weights. Nothing here is a
// table: every number is an integral or the root of an equation.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_DIALECT_ATTN_IR_GAUSSIANMOMENTS_H
#define ATTN_DIALECT_ATTN_IR_GAUSSIANMOMENTS_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include <optional>

namespace attn {

using RealFunction = llvm::function_ref<double(double)>;

/// The integral of `f` from `low` to `high`, to about 1e-13 of the integral of
/// its magnitude, by adaptive Gauss-Legendre quadrature. `f` is smooth between
/// `low` and `high`.
double integrate(RealFunction f, double low, double high);

/// E f(x), x ~ N(mean, variance). `f` may have kinks or steps at `kinks`, in
/// increasing order, and grows at most like e^|x|.
double expectNormal(RealFunction f, double mean = 0.0, double variance = 1.0,
                    llvm::ArrayRef<double> kinks = {0.0});

/// The probability that z ~ N(0, 1) is below x.
double normalDistribution(double x);
/// The x, of at most 10 in size, that z ~ N(0, 1) is below with probability
/// `p`.
double normalQuantile(double p);

/// lambda and alpha of SELU: E f(z) = 0 and E f(z)^2 = 1.
struct SeluConstants {
  double lambda;
  double alpha;
};
SeluConstants solveSelu();

/// f(x) as `attn.activation` has it, without centring and gain.
double evaluateFunction(Function function, double x);

/// E f(x) and E f(x)^2, x ~ N(mean, variance).
struct Moments {
  double mean;
  double secondMoment;
  double getVariance() const { return secondMoment - mean * mean; }
};
Moments computeMoments(Function function, double mean = 0.0,
                       double variance = 1.0);

/// What `attn.activation` does with f(x): (f(x) - center) * gain.
struct OutputScale {
  double center = 0.0;
  double gain = 1.0;
};
OutputScale computeOutputScale(Function function, bool centered,
                               bool unitMoment);

/// sigma^2 with E f(sigma z)^2 = 1. Nothing where f stays so small that there
/// is none.
std::optional<double> solveInitVariance(Function function);

/// Mean and variance of z ~ N(0, 1) on the condition low <= z <= high.
struct TruncatedNormal {
  double mean;
  double variance;
};
TruncatedNormal computeTruncatedNormal(double low, double high);

} // namespace attn

#endif // ATTN_DIALECT_ATTN_IR_GAUSSIANMOMENTS_H
