//===- MomentAnalysis.cpp - Mean and second moment of values --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Analysis/MomentAnalysis.h"
#include "Follower.h"
#include "attn/Analysis/Report.h"
#include "attn/Analysis/ScoreMend.h"
#include "attn/Analysis/ScoreProduct.h"
#include "attn/Dialect/Attn/IR/TransformerOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <cmath>

using namespace mlir;
using namespace attn;

StringRef attn::stringifyArgumentRole(ArgumentRole role) {
  switch (role) {
  case ArgumentRole::Stated:
    return "stated";
  case ArgumentRole::Activation:
    return "activation";
  case ArgumentRole::Weight:
    return "weight";
  case ArgumentRole::Bias:
    return "bias";
  case ArgumentRole::Gain:
    return "gain";
  case ArgumentRole::Other:
    return "other";
  }
  llvm_unreachable("all roles are handled");
}

StringRef attn::stringifyMomentFindingKind(MomentFindingKind kind) {
  switch (kind) {
  case MomentFindingKind::Vanishes:
    return "vanishes";
  case MomentFindingKind::Explodes:
    return "explodes";
  case MomentFindingKind::Overflows:
    return "overflows";
  case MomentFindingKind::ScoresSaturate:
    return "scores-saturate";
  case MomentFindingKind::ScoresVanish:
    return "scores-vanish";
  }
  llvm_unreachable("all kinds are handled");
}

std::string MomentFinding::getMessage() const {
  std::string number = formatNumber(value), limit = formatNumber(expected);
  std::string message;
  switch (kind) {
  case MomentFindingKind::Vanishes:
    message = "second moment " + number + " is below " + limit;
    break;
  case MomentFindingKind::Explodes:
    message = "second moment " + number + " is above " + limit;
    break;
  case MomentFindingKind::Overflows:
    message = "overflows: second moment " + number + " is above " + limit +
              ", the square of the largest number of the type";
    break;
  case MomentFindingKind::ScoresSaturate:
    message = "scores have variance " + number + " along a row, above " +
              limit + ": weights are nearly one-hot";
    break;
  case MomentFindingKind::ScoresVanish:
    message = "scores have variance " + number + " along a row, below " +
              limit + ": weights are nearly uniform";
    break;
  }
  return proposal.empty() ? message : message + "; " + proposal;
}

struct MomentAnalysis::State {
  func::FuncOp function;
  MomentOptions options;
  moments::Engine engine;
  std::unique_ptr<moments::Follower> follower;
  SmallVector<Value> followed;
  SmallVector<MomentFinding> findings;
  SmallVector<std::string> assumptions;

