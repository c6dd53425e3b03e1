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
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;

namespace attn::lint_checks {

/// Scores of a larger variance, which 1/sqrt(d) would bring below it, miss that
/// factor. Temperatures that are meant, such as 2.5 / sqrt(d), have policies of
/// their own, which are not asked.
static constexpr double kLargestVariance = 3.0;
/// Scores that 1/sqrt(d) would leave with less than this do not miss it.
static constexpr double kLeastVariance = 1.0 / 32.0;
/// What 1/sqrt(d) divides the variance by at least where it is missing from
/// rows that are large, too. A constant near it leaves nothing to divide by.
static constexpr double kLeastGain = 4.0;
/// Second moments of rows that no factor was folded into.
static constexpr double kLeastSecond = 0.5;
/// Differences of entropy that are not worth a word, in nats.
static constexpr double kSmallestDrift = 0.05;

namespace {
/// An attention, or a softmax whose scores are a product.
struct Subject {
  Operation *op;
  /// Null for a softmax that has none.
  ScalePolicyAttrInterface scale;
  bool isCosine = false, isAligned = false;
  Value query, key;
  /// Of the scores; nothing where it is not known.
  std::optional<int64_t> headDim;
  /// Of a softmax: a factor of its own would be another one behind the product
  /// if something is added to that.
  std::optional<ScoreProduct> product;
};
} // namespace

static Subject describe(AttentionOp op, const ScoreMoments &scores) {
  return {op,
          op.getScale(),
          op.isCosine(),
          op.getAlign().has_value(),
          op.getQuery(),
          op.getKey(),
          int64_t(scores.headDim),
          std::nullopt};
}

/// Nothing where the scores are no product.
static std::optional<Subject> describeSoftmax(Operation *op) {
  std::optional<ScoreProduct> product = findScoreProduct(op);
  if (!product)
    return std::nullopt;
  Subject subject{op,
                  {},
                  product->isCosine,
                  false,
                  product->left,
                  product->right,
                  product->dim,
                  product};
  if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
    subject.scale = softmax.getScale();
    subject.isCosine |= softmax.getScale().isForCosines();
    subject.isAligned = softmax.getAlign().has_value();
    if (std::optional<uint64_t> dim = softmax.getHeadDim())
      subject.headDim = int64_t(*dim);
  }
  return subject;
}

static void setScale(Operation *op, ScalePolicyAttrInterface policy,
                     int64_t headDim) {
  if (auto attention = dyn_cast<AttentionOp>(op))
    return attention.setScaleAttr(policy);
  if (auto heads = dyn_cast<MultiHeadAttentionOp>(op))
    return heads.setScaleAttr(policy);
  auto softmax = cast<SoftmaxOp>(op);
  softmax.setScaleAttr(policy);
  // Policies use d.
  softmax.setHeadDim(headDim);
}

static void addFault(Context &context, LintWarning warning,
                     ScalePolicyAttrInterface policy, int64_t headDim) {
  warning.mend = "scale(" + printAttribute(policy) + ")";
  warning.fix = [op = warning.op, policy, headDim](RewriterBase &) {
    setScale(op, policy, headDim);
  };
  Operation *part = warning.op;
  context.findings.addFault(std::move(warning), part);
}

/// 1/sqrt(d) behind a product: a factor of its softmax would not be that.
static void addFactor(Context &context, LintWarning warning,
                      const Subject &subject, int64_t headDim) {
  double factor = 1.0 / std::sqrt(double(headDim));
  Value product = subject.product->op->getResult(0);
  ArrayRef<Value> names = context.flat.getNames(product);
  warning.mend = "a factor of " + formatNumber(factor) + " behind the product";
  bool hasOthers = llvm::any_of(product.getUsers(), [&](Operation *user) {
    return !isa<tensor::DimOp>(user) && !subject.product->path.contains(user);
  });
  if (names.empty())
    warning.refusal = "the product is a part of an op";
  else if (hasOthers)
    warning.refusal = "the product is read by others, too";
  Value name = names.empty() ? Value() : names.front();
  warning.fix = [name, factor](RewriterBase &rewriter) {
    addGain(rewriter, name, factor);
  };
  Operation *part = context.flat.getOrigin(subject.product->op);
  context.findings.addFault(std::move(warning), part ? part : warning.op);
}

