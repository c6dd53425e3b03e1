//===- MomentAnalysis.cpp - Mean and second moment of values --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/MomentAnalysis.h"
#include "Follower.h"
#include "attn/Analysis/Entropy.h"
#include "attn/Analysis/Report.h"
#include "attn/Analysis/ScoreProduct.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <cmath>

using namespace mlir;
using namespace attn;

StringRef attn::stringifyArgumentRole(ArgumentRole role) {
  constexpr StringLiteral names[] = {"stated", "activation", "weight",
                                     "bias",   "gain",       "other"};
  return names[unsigned(role)];
}

namespace {
/// How a kind of finding is called, and what is said around its two numbers.
struct FindingText {
  StringLiteral label, name, before, between, behind;
};
} // namespace

static const FindingText &getText(MomentFindingKind kind) {
  static constexpr FindingText texts[] = {
#define ATTN_MOMENT_WARNING(Kind, Number, Name, Before, Between, Behind,       \
                            Explanation)                                       \
  {"attn-w" #Number, Name, Before, Between, Behind},
#include "attn/Analysis/MomentWarnings.def"
  };
  return texts[unsigned(kind)];
}

StringRef attn::getLabel(MomentFindingKind kind) { return getText(kind).label; }

StringRef attn::stringifyMomentFindingKind(MomentFindingKind kind) {
  return getText(kind).name;
}

std::string MomentFinding::getMessage() const {
  const FindingText &text = getText(kind);
  return (text.before + formatNumber(value) + text.between +
          formatNumber(expected) + text.behind +
          (proposal.empty() ? "" : "; " + proposal))
      .str();
}

/// About 1. Temperatures of cosines make more of it where there are many keys.
static constexpr double kLeast = 0.25, kMost = 4.0, kMostOfCosines = 16.0;

std::optional<ScoreMend> attn::findScoreMend(MLIRContext *context,
                                             const ScoreMoments &scores,
                                             bool isCosine, double headDim) {
  if (scores.scale == 0.0 || headDim < (isCosine ? 2.0 : 1.0))
    return std::nullopt;
  SmallVector<ScalePolicyAttrInterface> policies;
  if (isCosine)
    policies = {getPolicyOfLength(context, isCosine)};
  else
    policies = {InvSqrtDimAttr::get(context), NoScaleAttr::get(context)};
  for (ScalePolicyAttrInterface policy : policies) {
    double factor = *getScaleAt(policy, headDim, scores.keys) / scores.scale;
    double product = scores.rowVariance * scores.productShare;
    double variance = factor * factor * product + scores.rowVariance - product;
    if (variance >= kLeast && variance <= (isCosine ? kMostOfCosines : kMost))
      return ScoreMend{policy, variance};
  }
  return std::nullopt;
}

struct MomentAnalysis::State {
  State(func::FuncOp function, const MomentOptions &options)
      : options(options), follower(function, this->options, engine) {}

  MomentOptions options;
  moments::Engine engine;
  moments::Follower follower;
  SmallVector<MomentFinding> findings;

  void findExtremes(func::FuncOp function);
  /// Lists a value that has no moments, if it is the first of its chain.
  void noteMissing(Value value) {
    StringRef reason = follower.getMissingMoments(value);
    Operation *op = value.getDefiningOp();
    if (reason.empty() || !op ||
        llvm::any_of(op->getOperands(), [&](Value operand) {
          return !follower.getMissingMoments(operand).empty();
        }))
      return;
    follower.notFollowed.push_back({value, reason.str()});
  }
  void judge(Operation *op);
  void judgeScores(Operation *op, const ScoreMoments &scores);
  /// Whether its elements are, but for hidden scores, finite numbers.
  bool isNumber(Value value, moments::Expr expr) {
    if (!expr || !moments::isFloat(value.getType()))
      return false;
    moments::Summary summary = engine.summarise(expr);
    return !summary.hasNaN && summary.finite > 0.0 &&
           std::isfinite(summary.mean) && std::isfinite(summary.second);
  }
  /// What a loop carries is judged as it enters: its growth is the body's.
  double getSecondBefore(Value operand) {
    if (auto argument = dyn_cast<BlockArgument>(operand))
      if (auto loop = dyn_cast_or_null<LoopLikeOpInterface>(
              argument.getOwner()->getParentOp()))
        if (OpOperand *init = loop.getTiedLoopInit(argument))
          return getSecondBefore(init->get());
    return follower.getSecond(operand);
  }
};

static std::string propose(Operation *op, MomentFindingKind kind) {
  bool vanishes = kind == MomentFindingKind::Vanishes;
  if (auto activation = dyn_cast<ActivationOp>(op))
    return activation.getUnitMoment() ? "" : "unit_moment keeps it at 1";
  if (auto linear = dyn_cast<LinearOp>(op)) {
    if (linear.isNtk())
      return "weights of parameterisation(ntk) have variance 1";
    return vanishes ? "variance(lecun) of the weight's attn.init keeps the "
                      "second moment; parameterisation(standard)"
                    : "variance(lecun) of the weight's attn.init, or "
                      "parameterisation(ntk) for unit variance";
  }
  if (auto residual = dyn_cast<ResidualOp>(op))
    return vanishes ? ""
           : residual.getPolicy() == ResidualPolicy::Fixup
               ? "fixup starts with a last weight of 0"
               : "attn.residual post or inv_sqrt2, or a final norm, "
                 "bounds it";
  return "";
}

