//===- RaiseAttention.cpp - Spelled-out attention becomes attn.attention --===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds contractions of softmax-like weights with values, reads the expression
// of the result there and replaces it. Nothing is changed before a full match.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Passes.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include <vector>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_RAISEATTENTIONPASS
#include "attn/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

namespace attn::raise {
namespace {

/// Bounds the work on one candidate; a whole layer takes a few hundred nodes.
constexpr unsigned nodeBudget = 50000;
/// How far the result is followed behind the contraction (transposes, a late
/// division, a collapse of head groups).
constexpr unsigned maxRoots = 12;

/// One contraction of weights with values.
class Candidate {
public:
  Candidate(OpResult contraction, Rejection &why)
      : contraction(contraction), why(why) {}

  /// Whether the contraction sums exponentials times something, and, if not,
  /// whether weights of softmaxes are in something else that it sums.
  bool isSoftmaxLike();
  bool hasWeights() const { return hasChangedWeights; }
  /// Raises `root`, where it `widens` on operands that were made wider for the
  /// products; nothing has changed when this returns null.
  Value raise(OpBuilder &builder, Value root, bool widens,
              SmallVectorImpl<Remark> &remarks);

private:
  /// The contraction's element; its value operand is a whole tensor where
  /// possible.
  Expr expand(PullThrough &pull, ArrayRef<AffineExpr> indices);
  /// Reads one attention of the root; changes no IR.
  bool read(PullThrough &pull, Value root, Expr product, Plan &plan);
  /// What else is computed of the weights, where the contraction has these
  /// indices.
  void readNumbers(PullThrough &pull, Value root, ArrayRef<AffineExpr> indices,
                   Plan &plan);
  Value build(OpBuilder &builder, PullThrough &pull, Value root, Plan &plan,
              SmallVectorImpl<Remark> &remarks);

