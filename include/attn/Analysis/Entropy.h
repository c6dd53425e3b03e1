//===- Entropy.h - Entropy of the weights of random scores ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of n independent scores a s, s standard normal (queries and keys of unit
// variance, a = lambda sqrt(d)) or the cosine of random directions (a =
// lambda), and the entropy of their softmax, in nats.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_ENTROPY_H
#define ATTN_ANALYSIS_ENTROPY_H

#include "attn/Dialect/Attn/IR/Attn.h"
#include <optional>
#include <vector>

namespace attn {

/// The distribution of one score s of scale 1.
class ScoreDistribution {
public:
  /// Standard normal for `Normal`; the cosine of two random directions in
  /// `headDim` >= 2 dimensions for `Cosine`.
  ScoreDistribution(ScoreModel model, double headDim);

  /// Beyond this a nearly all weight is one key's. Cosines of few dimensions
  /// crowd at 1, where only a large a tells them apart.
  double getLargestFactor() const {
    return model == ScoreModel::Cosine ? 2048.0 : 64.0;
  }
  /// The a of lambda.
  double getFactor(double lambda) const;

  /// log g(a), g(a) = E exp(a s), and g'(a) / g(a).
  struct LogMoment {
    double value, slope;
  };
  LogMoment getLogMoment(double a) const;

  /// Values of s and the probabilities they stand for, dense enough for
  /// expectations of smooth functions of a s.
  struct Rule {
    std::vector<double> values, weights;
  };
  Rule getRule(double a) const;

  /// Cosine: the s that lies above all but a share `u` of the others.
  double getQuantile(double u) const;

  /// `count` independent draws of s. The same `seed` and `row` give the same.
  std::vector<double> draw(int64_t count, uint64_t seed, uint64_t row) const;

private:
  double drawOne(double u, double v) const;

  ScoreModel model;
  double headDim;
  /// Cosine: equidistant angles' values of the distribution function.
  std::vector<double> distribution;
};

/// The mean entropy of a row's weights: E log Z - E sum_j p_j a s_j, both
/// solved as integrals. `n` >= 1.
double computeExpectedEntropy(const ScoreDistribution &scores, double a,
                              double n);

/// log n + log g(a) - a g'(a) / g(a), which replaces sums by expectations.
double computeEntropyFormula(const ScoreDistribution &scores, double a,
                             double n);

/// The mean over `rows` sampled rows, its standard error, and the mean of sum_j
/// p_j^2.
struct MeasuredEntropy {
  double mean, error, squaredWeights;
};
/// One result for each of `factors`, over the same rows.
std::vector<MeasuredEntropy> measureEntropy(const ScoreDistribution &scores,
                                            llvm::ArrayRef<double> factors,
                                            int64_t n, int64_t rows,
                                            uint64_t seed);

/// The a of a policy for rows of n keys: with the length that it counts, or n.
/// Nothing where lambda depends on params.
std::optional<double> getScaleAt(ScalePolicyAttrInterface policy,
                                 double headDim, double n);

/// The policy that an option names, with or without `#attn.`; null if none.
ScalePolicyAttrInterface parseScalePolicy(mlir::MLIRContext *context,
                                          llvm::StringRef name);

/// Whether scores of this kind may have `policy`.
bool isScaleOf(ScalePolicyAttrInterface policy, int64_t headDim, bool isCosine);

/// The usual one that depends on n, here all keys: gradient_max_fit for
/// cosines, log_length for dot products.
ScalePolicyAttrInterface getPolicyOfLength(mlir::MLIRContext *context,
                                           bool isCosine);

} // namespace attn

#endif // ATTN_ANALYSIS_ENTROPY_H
