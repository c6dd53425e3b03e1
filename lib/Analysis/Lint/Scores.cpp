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
#include "mlir/Analysis/SliceAnalysis.h"
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
/// Scores of less hardly tell keys apart.
static constexpr double kSmallestVariance = 1.0 / 12.0;
/// Those of policies that are meant have less, or leave more than few keys.
static constexpr double kLargestPolicyVariance = 9.0;
/// 2.5 / sqrt(d), of the largest gradient at 7000 keys.
static constexpr double kLargestStated = 2.5 * 2.5 * 1.01;
/// A temperature is above that of the largest gradient for this many keys by
/// this factor.
static constexpr double kManyKeys = 65536.0;
static constexpr double kLargestFactor = 2.0;
/// Differences of entropy that are not worth a word, in nats.
static constexpr double kSmallestDrift = 0.05;

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

/// What a policy that depends on nothing else is tried with.
static void
addTrial(Context &context, const ScoreSubject &subject,
         const std::function<void(Operation *, IRMapping &)> &mend) {
  context.trials.push_back({context.findings.getLast(), subject.op, mend});
}

static void addFault(Context &context, LintWarning warning,
                     const ScoreSubject &subject,
                     ScalePolicyAttrInterface policy, int64_t headDim) {
  warning.mend = "scale(" + printAttribute(policy) + ")";
  warning.fix = [op = warning.op, policy, headDim](RewriterBase &) {
    setScale(op, policy, headDim);
  };
  Operation *part = warning.op;
  context.findings.addFault(std::move(warning), part);
  addTrial(context, subject, [policy, headDim](Operation *op, IRMapping &) {
    setScale(op, policy, headDim);
  });
}

/// 1/sqrt(d) behind a product: a factor of its softmax would not be that.
static void addFactor(Context &context, LintWarning warning,
                      const ScoreSubject &subject, int64_t headDim) {
  double factor = 1.0 / std::sqrt(double(headDim));
  Value product = subject.product->op->getResult(0);
  FlatFunction::Values names = context.flat.getNames(product);
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
  addTrial(context, subject,
           [product, factor](Operation *op, IRMapping &copies) {
             IRRewriter rewriter(op->getContext());
             addGain(rewriter, copies.lookup(product), factor);
           });
}

void runTrials(Context &context) {
  if (context.trials.empty())
    return;
  func::FuncOp function = context.flat.get();
  OpBuilder builder(function);
  IRMapping copies;
  auto copy = cast<func::FuncOp>(builder.clone(*function, copies));
  copy.setName("mended");
  for (const Trial &trial : context.trials)
    trial.mend(copies.lookup(trial.op), copies);
  MomentAnalysis moments(copy, context.options.moments);
  for (const Trial &trial : context.trials) {
    std::optional<ScoreMoments> scores =
        moments.scores.lookup(copies.lookup(trial.op));
    if (!scores)
      continue;
    LintWarning &warning = context.findings.getWarning(trial.fault);
    for (auto &[name, text] : warning.arguments) {
      if (name == "mended")
        text = formatNumber(scores->rowVariance);
      else if (name == "after")
        text = formatNumber(scores->squaredWeightSum);
    }
  }
  copy.erase();
}

/// Rows of length 1: their products are cosines, whatever the op calls them.
static bool hasUnitRows(Context &context, const ScoreSubject &subject) {
  return llvm::all_of(ArrayRef{subject.query, subject.key}, [&](Value rows) {
    double second = context.getSecondMoment(rows).value_or(0.0);
    return std::fabs(second * double(*subject.headDim) - 1.0) < 0.1;
  });
}

/// Whether the scale is 1 / sqrt(d), which is not called too large.
static bool isUsual(ScalePolicyAttrInterface scale, double headDim) {
  return !scale.getLength() &&
         scale.evaluate(headDim, 1.0) == 1.0 / std::sqrt(headDim);
}

/// Warns of a scale that is too small or, of a policy or of cosines, too large.
static bool checkPolicy(Context &context, const ScoreSubject &subject,
                        const ScoreMoments &scores) {
  if (!isa<AttentionOp>(subject.op) || !subject.headDim ||
      !subject.scale.getParamSpecs().empty() || scores.scale == 0.0 ||
      scores.visibleKeys <= 1.0)
    return false;
  auto headDim = double(*subject.headDim);
  MLIRContext *mlir = subject.op->getContext();
  Operation *origin = context.flat.getOrigin(subject.op);
  // Rows that are alike have scores that are, too, whatever the scale.
  bool isSmall = scores.rowVariance < kSmallestVariance &&
                 scores.getVariance() < kSmallestVariance;
  // Temperatures that are right for many keys are for few.
  auto isHot = [&] {
    ScalePolicyAttrInterface best = getPolicyOfLength(mlir, /*isCosine=*/true);
    return std::fabs(scores.scale) >
           kLargestFactor * *getScaleAt(best, headDim, kManyKeys);
  };
  bool isUnit =
      !subject.isCosine && headDim >= 2.0 && hasUnitRows(context, subject);
  bool isLarge =
      scores.squaredWeightSum > kNearlyOneHot &&
      (subject.isCosine || isUnit
           ? isHot()
           : scores.rowVariance > kLargestPolicyVariance &&
                 !subject.scale.getFixed() && !isUsual(subject.scale, headDim));
  if (scores.rowVariance <= 0.0)
    return false;
  if (!isSmall && !isLarge) {
    context.findings.addFine(WarningId::SmallScale, origin);
    context.findings.addFine(WarningId::LargeScale, origin);
    return false;
  }
  std::optional<ScoreMend> mend =
      findScoreMend(mlir, scores, subject.isCosine, headDim);
  if (!mend && isUnit)
    mend = ScoreMend{ConstantScaleAttr::get(mlir, std::sqrt(headDim)), 1.0};
  if (!mend || mend->policy == subject.scale)
    return false;
  LintWarning warning{isSmall ? WarningId::SmallScale : WarningId::LargeScale,
                      origin,
                      {{"variance", formatNumber(scores.rowVariance)},
                       {"before", formatNumber(scores.squaredWeightSum)},
                       {"equal", formatNumber(1.0 / scores.visibleKeys)},
                       {"policy", printAttribute(mend->policy)},
                       {"mended", formatNumber(mend->variance)},
                       {"after", "?"}}};
  addFault(context, std::move(warning), subject, mend->policy,
           *subject.headDim);
  return true;
}

