//===- ReadProbes.cpp - Numbers of rows beside an attention ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model may compute the entropy of its weights, the sum of their squares or
// the largest one beside what they weight. The attention has these as probes,
// and then nothing needs the weights.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attn::raise {

/// How many tensors behind the weights are looked at, and how large the
/// expression of one may be.
constexpr unsigned maxTensors = 32, nodeBudget = 2000;
/// What keeps a logarithm finite, and does not count beside a weight.
constexpr double largestGuard = 1e-7;

namespace {
/// A number of a row as a reduction over its weights.
struct RowReduction {
  RowStatistic kind;
  Expr weight = nullptr; // a load
  unsigned key = 0;      // the variable of the reduction
};
} // namespace

/// Whether `x` is the logarithm of the weight, which may be kept above 0.
static bool isLogOf(Expr x, Expr weight) {
  if (!x->is(ExprKind::Log))
    return false;
  Expr inside = x->operands[0];
  if (inside == weight)
    return true;
  bool isGuarded = (inside->is(ExprKind::Sum) || inside->is(ExprKind::Max)) &&
                   inside->operands.size() == 2;
  return isGuarded && inside->operands[0]->is(ExprKind::Constant) &&
         inside->operands[0]->number >= 0.0 &&
         inside->operands[0]->number <= largestGuard &&
         inside->operands[1] == weight;
}

static std::optional<RowReduction> matchReduction(ExprGraph &graph, Expr y) {
  double number = 1.0;
  Expr reduction = nullptr;
  for (Expr factor : ExprGraph::getFactors(y)) {
    if (factor->is(ExprKind::Constant))
      number *= factor->number;
    else if (!reduction && factor->is(ExprKind::Reduce))
      reduction = factor;
    else
      return std::nullopt;
  }
  if (!reduction)
    return std::nullopt;
  RowReduction found;
  found.key = graph.addVariable(graph.getExtent(reduction->variable));
  Expr body = graph.open(reduction, found.key);
  auto isWeight = [&](Expr x) {
    found.weight = x;
    return x->is(ExprKind::Load);
  };
  ArrayRef<Expr> factors = ExprGraph::getFactors(body);
  if (reduction->getReduction() == Reduction::Max) {
    found.kind = RowStatistic::Largest;
    return number == 1.0 && isWeight(body) ? std::optional(found)
                                           : std::nullopt;
  }
  if (reduction->getReduction() != Reduction::Add || factors.size() != 2)
    return std::nullopt;
  if (number == 1.0 && factors[0] == factors[1] && isWeight(factors[0])) {
    found.kind = RowStatistic::Squares;
    return found;
  }
  for (bool second : {false, true})
    if (number == -1.0 && isWeight(factors[second]) &&
        isLogOf(factors[!second], factors[second])) {
      found.kind = RowStatistic::Entropy;
      return found;
    }
  return std::nullopt;
}

/// What is computed from `weights`, the farthest first.
static SmallVector<Value> findComputed(Value weights) {
  llvm::SetVector<Value> found;
  found.insert(weights);
  for (unsigned i = 0; i < found.size() && found.size() < maxTensors; ++i)
    for (Operation *user : found[i].getUsers()) {
      bool follows =
          isa<linalg::LinalgOp>(user)
              ? user->getNumResults() == 1 && !isContraction(user->getResult(0))
              : isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                    tensor::CastOp>(user);
      if (follows && hasBlockElements(user->getResult(0)))
        found.insert(user->getResult(0));
    }
  return llvm::to_vector(llvm::reverse(llvm::drop_begin(found)));
}

/// Whether `root` is computed before all that uses `value`.
static bool comesFirst(Operation *root, Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           Operation *here = root->getBlock()->findAncestorOpInBlock(*user);
           return here && root->isBeforeInBlock(here);
         });
}

/// Whether an element for each batch and row can be written in its place.
static bool isByRows(const RowNumber &number) {
  return llvm::all_of(number.indices, [](AffineExpr index) {
    auto constant = dyn_cast<AffineConstantExpr>(index);
    return ExprGraph::asVariable(index) ||
           (constant && constant.getValue() == 0);
  });
}

/// The number of a row that `value` is, its indices in those of the weights.
static std::optional<RowNumber> readNumber(Value value,
                                           const Element &weights) {
  ExprGraph graph(value.getContext());
  PullThrough pull(graph, nodeBudget);
  pull.stopAt(weights.tensor);
  SmallVector<AffineExpr> own = addIndices(graph, value);
  std::optional<RowReduction> found =
      matchReduction(graph, pull.pull(value, own));
  if (!found || found->weight->tensor != weights.tensor)
    return std::nullopt;
  RowNumber number{value, found->kind, {}, {}};
  llvm::DenseMap<AffineExpr, AffineExpr> places;
  AffineExpr key = graph.getIndex(found->key);
  for (auto [index, place] :
       llvm::zip_equal(found->weight->indices, weights.indices))
    if (index == key)
      number.key = place;
    else
      places[index] = place;
  AffineExpr zero = getAffineConstantExpr(0, graph.getContext());
  for (AffineExpr index : own) {
    auto place = places.find(index);
    if (place == places.end() && index != zero)
      return std::nullopt;
    number.indices.push_back(index == zero ? zero : place->second);
  }
  return number;
}

SmallVector<RowNumber> findRowNumbers(PullThrough &pull, Operation *root,
                                      const Element &weights, AffineExpr key) {
  SmallVector<RowNumber> numbers;
  llvm::SmallDenseSet<Value> seen;
  for (std::optional<Element> at = weights; at; at = pull.step(*at)) {
    for (AffineExpr &index : at->indices)
      index = pull.getGraph().simplifyIndex(index);
    for (Value value : findComputed(at->tensor)) {
      if (!seen.insert(value).second || !comesFirst(root, value))
        continue;
      auto number = readNumber(value, *at);
      if (number && number->key == key && isByRows(*number))
        numbers.push_back(std::move(*number));
    }
  }
  return numbers;
}

} // namespace attn::raise
