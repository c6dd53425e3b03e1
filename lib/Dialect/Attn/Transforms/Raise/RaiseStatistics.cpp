//===- RaiseStatistics.cpp - Kurtosis and infinity norm -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts from reductions, and looks for a tensor before and one after each such
// that the one is the kurtosis, or the largest magnitude, of the other.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include <cmath>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_RAISESTATISTICSPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

namespace attn::raise {
namespace {

/// How many tensors are looked at before and after a reduction, and how large
/// one expression may be.
constexpr unsigned maxSources = 24, maxUsers = 16, nodeBudget = 2000;

/// A number times powers of what is no product.
struct Monomial {
  double number = 1.0;
  llvm::SmallMapVector<Expr, double, 4> powers;

  void multiply(Expr x, double power);
};

void Monomial::multiply(Expr x, double power) {
  if (x->is(ExprKind::Constant))
    number *= std::pow(x->number, power);
  else if (x->is(ExprKind::Product))
    for (Expr factor : x->operands)
      multiply(factor, power);
  else if (x->is(ExprKind::Reciprocal))
    multiply(x->operands[0], -power);
  else if (x->is(ExprKind::Sqrt))
    multiply(x->operands[0], power / 2.0);
  else
    powers[x] += power;
}

/// Reads one element of a result as a statistic of a tensor.
class Reader {
public:
  explicit Reader(ExprGraph &graph) : graph(graph) {}

  std::optional<Measure> read(Expr y) {
    if (readLargest(y))
      return Measure::InfinityNorm;
    variables.clear();
    if (readKurtosis(y))
      return Measure::Kurtosis;
    return std::nullopt;
  }
  /// The dimensions of the tensor that are reduced, where the others are those
  /// of the result, in order.
  std::optional<SmallVector<int64_t>>
  getAxes(ArrayRef<AffineExpr> result) const;
  Value getInput() const { return x->tensor; }

private:
  /// The body of nested reductions, over new variables.
  Expr openFirst(Expr reduction, Reduction kind);
  /// The same over those variables; null where it has others.
  Expr openAgain(Expr reduction);
  bool readLargest(Expr y);
  bool readKurtosis(Expr y);
  bool readDistance(Expr distance);
  bool isNumber(double number, double wanted) const {
    return std::fabs(number - wanted) <= 1e-6 * std::fabs(wanted);
  }