  OpResult contraction;
  Rejection &why;
  bool hasChangedWeights = false;
};

bool hasExponential(Expr x) {
  return llvm::any_of(ExprGraph::getFactors(x),
                      [](Expr factor) { return factor->is(ExprKind::Exp); });
}

/// Whether a number of type `narrow` is one of type `wide`.
bool isExactIn(Type narrow, Type wide) {
  auto from = dyn_cast<FloatType>(narrow), to = dyn_cast<FloatType>(wide);
  return from && to && (from == to || from.getWidth() < to.getWidth()) &&
         to.getFPMantissaWidth() >= from.getFPMantissaWidth();
}

/// Whether a row may have nothing but finite fills.
bool mayHideByFills(ExprGraph &graph, const Plan &plan) {
  SmallVector<Expr> keeps;
  bool isFinite = false;
  for (const ScoreStep &step : plan.score.steps) {
    if (step.isMask())
      keeps.push_back(step.keep);
    isFinite |= step.isMask() && std::isfinite(step.fill);
  }
  return isFinite && plan.softmax.extra == 0.0 && !plan.softmax.sink &&
         !everyRowKeepsAKey(graph, plan.roles, graph.conjunction(keeps));
}

Expr Candidate::expand(PullThrough &pull, ArrayRef<AffineExpr> indices) {
  ExprGraph &graph = pull.getGraph();
  return pull.expand(contraction, indices, [&](OpOperand &, Element element) {
    Expr full = pull.pull(element.tensor, element.indices);
    if (hasExponential(full) || hasQuotient(full) || isOperand(graph, full))
      return full;
    Expr operand = findOperand(pull, element, /*mayScale=*/false);
    return operand ? operand : full;
  });
}

/// Whether there is an exponential in what the operands are computed by, as far
/// as expressions are followed. Looking is cheap beside reading: what a linear
/// layer is given goes back through all residual sums of a model.
bool mayHaveExponential(OpResult contraction) {
  llvm::SetVector<Value> found;
  found.insert(contraction);
  auto isExponential = [&](Operation *op) {
    found.insert_range(op->getOperands());
    return isa<math::ExpOp, math::Exp2Op, math::PowFOp, linalg::SoftmaxOp,
               SoftmaxOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  for (size_t i = 0; i < found.size(); ++i) {
    Operation *op = found[i].getDefiningOp();
    if (op && (i == 0 || !isContraction(found[i])) &&
        op->walk(isExponential).wasInterrupted())
      return true;
  }
  return false;
}

bool Candidate::isSoftmaxLike() {
  if (!mayHaveExponential(contraction))
    return false;
  ExprGraph graph(contraction.getContext());
  PullThrough pull(graph, nodeBudget);
  Expr x = expand(pull, addIndices(graph, contraction));
  hasChangedWeights = x && hasQuotient(x);
  if (!x)
    return false;
  SmallVector<WeightedPart> parts = splitWeights(graph, x);
  return isCandidate(x) ||
         (parts.size() > 1 && llvm::all_of(parts, [](const WeightedPart &part) {
            return isCandidate(part.product);
          }));
}

Value Candidate::raise(OpBuilder &builder, Value root, bool widens,
                       SmallVectorImpl<Remark> &remarks) {
  ExprGraph graph(contraction.getContext());
  PullThrough pull(graph, nodeBudget);
  pull.setWidens(widens);
  SmallVector<AffineExpr> result = addIndices(graph, root);
  // The contraction is a leaf of the root's expression; open it.
  SmallVector<Expr> factors;
  Expr outer =
      root == contraction ? graph.load(root, result) : pull.pull(root, result);
  bool found = false;
  SmallVector<AffineExpr> indices;
  for (Expr factor : ExprGraph::getFactors(outer)) {
    if (!found && factor->is(ExprKind::Load) && factor->tensor == contraction) {
      found = true;
      indices.assign(factor->indices.begin(), factor->indices.end());
      factor = expand(pull, factor->indices);
      if (!factor)
        return {};
    }
    factors.push_back(factor);
  }
  if (!found)
    return {};
  Expr product = graph.product(factors);
  SmallVector<WeightedPart> parts = splitWeights(graph, product);
  // What stands behind the contraction may stay there.
  bool isSplit =
      parts.size() > 1 || (root == contraction && parts.size() == 1 &&
                           !parts[0].factor->isConstant(1.0));
  if (isSplit && !haveFactors(parts, result)) {
    why.reject(2, "the weights are multiplied by what cannot be computed apart "
                  "from them");
    return {};
  }
  if (!isSplit)
    parts = {{graph.constant(1.0), product}};
  std::vector<Plan> plans(parts.size());
  for (auto [part, plan] : llvm::zip_equal(parts, plans)) {
    plan.result = result;
    if (!read(pull, root, part.product, plan))
      return {};
    if (!isSplit)
      readNumbers(pull, root, indices, plan);
    remarks.append(plan.remarks);
  }
  builder.setInsertionPoint(root.getDefiningOp());
  SmallVector<Value> attentions;
  for (Plan &plan : plans)
    attentions.push_back(build(builder, pull, root, plan, remarks));
  return isSplit ? addParts(builder, root, graph, result, parts, attentions)
                 : attentions[0];
}

bool Candidate::read(PullThrough &pull, Value root, Expr product, Plan &plan) {
  ExprGraph &graph = pull.getGraph();
  if (!matchSoftmax(graph, product, plan.softmax, why) ||
      !readScore(pull, plan.softmax, plan.score, why) ||
      !assignRoles(graph, plan.result, plan.softmax, plan.score, plan.roles,
                   why) ||
      !readSteps(pull, plan, why) || !readPolicies(graph, plan, why))
    return false;
  // Beside a fill the logarithm of a number of keys is too small to count.
  if (llvm::any_of(contraction.getOwner()->getOperands(), addsToLogOfSum) &&
      mayHideByFills(graph, plan))
    return why.reject(7, "hidden scores are replaced by a finite number, a row "
                         "may have no other, and is divided by its sum as a "
                         "logarithm");
  Type element = getElementTypeOrSelf(root.getType());
  for (Expr load : {plan.score.query, plan.score.key, plan.softmax.value[0]})
    if (Type type = getElementTypeOrSelf(load->tensor.getType());
        type != element && (pull.widens() || !isExactIn(type, element)))
      return why.reject(
          9, "query, key, value and result have different element types");
  return true;
}

void Candidate::readNumbers(PullThrough &pull, Value root,
                            ArrayRef<AffineExpr> indices, Plan &plan) {
  ExprGraph &graph = pull.getGraph();
  // Of a row that is hidden by numbers they are those of equal weights.
  if (plan.meansEmptyRows || mayHideByFills(graph, plan))
    return;
  auto op = cast<linalg::LinalgOp>(contraction.getOwner());
  AffineExpr key = graph.getIndex(plan.softmax.key);
  SmallVector<AffineExpr> loops(op.getNumLoops(), key);
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (op.getNumReductionLoops() != 1 || !map.isProjectedPermutation())
    return;
  for (auto [result, index] : llvm::zip_equal(map.getResults(), indices))
    loops[cast<AffineDimExpr>(result).getPosition()] = index;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Element weights{operand->get(), {}};
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults())
      weights.indices.push_back(expr.replaceDimsAndSymbols(loops, {}));
    if (!hasExponential(pull.pull(weights.tensor, weights.indices)))
      continue;
    plan.numbers = findRowNumbers(pull, root.getDefiningOp(), weights, key);
    llvm::erase_if(plan.numbers, [&](const RowNumber &number) {
      // Without a visible key exp(-inf + inf) is no weight.
      bool isEmpty = plan.softmax.isGuarded && plan.softmax.extra == 0.0;
      return number.kind == RowStatistic::Largest && isEmpty;
    });
  }
  for (const RowNumber &number : plan.numbers) {
    StringRef name = number.kind == RowStatistic::Entropy   ? "the entropy"
                     : number.kind == RowStatistic::Squares ? "sum p^2"
                                                            : "the largest";
    plan.remarks.push_back(
        Remark(RemarkId::RaisedToProbe, {{"statistic", name.str()}}));
  }
}

/// The operand in the result's type, in which its numbers are exact.
Expr widenOperand(OpBuilder &builder, ExprGraph &graph, Expr load,
                  Type element) {
  Value narrow = load->tensor;
  auto type = cast<RankedTensorType>(narrow.getType());
  if (type.getElementType() == element)
    return load;
  Location loc = narrow.getLoc();
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, narrow), element);
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto wide = linalg::GenericOp::create(
      builder, loc, init.getType(), narrow, init,
      ArrayRef<AffineMap>{identity, identity}, loops,
      [&](OpBuilder &body, Location at, ValueRange arguments) {
        Value number =
            arith::ExtFOp::create(body, at, element, arguments.front());
        linalg::YieldOp::create(body, at, number);
      });
  return graph.load(wide.getResult(0), load->indices);
}

