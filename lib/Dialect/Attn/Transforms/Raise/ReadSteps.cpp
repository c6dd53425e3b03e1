//===- ReadSteps.cpp - Masks and terms, hiding or exact -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A finite fill hides a key as -inf does, but in rows without a visible key:
// there the weights follow the fills. Where no such row can be, masks are
// attributes. Otherwise the score region does what the source does. It skips no
// keys, so that where attributes would, and one fill hides all keys of a row
// alike, that row gets the mean of the values.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Interval.h"
#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include <cmath>

using namespace mlir;

namespace attn::raise {
namespace {

bool isFinite(const ScoreStep &step) {
  return step.isMask() && std::isfinite(step.fill);
}
/// Whether a step decides by itself what a hidden score is.
bool replaces(const ScoreStep &step) { return isFinite(step) && !step.isTerm; }

class StepReader {
public:
  StepReader(PullThrough &pull, Plan &plan, Rejection &why)
      : pull(pull), graph(pull.getGraph()), plan(plan), steps(plan.score.steps),
        why(why) {}

  bool read();

private:
  bool readGuard();
  bool multipliesHidden() const;
  bool hidesWholeRow() const;
  bool hasOneFill() const;
  bool mayHide(Expr bias) const;
  bool readHidden(ScorePlan &scores);
  bool readExact(ScorePlan &scores);
  bool addBias(Expr bias, ScorePlan &scores);
  bool addRegionStep(const ScoreStep &step, ScorePlan &scores);
  std::optional<RegionStep::Condition> readCondition(Expr condition);
  Expr readTerm(Expr bias);