  ExprGraph &graph;
  SmallVector<unsigned> variables;
  double count = 1.0; // elements that are reduced
  Expr x = nullptr;   // the load of one
};

Expr Reader::openFirst(Expr reduction, Reduction kind) {
  count = 1.0;
  while (reduction->is(ExprKind::Reduce) && reduction->getReduction() == kind) {
    int64_t extent = graph.getExtent(reduction->variable);
    variables.push_back(graph.addVariable(extent));
    count *= static_cast<double>(extent);
    reduction = graph.open(reduction, variables.back());
  }
  return reduction;
}

Expr Reader::openAgain(Expr reduction) {
  for (unsigned variable : variables) {
    if (!reduction || !reduction->is(ExprKind::Reduce) ||
        reduction->getReduction() != Reduction::Add)
      return nullptr;
    reduction = graph.open(reduction, variable);
  }
  return reduction;
}

/// max |x|, which is at least 0.
bool Reader::readLargest(Expr y) {
  if (y->is(ExprKind::Max) && y->operands.size() == 2 &&
      y->operands[0]->is(ExprKind::Constant) && y->operands[0]->number <= 0.0)
    y = y->operands[1];
  Expr body = openFirst(y, Reduction::Max);
  if (variables.empty() || !body->is(ExprKind::Abs))
    return false;
  x = body->operands[0];
  return x->is(ExprKind::Load);
}

/// x - mean x.
bool Reader::readDistance(Expr distance) {
  if (!distance->is(ExprKind::Sum) || distance->operands.size() != 2)
    return false;
  for (bool second : {false, true}) {
    x = distance->operands[second];
    Monomial mean;
    mean.multiply(distance->operands[!second], 1.0);
    if (x->is(ExprKind::Load) && mean.powers.size() == 1 &&
        mean.powers.front().second == 1.0 &&
        isNumber(mean.number, -1.0 / count) &&
        openAgain(mean.powers.front().first) == x)
      return true;
  }
  return false;
}

/// count sum d^4 / (sum d^2)^2, d = x - mean x.
bool Reader::readKurtosis(Expr y) {
  Monomial whole;
  whole.multiply(y, 1.0);
  Expr fourth = nullptr, second = nullptr;
  for (auto [base, power] : whole.powers) {
    if (power == 1.0 && !fourth)
      fourth = base;
    else if (power == -2.0 && !second)
      second = base;
    else if (power != 0.0)
      return false;
  }
  if (!fourth || !second)
    return false;
  Expr fourths = openFirst(fourth, Reduction::Add);
  Expr squares = openAgain(second);
  if (variables.empty() || !squares || !isNumber(whole.number, count))
    return false;
  ArrayRef<Expr> four = ExprGraph::getFactors(fourths),
                 two = ExprGraph::getFactors(squares);
  return four.size() == 4 && two.size() == 2 && llvm::all_equal(four) &&
         llvm::all_equal(two) && four[0] == two[0] && readDistance(two[0]);
}

std::optional<SmallVector<int64_t>>
Reader::getAxes(ArrayRef<AffineExpr> result) const {
  auto type = dyn_cast<RankedTensorType>(x->tensor.getType());
  if (!type || !isBlockElement(type.getElementType()))
    return std::nullopt;
  SmallVector<int64_t> axes;
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [dim, index] : llvm::enumerate(x->indices)) {
    std::optional<unsigned> variable = ExprGraph::asVariable(index);
    if (variable && llvm::is_contained(variables, *variable)) {
      if (graph.getExtent(*variable) != type.getDimSize(dim) ||
          !seen.insert(*variable).second)
        return std::nullopt;
      axes.push_back(static_cast<int64_t>(dim));
      continue;
    }
    if (!result.empty() && result.front() == index)
      result = result.drop_front();
    else if (type.getDimSize(dim) == 1 && !variable)
      axes.push_back(static_cast<int64_t>(dim));
    else
      return std::nullopt;
  }
  if (!result.empty() || seen.size() != variables.size())
    return std::nullopt;
  return axes;
}

/// Whether the op sums up, or takes the largest of, elements of one tensor.
bool isAnchor(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && op->getNumResults() == 1 &&
         structured.hasPureTensorSemantics() &&
         structured.getNumReductionLoops() != 0 &&
         hasBlockElements(op->getResult(0)) && !isContraction(op->getResult(0));
}

/// The statistic of `input` that `root` is, in its place.
bool raise(Value root, Value input) {
  ExprGraph graph(root.getContext());
  PullThrough pull(graph, nodeBudget);
  pull.stopAt(input);
  SmallVector<AffineExpr> indices = addIndices(graph, root);
  Reader reader(graph);
  std::optional<Measure> measure = reader.read(pull.pull(root, indices));
  if (!measure || reader.getInput() != input)
    return false;
  std::optional<SmallVector<int64_t>> axes = reader.getAxes(indices);
  if (!axes)
    return false;
  auto type = cast<RankedTensorType>(root.getType());
  OpBuilder builder(root.getDefiningOp());
  Location loc = root.getLoc();
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, root),
      type.getElementType());
  auto rank = cast<RankedTensorType>(input.getType()).getRank();
  bool isWhole = static_cast<int64_t>(axes->size()) == rank;
  auto op = StatisticsOp::create(
      builder, loc, TypeRange(type), input, init,
      MeasureAttr::get(builder.getContext(), *measure),
      isWhole ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(*axes),
      ScheduleAttrInterface());
  Remark(RemarkId::RaisedToStatistics,
         {{"kind", stringifyMeasure(*measure).str()}})
      .emit(loc);
  root.replaceAllUsesWith(op->getResult(0));
  return true;
}

void raiseBehind(Value anchor) {
  SmallVector<Value> sources = findSources(anchor, maxSources);
  SmallVector<Value> users = findUsers(anchor, maxUsers);
  for (Value root : llvm::reverse(users))
    if (!root.use_empty() && hasBlockElements(root))
      for (Value input : sources)
        if (hasBlockElements(input) && raise(root, input))
          break;
}

class RaiseStatisticsPass
    : public impl::RaiseStatisticsPassBase<RaiseStatisticsPass> {
public:
  void runOnOperation() override {
    SmallVector<Value> anchors;
    getOperation()->walk([&](Operation *op) {
      if (isAnchor(op))
        anchors.push_back(op->getResult(0));
    });
    for (Value anchor : anchors)
      if (!anchor.use_empty())
        raiseBehind(anchor);
    visitFromLast(getOperation(), [](Operation *) {});
  }
};

} // namespace
} // namespace attn::raise
