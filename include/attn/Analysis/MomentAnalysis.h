//===- MomentAnalysis.h - Mean and second moment of values ------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the numbers of a model are like at initialisation: the mean and the
// second moment of each value of a function, from those of its arguments, over
// random data and random weights. docs/Analyses.md has the formulas and the
// assumptions.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_ANALYSIS_MOMENTANALYSIS_H
#define ATTN_ANALYSIS_MOMENTANALYSIS_H

#include "attn/Analysis/ResidualBlock.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <memory>
#include <optional>
#include <string>

namespace attn {

struct ReportFiles;

/// What one element of a value is like.
struct ValueMoments {
  double mean = 0.0;
  double secondMoment = 0.0;
  /// For each dimension, the correlation of two elements that differ in their
  /// index there alone: 0 for independent elements, 1 along a broadcast.
  llvm::SmallVector<double, 4> correlations;

  double getVariance() const { return secondMoment - mean * mean; }
};

/// Attribute of a function's argument: an array of mean and second moment.
constexpr llvm::StringLiteral kMomentsAttrName = "attn.moments";

/// What the analysis takes an argument of the function for. `attn.moments =
/// array<f64: mean, second>` on the argument states its numbers; its role is
/// then `Stated`.
enum class ArgumentRole {
  Stated,
  /// Data: MomentOptions::inputMean and inputSecondMoment.
  Activation,
  /// Right operand of a linear layer or matrix product: mean 0, variance 1/m
  /// (LeCun), or 1 with `parameterisation(ntk)`.
  Weight,
  /// Bias of a linear layer, beta of a norm: 0.
  Bias,
  /// gamma of a norm: 1.
  Gain,
  /// Anything else that is not a floating-point tensor.
  Other
};
llvm::StringRef stringifyArgumentRole(ArgumentRole role);

struct ArgumentMoments {
  unsigned index;
  ArgumentRole role;
  ValueMoments moments;
};

/// A value that the analysis has no numbers for, and why. Values computed from
/// it are not listed again.
struct NotFollowed {
  mlir::Value value;
  std::string reason;
};

/// The scores of an attention after scale, softcap and biases, and the weights
/// that follow from them.
struct ScoreMoments {
  double mean = 0.0;
  double secondMoment = 0.0;
  /// Variance along a row: what the softmax sees.
  double rowVariance = 0.0;
  /// Factor on the scores, averaged over rows.
  double scale = 1.0;
  /// Head dimension d, keys, and visible keys of a row, averaged.
  double headDim = 0.0;
  double keys = 0.0;
  double visibleKeys = 0.0;
  /// Expected sum_j p_ij and sum_j p_ij^2 of a row, averaged.
  double weightSum = 1.0;
  double squaredWeightSum = 0.0;
  /// What a row sees of the direction of its scores, more than of others, and
  /// what part of the variance of the scores is that of the products.
  double tilt = 0.0, productShare = 1.0;

  double getVariance() const { return secondMoment - mean * mean; }
};

/// One block of a residual stream. A loop's body has one for each iteration.
struct ResidualMoments {
  ResidualBlock block;
  /// The block's input is the result of the block before, or of norms of it.
  /// Position in the stream, from 0.
  unsigned depth = 0;
  unsigned stream = 0;
  double inputSecondMoment = 0.0;
  double branchSecondMoment = 0.0;
  double resultSecondMoment = 0.0;
  /// What part of the result's second moment is owed to the stream's first
  /// input (element 0) and to the branch of each block up to this one.
  llvm::SmallVector<double, 8> shares;
};

enum class MomentFindingKind {
#define ATTN_MOMENT_WARNING(Kind, Number, Name, Before, Between, Behind,       \
                            Explanation)                                       \
  Kind,
#include "attn/Analysis/MomentWarnings.def"
};
/// The id as users see it: attn-w and the number.
llvm::StringRef getLabel(MomentFindingKind kind);
llvm::StringRef stringifyMomentFindingKind(MomentFindingKind kind);

struct MomentFinding {
  mlir::Operation *op;
  MomentFindingKind kind;
  /// What was computed, and the nearest value that is not reported.
  double value;
  double expected;
  /// What would mend it, in a few words; empty where nothing is known to.
  std::string proposal;
  std::string getMessage() const;
};

struct MomentOptions {
  /// Arguments that are data.
  double inputMean = 0.0;
  double inputSecondMoment = 1.0;
  /// Sizes of dynamic dimensions of arguments, and of any other dimension
  /// that is not known.
  int64_t unknownSize = 512;
  /// Limits on second moments of results.
  double vanishBelow = 1e-4;
  double explodeAbove = 1e4;
  /// Limits on the variance of scores along a row.
  double minScoreVariance = 1e-2;
  double maxScoreVariance = 9.0;
};

/// Follows the moments through one function, which has a body, once, in the
/// constructor. Values and records are in the order of the program.
class MomentAnalysis {
public:
  explicit MomentAnalysis(mlir::func::FuncOp function,
                          const MomentOptions &options = {});
  ~MomentAnalysis();
  MomentAnalysis(MomentAnalysis &&other) noexcept;
  MomentAnalysis &operator=(MomentAnalysis &&other) noexcept;

  /// Nothing for values that are not numbers or not followed. A value of a
  /// loop's body has the numbers of the last iteration that was followed, one
  /// of a function that is called those of the last call.
  std::optional<ValueMoments> lookup(mlir::Value value) const;
  /// Whether a value is beyond the numbers of its type, or is none because it
  /// is computed from one that is.
  bool overflows(mlir::Value value) const;

  mlir::func::FuncOp function;
  llvm::SmallVector<ArgumentMoments> arguments;
  llvm::SmallVector<mlir::Value> followed;
  llvm::SmallVector<NotFollowed> notFollowed;
  /// The scores of each attention or softmax.
  llvm::DenseMap<mlir::Operation *, std::optional<ScoreMoments>> scores;
  llvm::SmallVector<ResidualMoments> residuals;
  llvm::SmallVector<MomentFinding> findings;
  /// Each assumption that was made, as a sentence, once.
  llvm::SmallVector<std::string> assumptions;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// The weights of fewer keys than its inverse are nearly one-hot: sum p^2.
constexpr double kNearlyOneHot = 0.25;

struct ScoreMend {
  ScalePolicyAttrInterface policy;
  /// What the variance of a row's scores would be.
  double variance;
};

/// The policy that gives scores a variance of about 1: for dot products
/// 1/sqrt(d) or, where that is in the rows, none; for cosines the one that is
/// largest in gradient. Nothing where none does.
std::optional<ScoreMend> findScoreMend(mlir::MLIRContext *context,
                                       const ScoreMoments &scores,
                                       bool isCosine, double headDim);

/// Writes the reports of all functions.
llvm::LogicalResult writeMomentReports(mlir::Location loc,
                                       llvm::ArrayRef<MomentAnalysis> analyses,
                                       const ReportFiles &files);

} // namespace attn

#endif // ATTN_ANALYSIS_MOMENTANALYSIS_H