void MomentAnalysis::State::judge(Operation *op) {
  auto overflow = follower.overflowing.find(op);
  if (overflow != follower.overflowing.end()) {
    auto [result, largest] = overflow->second;
    findings.push_back({op, MomentFindingKind::Overflows, largest,
                        moments::getLargestSecond(result.getType()),
                        propose(op, MomentFindingKind::Explodes)});
    return;
  }
  if (op->getNumResults() == 0 || !follower.hasUsualSize(op))
    return;
  double second = follower.getSecond(op->getResult(0));
  // What is called again may have grown from call to call.
  auto crossing = follower.crossings.find(op);
  if (crossing != follower.crossings.end())
    second = crossing->second;
  else if (!follower.isOutside(second) ||
           !follower.isToBlame(
               op, [&](Value operand) { return getSecondBefore(operand); }))
    return;
  MomentFinding finding{op, MomentFindingKind::Explodes, second,
                        options.explodeAbove, ""};
  double largest = moments::getLargestSecond(op->getResult(0).getType());
  if (second < options.vanishBelow) {
    finding.kind = MomentFindingKind::Vanishes;
    finding.expected = options.vanishBelow;
  } else if (second > largest || std::isinf(second)) {
    finding.kind = MomentFindingKind::Overflows;
    finding.expected = largest;
  }
  // What bounds a value that explodes bounds one that overflows.
  finding.proposal = propose(op, finding.kind);
  findings.push_back(finding);
}

/// Whether the weights of a softmax go into a product, maybe as a view or
/// through a dropout that does nothing.
static bool isReadByProduct(Operation *softmax) {
  SmallVector<Operation *> open{softmax};
  for (unsigned i = 0; i < open.size() && i < 16; ++i)
    for (Operation *reader : getReaders(open[i]->getResult(0))) {
      if (isLayer(reader))
        return true;
      if (isa<linalg::GenericOp>(reader) && reader->getNumResults() == 1)
        open.push_back(reader);
    }
  return false;
}

void MomentAnalysis::State::judgeScores(Operation *op,
                                        const ScoreMoments &scores) {
  if (scores.visibleKeys <= 1.0)
    return;
  ScoreSubject subject = describeScores(op);
  const std::optional<ScoreProduct> &product = subject.product;
  bool isAttention =
      isa<AttentionOp, MultiHeadAttentionOp>(op) || isReadByProduct(op);
  if (!product && !isAttention)
    return;
  // The scale of a softmax that has none is a factor behind the product.
  bool isFactor = !subject.scale || (product && product->isChanged);
  double headDim =
      product && product->dim ? double(*product->dim) : scores.headDim;
  // Trained scales are what training makes of them.
  std::optional<ScoreMend> mend;
  if (!isFactor && subject.scale.getParamSpecs().empty())
    mend = findScoreMend(op->getContext(), scores, subject.isCosine, headDim);
  std::string proposal;
  if (mend && mend->policy != subject.scale)
    proposal = "scale(" + printAttribute(mend->policy) + ") makes it " +
               formatNumber(mend->variance);
  else if (isFactor && !subject.isCosine &&
           scores.rowVariance > options.maxScoreVariance)
    proposal = "1/sqrt(d) behind the product divides it by d";
  // Weights that start at 0 are meant, and so are classes that start alike.
  if (isAttention && scores.rowVariance < options.minScoreVariance &&
      scores.rowVariance > 0.0)
    findings.push_back({op, MomentFindingKind::ScoresVanish, scores.rowVariance,
                        options.minScoreVariance, proposal});
  if (scores.rowVariance <= options.maxScoreVariance ||
      scores.squaredWeightSum < kNearlyOneHot)
    return;
  if (proposal.empty())
    proposal = scores.productShare < 0.5 ? "it is that of what is added to them"
                                         : "norms of q and k bound it";
  findings.push_back({op, MomentFindingKind::ScoresSaturate, scores.rowVariance,
                      options.maxScoreVariance, proposal});
}

void MomentAnalysis::State::findExtremes(func::FuncOp function) {
  SmallVector<func::FuncOp> functions{function};
  llvm::append_range(functions, follower.callees);
  for (func::FuncOp followed : functions)
    followed.walk<WalkOrder::PreOrder>([&](Operation *op) {
      judge(op);
      if (auto scores = follower.scores.lookup(op))
        judgeScores(op, *scores);
    });
}

MomentAnalysis::MomentAnalysis(func::FuncOp function,
                               const MomentOptions &options)
    : function(function), state(std::make_unique<State>(function, options)) {
  moments::Follower &follower = state->follower;
  follower.run();
  for (auto [value, expr] : follower.values)
    if (state->isNumber(value, expr) || follower.overflows(value))
      followed.push_back(value);
    else
      state->noteMissing(value);
  state->findExtremes(function);
  arguments = std::move(follower.arguments);
  notFollowed = std::move(follower.notFollowed);
  scores = std::move(follower.scores);
  residuals = std::move(follower.residuals);
  findings = std::move(state->findings);
  llvm::append_range(assumptions, state->engine.getAssumptions());
}

MomentAnalysis::~MomentAnalysis() = default;
MomentAnalysis::MomentAnalysis(MomentAnalysis &&) noexcept = default;
MomentAnalysis &MomentAnalysis::operator=(MomentAnalysis &&) noexcept = default;

std::optional<ValueMoments> MomentAnalysis::lookup(Value value) const {
  moments::Expr expr = state->follower.lookup(value);
  if (!state->isNumber(value, expr))
    return std::nullopt;
  moments::Summary summary = state->engine.summarise(expr);
  ValueMoments result{summary.mean, summary.second, {}};
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    for (int dim = 0; dim < type.getRank(); ++dim)
      result.correlations.push_back(state->engine.getCorrelation(expr, dim));
  return result;
}

bool MomentAnalysis::overflows(Value value) const {
  return state->follower.overflows(value);
}
