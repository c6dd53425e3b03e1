//===- Engine.h - Moments and reductions of expressions ---------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_ANALYSIS_MOMENTS_ENGINE_H
#define ATTN_LIB_ANALYSIS_MOMENTS_ENGINE_H

#include "Expr.h"

#include "attn/Analysis/Entropy.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <map>
#include <optional>
#include <string>

namespace attn::moments {

/// Points of independent standard normal numbers, with weights of sum 1.
struct Grid {
  std::vector<std::vector<double>> numbers;
  std::vector<double> weights;
  size_t size() const { return weights.size(); }
};

/// Values with their probabilities.
using Sample = std::vector<std::pair<double, double>>;
using SampleRef = llvm::ArrayRef<std::pair<double, double>>;

/// How many points a grid has.
enum class Fineness { Fine, Coarse, Rough };

/// Masks fill with -inf, or with the least numbers there are. An overflow is
/// not hidden: what it reaches is no number.
inline bool isHidden(double value) { return std::isnan(value) || value < -1e8; }

/// A variance without what rounding makes of 0. No number stays none.
inline double atLeastZero(double variance) {
  return variance < 0.0 ? 0.0 : variance;
}

inline bool isFloat(mlir::Type type) {
  return llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
}

/// Numbers that do not vary are the same one.
inline double correlate(double covariance, double variance) {
  return variance > 0.0 ? std::clamp(covariance / variance, -1.0, 1.0) : 1.0;
}

/// Mean and second moment of the values that are not hidden, and how likely
/// these are.
struct Summary {
  double mean = 0.0, second = 0.0, finite = 0.0;
  bool hasNaN = false;
};

/// Rows of a softmax that see the same number of keys.
struct RowKind {
  double visible;
  /// The share of the rows that are like this.
  double share = 1.0;
  /// Their scores, to those of all rows.
  double scale = 1.0;
  /// The extra term of the denominator.
  double extra = 0.0;
};

/// E sum_j p_j, E (sum_j p_j)^2 and E sum_j p_j^2 of a row of weights, and of
/// its scores s, E (sum_j p_j s_j)^2 / Var s - E sum_j p_j^2: what a row sees
/// of the direction its scores point in, beside what it sees of any other.
/// Where all keys have one length, those in that direction have little of any
/// other, and it is E sum_(j != k) p_j s_j p_k s_k / Var s.
struct RowWeights {
  double sum = 0.0, squaredSum = 0.0, sumOfSquares = 0.0, tilt = 0.0,
         pairTilt = 0.0;
  void add(const RowWeights &other, double share);
};

/// A softmax that is spelled out, as the division at its end knows it.
struct SpelledSoftmax {
  /// What the exponentials are of, as it differs within a row.
  Expr scores = nullptr;
  double keys = 0.0, visible = 0.0;
  RowWeights weights;
};

class Engine {
public:
  Graph graph;
  /// The last that was divided, until somebody takes it.
  std::optional<SpelledSoftmax> spelledSoftmax;

  /// Moments of one element. `getCross` is that of the product of two elements
  /// whose indices differ in each of `dims`, and in no other.
  double getMean(Expr expr) { return summarise(expr).mean; }
  double getSecond(Expr expr) { return summarise(expr).second; }
  double getVariance(Expr expr);
  double getCross(Expr expr, llvm::ArrayRef<int> dims);
  /// Correlation of two elements that differ in `dims`; 1 for a constant.
  double getCorrelation(Expr expr, llvm::ArrayRef<int> dims);
  const Summary &summarise(Expr expr);
  Sample sampleValues(Expr expr, bool coarse = false);

  /// A new number with the moments of `expr`, independent of all others.
  Expr materialise(Expr expr);
  /// The same number as far as moments go, as few draws: what functions that
  /// are not affine are applied to.
  Expr collapse(Expr expr);
  Expr apply(Fn fn, llvm::ArrayRef<Expr> operands, unsigned detail = 0);
  Expr multiply(Expr a, Expr b);
  /// Knows that nothing is above a maximum.
  Expr subtract(Expr a, Expr b);
  /// Knows the weights of a softmax: exponentials over their sum.
  Expr divide(Expr a, Expr b);

  /// Over the elements along `dims`, of the given sizes.
  /// Equal sums are one number.
  Expr sum(Expr expr, llvm::ArrayRef<int> dims, llvm::ArrayRef<double> sizes);
  /// The sum over all pairs of elements along `dims`, of the given sizes, of
  /// the mean of their product; for one first element, times `factor`. They
  /// differ in each of `also`, too.
  double sumPairs(Expr expr, llvm::ArrayRef<int> dims,
                  llvm::ArrayRef<double> sizes, double factor,
                  llvm::ArrayRef<int> also = {});
  Expr maximum(Expr expr, llvm::ArrayRef<int> dims,
               llvm::ArrayRef<double> sizes, bool isMinimum = false);

