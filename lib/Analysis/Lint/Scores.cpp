//===- Scores.cpp - Variance of scores, entropy of weights ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "attn/Analysis/Entropy.h"
#include "attn/Analysis/Report.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"

#include <cmath>

using namespace mlir;

namespace attn::lint_checks {

/// Scores of a larger variance, which 1/sqrt(d) would bring below it, miss that
/// factor. Temperatures that are meant, such as 2.5 / sqrt(d), have policies of
/// their own, which are not asked.
static constexpr double kLargestVariance = 3.0;
/// What 1/sqrt(d) divides the variance by at least where it is missing from
/// rows that are large, too. A constant near it leaves nothing to divide by.
static constexpr double kLeastGain = 4.0;
/// Second moments of rows that no factor was folded into.
static constexpr double kLeastSecond = 0.5;
/// Differences of entropy that are not worth a word, in nats.
static constexpr double kSmallestDrift = 0.05;

static std::string print(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

static void addFault(Context &context, LintWarning warning,
                     ScalePolicyAttrInterface policy) {
  warning.mend = "scale(" + print(policy) + ")";
  warning.fix = [op = warning.op, policy](RewriterBase &) {
    if (auto attention = dyn_cast<AttentionOp>(op))
      attention.setScaleAttr(policy);
    else
      cast<MultiHeadAttentionOp>(op).setScaleAttr(policy);
  };
  Operation *part = warning.op;
  context.findings.addFault(std::move(warning), part);
}

/// Whether it has been warned of.
static bool checkVariance(Context &context, AttentionOp op,
                          const ScoreMoments &scores) {
  if (op.isCosine() || !isa<NoScaleAttr, ConstantScaleAttr>(op.getScale()) ||
      scores.scale == 0.0)
    return false;
  Operation *origin = context.flat.getOrigin(op);
  double mended =
      scores.rowVariance / (scores.scale * scores.scale * scores.headDim);
  if (!(scores.rowVariance > kLargestVariance)) {
    // Rows of keys that are alike hide a missing factor: the mend is none the
    // worse for them.
    if (!(scores.getVariance() > kLargestVariance))
      context.findings.addFine(WarningId::MissingScale, origin);
    return false;
  }
  auto isWhole = [&](Value rows) {
    return context.getSecondMoment(rows).value_or(0.0) >= kLeastSecond;
  };
  if (mended > kLargestVariance &&
      (kLeastGain * mended > scores.rowVariance || !isWhole(op.getQuery()) ||
       !isWhole(op.getKey())))
    return false;
  LintWarning warning{WarningId::MissingScale,
                      origin,
                      {{"variance", formatNumber(scores.rowVariance)},
                       {"dim", formatNumber(scores.headDim)},
                       {"mended", formatNumber(mended)}},
                      "",
                      {}};
  addFault(context, std::move(warning), InvSqrtDimAttr::get(op.getContext()));
  return true;
}

/// By how much the entropy grows over the lengths of the options, for scores
/// whose deviation is `deviation` before the scale. Nothing where lambda is a
/// param.
static std::optional<double> getGrowth(const LintOptions &options,
                                       ScalePolicyAttrInterface policy,
                                       const ScoreDistribution &distribution,
                                       double headDim, double deviation) {
  auto getEntropy = [&](double n) -> std::optional<double> {
    std::optional<double> lambda = getScaleAt(policy, headDim, n);
    if (!lambda)
      return std::nullopt;
    return computeExpectedEntropy(distribution, *lambda * deviation, n);
  };
  std::optional<double> first = getEntropy(double(options.entropyFrom));
  std::optional<double> last = getEntropy(double(options.entropyTo));
  return first && last ? std::optional<double>(*last - *first) : std::nullopt;
}

static void checkEntropy(Context &context, AttentionOp op,
                         const ScoreMoments &scores) {
  const LintOptions &options = context.options;
  MLIRContext *mlir = op.getContext();
  ScalePolicyAttrInterface alternative = options.entropyAlternative;
  auto keys = LengthAttr::get(mlir, LengthKind::Keys, 0);
  if (!alternative && op.isCosine())
    alternative = GradientMaxFitAttr::get(mlir, ScoreModel::Cosine, keys);
  else if (!alternative)
    alternative = LogLengthAttr::get(mlir, 512.0, keys);
  // What the op would refuse is no alternative to it: params that it does not
  // have, positions without an alignment, scores of another kind.
  ScopedDiagnosticHandler quiet(mlir, [](Diagnostic &) { return success(); });
  auto refuse = [&] { return emitError(op.getLoc()); };
  if (!alternative.getParamSpecs().empty() ||
      (alternative.usesPositions() && !op.getAlign()) ||
      failed(alternative.verifyPolicy(refuse, int64_t(scores.headDim),
                                      op.isCosine())) ||
      (op.isCosine() && scores.headDim < 2))
    return;
  if (!op.getScale().getParamSpecs().empty())
    return;
  ScoreDistribution distribution(
      op.isCosine() ? ScoreModel::Cosine : ScoreModel::Normal, scores.headDim);
  double deviation =
      op.isCosine() || scores.scale == 0.0
          ? 1.0
          : std::sqrt(scores.rowVariance) / std::fabs(scores.scale);
  auto own = getGrowth(options, op.getScale(), distribution, scores.headDim,
                       deviation);
  auto other =
      getGrowth(options, alternative, distribution, scores.headDim, deviation);
  if (!own || !other)
    return;
  Operation *origin = context.flat.getOrigin(op);
  double gained = std::fabs(*own) - std::fabs(*other);
  if (gained < -kSmallestDrift)
    context.findings.addFine(WarningId::EntropyDrift, origin);
  if (gained < kSmallestDrift)
    return;
  LintWarning warning{WarningId::EntropyDrift,
                      origin,
                      {{"from", std::to_string(options.entropyFrom)},
                       {"to", std::to_string(options.entropyTo)},
                       {"own", formatNumber(*own)},
                       {"other", formatNumber(*other)},
                       {"policy", print(op.getScale())},
                       {"alternative", print(alternative)}},
                      "",
                      {}};
  addFault(context, std::move(warning), alternative);
}

void checkScores(Context &context) {
  context.flat.get().walk([&](AttentionOp op) {
    std::optional<ScoreMoments> scores = context.moments.lookupScores(op);
    // One policy can be mended in one way only.
    if (scores && !checkVariance(context, op, *scores) &&
        context.options.entropyTo > 0)
      checkEntropy(context, op, *scores);
  });
}

} // namespace attn::lint_checks