  PullThrough &pull;
  ExprGraph &graph;
  Plan &plan;
  ArrayRef<ScoreStep> steps;
  Rejection &why;
};

/// Rows without a visible key that the source makes 0: those for which the
/// condition of the masks holds for no key.
bool StepReader::readGuard() {
  Softmax &softmax = plan.softmax;
  if (!softmax.visible)
    return true;
  SmallVector<Expr> keeps;
  for (const ScoreStep &step : steps)
    if (step.isMask())
      keeps.push_back(step.keep);
  bool hide = llvm::all_of(steps, [](const ScoreStep &step) {
    return !step.isMask() || step.fill <= largestFill;
  });
  if (!hide || graph.conjunction(keeps) != softmax.visible)
    return why.reject(7, "the weights are selected by a condition that is not "
                         "'the row has a visible key'");
  return true;
}

/// Whether a term may be what hides a key. What varies with the head is a bias.
bool StepReader::mayHide(Expr bias) const {
  const Roles &roles = plan.roles;
  std::optional<unsigned> head =
      roles.getRowDim() > 1 ? roles.batch.back() : std::nullopt;
  if (head && bias->dependsOn(*head))
    return false;
  return !(getInterval(graph, bias).lower > largestFill);
}

/// Whether a score that is -inf already may be multiplied by 0.
bool StepReader::multipliesHidden() const {
  const auto *product = llvm::find_if(
      steps, [](const ScoreStep &step) { return step.multiplies; });
  if (product == steps.end())
    return false;
  return std::any_of(product + 1, steps.end(), [&](const ScoreStep &step) {
    return step.isMask() ? std::isinf(step.fill) : mayHide(step.bias);
  });
}

/// Whether every key that a mask hides has weight 0 in every row, as with
/// fills of -inf.
bool StepReader::hidesWholeRow() const {
  if (!llvm::any_of(steps, isFinite))
    return true;
  if (llvm::any_of(steps, [](const ScoreStep &step) {
        return isFinite(step) && step.fill > largestFill;
      }))
    return false;
  if (plan.softmax.extra > 0.0) // beside it exp(fill) is 0
    return true;
  SmallVector<Expr> keeps;
  for (const ScoreStep &step : steps) {
    if (step.isMask())
      keeps.push_back(step.keep);
    else if (mayHide(step.bias))
      return false;
  }
  return plan.softmax.visible ||
         everyRowKeepsAKey(graph, plan.roles, graph.conjunction(keeps));
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// A term as an expression that can be computed, or null.
Expr StepReader::readTerm(Expr bias) {
  for (unsigned variable : bias->free.set_bits()) {
    std::optional<unsigned> dim = plan.roles.find(variable);
    if (!dim || *dim > plan.roles.getRowDim() + 1) {
      why.reject(
          8, "a term of the score varies with more than batch, row and key");
      return nullptr;
    }
  }
  Expr emittable = makeEmittable(pull, bias);
  if (!emittable)
    why.reject(8, "a term of the score is neither a closed expression of row "
                  "and key nor a tensor");
  return emittable;
}

bool StepReader::addBias(Expr bias, ScorePlan &scores) {
  if (readAlibi(pull, plan, bias, scores))
    return true;
  MLIRContext *context = graph.getContext();
  Expr term = readTerm(bias);
  if (!term)
    return false;
  // The guard says that an entry of -inf hides a key.
  if (plan.softmax.isGuarded)
    scores.masks.push_back({AdditiveMaskAttr::get(context), term});
  else
    scores.biases.push_back({DenseBiasAttr::get(context), term});
  return true;
}

//===----------------------------------------------------------------------===//
// Masks as attributes
//===----------------------------------------------------------------------===//

bool StepReader::readHidden(ScorePlan &scores) {
  SmallVector<Expr> keeps;
  for (const ScoreStep &step : steps)
    if (step.isMask())
      keeps.push_back(step.keep);
  if (!readMasks(pull, plan, graph.conjunction(keeps), scores, why))
    return false;
  for (const ScoreStep &step : llvm::reverse(steps))
    if (!step.isMask() && !addBias(step.bias, scores))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Scores as the source has them
//===----------------------------------------------------------------------===//

/// Whether an index needs no division, which is slow for each element.
bool isLinear(AffineExpr index) {
  bool divides = false;
  index.walk([&](AffineExpr part) {
    divides |= part.getKind() == AffineExprKind::FloorDiv ||
               part.getKind() == AffineExprKind::Mod;
  });
  return !divides;
}

std::optional<RegionStep::Condition> StepReader::readCondition(Expr condition) {
  const Roles &roles = plan.roles;
  bool isOfIndices = llvm::all_of(condition->free.set_bits(), [&](unsigned v) {
    return v == roles.key || v == roles.row;
  });
  if (condition->is(ExprKind::NonNegative) && isOfIndices &&
      isLinear(condition->index))
    return RegionStep::Condition{condition->index, {}, false};
  bool isNegated =
      condition->is(ExprKind::Not) && isOperand(graph, condition->operands[0]);
  Expr param =
      isNegated ? condition->operands[0] : makeEmittable(pull, condition);
  if (!param) {
    why.reject(7, "a mask is neither a closed expression of row and key nor a "
                  "tensor");
    return std::nullopt;
  }
  return RegionStep::Condition{
      {}, {{}, param, ParamElement::Boolean}, isNegated};
}

bool StepReader::addRegionStep(const ScoreStep &step, ScorePlan &scores) {
  RegionStep region;
  if (!step.isMask()) {
    region.bias = {{}, readTerm(step.bias)};
    scores.region.push_back(region);
    return region.bias.param;
  }
  region.fill = step.fill;
  region.isTerm = step.isTerm;
  ArrayRef<Expr> conditions = step.keep->is(ExprKind::And)
                                  ? ArrayRef<Expr>(step.keep->operands)
                                  : ArrayRef<Expr>(step.keep);
  for (Expr condition : conditions) {
    std::optional<RegionStep::Condition> read = readCondition(condition);
    if (!read)
      return false;
    region.conditions.push_back(*read);
  }
  scores.region.push_back(std::move(region));
  return true;
}

/// Steps that a later replacement may undo, and those behind the first one,
/// stand in the region. Before it terms are biases, and after the last one a
/// fill of -inf is a mask.
bool StepReader::readExact(ScorePlan &scores) {
  auto isOfBoth = [&](const ScoreStep &step) {
    return isFinite(step) && !plan.softmax.isGuarded && plan.roles.row &&
           step.keep->dependsOn(*plan.roles.row) &&
           step.keep->dependsOn(plan.roles.key);
  };
  size_t last = llvm::find_if(steps, replaces) - steps.begin();
  SmallVector<Expr> keeps;
  for (size_t i = steps.size(); i-- > 0;) {
    const ScoreStep &step = steps[i];
    bool isUndone = last < i;
    bool isHidden = step.isMask() && !isFinite(step);
    if (isHidden && !isUndone) {
      keeps.push_back(step.keep);
      continue;
    }
    bool isBias = !isHidden && !replaces(step) && !isOfBoth(step) &&
                  scores.region.empty();
    Expr bias = step.isMask() && isBias
                    ? graph.select(step.keep, graph.constant(0.0),
                                   graph.constant(step.fill))
                    : step.bias;
    if (isBias ? !addBias(bias, scores) : !addRegionStep(step, scores))
      return false;
  }
  return readMasks(pull, plan, graph.conjunction(keeps), scores, why);
}

/// Whether masks leave out tiles of keys.
bool skipsKeys(const ScorePlan &scores) {
  return llvm::any_of(scores.masks, [](const Policy &mask) {
    return cast<MaskAttrInterface>(mask.attribute).isRange();
  });
}

/// Whether the scores of a row without a visible key are one number: that of
/// one fill, beside which a score is too small to count if it is added to it.
bool StepReader::hasOneFill() const {
  constexpr double absorbs = -1e30;
  std::optional<double> fill;
  bool hasTerm = false;
  for (const ScoreStep &step : steps) {
    if (!step.isMask() ? mayHide(step.bias) : !isFinite(step))
      return false;
    if (!step.isMask())
      continue;
    // Two fills are twice as low, or -inf, where one of them is added.
    if (fill && (hasTerm || step.isTerm || *fill != step.fill))
      return false;
    hasTerm = step.isTerm;
    if (step.fill > (step.isTerm ? absorbs : largestFill))
      return false;
    fill = step.fill;
  }
  return true;
}

bool StepReader::read() {
  if (!readGuard())
    return false;
  if (plan.softmax.replacesNaN && multipliesHidden())
    return why.reject(7,
                      "a score that may be -inf is multiplied by a mask, and "
                      "rows that are NaN by that are 0");
  if (hidesWholeRow())
    return readHidden(plan.scores);
  if (plan.softmax.visible)
    return why.reject(7, "the weights are selected by the mask, but a term of "
                         "the score may hide keys, too");
  const Softmax &softmax = plan.softmax;
  if (softmax.isGuarded && llvm::any_of(steps, replaces))
    return why.reject(7, "hidden scores are replaced by a finite number, and a "
                         "row is 0 where all of them are -inf");
  // A sum of nothing but exp(fill) is 0, and what the source does then cannot
  // be seen: a guard of NaN is not in the expressions.
  double lowest = INFINITY;
  for (const ScoreStep &step : steps)
    if (isFinite(step))
      lowest = std::min(lowest, step.fill);
  if (!softmax.sink && softmax.extra == 0.0 && lowest < INFINITY &&
      !takesMaximum(graph, softmax, lowest))
    return why.reject(7, "hidden scores are replaced by a finite number, a row "
                         "may have no other, and its maximum is not taken "
                         "from its scores");
  if (!softmax.isGuarded && !softmax.sink && hasOneFill()) {
    // Where it skips no keys, the region alone is as fast.
    Rejection ignored;
    std::optional<Alignment> align = plan.align;
    StepReader hidden(pull, plan, ignored);
    if (hidden.readHidden(plan.scores) && skipsKeys(plan.scores)) {
      plan.meansEmptyRows = true;
      return true;
    }
    plan.scores = ScorePlan();
    plan.align = align;
  }
  return readExact(plan.scores);
}

} // namespace

bool readSteps(PullThrough &pull, Plan &plan, Rejection &why) {
  return StepReader(pull, plan, why).read();
}

} // namespace attn::raise