  /// a / (sum_j a_j + e0) along `key`, where a is positive and a row sees
  /// `visible` of `keys` keys. `overlap` is the mean over pairs of rows, along
  /// `rowDim`, of (keys both see) / (keys one sees x keys the other sees);
  /// negative where all rows see the same keys.
  Expr softmaxWeights(Expr a, int key, double keys,
                      llvm::ArrayRef<RowKind> rows, int rowDim,
                      double overlap = -1.0, RowWeights *weights = nullptr);
  /// The part of `expr` that differs between keys of one row. Lengths of rows
  /// are `length`.
  Expr withinRow(Expr expr, int key, double length = 1.0);
  /// The part of the variance of `values` that lies in the direction of one
  /// score, if they are computed from the rows that `keys` are computed from.
  double getSharedPart(Expr keys, Expr values, int key, double headDim);
  /// `scores` as cosines in `headDim` dimensions, or else as normal only given
  /// the lengths of the rows of `query`, whose squares have this relative
  /// variance.
  Expr shapeScores(Expr scores, std::optional<double> cosineDim, Expr query,
                   double spread, int headDimDim);

  bool isNonNegative(Expr expr);
  /// Whether two of them depend on one draw.
  static bool sharesDraws(llvm::ArrayRef<Expr> operands);
  void assume(llvm::StringRef sentence) {
    if (!llvm::is_contained(assumptions, sentence))
      assumptions.push_back(sentence.str());
  }
  llvm::ArrayRef<std::string> getAssumptions() const { return assumptions; }

private:
  using Values = llvm::DenseMap<Expr, std::vector<double>>;
  const Grid &getGrid(llvm::ArrayRef<Expr> draws, unsigned variables,
                      Fineness level);
  std::vector<double> evaluatePoints(Expr expr, Values &values, size_t points);
  std::vector<double> evaluateSum(Expr expr, Values &values, size_t points);
  /// What a draw is where its normal numbers are z.
  std::vector<double> shapeDraw(const Source &source,
                                const std::vector<double> &z);
  Summary summariseBySampling(Expr expr);
  double crossBySampling(Expr expr, llvm::ArrayRef<int> dims);
  Expr mergeDraws(Expr expr);
  Expr computeSum(Expr expr, llvm::ArrayRef<int> dims,
                  llvm::ArrayRef<double> sizes);
  Expr sumVarying(Expr expr, llvm::ArrayRef<int> dims,
                  llvm::ArrayRef<double> sizes);
  Expr independentSum(Expr expr, llvm::ArrayRef<int> dims,
                      llvm::ArrayRef<double> sizes);
  /// A row of keys, of so many that stand for all, of its own indices.
  Expr fixRow(Expr expr, int key, unsigned i, unsigned cases);
  Expr weightsOfQuotient(Expr a, Expr b);
  void noteSpelled(Expr within, double keys, double visible,
                   const RowWeights &weights);
  double getRowCorrelation(Expr within, int dim);
  Expr drawWeights(Expr within, int key, double keys, const RowWeights &weights,
                   double uniform, int rowDim, double overlap);

  std::map<std::pair<unsigned, unsigned>, Grid> grids;
  std::map<double, ScoreDistribution> cosines;
  llvm::DenseMap<Expr, Summary> summaries;
  std::map<std::pair<Expr, std::vector<int>>, double> crosses;
  llvm::DenseMap<Expr, Expr> collapsed;
  std::map<std::tuple<Expr, std::vector<int>, std::vector<double>>, Expr> sums;
  llvm::DenseSet<const Source *> nearlyConstant, maxima;
  llvm::SmallVector<std::string> assumptions;
};

/// The dimensions that `expr` varies along, in order.
llvm::SmallVector<int> getVaryingDims(Expr expr);
/// Of numbers with these values and probabilities.
Summary summariseValues(SampleRef values);
/// Of n independent numbers with these values and probabilities.
Summary summariseMaximum(Sample values, double n);
/// For numbers e^s with these values and probabilities.
RowWeights computeRowWeights(SampleRef exponentials, const RowKind &row);

} // namespace attn::moments

#endif // ATTN_LIB_ANALYSIS_MOMENTS_ENGINE_H
