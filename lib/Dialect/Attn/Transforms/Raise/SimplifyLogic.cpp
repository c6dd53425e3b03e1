//===- SimplifyLogic.cpp - Normal form of predicates and selections -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Expr.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;

namespace attn::raise {

/// The value as an affine expression, where it is one.
static AffineExpr asAffine(Expr x, MLIRContext *context) {
  if (x->is(ExprKind::Index))
    return x->index;
  if (x->is(ExprKind::Constant) && std::abs(x->number) < 1e15 &&
      std::trunc(x->number) == x->number)
    return getAffineConstantExpr(static_cast<int64_t>(x->number), context);
  return {};
}

Expr ExprGraph::nonNegative(AffineExpr expr) {
  expr = simplifyIndex(expr);
  Range range = getRange(expr);
  if (range.lower && *range.lower >= 0)
    return boolean(true);
  if (range.upper && *range.upper < 0)
    return boolean(false);
  Node node;
  node.kind = ExprKind::NonNegative;
  node.index = expr;
  return unique(std::move(node));
}

/// Whether the exponent is a score less the maximum of its row: exponentials
/// of such are 1 at most, and 1 somewhere along the row.
static bool isBelowMaximum(ExprGraph &graph, Expr exponent) {
  return llvm::any_of(ExprGraph::getTerms(exponent), [&](Expr term) {
    ArrayRef<Expr> factors = ExprGraph::getFactors(term);
    if (factors.size() != 2 || !factors[0]->isConstant(-1.0) ||
        !factors[1]->is(ExprKind::Reduce) ||
        factors[1]->getReduction() != Reduction::Max)
      return false;
    Expr score = graph.subtract(exponent, term);
    return llvm::any_of(score->free.set_bits(), [&](unsigned variable) {
      return graph.open(factors[1], variable) == score;
    });
  });
}

/// Whether `x` is no infinity: a weight of a softmax.
static bool isWeight(ExprGraph &graph, Expr x) {
  auto isBounded = [&](Expr e) {
    return e->is(ExprKind::Exp) && isBelowMaximum(graph, e->operands[0]);
  };
  ArrayRef<Expr> factors = ExprGraph::getFactors(x);
  return llvm::any_of(factors, isBounded) &&
         llvm::all_of(factors, [&](Expr factor) {
           if (!factor->is(ExprKind::Reciprocal))
             return factor->is(ExprKind::Guard) || isBounded(factor);
           Expr sum = factor->operands[0];
           return sum->is(ExprKind::Reduce) &&
                  sum->getReduction() == Reduction::Add &&
                  isBounded(sum->operands[0]);
         });
}

Expr ExprGraph::compare(Comparison kind, Expr x, Expr y) {
  auto isInfinite = [](Expr e) {
    return e->is(ExprKind::Constant) && std::isinf(e->number);
  };
  if (kind == Comparison::Equal && ((isInfinite(y) && isWeight(*this, x)) ||
                                    (isInfinite(x) && isWeight(*this, y))))
    return boolean(false);
  if (x->is(ExprKind::Constant) && y->is(ExprKind::Constant)) {
    switch (kind) {
    case Comparison::Equal:
      return boolean(x->number == y->number);
    case Comparison::Less:
      return boolean(x->number < y->number);
    case Comparison::LessEqual:
      return boolean(x->number <= y->number);
    }
  }
  AffineExpr a = asAffine(x, context), b = asAffine(y, context);
  if (a && b) {
    switch (kind) {
    case Comparison::Equal:
      return conjunction({nonNegative(a - b), nonNegative(b - a)});
    case Comparison::Less:
      return nonNegative(b - a - 1);
    case Comparison::LessEqual:
      return nonNegative(b - a);
    }
  }
  for (bool swapped : {false, true}) {
    Expr number = swapped ? x : y, chosen = swapped ? y : x;
    if (!number->is(ExprKind::Constant))
      continue;
    auto compareWith = [&](Expr operand) {
      return swapped ? compare(kind, number, operand)
                     : compare(kind, operand, number);
    };
    if (chosen->is(ExprKind::Abs) && chosen->operands[0]->is(ExprKind::Index))
      return compareSize(kind, chosen->operands[0], number, swapped);
    if (Expr parted = compareSum(kind, chosen, number, swapped))
      return parted;
    if (isSelection(chosen))
      return selectBoolean(chosen->operands[0],
                           compareWith(chosen->operands[1]),
                           compareWith(chosen->operands[2]));
    if (kind == Comparison::Equal && number->isConstant(0.0))
      if (Expr isZero = compareProduct(chosen))
        return isZero;
  }
  if (kind == Comparison::Equal && y->id < x->id)
    std::swap(x, y);
  return plainNode(ExprKind::Compare, {x, y}, static_cast<uint8_t>(kind));
}

bool ExprGraph::isSelection(Expr x) {
  return x->is(ExprKind::Select) && x->operands[1]->is(ExprKind::Constant) &&
         x->operands[2]->is(ExprKind::Constant);
}

/// |x| against a number, without the size: x between the number and its
/// negative, or not.
Expr ExprGraph::compareSize(Comparison kind, Expr x, Expr number,
                            bool swapped) {
  Expr opposite = constant(-number->number);
  if (kind == Comparison::Equal) {
    if (number->number < 0.0)
      return boolean(false);
    return disjunction({compare(kind, x, number), compare(kind, x, opposite)});
  }
  return swapped ? disjunction(
                       {compare(kind, number, x), compare(kind, x, opposite)})
                 : conjunction(
                       {compare(kind, x, number), compare(kind, opposite, x)});
}

/// A sum of a few selections and a number against a number, by cases; null for
/// others.
Expr ExprGraph::compareSum(Comparison kind, Expr sum, Expr number,
                           bool swapped) {
  constexpr size_t maxTerms = 4;
  ArrayRef<Expr> terms = sum->operands;
  double sign;
  Expr selection = nullptr;
  auto isCase = [&](Expr term) {
    return term->is(ExprKind::Constant) ||
           matchSelection(term, sign, selection);
  };
  if (!sum->is(ExprKind::Sum) || terms.size() > maxTerms ||
      !llvm::all_of(terms, isCase))
    return nullptr;
  matchSelection(terms.back(), sign, selection);
  auto compareWith = [&](Expr chosen) {
    SmallVector<Expr> all(terms.drop_back());
    all.push_back(product({constant(sign), chosen}));
    Expr whole = this->sum(all);
    return swapped ? compare(kind, number, whole)
                   : compare(kind, whole, number);
  };
  return selectBoolean(selection->operands[0],
                       compareWith(selection->operands[1]),
                       compareWith(selection->operands[2]));
}

/// Whether a product is 0, by its factors: numbers that are chosen, which have
/// no small size, and integers. Null where that is not all but one of them.
Expr ExprGraph::compareProduct(Expr x) {
  if (!x->is(ExprKind::Product) && !x->is(ExprKind::Guard))
    return nullptr;
  SmallVector<Expr> isZero, floats;
  for (Expr factor : getFactors(x)) {
    bool isInteger =
        factor->is(ExprKind::Load) &&
        isa<IntegerType>(getElementTypeOrSelf(factor->tensor.getType()));
    if (factor->is(ExprKind::Guard))
      isZero.push_back(negation(factor->operands[0]));
    else if (isSelection(factor) || isInteger)
      isZero.push_back(compare(Comparison::Equal, factor, constant(0.0)));
    else if (!factor->is(ExprKind::Constant))
      floats.push_back(factor);
  }
  // The product of two floats may be too small for a number.
  if (isZero.empty() || floats.size() > 1)
    return nullptr;
  if (!floats.empty())
    isZero.push_back(compare(Comparison::Equal, floats[0], constant(0.0)));
  return disjunction(isZero);
}

/// Leaves out conditions on indices that follow from others (of a disjunction:
/// that others follow from); true where two of them are never true at once (one
/// always is).
bool ExprGraph::joinRanges(SmallVectorImpl<Expr> &operands, bool isAnd) const {
  auto getDistance = [&](AffineExpr x) -> std::optional<int64_t> {
    auto number = dyn_cast<AffineConstantExpr>(simplifyIndex(x));
    return number ? std::optional(number.getValue()) : std::nullopt;
  };
  for (size_t i = 0; i < operands.size(); ++i)
    for (size_t j = operands.size(); j-- > i + 1;) {
      Expr x = operands[i], y = operands[j];
      if (!x->is(ExprKind::NonNegative) || !y->is(ExprKind::NonNegative))
        continue;
      // x >= 0 and y >= 0 make x + y >= 0; one of them holds if x + y >= -1.
      std::optional<int64_t> sum = getDistance(x->index + y->index);
      if (sum && (isAnd ? *sum < 0 : *sum >= -1))
        return true;
      std::optional<int64_t> more = getDistance(x->index - y->index);
      if (!more)
        continue;
      if ((*more > 0) == isAnd)
        operands[i] = y;
      operands.erase(operands.begin() + j);
    }
  return false;
}

Expr ExprGraph::junction(ExprKind kind, ArrayRef<Expr> xs) {
  bool isAnd = kind == ExprKind::And;
  bool isAbsorbed = false;
  SmallVector<Expr> operands = flatten(kind, xs, [&](double constant) {
    isAbsorbed |= (constant != 0.0) != isAnd;
  });
  isAbsorbed |= joinRanges(operands, isAnd);
  if (isAbsorbed || operands.empty())
    return boolean(isAbsorbed ? !isAnd : isAnd);
  return operands.size() == 1 ? operands[0] : plainNode(kind, operands);
}

Expr ExprGraph::negation(Expr x) {
  switch (x->kind) {
  case ExprKind::Constant:
    return boolean(x->number == 0.0);
  case ExprKind::Not:
    return x->operands[0];
  case ExprKind::NonNegative:
    return nonNegative(-x->index - 1);
  case ExprKind::And:
  case ExprKind::Or: {
    auto negated =
        llvm::map_to_vector(x->operands, [&](Expr y) { return negation(y); });
    return junction(x->is(ExprKind::And) ? ExprKind::Or : ExprKind::And,
                    negated);
  }
  default:
    return plainNode(ExprKind::Not, x);
  }
}

Expr ExprGraph::guard(Expr condition) {
  if (condition->is(ExprKind::Constant))
    return constant(condition->number != 0.0 ? 1.0 : 0.0);
  return plainNode(ExprKind::Guard, condition);
}

Expr ExprGraph::selectBoolean(Expr condition, Expr x, Expr y) {
  return disjunction(
      {conjunction({condition, x}), conjunction({negation(condition), y})});
}

/// condition ? x : y as the maximum or minimum of x and y, or null.
static Expr matchClamp(ExprGraph &graph, Expr condition, Expr x, Expr y) {
  if (!condition->is(ExprKind::Compare) ||
      condition->getComparison() == Comparison::Equal)
    return nullptr;
  Expr smaller = condition->operands[0], larger = condition->operands[1];
  if (smaller == y && larger == x)
    return graph.maximum({x, y});
  if (smaller == x && larger == y)
    return graph.minimum({x, y});
  return nullptr;
}

/// Whether the condition says that `x`, the maximum of a row, is infinite.
static bool isInfiniteMaximum(Expr condition, Expr x) {
  if (!x->is(ExprKind::Reduce) || x->getReduction() != Reduction::Max ||
      !condition->is(ExprKind::Compare) ||
      condition->getComparison() != Comparison::Equal)
    return false;
  auto isSize = [&](Expr e) {
    return e->is(ExprKind::Abs) && e->operands[0] == x;
  };
  Expr a = condition->operands[0], b = condition->operands[1];
  return (isSize(a) && b->isConstant(INFINITY)) ||
         (isSize(b) && a->isConstant(INFINITY));
}

Expr ExprGraph::select(Expr condition, Expr x, Expr y) {
  if (condition->is(ExprKind::Constant))
    return condition->number != 0.0 ? x : y;
  if (x == y)
    return x;
  if (condition->is(ExprKind::Not))
    return select(condition->operands[0], y, x);
  // A logarithm of a sum shifts a row by 0 where it holds nothing.
  if (x->isConstant(0.0) && isInfiniteMaximum(condition, y))
    return y;
  if (Expr clamped = matchClamp(*this, condition, x, y))
    return clamped;
  // p ? (q ? a : b) : b is p and q ? a : b, and so on for the other three.
  for (bool isThen : {true, false}) {
    Expr inner = isThen ? x : y, other = isThen ? y : x;
    if (!isSelection(inner) || !other->is(ExprKind::Constant))
      continue;
    Expr here = isThen ? condition : negation(condition);
    if (inner->operands[2] == other)
      return select(conjunction({here, inner->operands[0]}), inner->operands[1],
                    other);
    if (inner->operands[1] == other)
      return select(conjunction({here, negation(inner->operands[0])}),
                    inner->operands[2], other);
  }
  bool areNumbers = x->is(ExprKind::Constant) && y->is(ExprKind::Constant);
  if (!areNumbers && y->isConstant(0.0))
    return product({guard(condition), x});
  if (!areNumbers && x->isConstant(0.0))
    return product({guard(negation(condition)), y});
  return plainNode(ExprKind::Select, {condition, x, y});
}

} // namespace attn::raise
