//===- Interval.cpp - What is known of a number without its tensors -------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Interval.h"
#include "mlir/IR/TypeUtilities.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace attn::raise {
namespace {

/// Each expression is read once: they share their parts.
class IntervalReader {
public:
  explicit IntervalReader(const ExprGraph &graph) : graph(graph) {}

  Interval read(Expr x);

private:
  Interval compute(Expr x);
  Interval readIndex(AffineExpr index) const;
  static Interval readLoad(Expr x);
  /// What holds for all of these operands.
  Interval join(ArrayRef<Expr> operands);

  const ExprGraph &graph;
  DenseMap<Expr, Interval> known;
};

} // namespace

static Interval multiply(const Interval &x, const Interval &y) {
  double infinity = std::numeric_limits<double>::infinity();
  Interval result = {infinity, -infinity};
  for (double a : {x.lower, x.upper})
    for (double b : {y.lower, y.upper}) {
      double product = a == 0.0 || b == 0.0 ? 0.0 : a * b;
      result = {std::min(result.lower, product),
                std::max(result.upper, product)};
    }
  return result;
}

Interval IntervalReader::readIndex(AffineExpr index) const {
  ExprGraph::Range range = graph.getRange(index);
  Interval result;
  if (range.lower)
    result.lower = static_cast<double>(*range.lower);
  if (range.upper)
    result.upper = static_cast<double>(*range.upper);
  return result;
}

Interval IntervalReader::readLoad(Expr x) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(x->tensor));
  if (!type)
    return {};
  if (type.isInteger(1))
    return {0.0, 1.0};
  double limit = std::ldexp(1.0, type.getWidth() - 1);
  return {-limit, limit - 1.0};
}

Interval IntervalReader::join(ArrayRef<Expr> operands) {
  Interval result = read(operands.front());
  for (Expr operand : operands.drop_front()) {
    Interval part = read(operand);
    result = {std::min(result.lower, part.lower),
              std::max(result.upper, part.upper)};
  }
  return result;
}

Interval IntervalReader::compute(Expr x) {
  Interval result;
  switch (x->kind) {
  case ExprKind::Constant:
    return {x->number, x->number};
  case ExprKind::Index:
    return readIndex(x->index);
  case ExprKind::Load:
    return readLoad(x);
  case ExprKind::Exp:
    result = read(x->operands[0]);
    return {std::exp(result.lower), std::exp(result.upper)};
  case ExprKind::Tanh:
    return {-1.0, 1.0};
  case ExprKind::Abs:
    result = read(x->operands[0]);
    return {0.0, std::max(-result.lower, result.upper)};
  case ExprKind::Sum:
    result = {0.0, 0.0};
    for (Expr operand : x->operands) {
      Interval part = read(operand);
      result = {result.lower + part.lower, result.upper + part.upper};
    }
    return result;
  case ExprKind::Product:
    result = {1.0, 1.0};
    for (Expr operand : x->operands)
      result = multiply(result, read(operand));
    return result;
  case ExprKind::Select:
    return join(ArrayRef(x->operands).drop_front());
  case ExprKind::Max:
  case ExprKind::Min:
    return join(x->operands);
  case ExprKind::Compare:
  case ExprKind::NonNegative:
  case ExprKind::And:
  case ExprKind::Or:
  case ExprKind::Not:
  case ExprKind::Guard:
    return {0.0, 1.0};
  default:
    return result;
  }
}

Interval IntervalReader::read(Expr x) {
  auto found = known.find(x);
  if (found != known.end())
    return found->second;
  Interval result = compute(x);
  known[x] = result;
  return result;
}

Interval getInterval(const ExprGraph &graph, Expr x) {
  return IntervalReader(graph).read(x);
}

} // namespace attn::raise
