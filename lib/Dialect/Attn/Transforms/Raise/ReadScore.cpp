//===- ReadScore.cpp - Dot product, scale, softcap and biases of a score --===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include <cmath>

using namespace mlir;

namespace attn::raise {
namespace {

/// Scores may be shifted so far: what that rounds away is less than what the
/// sums of their products do.
constexpr double largestShift = 1.0;

class ScoreReader {
public:
  ScoreReader(PullThrough &pull, const Softmax &softmax, bool pullsOperands,
              Score &score, Rejection &why)
      : pull(pull), graph(pull.getGraph()), key(softmax.key),
        isShiftInvariant(softmax.extra == 0.0 && !softmax.sink),
        pullsOperands(pullsOperands), score(score), why(why) {}

  bool read(Expr x);

private:
  bool mayContainDot(Expr x) const;
  std::optional<ScoreStep> matchTerm(Expr x) const;
  Expr matchReplaced(Expr x, ScoreStep &step) const;
  Expr takeGuards(Expr core, SmallVectorImpl<Expr> &terms,
                  std::optional<ScoreStep> &guarded) const;
  bool readSum(Expr x);
  bool readCapped(Expr core);
  bool readScaled(Expr x);
  bool readDot(Expr dot, SmallVectorImpl<Expr> &factors);
  bool readCosine(SmallVectorImpl<Expr> &rows, SmallVectorImpl<Expr> &columns);
  CosineAttr matchNorm(Expr factor, Expr operand) const;

