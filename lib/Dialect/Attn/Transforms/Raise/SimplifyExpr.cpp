//===- SimplifyExpr.cpp - Normal form of arithmetic expressions -----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Expr.h"
#include "llvm/ADT/MapVector.h"
#include <cmath>

using namespace mlir;

namespace attn::raise {

ArrayRef<Expr> ExprGraph::getTerms(const Expr &x) {
  return x->is(ExprKind::Sum) ? ArrayRef<Expr>(x->operands) : ArrayRef<Expr>(x);
}

ArrayRef<Expr> ExprGraph::getFactors(const Expr &x) {
  return x->is(ExprKind::Product) ? ArrayRef<Expr>(x->operands)
                                  : ArrayRef<Expr>(x);
}

static std::optional<int64_t> asInteger(double number) {
  if (std::abs(number) < 1e15 && std::trunc(number) == number)
    return static_cast<int64_t>(number);
  return std::nullopt;
}

static bool createdBefore(Expr a, Expr b) { return a->id < b->id; }

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

namespace {
/// A sum taken apart: number + index + sum of coefficient * base.
struct SumParts {
  double number = 0.0;
  AffineExpr index;
  llvm::MapVector<Expr, double> coefficients;

  void add(Expr term, double scale, ExprGraph &graph) {
    if (term->is(ExprKind::Constant)) {
      number += scale * term->number;
      return;
    }
    if (term->is(ExprKind::Sum)) {
      for (Expr part : term->operands)
        add(part, scale, graph);
      return;
    }
    if (auto factor = asInteger(scale); factor && term->is(ExprKind::Index)) {
      index = index + term->index * *factor;
      return;
    }
    if (term->is(ExprKind::Product) &&
        term->operands[0]->is(ExprKind::Constant)) {
      scale *= term->operands[0]->number;
      term = graph.product(ArrayRef<Expr>(term->operands).drop_front());
    }
    coefficients[term] += scale;
  }
};
} // namespace

bool ExprGraph::matchSelection(Expr term, double &factor, Expr &selection) {
  ArrayRef<Expr> factors = getFactors(term);
  bool isScaled = factors[0]->is(ExprKind::Constant);
  factor = isScaled ? factors[0]->number : 1.0;
  selection = factors.back();
  return factors.size() == (isScaled ? 2 : 1) && isSelection(selection);
}

/// Makes selections by one condition one, and a selection that is alone beside
/// a number takes that up: 1 - (p ? 1 : 0) is p ? 0 : 1.
void ExprGraph::joinSelections(SmallVectorImpl<Expr> &terms, double &number) {
  for (size_t i = 0; i < terms.size(); ++i) {
    double sign, otherSign;
    Expr selection, other;
    if (!matchSelection(terms[i], sign, selection))
      continue;
    double shown = sign * selection->operands[1]->number,
           hidden = sign * selection->operands[2]->number;
    bool joins = false;
    for (size_t j = terms.size(); j-- > i + 1;) {
      if (!matchSelection(terms[j], otherSign, other) ||
          other->operands[0] != selection->operands[0])
        continue;
      shown += otherSign * other->operands[1]->number;
      hidden += otherSign * other->operands[2]->number;
      terms.erase(terms.begin() + j);
      joins = true;
    }
    if (terms.size() == 1 && number != 0.0) {
      shown += number;
      hidden += number;
      number = 0.0;
      joins = true;
    }
    if (!joins)
      continue;
    terms[i] =
        select(selection->operands[0], constant(shown), constant(hidden));
    if (terms[i]->is(ExprKind::Constant)) {
      number += terms[i]->number;
      terms.erase(terms.begin() + i--);
    }
  }
}

Expr ExprGraph::sum(ArrayRef<Expr> terms) {
  SumParts parts;
  parts.index = getAffineConstantExpr(0, context);
  for (Expr term : terms)
    parts.add(term, 1.0, *this);
  SmallVector<Expr> result;
  for (auto [base, coefficient] : parts.coefficients)
    if (coefficient != 0.0)
      result.push_back(product({constant(coefficient), base}));
  AffineExpr position = simplifyIndex(parts.index);
  if (auto offset = asInteger(parts.number)) {
    // Whole numbers belong to the index, so that 1.0 + i is the index i + 1.
    if (!isa<AffineConstantExpr>(position)) {
      position = simplifyIndex(position + *offset);
      parts.number = 0.0;
    }
  }
  if (auto offset = dyn_cast<AffineConstantExpr>(position))
    parts.number += static_cast<double>(offset.getValue());
  else
    result.push_back(index(position));
  joinSelections(result, parts.number);
  llvm::sort(result, createdBefore);
  if (parts.number != 0.0 || result.empty())
    result.insert(result.begin(), constant(parts.number));
  return result.size() == 1 ? result[0] : plainNode(ExprKind::Sum, result);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Splits products into a coefficient and factors; exponentials are joined.
static void collectFactors(ExprGraph &graph, ArrayRef<Expr> xs,
                           double &coefficient, SmallVector<Expr> &factors,
                           SmallVector<Expr> &exponents) {
  for (Expr x : xs) {
    if (x->is(ExprKind::Constant)) {
      // A guard that does not hold gives 0 whatever it guards, infinite or not.
      bool isZero = coefficient == 0.0 || x->number == 0.0;
      coefficient = isZero ? 0.0 : coefficient * x->number;
    } else if (x->is(ExprKind::Product))
      collectFactors(graph, x->operands, coefficient, factors, exponents);
    else if (x->is(ExprKind::Exp))
      exponents.push_back(x);
    else
      factors.push_back(x);
  }
}

/// Of several factors a selection between a number and 0 is a guard. Guards and
/// such selections alone are a selection.
static void joinGuards(ExprGraph &graph, double &coefficient,
                       SmallVector<Expr> &factors, bool isAlone) {
  SmallVector<Expr> conditions, rest;
  bool hasSelection = false;
  double number = coefficient;
  for (Expr factor : factors) {
    bool isChoice = ExprGraph::isSelection(factor);
    if (isChoice && factor->operands[2]->isConstant(0.0)) {
      conditions.push_back(factor->operands[0]);
      number *= factor->operands[1]->number;
    } else if (isChoice && factor->operands[1]->isConstant(0.0)) {
      conditions.push_back(graph.negation(factor->operands[0]));
      number *= factor->operands[2]->number;
    } else if (factor->is(ExprKind::Guard)) {
      conditions.push_back(factor->operands[0]);
      continue;
    } else {
      rest.push_back(factor);
      continue;
    }
    hasSelection = true;
  }
  if (!hasSelection || coefficient == 0.0 || factors.size() + !isAlone < 2)
    return;
  Expr all = graph.conjunction(conditions);
  coefficient = number;
  if (rest.empty() && isAlone) {
    rest.push_back(
        graph.select(all, graph.constant(number), graph.constant(0.0)));
    coefficient = 1.0;
  } else {
    rest.push_back(graph.guard(all));
  }
  factors = rest;
}

Expr ExprGraph::product(ArrayRef<Expr> xs) {
  double coefficient = 1.0;
  SmallVector<Expr> factors, exponents;
  collectFactors(*this, xs, coefficient, factors, exponents);
  joinGuards(*this, coefficient, factors, exponents.empty());
  if (factors.size() == 1 && factors[0]->is(ExprKind::Constant)) {
    coefficient *= factors[0]->number;
    factors.clear();
  }
  if (exponents.size() == 1) {
    factors.push_back(exponents[0]);
  } else if (exponents.size() > 1) {
    SmallVector<Expr> terms =
        llvm::map_to_vector(exponents, [](Expr x) { return x->operands[0]; });
    factors.push_back(exp(sum(terms)));
  }
  if (coefficient == 0.0)
    return constant(0.0);
  if (factors.empty())
    return constant(coefficient);
  llvm::sort(factors, createdBefore);
  // |x| |x| is x x.
  for (size_t i = 0; i + 1 < factors.size(); ++i)
    if (factors[i]->is(ExprKind::Abs) && factors[i] == factors[i + 1])
      factors[i] = factors[i + 1] = factors[i]->operands[0];
  llvm::sort(factors, createdBefore);
  if (factors.size() == 1) {
    Expr only = factors[0];
    if (coefficient == 1.0)
      return only;
    if (only->is(ExprKind::Sum))
      return sum(llvm::map_to_vector(only->operands, [&](Expr term) {
        return product({constant(coefficient), term});
      }));
    if (auto scale = asInteger(coefficient); scale && only->is(ExprKind::Index))
      return index(only->index * *scale);
    // The sign stays outside, so that a selection and its negative cancel.
    if (only->is(ExprKind::Select) && std::abs(coefficient) != 1.0) {
      Expr size = constant(std::abs(coefficient));
      Expr scaled =
          select(only->operands[0], product({size, only->operands[1]}),
                 product({size, only->operands[2]}));
      return product({constant(coefficient < 0 ? -1.0 : 1.0), scaled});
    }
  }
  if (coefficient != 1.0)
    factors.insert(factors.begin(), constant(coefficient));
  return plainNode(ExprKind::Product, factors);
}

Expr ExprGraph::reciprocal(Expr x) {
  switch (x->kind) {
  case ExprKind::Constant:
    return constant(1.0 / x->number);
  case ExprKind::Reciprocal:
    return x->operands[0];
  case ExprKind::Exp:
    return exp(negate(x->operands[0]));
  case ExprKind::Product:
    return product(llvm::map_to_vector(
        x->operands, [&](Expr factor) { return reciprocal(factor); }));
  default:
    return plainNode(ExprKind::Reciprocal, x);
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// x or -x, and which of them.
static std::pair<double, Expr> splitSign(Expr term) {
  ArrayRef<Expr> parts = ExprGraph::getFactors(term);
  bool isNegative = parts.size() == 2 && parts[0]->isConstant(-1.0);
  return isNegative ? std::pair(-1.0, parts[1]) : std::pair(1.0, term);
}

/// d of log(1 + exp(-|d|)), or null.
static Expr matchLogOfDistance(Expr x) {
  if (!x->is(ExprKind::Log) || !x->operands[0]->is(ExprKind::Sum))
    return nullptr;
  ArrayRef<Expr> parts = x->operands[0]->operands;
  if (parts.size() != 2 || !parts[0]->isConstant(1.0) ||
      !parts[1]->is(ExprKind::Exp))
    return nullptr;
  auto [sign, distance] = splitSign(parts[1]->operands[0]);
  return sign < 0.0 && distance->is(ExprKind::Abs) ? distance->operands[0]
                                                   : nullptr;
}

/// The sum of |m| == inf ? m : m + x with a maximum m of two numbers, or null.
/// It is infinite where m is, by itself.
static Expr matchFiniteSum(Expr x) {
  if (!x->is(ExprKind::Select) || !x->operands[0]->is(ExprKind::Compare) ||
      x->operands[0]->getComparison() != Comparison::Equal ||
      !x->operands[1]->is(ExprKind::Max) || !x->operands[2]->is(ExprKind::Sum))
    return nullptr;
  ArrayRef<Expr> compared = x->operands[0]->operands;
  bool isSize = llvm::any_of(compared, [&](Expr size) {
    return size->is(ExprKind::Abs) && size->operands[0] == x->operands[1];
  });
  bool isInfinity = llvm::any_of(
      compared, [](Expr bound) { return bound->isConstant(INFINITY); });
  return isSize && isInfinity &&
                 llvm::is_contained(x->operands[2]->operands, x->operands[1])
             ? x->operands[2]
             : nullptr;
}

/// max(a, b) + log(1 + exp(-|a - b|)) is log(exp(a) + exp(b)).
static void joinLogAddExp(ExprGraph &graph, SmallVector<Expr> &terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    auto [sign, chosen] = splitSign(terms[i]);
    Expr sum = matchFiniteSum(chosen);
    if (!sum)
      continue;
    terms.erase(terms.begin() + i--);
    for (Expr part : sum->operands)
      terms.push_back(graph.product({graph.constant(sign), part}));
  }
  for (Expr &term : terms) {
    auto [sign, logarithm] = splitSign(term);
    Expr distance = matchLogOfDistance(logarithm);
    if (!distance)
      continue;
    for (Expr &other : terms) {
      auto [otherSign, top] = splitSign(other);
      if (sign != otherSign || !top->is(ExprKind::Max) ||
          top->operands.size() != 2)
        continue;
      Expr a = top->operands[0], b = top->operands[1];
      if (distance != graph.subtract(a, b) && distance != graph.subtract(b, a))
        continue;
      Expr sum = graph.sum({graph.exp(a), graph.exp(b)});
      term = graph.product(
          {graph.constant(sign), graph.unary(ExprKind::Log, sum)});
      llvm::erase(terms, other);
      return;
    }
  }
}

Expr ExprGraph::exp(Expr x) {
  if (x->is(ExprKind::Constant))
    return constant(std::exp(x->number));
  // exp(a - log b) is exp(a) / b: the spelling through log softmax.
  SmallVector<Expr> terms, factors, parts(getTerms(x));
  joinLogAddExp(*this, parts);
  for (Expr term : parts) {
    auto [sign, base] = splitSign(term);
    if (!base->is(ExprKind::Log)) {
      terms.push_back(term);
      continue;
    }
    factors.push_back(sign < 0.0 ? reciprocal(base->operands[0])
                                 : base->operands[0]);
  }
  if (factors.empty())
    return plainNode(ExprKind::Exp, x);
  if (!terms.empty())
    factors.push_back(exp(sum(terms)));
  return product(factors);
}

/// Whether `x` is made of exponentials, and so is its own size.
static bool isPositive(Expr x) {
  switch (x->kind) {
  case ExprKind::Exp:
    return true;
  case ExprKind::Constant:
    return x->number > 0.0;
  case ExprKind::Reduce:
  case ExprKind::Sum:
  case ExprKind::Product:
  case ExprKind::Reciprocal:
    return llvm::all_of(x->operands, isPositive);
  default:
    return false;
  }
}

Expr ExprGraph::unary(ExprKind kind, Expr x) {
  if (kind == ExprKind::Abs && isPositive(x))
    return x;
  if (x->is(ExprKind::Constant)) {
    switch (kind) {
    case ExprKind::Log:
      return constant(std::log(x->number));
    case ExprKind::Tanh:
      return constant(std::tanh(x->number));
    case ExprKind::Sqrt:
      return constant(std::sqrt(x->number));
    default:
      return constant(std::abs(x->number));
    }
  }
  if (isSelection(x))
    return select(x->operands[0], unary(kind, x->operands[1]),
                  unary(kind, x->operands[2]));
  return plainNode(kind, x);
}

Expr ExprGraph::power(Expr x, Expr y) {
  if (x->is(ExprKind::Constant) && y->is(ExprKind::Constant))
    return constant(std::pow(x->number, y->number));
  if (y->isConstant(1.0))
    return x;
  if (y->isConstant(2.0) || y->isConstant(3.0) || y->isConstant(4.0))
    return product(SmallVector<Expr>(static_cast<size_t>(y->number), x));
  if (y->isConstant(0.5))
    return unary(ExprKind::Sqrt, x);
  if (y->isConstant(-0.5))
    return reciprocal(unary(ExprKind::Sqrt, x));
  if (y->isConstant(-1.0))
    return reciprocal(x);
  if (x->is(ExprKind::Constant) && x->number > 0.0 && std::isfinite(x->number))
    return exp(product({constant(std::log(x->number)), y}));
  return nullptr;
}

SmallVector<Expr>
ExprGraph::flatten(ExprKind kind, ArrayRef<Expr> xs,
                   llvm::function_ref<void(double)> addConstant) {
  SmallVector<Expr> operands;
  auto collect = [&](auto &self, ArrayRef<Expr> list) -> void {
    for (Expr x : list) {
      if (x->kind == kind)
        self(self, x->operands);
      else if (x->is(ExprKind::Constant))
        addConstant(x->number);
      else if (!llvm::is_contained(operands, x))
        operands.push_back(x);
    }
  };
  collect(collect, xs);
  llvm::sort(operands, createdBefore);
  return operands;
}

Expr ExprGraph::extremum(ExprKind kind, ArrayRef<Expr> xs) {
  bool isMax = kind == ExprKind::Max;
  double identity = isMax ? -INFINITY : INFINITY, number = identity;
  SmallVector<Expr> operands = flatten(kind, xs, [&](double constant) {
    number = isMax ? std::max(number, constant) : std::min(number, constant);
  });
  if (number != identity || operands.empty())
    operands.insert(operands.begin(), constant(number));
  bool areNumbers = llvm::all_of(operands, [](Expr x) {
    return x->is(ExprKind::Constant) || isSelection(x);
  });
  if (areNumbers && operands.size() > 1) {
    Expr last = operands.pop_back_val(), rest = extremum(kind, operands);
    // The last is a selection: constants come first.
    return select(last->operands[0], extremum(kind, {rest, last->operands[1]}),
                  extremum(kind, {rest, last->operands[2]}));
  }
  return operands.size() == 1 ? operands[0] : plainNode(kind, operands);
}

} // namespace attn::raise