Value Candidate::build(OpBuilder &builder, PullThrough &pull, Value root,
                       Plan &plan, SmallVectorImpl<Remark> &remarks) {
  auto view = [&](Expr &load, StringRef name, unsigned minUnits) {
    StringRef whyCopied;
    load = viewOperand(builder, pull, load, minUnits, whyCopied);
    if (!whyCopied.empty())
      remarks.push_back(
          Remark(RemarkId::OperandCopied,
                 {{"operand", name.str()}, {"reason", whyCopied.str()}}));
    load = widenOperand(builder, pull.getGraph(), load,
                        getElementTypeOrSelf(root.getType()));
  };
  view(plan.score.query, "query", plan.roles.row ? 0 : 1);
  view(plan.score.key, "key", 0);
  view(plan.softmax.value[0], "value", plan.roles.value ? 0 : 1);
  return buildAttention(builder, root, pull.getGraph(), plan);
}

/// The weights stay, and are computed a second time, where something else needs
/// them too (attention maps as a result of their own).
void remarkSharedWeights(OpResult contraction) {
  ExprGraph graph(contraction.getContext());
  PullThrough pull(graph, nodeBudget);
  for (OpOperand *operand :
       cast<linalg::LinalgOp>(contraction.getOwner()).getDpsInputOperands()) {
    Value weights = operand->get();
    if (!hasExponential(pull.pull(weights, addIndices(graph, weights))))
      continue;
    for (std::optional<Element> at =
             Element{weights, addIndices(graph, weights)};
         at; at = pull.step(*at)) {
      if (!at->tensor.hasOneUse()) {
        Remark(RemarkId::WeightsStay).emit(contraction.getLoc());
        return;
      }
    }
  }
}

void raiseContraction(OpResult contraction) {
  Rejection why;
  Candidate candidate(contraction, why);
  if (!candidate.isSoftmaxLike()) {
    if (candidate.hasWeights())
      explain(contraction.getOwner(),
              Remark(RemarkId::NotRaised,
                     {{"reason",
                       "the weights of a softmax are changed, or those of "
                       "several added, before the value product"}}));
    return;
  }
  OpBuilder builder(contraction.getContext());
  SmallVector<Value> roots = findRoots(contraction, maxRoots);
  for (Value root : llvm::reverse(roots)) {
    SmallVector<Remark> remarks;
    Value attention = candidate.raise(builder, root, /*widens=*/true, remarks);
    if (!attention) {
      remarks.clear();
      attention = candidate.raise(builder, root, /*widens=*/false, remarks);
    }
    if (!attention)
      continue;
    Remark(RemarkId::RaisedToAttention).emit(attention.getLoc());
    for (const Remark &remark : remarks)
      remark.emit(attention.getLoc());
    root.replaceAllUsesWith(attention);
    remarkSharedWeights(contraction);
    return;
  }
  explain(contraction.getOwner(),
          Remark(RemarkId::NotRaised, {{"reason", why.reason}}));
}

class RaiseAttentionPass
    : public impl::RaiseAttentionPassBase<RaiseAttentionPass> {
public:
  using RaiseAttentionPassBase::RaiseAttentionPassBase;

  void runOnOperation() override {
    SmallVector<OpResult> contractions;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op->getNumResults() == 1 && isContraction(op->getResult(0)))
        contractions.push_back(op->getResult(0));
    });
    for (OpResult contraction : contractions)
      raiseContraction(contraction);
  }
};

} // namespace
} // namespace attn::raise
