//===- MatchSoftmax.cpp - Normalised exponentials, and sums of them -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include <cmath>

using namespace mlir;

namespace attn::raise {

/// Whether `x` is a sum of exponentials times something, over one variable.
static bool isWeightedSum(Expr x) {
  if (!x->is(ExprKind::Reduce) || x->getReduction() != Reduction::Add)
    return false;
  ArrayRef<Expr> factors = ExprGraph::getFactors(x->operands[0]);
  return factors.size() > 1 && llvm::any_of(factors, [&](Expr factor) {
           return factor->is(ExprKind::Exp) && factor->dependsOn(x->variable);
         });
}

bool isCandidate(Expr result) {
  return llvm::any_of(ExprGraph::getFactors(result), isWeightedSum);
}

static bool hasSumOfExponentials(Expr x) {
  return (x->is(ExprKind::Reduce) && x->getReduction() == Reduction::Add &&
          x->operands[0]->is(ExprKind::Exp)) ||
         llvm::any_of(x->operands, hasSumOfExponentials);
}

static bool hasQuotient(Expr x, DenseSet<Expr> &seen) {
  if (!seen.insert(x).second)
    return false;
  ArrayRef<Expr> factors = ExprGraph::getFactors(x);
  auto isExponential = [](Expr factor) { return factor->is(ExprKind::Exp); };
  auto isInverseSum = [](Expr factor) {
    return factor->is(ExprKind::Reciprocal) && hasSumOfExponentials(factor);
  };
  if (llvm::any_of(factors, isExponential) &&
      llvm::any_of(factors, isInverseSum))
    return true;
  return llvm::any_of(x->operands,
                      [&](Expr operand) { return hasQuotient(operand, seen); });
}

bool hasQuotient(Expr x) {
  DenseSet<Expr> seen;
  return hasQuotient(x, seen);
}

/// Whether `x` and the exponent differ by what is constant along a row.
static bool isSameScore(ExprGraph &graph, Expr x, Expr exponent, unsigned key) {
  return x && !graph.subtract(exponent, x)->dependsOn(key);
}

/// Whether `x` says that the score of a key is -inf.
static bool isHidden(ExprGraph &graph, Expr x, Expr exponent, unsigned key) {
  if (!x || !x->is(ExprKind::Compare) || x->getComparison() == Comparison::Less)
    return false;
  Expr lhs = x->operands[0], rhs = x->operands[1];
  if (x->getComparison() == Comparison::Equal && lhs->isConstant(-INFINITY))
    std::swap(lhs, rhs);
  return rhs->isConstant(-INFINITY) && isSameScore(graph, lhs, exponent, key);
}

/// What holds for some key where `condition` holds for a row, or null: the
/// condition as a disjunction over the keys.
static Expr openDisjunction(ExprGraph &graph, Expr condition, unsigned key) {
  bool isNot = condition->is(ExprKind::Not);
  Expr x = isNot ? condition->operands[0] : condition;
  if (x->is(ExprKind::Reduce)) {
    if (x->getReduction() != (isNot ? Reduction::And : Reduction::Or))
      return nullptr;
    Expr body = graph.open(x, key);
    return body && isNot ? graph.negation(body) : body;
  }
  if (!x->is(ExprKind::Compare))
    return nullptr;
  // max x > bound, bound < max x; max x != -inf.
  bool isEqual = x->getComparison() == Comparison::Equal;
  Expr bound = x->operands[0], extremum = x->operands[1];
  if (isEqual && extremum->is(ExprKind::Constant))
    std::swap(bound, extremum);
  bool isLowest = bound->isConstant(-INFINITY);
  if (isEqual != isNot || (isEqual && !isLowest) ||
      x->getComparison() == Comparison::LessEqual ||
      !bound->is(ExprKind::Constant) || !extremum->is(ExprKind::Reduce))
    return nullptr;
  Expr body = graph.open(extremum, key);
  // A sum of ones and zeros is positive where one of them is.
  bool isCount =
      extremum->getReduction() == Reduction::Add && !isLowest &&
      bound->isConstant(0.0) && body && ExprGraph::isSelection(body) &&
      body->operands[1]->number >= 0.0 && body->operands[2]->number >= 0.0;
  if (!body || (extremum->getReduction() != Reduction::Max && !isCount))
    return nullptr;
  return isLowest
             ? graph.negation(graph.compare(Comparison::Equal, body, bound))
             : graph.compare(Comparison::Less, bound, body);
}

/// Whether a key is visible as far as `x` says: neither its score nor a term of
/// that is -inf.
static bool isVisibleKey(ExprGraph &graph, Expr x, Expr exponent,
                         unsigned key) {
  Expr hidden = graph.negation(x);
  return isHidden(graph, hidden, exponent, key) ||
         llvm::any_of(ExprGraph::getTerms(exponent), [&](Expr term) {
           return term->dependsOn(key) && isHidden(graph, hidden, term, key);
         });
}

/// The product without its guards, whose conditions come into `keep`.
static Expr splitGuards(ExprGraph &graph, Expr x, Expr &keep) {
  SmallVector<Expr> conditions, others;
  for (Expr factor : ExprGraph::getFactors(x)) {
    if (factor->is(ExprKind::Guard))
      conditions.push_back(factor->operands[0]);
    else
      others.push_back(factor);
  }
  if (!conditions.empty())
    keep = graph.conjunction(conditions);
  return conditions.empty() ? x : graph.product(others);
}

/// The sum over a row in a term of the denominator, and what it is multiplied
/// by: exp(m) sum exp(s - m) is the sum of exp(s).
static Expr splitRowSum(ExprGraph &graph, Expr term, Expr &outer) {
  Expr sum = nullptr;
  SmallVector<Expr> others;
  for (Expr factor : ExprGraph::getFactors(term)) {
    if (!sum && factor->is(ExprKind::Reduce) &&
        factor->getReduction() == Reduction::Add)
      sum = factor;
    else if (factor->is(ExprKind::Exp))
      others.push_back(factor);
    else
      return nullptr;
  }
  outer = graph.product(others);
  return sum;
}

/// The sum over a row that was joined with a few numbers: some of its terms are
/// `weight`. Gives the others. All of them are multiplied by `outer`.
static bool splitSum(ExprGraph &graph, Expr sum, Expr outer, Expr weight,
                     unsigned key, SmallVectorImpl<Expr> &others) {
  constexpr int64_t mostOthers = 8;
  int64_t all = graph.getExtent(sum->variable), length = graph.getExtent(key);
  if (ShapedType::isDynamic(all) || ShapedType::isDynamic(length) ||
      all <= length || all - length > mostOthers)
    return false;
  auto getTerm = [&](AffineExpr at) {
    return graph.product(
        {outer, graph.substitute(sum->operands[0], {{sum->variable, at}})});
  };
  for (int64_t begin = 0; begin <= all - length; ++begin) {
    if (getTerm(graph.getIndex(key) + begin) != weight)
      continue;
    for (int64_t at = 0; at < all; ++at)
      if (at < begin || at >= begin + length)
        others.push_back(
            getTerm(getAffineConstantExpr(at, graph.getContext())));
    return true;
  }
  return false;
}

/// Reads the denominator: the sum of `weight` and what is added to it. The
/// exponent's row terms shift the score, so an extra term c exp(x) is worth
/// c exp(x - shift).
static bool readDenominator(ExprGraph &graph, Expr denominator, Expr weight,
                            Expr shift, Softmax &softmax, Rejection &why) {
  // z == 0 ? 1 : z only changes rows without a visible key, where o is 0
  // anyway.
  if (denominator->is(ExprKind::Select)) {
    Expr condition = denominator->operands[0], z = denominator->operands[2];
    if (denominator->operands[1]->is(ExprKind::Constant) &&
        condition == graph.compare(Comparison::Equal, z, graph.constant(0.0)))
      denominator = z;
  }
  bool found = false;
  SmallVector<Expr> terms(ExprGraph::getTerms(denominator));
  for (size_t i = 0; i < terms.size(); ++i) {
    Expr term = terms[i];
    Expr outer = nullptr, sum = splitRowSum(graph, term, outer);
    if (!found && sum) {
      Expr keep = nullptr, summed = graph.open(sum, softmax.key);
      if (summed)
        summed = graph.product({summed, outer});
      if (summed && splitGuards(graph, summed, keep) == weight)
        softmax.keep = keep;
      else if (!splitSum(graph, sum, outer, weight, softmax.key, terms))
        return why.reject(
            2, "the denominator is not the sum of the same exponentials");
      found = true;
      continue;
    }
    double count = 1.0;
    Expr exponent = graph.constant(0.0);
    for (Expr factor : ExprGraph::getFactors(term)) {
      if (factor->is(ExprKind::Constant))
        count *= factor->number;
      else if (factor->is(ExprKind::Exp) && !sum)
        exponent = factor->operands[0];
      else
        return why.reject(
            2, "the denominator is not the sum of the same exponentials");
    }
    Expr logit = graph.subtract(exponent, shift);
    if (logit->is(ExprKind::Constant))
      softmax.extra += count * std::exp(logit->number);
    else if (count == 1.0 && !softmax.sink && isOperand(graph, logit))
      softmax.sink = logit;
    else
      return why.reject(
          2, "the extra term of the denominator is not a constant number of "
             "keys with logit 0 (with the row shift accounted for)");
  }
  if (!found)
    return why.reject(
        2, "the denominator is not the sum of the same exponentials");
  if (softmax.sink && softmax.extra != 0.0)
    return why.reject(2, "the denominator has a sink and another extra term");
  if (!(softmax.extra >= 0.0 && softmax.extra < INFINITY))
    return why.reject(2, "the extra term of the denominator is no count of "
                         "keys");
  return true;
}

/// Reads what makes rows 0, and what leaves weights out: `keep`, or null, from
/// the numerators, and that of the softmax from the sum.
static bool readGuards(ExprGraph &graph, Expr exponent, ArrayRef<Expr> guards,
                       Expr keep, Softmax &softmax, Rejection &why) {
  SmallVector<Expr> visible;
  // Weights that only the sum has are hidden by the scores, or not at all.
  if (keep && !softmax.keep)
    visible.push_back(keep);
  else if (keep != softmax.keep)
    return why.reject(2, "the sum leaves out other weights than the product "
                         "with the values");
  for (Expr guard : guards) {
    Expr some = openDisjunction(graph, guard, softmax.key);
    if (!some)
      return why.reject(2,
                        "the weights are selected by a condition that is not "
                        "'the row has a visible key'");
    if (isVisibleKey(graph, some, exponent, softmax.key))
      softmax.isGuarded = true;
    else
      visible.push_back(some);
  }
  if (visible.empty())
    return true;
  softmax.visible = visible[0];
  return llvm::all_equal(visible) ||
         why.reject(2, "the weights are selected by several conditions");
}

/// Whether a large number is part of a sum, or a factor or choice in it.
bool mayDrown(Expr term) {
  switch (term->kind) {
  case ExprKind::Constant:
    return std::abs(term->number) >= -largestFill;
  case ExprKind::Sum:
  case ExprKind::Product:
    return llvm::any_of(term->operands, mayDrown);
  case ExprKind::Select:
    return llvm::any_of(ArrayRef<Expr>(term->operands).drop_front(), mayDrown);
  default:
    return false;
  }
}

/// Reads the row of `weight`, an exponential that the numerators have where all
/// of `kept` hold, from what divides it and what guards it.
static bool readRow(ExprGraph &graph, Expr weight, SmallVector<Expr> kept,
                    Expr denominator, SmallVector<Expr> guards,
                    Softmax &softmax, Rejection &why) {
  Expr exponent = weight->operands[0];
  SmallVector<Expr> scores, shifts;
  for (Expr term : ExprGraph::getTerms(exponent)) {
    // A constant may be one half of a mask; ReadScore decides. So may a number
    // for whole rows, beside which their scores are lost.
    bool isScore = term->is(ExprKind::Constant) ||
                   term->dependsOn(softmax.key) || mayDrown(term);
    (isScore ? scores : shifts).push_back(term);
  }
  softmax.score = graph.sum(scores);
  softmax.shift = graph.sum(shifts);
  if (!readDenominator(graph, denominator, weight, softmax.shift, softmax, why))
    return false;
  // Without a visible key a weight is 0 / 0.
  Expr quotient = graph.product({weight, graph.reciprocal(denominator)}),
       isNumber = graph.compare(Comparison::Equal, quotient, quotient);
  for (SmallVectorImpl<Expr> *list : {&kept, &guards}) {
    size_t count = list->size();
    llvm::erase(*list, isNumber);
    softmax.replacesNaN |= list->size() != count;
  }
  softmax.isGuarded |= softmax.replacesNaN;
  Expr keep = kept.empty() ? nullptr : graph.conjunction(kept);
  return readGuards(graph, exponent, guards, keep, softmax, why);
}

bool takesMaximum(ExprGraph &graph, const Softmax &softmax, double lowest) {
  Expr top = graph.product({graph.constant(-1.0), softmax.shift});
  // A maximum of -inf may be replaced, as one that is lower than all scores.
  if (top->is(ExprKind::Select) && top->operands[1]->is(ExprKind::Constant))
    top = top->operands[2];
  if (top->is(ExprKind::Max) && top->operands.size() == 2 &&
      top->operands[0]->is(ExprKind::Constant) &&
      top->operands[0]->number <= lowest)
    top = top->operands[1];
  SmallVector<Expr> factors;
  Expr maximum = nullptr;
  for (Expr factor : ExprGraph::getFactors(top)) {
    if (!maximum && factor->is(ExprKind::Reduce) &&
        factor->getReduction() == Reduction::Max)
      maximum = factor;
    else if (factor->is(ExprKind::Constant))
      factors.push_back(factor);
    else
      return false;
  }
  Expr body = maximum ? graph.open(maximum, softmax.key) : nullptr;
  if (!body)
    return false;
  factors.push_back(body);
  return graph.subtract(graph.product(factors), softmax.score)->isConstant(0.0);
}

/// a (1 + b / a) is a + b. Null where `y` is no sum with a quotient by `x`.
static Expr multiplyOut(ExprGraph &graph, Expr x, Expr y) {
  if (!y->is(ExprKind::Sum))
    return nullptr;
  Expr inverse = graph.reciprocal(x);
  bool found = false;
  SmallVector<Expr> terms;
  for (Expr term : y->operands) {
    SmallVector<Expr> factors(ExprGraph::getFactors(term));
    auto *at = llvm::find(factors, inverse);
    if (at == factors.end()) {
      factors.push_back(x);
    } else {
      factors.erase(at);
      found = true;
    }
    terms.push_back(graph.product(factors));
  }
  return found ? graph.sum(terms) : nullptr;
}

/// Parts a product into `numerator`, what divides it and what guards it. A gate
/// on what was divided, such as the sigmoid of the sum's logarithm, is a term
/// of the divisor.
static bool splitQuotient(ExprGraph &graph, Expr result,
                          function_ref<bool(Expr)> isNumerator, Expr &numerator,
                          Expr &denominator, SmallVectorImpl<Expr> &guards) {
  for (Expr factor : ExprGraph::getFactors(result)) {
    if (!numerator && isNumerator(factor))
      numerator = factor;
    else if (!denominator && factor->is(ExprKind::Reciprocal))
      denominator = factor->operands[0];
    else if (factor->is(ExprKind::Reciprocal)) {
      Expr first = denominator, second = factor->operands[0];
      denominator = multiplyOut(graph, first, second);
      if (!denominator)
        denominator = multiplyOut(graph, second, first);
      if (!denominator)
        return false;
    } else if (factor->is(ExprKind::Guard))
      guards.push_back(factor->operands[0]);
    else
      return false;
  }
  return true;
}

bool matchSoftmax(ExprGraph &graph, Expr result, Softmax &softmax,
                  Rejection &why) {
  Expr weightedSum = nullptr, denominator = nullptr;
  SmallVector<Expr> guards, kept;
  if (!splitQuotient(graph, result, isWeightedSum, weightedSum, denominator,
                     guards))
    return why.reject(1, "the weighted sum is multiplied by another factor");
  if (!weightedSum)
    return why.reject(0, "there is no sum of exponentials times values");
  softmax.key = graph.addVariable(graph.getExtent(weightedSum->variable));
  Expr weight = nullptr;
  Expr body = graph.open(weightedSum, softmax.key);
  if (!denominator && hasQuotient(body))
    return why.reject(
        1, "the weights are summed along another dimension than their softmax");
  if (!denominator)
    return why.reject(
        1, "the exponentials are not divided by their sum along the row");

  for (Expr factor : ExprGraph::getFactors(body)) {
    if (factor->is(ExprKind::Exp))
      weight = factor;
    else if (factor->is(ExprKind::Guard) && factor->dependsOn(softmax.key))
      kept.push_back(factor->operands[0]);
    else
      softmax.value.push_back(factor);
  }
  return readRow(graph, weight, kept, denominator, guards, softmax, why);
}

bool matchWeights(ExprGraph &graph, Expr result, unsigned key, Softmax &softmax,
                  Rejection &why) {
  auto isWeight = [&](Expr factor) {
    return factor->is(ExprKind::Exp) && factor->dependsOn(key);
  };
  Expr weight = nullptr, denominator = nullptr;
  SmallVector<Expr> guards;
  if (!splitQuotient(graph, result, isWeight, weight, denominator, guards) ||
      !weight || !denominator || !hasSumOfExponentials(denominator))
    return why.reject(1, "no exponentials are divided by a sum of such");
  softmax = Softmax();
  softmax.key = key;
  return readRow(graph, weight, /*kept=*/{}, denominator, guards, softmax,
                 why) &&
         ((!softmax.keep && !softmax.visible) ||
          why.reject(2, "a mask selects weights"));
}

} // namespace attn::raise