  PullThrough &pull;
  ExprGraph &graph;
  unsigned key;
  bool isShiftInvariant; // the denominator has no extra term
  bool pullsOperands;
  Score &score;
  Rejection &why;
};

bool ScoreReader::mayContainDot(Expr x) const {
  if (!x->dependsOn(key))
    return false;
  switch (x->kind) {
  case ExprKind::Load:
    return isContraction(x->tensor);
  case ExprKind::Reduce: // other sums are terms, as positions that are counted
    return x->getReduction() == Reduction::Add &&
           llvm::count_if(
               ExprGraph::getFactors(x->operands[0]),
               [&](Expr factor) { return isOperand(graph, factor); }) > 1;
  case ExprKind::Sum:
  case ExprKind::Product:
  case ExprKind::Tanh:
  case ExprKind::Select:
    return llvm::any_of(x->operands,
                        [&](Expr operand) { return mayContainDot(operand); });
  default:
    return false;
  }
}

/// select(keep, 0, fill) as a term with a fill that hides keys.
std::optional<ScoreStep> ScoreReader::matchTerm(Expr x) const {
  double scale;
  Expr selection;
  if (!ExprGraph::matchSelection(x, scale, selection))
    return std::nullopt;
  Expr keep = selection->operands[0];
  double shown = scale * selection->operands[1]->number,
         hidden = scale * selection->operands[2]->number;
  if (shown < hidden) {
    std::swap(shown, hidden);
    keep = graph.negation(keep);
  }
  if (shown != 0.0 || hidden > largestFill)
    return std::nullopt;
  return ScoreStep{keep, hidden, /*isTerm=*/true, nullptr};
}

/// Reads select(keep, s, fill); the result is s.
Expr ScoreReader::matchReplaced(Expr x, ScoreStep &step) const {
  Expr keep = x->operands[0], shown = x->operands[1], hidden = x->operands[2];
  if (shown->is(ExprKind::Constant)) {
    std::swap(shown, hidden);
    keep = graph.negation(keep);
  }
  if (!hidden->is(ExprKind::Constant) || !(hidden->number < INFINITY))
    return nullptr;
  step = {keep, hidden->number, /*isTerm=*/false, nullptr};
  return shown;
}

bool ScoreReader::read(Expr x) {
  if (!x->is(ExprKind::Select))
    return readSum(x);
  ScoreStep step;
  Expr inner = matchReplaced(x, step);
  if (!inner)
    return why.reject(
        4, "the score is selected by a condition, but the other value is not "
           "a number");
  score.steps.push_back(step);
  return read(inner);
}

/// What a term is where a mask shows the key: k x is k there, and of a
/// selection it is the larger number.
static double getShownValue(Expr term) {
  double factor;
  Expr selection;
  if (!ExprGraph::matchSelection(term, factor, selection))
    return factor;
  return std::max(factor * selection->operands[1]->number,
                  factor * selection->operands[2]->number);
}

static Expr addToTerm(ExprGraph &graph, Expr term, double shift) {
  double factor;
  Expr selection;
  if (!ExprGraph::matchSelection(term, factor, selection))
    return graph.sum({graph.constant(shift), term});
  auto shifted = [&](Expr x) {
    return graph.constant(shift + factor * x->number);
  };
  return graph.select(selection->operands[0], shifted(selection->operands[1]),
                      shifted(selection->operands[2]));
}

/// The normal form of (1 - m) * fill is fill - fill * m. Gives each such term
/// its part of the sum's constant back: it is 0 then where a key is seen, and
/// neither is the score lost beside the fill nor is a shift that hides it.
static void shareConstant(ExprGraph &graph, MutableArrayRef<Expr> terms) {
  if (terms.empty() || !terms[0]->is(ExprKind::Constant))
    return;
  double whole = terms[0]->number, rest = whole;
  for (Expr &term : terms.drop_front()) {
    double shown = getShownValue(term);
    if (std::abs(shown) <= largestShift ||
        !(std::abs(rest + shown) < std::abs(rest)))
      continue;
    rest += shown;
    term = addToTerm(graph, term, -shown);
  }
  // What rounding leaves of sums of several fills.
  if (rest != whole && std::abs(rest) <= 0x1p-40 * std::abs(whole))
    rest = 0.0;
  terms[0] = graph.constant(rest);
}

/// The score m s + (1 - m) fill of a mask m of 0 and 1: takes the guard out of
/// its dot product, and the fill that belongs to it out of the terms.
Expr ScoreReader::takeGuards(Expr core, SmallVectorImpl<Expr> &terms,
                             std::optional<ScoreStep> &guarded) const {
  SmallVector<Expr> conditions, others;
  for (Expr factor : ExprGraph::getFactors(core)) {
    if (factor->is(ExprKind::Guard) && factor->dependsOn(key))
      conditions.push_back(factor->operands[0]);
    else
      others.push_back(factor);
  }
  if (conditions.empty())
    return core;
  guarded = {graph.conjunction(conditions), 0.0, false, nullptr,
             /*multiplies=*/true};
  for (Expr &term : terms) {
    std::optional<ScoreStep> fill = matchTerm(term);
    if (!fill || fill->keep != guarded->keep)
      continue;
    guarded->fill = fill->fill;
    terms.erase(&term);
    break;
  }
  return graph.product(others);
}

bool ScoreReader::readSum(Expr x) {
  SmallVector<Expr> terms(ExprGraph::getTerms(x));
  auto *found =
      llvm::find_if(terms, [&](Expr term) { return mayContainDot(term); });
  Expr core = found == terms.end() ? nullptr : *found;
  if (core)
    terms.erase(found);
  shareConstant(graph, terms);
  std::optional<ScoreStep> guarded;
  if (core)
    core = takeGuards(core, terms, guarded);
  std::optional<size_t> last; // of the terms that are no masks
  double shift = 0.0;
  for (Expr term : terms) {
    // What is constant along the row shifts all of its scores.
    if (!term->dependsOn(key) && isShiftInvariant &&
        (term->is(ExprKind::Constant) || !mayDrown(term))) {
      if (term->is(ExprKind::Constant))
        shift = term->number;
      continue;
    }
    if (term->isConstant(0.0))
      continue;
    std::optional<ScoreStep> mask = matchTerm(term);
    score.steps.push_back(mask ? *mask : ScoreStep{nullptr, 0.0, false, term});
    if (!mask)
      last = score.steps.size() - 1;
  }
  // A shift that is large may be what keeps the sum with a bias small.
  if (std::abs(shift) > largestShift && last) {
    Expr &bias = score.steps[*last].bias;
    bias = graph.sum({graph.constant(shift), bias});
  }
  if (guarded)
    score.steps.push_back(*guarded);
  if (!core)
    return why.reject(3,
                      "the exponent holds no dot product of a query and a key");
  return core->is(ExprKind::Select) ? read(core) : readCapped(core);
}

/// Reads c tanh(s / c), or s.
bool ScoreReader::readCapped(Expr core) {
  SmallVector<Expr> others;
  Expr tanh = nullptr;
  for (Expr factor : ExprGraph::getFactors(core)) {
    if (!tanh && factor->is(ExprKind::Tanh))
      tanh = factor;
    else
      others.push_back(factor);
  }
  if (!tanh)
    return readScaled(core);
  Expr cap = graph.product(others);
  if (!cap->is(ExprKind::Constant) || cap->number <= 0.0)
    return why.reject(
        4, "the score's tanh has no positive constant factor (softcap)");
  score.softcap = cap->number;
  return readScaled(graph.product({cap, tanh->operands[0]}));
}

bool ScoreReader::readScaled(Expr x) {
  SmallVector<Expr> factors;
  Expr dot = nullptr;
  for (Expr factor : ExprGraph::getFactors(x)) {
    if (!dot && mayContainDot(factor))
      dot = factor;
    else
      factors.push_back(factor);
  }
  if (!dot || !(dot->is(ExprKind::Load) || dot->is(ExprKind::Reduce)))
    return why.reject(
        3, "the scaled score is not a dot product of a query and a key");
  if (!readDot(dot, factors))
    return false;
  SmallVector<Expr> rows, columns;
  for (Expr factor : factors) {
    if (factor->is(ExprKind::Constant))
      score.scale *= factor->number;
    else
      (factor->dependsOn(key) ? columns : rows).push_back(factor);
  }
  if (!columns.empty() && !readCosine(rows, columns))
    return why.reject(5, "the scale of the score depends on the key");
  if (!llvm::all_of(rows, canEmit))
    return why.reject(
        5, "the scale of the score is not a closed expression of the row");
  score.rowScales = rows;
  return true;
}

/// Reads sum_d q k, and appends what stands outside of the sum to `factors`.
bool ScoreReader::readDot(Expr dot, SmallVectorImpl<Expr> &factors) {
  if (dot->is(ExprKind::Load)) {
    auto pullOperand = [&](OpOperand &, Element element) {
      if (pullsOperands)
        return pull.pull(element.tensor, element.indices);
      Expr operand = findOperand(pull, element, /*mayScale=*/true);
      return operand ? operand : graph.load(element.tensor, element.indices);
    };
    dot = pull.expand(cast<OpResult>(dot->tensor), dot->indices, pullOperand);
    if (!dot)
      return why.reject(3, "the contraction of the score has an unknown form");
  } else if (!pullsOperands) {
    return false;
  }
  Expr sum = nullptr;
  for (Expr factor : ExprGraph::getFactors(dot)) {
    bool isSum = factor->is(ExprKind::Reduce) &&
                 factor->getReduction() == Reduction::Add;
    if (isSum && !sum && factor->dependsOn(key))
      sum = factor;
    else
      factors.push_back(factor);
  }
  if (!sum)
    return why.reject(3, "the score is not a sum over the head dimension");
  score.headDim = graph.addVariable(graph.getExtent(sum->variable));
  Expr body = graph.open(sum, score.headDim);
  ArrayRef<Expr> parts = ExprGraph::getFactors(body);
  if (parts.size() != 2 || !isOperand(graph, parts[0]) ||
      !isOperand(graph, parts[1]))
    return why.reject(
        4, "query and key are not tensors indexed by whole dimensions");
  bool isSwapped = parts[0]->dependsOn(key);
  score.query = parts[isSwapped ? 1 : 0];
  score.key = parts[isSwapped ? 0 : 1];
  if (score.query->dependsOn(key) || !score.key->dependsOn(key))
    return why.reject(
        4, "the key's row does not enter exactly one operand of the score");
  return true;
}

/// The reciprocal norm of the row that `operand` loads, or null.
CosineAttr ScoreReader::matchNorm(Expr factor, Expr operand) const {
  if (!factor->is(ExprKind::Reciprocal))
    return {};
  Expr norm = factor->operands[0];
  double eps = 0.0;
  EpsMode mode = EpsMode::RsqrtSum;
  if (norm->is(ExprKind::Max) && norm->operands.size() == 2 &&
      norm->operands[0]->is(ExprKind::Constant)) {
    eps = norm->operands[0]->number;
    mode = EpsMode::MaxNorm;
    norm = norm->operands[1];
  }
  if (!norm->is(ExprKind::Sqrt))
    return {};
  Expr squares = norm->operands[0];
  if (mode == EpsMode::RsqrtSum && squares->is(ExprKind::Sum) &&
      squares->operands.size() == 2 &&
      squares->operands[0]->is(ExprKind::Constant)) {
    eps = squares->operands[0]->number;
    squares = squares->operands[1];
  }
  if (!squares->is(ExprKind::Reduce) ||
      squares->getReduction() != Reduction::Add ||
      graph.open(squares, score.headDim) != graph.product({operand, operand}))
    return {};
  return CosineAttr::get(graph.getContext(), shortest(eps), mode);
}

bool ScoreReader::readCosine(SmallVectorImpl<Expr> &rows,
                             SmallVectorImpl<Expr> &columns) {
  if (columns.size() != 1)
    return false;
  CosineAttr cosine = matchNorm(columns[0], score.key);
  if (!cosine)
    return false;
  auto norm = llvm::find_if(rows, [&](Expr factor) {
    return matchNorm(factor, score.query) == cosine;
  });
  if (norm == rows.end())
    return false;
  rows.erase(norm);
  score.cosine = cosine;
  return true;
}

} // namespace

bool readScore(PullThrough &pull, const Softmax &softmax, Score &score,
               Rejection &why) {
  // First look through what scales or normalises query and key; if they are no
  // plain tensors then, take the contraction's operands as they are.
  for (bool pullsOperands : {true, false}) {
    score = Score();
    if (softmax.keep)
      score.steps.push_back({softmax.keep, -INFINITY, false, nullptr});
    if (ScoreReader(pull, softmax, pullsOperands, score, why)
            .read(softmax.score))
      return true;
  }
  return false;
}

} // namespace attn::raise
