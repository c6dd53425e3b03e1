//===- ReadEndBand.cpp - Bands counted from the last row and key ----------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where lengths are dynamic, a mask compares positions with a number that the
// program computes: the keys less the rows, where the last row stands at the
// last key.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include "attn/Dialect/Attn/Transforms/Raise/Sizes.h"
#include <cmath>

using namespace mlir;

namespace attn::raise {
namespace {

/// A sum of an index and of multiples of numbers that the program computes,
/// from a condition that it is not negative.
struct Distance {
  AffineExpr index;
  SmallVector<std::pair<Value, int64_t>> numbers;
};

class DistanceReader {
public:
  DistanceReader(MLIRContext *context)
      : distance{getAffineConstantExpr(0, context), {}} {}

  std::optional<Distance> read(Expr condition);

private:
  bool add(Expr sum, int64_t sign);
  bool addTerm(Expr term, int64_t sign);

  Distance distance;
};

} // namespace

bool DistanceReader::addTerm(Expr term, int64_t sign) {
  Expr rest = nullptr;
  for (Expr factor : ExprGraph::getFactors(term)) {
    if (factor->is(ExprKind::Constant) && std::abs(factor->number) < 1e9 &&
        std::trunc(factor->number) == factor->number)
      sign *= static_cast<int64_t>(factor->number);
    else if (!rest)
      rest = factor;
    else
      return false;
  }
  if (!rest) {
    distance.index = distance.index + sign;
    return true;
  }
  if (rest->is(ExprKind::Index)) {
    distance.index = distance.index + rest->index * sign;
    return true;
  }
  if (!rest->is(ExprKind::Load) || !rest->tensor.getType().isIntOrIndex())
    return false;
  distance.numbers.push_back({rest->tensor, sign});
  return true;
}

bool DistanceReader::add(Expr sum, int64_t sign) {
  return llvm::all_of(ExprGraph::getTerms(sum),
                      [&](Expr term) { return addTerm(term, sign); });
}

/// From less <= more or less < more, or one of these negated.
std::optional<Distance> DistanceReader::read(Expr condition) {
  bool isNot = condition->is(ExprKind::Not);
  if (isNot)
    condition = condition->operands[0];
  if (!condition->is(ExprKind::Compare) ||
      condition->getComparison() == Comparison::Equal)
    return std::nullopt;
  Expr less = condition->operands[isNot], more = condition->operands[!isNot];
  if (!add(more, 1) || !add(less, -1))
    return std::nullopt;
  if (isNot == (condition->getComparison() == Comparison::LessEqual))
    distance.index = distance.index - 1;
  return distance;
}

/// The size of the dimension of a load that `variable` runs over.
static Size getLength(Sizes &sizes, Expr load, AffineExpr variable) {
  auto *it = llvm::find(load->indices, variable);
  return sizes.get(load->tensor, std::distance(load->indices.begin(), it));
}

bool narrowAtEnd(ExprGraph &graph, const Plan &plan, Expr condition,
                 KeyBand &band) {
  if (!plan.roles.row)
    return false;
  std::optional<Distance> distance =
      DistanceReader(graph.getContext()).read(condition);
  Value keyTensor = plan.score.key->tensor;
  auto func = keyTensor.getParentRegion()->getParentOfType<func::FuncOp>();
  if (!distance || distance->numbers.empty() || !func)
    return false;
  Sizes sizes(func);
  Size size;
  for (auto [number, factor] : distance->numbers)
    size = size + sizes.get(number) * Size(factor);
  AffineExpr row = graph.getIndex(*plan.roles.row),
             key = graph.getIndex(plan.roles.key);
  Size shift = getLength(sizes, plan.score.key, key) -
               getLength(sizes, plan.score.query, row);
  // How far the band goes beyond `ahead` and `by`; a negative reach excludes
  // the diagonal.
  auto getReach = [&](AffineExpr ahead, const Size &by) {
    std::optional<int64_t> reach;
    auto number = dyn_cast<AffineConstantExpr>(
        graph.simplifyIndex(distance->index - ahead));
    std::optional<int64_t> rest = (size - by).getConstant();
    if (number && rest && number.getValue() + *rest >= 0)
      reach = number.getValue() + *rest;
    return reach;
  };
  if (auto right = getReach(row - key, shift))
    band.narrow({std::nullopt, right});
  else if (auto left = getReach(key - row, shift * Size(-1)))
    band.narrow({left, std::nullopt});
  else
    return false;
  return true;
}

} // namespace attn::raise