/// Whether it has been warned of.
static bool checkVariance(Context &context, const Subject &subject,
                          const ScoreMoments &scores) {
  bool hasPolicy = subject.scale && !subject.scale.getFixed();
  if (subject.isCosine || hasPolicy || scores.scale == 0.0)
    return false;
  Operation *origin = context.flat.getOrigin(subject.op);
  bool usesFactor = !isa<AttentionOp>(subject.op) &&
                    (!subject.scale || subject.product->isChanged);
  Operation *part =
      usesFactor ? context.flat.getOrigin(subject.product->op) : origin;
  // The factor comes on top of a constant, the policy in its place.
  double constant = usesFactor ? 1.0 : scores.scale;
  auto headDim =
      double(subject.headDim.value_or(context.options.moments.unknownSize));
  double mended = scores.rowVariance / (constant * constant * headDim);
  // What is added to the product stays.
  if (usesFactor) {
    double factor = subject.product->factor;
    double product = factor * factor *
                     context.getSecondMoment(subject.product->op->getResult(0))
                         .value_or(0.0);
    if (product <= scores.rowVariance)
      mended += (scores.rowVariance - product) * (1.0 - 1.0 / headDim);
  }
  if (!(scores.rowVariance > kLargestVariance)) {
    // Rows of keys that are alike hide a missing factor: the mend is none the
    // worse for them.
    if (!(scores.getVariance() > kLargestVariance))
      context.findings.addFine(WarningId::MissingScale, part);
    return false;
  }
  auto isWhole = [&](Value rows) {
    return context.getSecondMoment(rows).value_or(0.0) >= kLeastSecond;
  };
  if (mended > kLargestVariance &&
      (kLeastGain * mended > scores.rowVariance || !isWhole(subject.query) ||
       !isWhole(subject.key)))
    return false;
  // Cosines that are spelled out have a temperature: with 1/sqrt(d) they would
  // have next to no variance.
  if (mended < kLeastVariance)
    return false;
  LintWarning warning{WarningId::MissingScale,
                      origin,
                      {{"variance", formatNumber(scores.rowVariance)},
                       {"dim", formatNumber(headDim)},
                       {"mended", formatNumber(mended)}},
                      "",
                      {}};
  if (!subject.headDim)
    warning.refusal =
        "d is not known, and has been taken for " + formatNumber(headDim);
  if (usesFactor)
    addFactor(context, std::move(warning), subject, int64_t(headDim));
  else
    addFault(context, std::move(warning),
             InvSqrtDimAttr::get(subject.op->getContext()), int64_t(headDim));
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

static void checkEntropy(Context &context, const Subject &subject,
                         const ScoreMoments &scores) {
  if (!subject.scale || !subject.headDim)
    return;
  const LintOptions &options = context.options;
  Operation *op = subject.op;
  MLIRContext *mlir = op->getContext();
  auto headDim = double(*subject.headDim);
  ScalePolicyAttrInterface alternative = options.entropyAlternative;
  auto keys = LengthAttr::get(mlir, LengthKind::Keys, 0);
  if (!alternative && subject.isCosine)
    alternative = GradientMaxFitAttr::get(mlir, ScoreModel::Cosine, keys);
  else if (!alternative)
    alternative = LogLengthAttr::get(mlir, 512.0, keys);
  // What the op would refuse is no alternative to it: params that it does not
  // have, positions without an alignment, scores of another kind.
  ScopedDiagnosticHandler quiet(mlir, [](Diagnostic &) { return success(); });
  auto refuse = [&] { return emitError(op->getLoc()); };
  if (!alternative.getParamSpecs().empty() ||
      (alternative.usesPositions() && !subject.isAligned) ||
      failed(alternative.verifyPolicy(refuse, *subject.headDim,
                                      subject.isCosine)) ||
      (subject.isCosine && headDim < 2))
    return;
  if (!subject.scale.getParamSpecs().empty())
    return;
  ScoreDistribution distribution(
      subject.isCosine ? ScoreModel::Cosine : ScoreModel::Normal, headDim);
  double deviation =
      subject.isCosine || scores.scale == 0.0
          ? 1.0
          : std::sqrt(scores.rowVariance) / std::fabs(scores.scale);
  auto own =
      getGrowth(options, subject.scale, distribution, headDim, deviation);
  auto other =
      getGrowth(options, alternative, distribution, headDim, deviation);
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
                       {"policy", printAttribute(subject.scale)},
                       {"alternative", printAttribute(alternative)}},
                      "",
                      {}};
  addFault(context, std::move(warning), alternative, *subject.headDim);
}

void checkScores(Context &context) {
  context.flat.get().walk([&](Operation *op) {
    std::optional<ScoreMoments> scores = context.moments.lookupScores(op);
    if (!scores || !context.flat.getOrigin(op))
      return;
    auto attention = dyn_cast<AttentionOp>(op);
    std::optional<Subject> subject =
        attention ? describe(attention, *scores) : describeSoftmax(op);
    // One policy can be mended in one way only.
    if (subject && !checkVariance(context, *subject, *scores) &&
        context.options.entropyTo > 0)
      checkEntropy(context, *subject, *scores);
  });
}

} // namespace attn::lint_checks
