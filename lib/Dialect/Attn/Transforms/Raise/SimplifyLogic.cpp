//===- SimplifyLogic.cpp - Normal form of predicates and selections -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Expr.h"
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
  if (kind == Comparison::Equal && y->id < x->id)
    std::swap(x, y);
  return plainNode(ExprKind::Compare, {x, y}, static_cast<uint8_t>(kind));
}

Expr ExprGraph::junction(ExprKind kind, ArrayRef<Expr> xs) {
  bool isAnd = kind == ExprKind::And;
  bool isAbsorbed = false;
  SmallVector<Expr> operands = flatten(kind, xs, [&](double constant) {
    isAbsorbed |= (constant != 0.0) != isAnd;
  });
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
  bool areNumbers = x->is(ExprKind::Constant) && y->is(ExprKind::Constant);
  if (!areNumbers && y->isConstant(0.0))
    return product({guard(condition), x});
  if (!areNumbers && x->isConstant(0.0))
    return product({guard(negation(condition)), y});
  return plainNode(ExprKind::Select, {condition, x, y});
}

} // namespace attn::raise