/// Whether it has been warned of.
static bool checkVariance(Context &context, const ScoreSubject &subject,
                          const ScoreMoments &scores) {
  if (subject.scale && checkPolicy(context, subject, scores))
    return true;
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
  // A temperature that is stated may be that of the largest gradient.
  bool isStated = subject.scale && subject.scale.getFixed() != 1.0 &&
                  constant * constant * headDim <= kLargestStated;
  if (!(scores.rowVariance > kLargestVariance) || isStated) {
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
                       {"mended", formatNumber(mended)},
                       {"before", formatNumber(scores.squaredWeightSum)},
                       {"after", "?"}}};
  if (!subject.headDim)
    warning.refusal =
        "d is not known, and has been taken for " + formatNumber(headDim);
  if (usesFactor)
    addFactor(context, std::move(warning), subject, int64_t(headDim));
  else
    addFault(context, std::move(warning), subject,
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

static void checkEntropy(Context &context, const ScoreSubject &subject,
                         const ScoreMoments &scores) {
  if (!subject.scale || !subject.headDim)
    return;
  const LintOptions &options = context.options;
  Operation *op = subject.op;
  auto headDim = double(*subject.headDim);
  ScalePolicyAttrInterface alternative = options.entropyAlternative;
  if (!alternative)
    alternative = getPolicyOfLength(op->getContext(), subject.isCosine);
  // What the op would refuse is no alternative to it: params that it does not
  // have, positions without an alignment, scores of another kind.
  if (!alternative.getParamSpecs().empty() ||
      (alternative.usesPositions() && !subject.isAligned) ||
      !isScaleOf(alternative, *subject.headDim, subject.isCosine) ||
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
                       {"alternative", printAttribute(alternative)}}};
  addFault(context, std::move(warning), subject, alternative, *subject.headDim);
}

/// Whether a mask may hide any set of keys, and not only a range of them: one
/// that is added does if it is the same for all rows, as that of a padding is.
static bool hidesAnyKeys(AttentionOp op, unsigned i) {
  auto mask = cast<MaskAttrInterface>(op.getMasks()[i]);
  if (!mask.isAdditive())
    return !mask.isRange();
  AffineMap map = op.getParamMap(op.getMaskParams(i).first);
  return !map.isFunctionOfDim(op.getRowDim()) &&
         map.isFunctionOfDim(op.getKeyDim());
}

/// A scale that depends on n, where a mask hides keys that n counts.
static void checkLength(Context &context, AttentionOp op) {
  LengthAttr length = op.getScale().getLength();
  if (!length || (length.getKind() != LengthKind::Keys &&
                  length.getKind() != LengthKind::Visible))
    return;
  Operation *origin = context.flat.getOrigin(op);
  for (auto [i, mask] : llvm::enumerate(op.getMasks()))
    if (hidesAnyKeys(op, unsigned(i))) {
      LintWarning warning{WarningId::LengthOfHidden,
                          origin,
                          {{"policy", printAttribute(op.getScale())},
                           {"mask", printAttribute(mask)}}};
      ScalePolicyAttrInterface mended =
          withLength(op.getScale(), LengthKind::Seen);
      warning.mend = "scale(" + printAttribute(mended) + ")";
      warning.fix = [origin, mended](RewriterBase &) {
        setScale(origin, mended, /*headDim=*/0);
      };
      return context.findings.addFault(std::move(warning), origin);
    }
}

/// Says which value it was that the scores of an attention depend on.
static void noteNotFollowed(Context &context, Operation *op) {
  if (!isa<AttentionOp>(op) || context.moments.notFollowed.empty())
    return;
  // The nearest one: behind it nothing else is listed.
  SetVector<Operation *> slice;
  (void)getBackwardSlice(op, &slice);
  for (const NotFollowed &missed : context.moments.notFollowed) {
    Operation *source = missed.value.getDefiningOp();
    if (!source || (source != op && !slice.contains(source)))
      continue;
    LintWarning warning{WarningId::ScoresNotFollowed,
                        context.flat.getOrigin(op),
                        {{"value", source->getName().getStringRef().str()},
                         {"reason", missed.reason}}};
    return context.findings.addFault(std::move(warning), {});
  }
}

void checkScores(Context &context) {
  context.flat.get().walk([&](Operation *op) {
    std::optional<ScoreMoments> scores = context.moments.scores.lookup(op);
    if (!context.flat.getOrigin(op))
      return;
    if (!scores)
      return noteNotFollowed(context, op);
    auto attention = dyn_cast<AttentionOp>(op);
    if (attention)
      checkLength(context, attention);
    ScoreSubject subject = describeScores(op);
    if (attention)
      subject.headDim = int64_t(scores->headDim);
    else if (!subject.product)
      return;
    // One policy can be mended in one way only.
    if (!checkVariance(context, subject, *scores) &&
        context.options.entropyTo > 0)
      checkEntropy(context, subject, *scores);
  });
}

} // namespace attn::lint_checks