  void findExtremes();
  /// Lists a value that has no moments, if it is the first of its chain.
  void noteMissing(Value value) {
    StringRef reason = follower->getMissingMoments(value);
    Operation *op = value.getDefiningOp();
    if (reason.empty() || !op ||
        llvm::any_of(op->getOperands(), [&](Value operand) {
          return !follower->getMissingMoments(operand).empty();
        }))
      return;
    follower->notFollowed.push_back({value, reason.str()});
  }
  void judge(Operation *op);
  void judgeScores(Operation *op, const ScoreMoments &scores);
  /// Whether its elements are, but for hidden scores, finite numbers.
  bool isNumber(Value value, moments::Expr expr) {
    if (!expr || !isa<FloatType>(getElementTypeOrSelf(value.getType())))
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
    return follower->getSecond(operand);
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
  auto overflow = follower->overflowing.find(op);
  if (overflow != follower->overflowing.end()) {
    auto [result, largest] = overflow->second;
    findings.push_back({op, MomentFindingKind::Overflows, largest,
                        moments::getLargestSecond(result.getType()),
                        propose(op, MomentFindingKind::Explodes)});
    return;
  }
  if (op->getNumResults() == 0 || !follower->hasUsualSize(op))
    return;
  double second = follower->getSecond(op->getResult(0));
  // What is called again may have grown from call to call.
  auto crossing = follower->crossings.find(op);
  if (crossing != follower->crossings.end())
    second = crossing->second;
  else if (!follower->isOutside(second) ||
           !follower->isToBlame(
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
    for (Operation *user : open[i]->getResult(0).getUsers()) {
      if (isLayer(user))
        return true;
      if (user->getNumResults() == 1 &&
          isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
              linalg::TransposeOp, arith::ExtFOp, arith::TruncFOp,
              linalg::GenericOp>(user))
        open.push_back(user);
    }
  return false;
}

void MomentAnalysis::State::judgeScores(Operation *op,
                                        const ScoreMoments &scores) {
  if (scores.visibleKeys <= 1.0)
    return;
  ScalePolicyAttrInterface scale;
  bool isAttention = true, isCosine = false, isFactor = false;
  double headDim = scores.headDim;
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    scale = attention.getScale();
    isCosine = attention.isCosine();
  } else if (auto composite = dyn_cast<MultiHeadAttentionOp>(op)) {
    scale = composite.getScale();
    isCosine = composite.isCosine();
  } else {
    isAttention = isReadByProduct(op);
    std::optional<ScoreProduct> product = findScoreProduct(op);
    if (!product && !isAttention)
      return;
    if (auto softmax = dyn_cast<SoftmaxOp>(op))
      scale = softmax.getScale();
    // The scale of a softmax that has none is a factor behind the product.
    isFactor = !scale || (product && product->isChanged);
    isCosine = product && product->isCosine;
    if (product && product->dim)
      headDim = double(*product->dim);
  }
  // Trained scales are what training makes of them.
  std::optional<ScoreMend> mend;
  if (!isFactor && scale.getParamSpecs().empty())
    mend = findScoreMend(op->getContext(), scores, isCosine, headDim);
  std::string proposal;
  if (mend && mend->policy != scale)
    proposal = "scale(" + printAttribute(mend->policy) + ") makes it " +
               formatNumber(mend->variance);
  else if (isFactor && !isCosine &&
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

void MomentAnalysis::State::findExtremes() {
  SmallVector<func::FuncOp> functions{function};
  llvm::append_range(functions, follower->callees);
  for (func::FuncOp followed : functions)
    followed.walk<WalkOrder::PreOrder>([&](Operation *op) {
      judge(op);
      auto scores = follower->scores.find(op);
      if (scores != follower->scores.end())
        judgeScores(op, scores->second);
    });
}

MomentAnalysis::MomentAnalysis(func::FuncOp function,
                               const MomentOptions &options)
    : state(std::make_unique<State>()) {
  state->function = function;
  state->options = options;
  if (function.isExternal())
    return;
  state->follower = std::make_unique<moments::Follower>(
      function, state->options, state->engine);
  state->follower->run();
  for (auto [value, expr] : state->follower->values)
    if (state->isNumber(value, expr) || state->follower->overflows(value))
      state->followed.push_back(value);
    else
      state->noteMissing(value);
  state->findExtremes();
  llvm::append_range(state->assumptions, state->engine.getAssumptions());
}

MomentAnalysis::~MomentAnalysis() = default;
MomentAnalysis::MomentAnalysis(MomentAnalysis &&) noexcept = default;
MomentAnalysis &MomentAnalysis::operator=(MomentAnalysis &&) noexcept = default;

func::FuncOp MomentAnalysis::getFunction() const { return state->function; }
const MomentOptions &MomentAnalysis::getOptions() const {
  return state->options;
}

std::optional<ValueMoments> MomentAnalysis::lookup(Value value) const {
  if (!state->follower)
    return std::nullopt;
  moments::Expr expr = state->follower->lookup(value);
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
  return state->follower && state->follower->overflows(value);
}

std::optional<ScoreMoments> MomentAnalysis::lookupScores(Operation *op) const {
  if (!state->follower)
    return std::nullopt;
  auto found = state->follower->scores.find(op);
  if (found == state->follower->scores.end())
    return std::nullopt;
  return found->second;
}

std::optional<ResidualMoments>
MomentAnalysis::lookupResidual(Operation *op) const {
  for (const ResidualMoments &residual : llvm::reverse(getResiduals()))
    if (residual.op == op)
      return residual;
  return std::nullopt;
}

ArrayRef<ArgumentMoments> MomentAnalysis::getArguments() const {
  if (!state->follower)
    return {};
  return state->follower->arguments;
}
ArrayRef<Value> MomentAnalysis::getFollowed() const { return state->followed; }
ArrayRef<NotFollowed> MomentAnalysis::getNotFollowed() const {
  if (!state->follower)
    return {};
  return state->follower->notFollowed;
}
ArrayRef<ResidualMoments> MomentAnalysis::getResiduals() const {
  if (!state->follower)
    return {};
  return state->follower->residuals;
}
ArrayRef<MomentFinding> MomentAnalysis::getFindings() const {
  return state->findings;
}
ArrayRef<std::string> MomentAnalysis::getAssumptions() const {
  return state->assumptions;
}
