//===- PullThrough.cpp - From tensors to expressions ----------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/PullThrough.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::raise {

bool isContraction(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  return op && op.hasPureTensorSemantics() &&
         linalg::isaContractionOpInterface(op);
}

static SmallVector<AffineExpr>
applyMap(AffineMap map, ArrayRef<AffineExpr> loops, ExprGraph &graph) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return graph.simplifyIndex(expr.replaceDims(loops));
  });
}

/// The iteration indices at which `op` writes `indices` of its result; those of
/// reductions are new variables, listed in `reductions`. Fails when a parallel
/// loop is not determined by the result.
static LogicalResult findLoops(linalg::LinalgOp op, AffineMap outputMap,
                               ArrayRef<AffineExpr> indices, ExprGraph &graph,
                               SmallVectorImpl<AffineExpr> &loops,
                               SmallVectorImpl<unsigned> &reductions) {
  loops.assign(op.getNumLoops(), AffineExpr());
  for (auto [expr, index] : llvm::zip_equal(outputMap.getResults(), indices)) {
    if (isa<AffineConstantExpr>(expr)) {
      // The elements at other indices are those of the destination.
      if (index != expr)
        return failure();
      continue;
    }
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || (loops[dim.getPosition()] && loops[dim.getPosition()] != index))
      return failure();
    loops[dim.getPosition()] = index;
  }
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (auto [i, loop] : llvm::enumerate(loops)) {
    if (loop)
      continue;
    if (extents[i] != 1 && iterators[i] != utils::IteratorType::reduction)
      return failure();
    loop = graph.addIndex(extents[i]);
    if (auto variable = ExprGraph::asVariable(loop))
      reductions.push_back(*variable);
  }
  return success();
}

/// Splits `body`, one step of a reduction, into the combining operation and the
/// new element. Null when the running value is used in another way.
static Expr matchCombiner(ExprGraph &graph, Expr body, Reduction &kind) {
  switch (body->kind) {
  case ExprKind::Sum:
    kind = Reduction::Add;
    break;
  case ExprKind::Max:
    kind = Reduction::Max;
    break;
  case ExprKind::Min:
    kind = Reduction::Min;
    break;
  case ExprKind::And:
    kind = Reduction::And;
    break;
  case ExprKind::Or:
    kind = Reduction::Or;
    break;
  default:
    return nullptr;
  }
  SmallVector<Expr> rest;
  bool found = false;
  for (Expr operand : body->operands) {
    if (operand->is(ExprKind::Accumulator))
      found = true;
    else if (operand->hasAccumulator)
      return nullptr;
    else
      rest.push_back(operand);
  }
  if (!found)
    return nullptr;
  switch (kind) {
  case Reduction::Add:
    return graph.sum(rest);
  case Reduction::Max:
    return graph.maximum(rest);
  case Reduction::Min:
    return graph.minimum(rest);
  case Reduction::And:
    return graph.conjunction(rest);
  case Reduction::Or:
    return graph.disjunction(rest);
  }
  llvm_unreachable("all reductions are covered");
}

static Expr combine(ExprGraph &graph, Reduction kind, Expr x, Expr y) {
  switch (kind) {
  case Reduction::Add:
    return graph.sum({x, y});
  case Reduction::Max:
    return graph.maximum({x, y});
  case Reduction::Min:
    return graph.minimum({x, y});
  case Reduction::And:
    return graph.conjunction({x, y});
  case Reduction::Or:
    return graph.disjunction({x, y});
  }
  llvm_unreachable("all reductions are covered");
}

Expr PullThrough::expand(OpResult result, ArrayRef<AffineExpr> indices,
                         PullOperand pullOperand) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  if (!op.hasPureTensorSemantics())
    return nullptr;
  OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
  SmallVector<AffineExpr> loops;
  SmallVector<unsigned> reductions;
  if (failed(findLoops(op, op.getMatchingIndexingMap(init), indices, graph,
                       loops, reductions)))
    return nullptr;
  bool reduces = op.getNumReductionLoops() > 0;
  auto argument = [&](BlockArgument arg) -> Expr {
    OpOperand *operand = op.getMatchingOpOperand(arg);
    if (op.isDpsInit(operand) && reduces)
      return operand == init ? graph.accumulator() : nullptr;
    if (!isa<RankedTensorType>(operand->get().getType()))
      return scalar(operand->get());
    return pullOperand(
        *operand, {operand->get(),
                   applyMap(op.getMatchingIndexingMap(operand), loops, graph)});
  };
  Value yielded =
      op.getBlock()->getTerminator()->getOperand(result.getResultNumber());
  Expr value = evaluateBody(*this, yielded, *op.getBlock(), loops, argument);
  if (!value || !reduces)
    return value;
  Reduction kind;
  value = matchCombiner(graph, value, kind);
  if (!value)
    return nullptr;
  for (unsigned variable : llvm::reverse(reductions))
    value = graph.reduce(kind, variable, value);
  return combine(graph, kind, pull(init->get(), indices), value);
}

std::optional<Element> PullThrough::stepWidened(const Element &element) {
  return stepBy(element, [](Value moved) {
    auto extension = moved.getDefiningOp<arith::ExtFOp>();
    return extension ? extension.getIn() : Value();
  });
}

std::optional<Element>
PullThrough::stepBy(const Element &element,
                    llvm::function_ref<Value(Value)> getMoved) {
  Operation *def = element.tensor.getDefiningOp();
  if (!def || def->getNumOperands() == 0 ||
      isa<UnrankedTensorType>(def->getOperand(0).getType()))
    return std::nullopt;
  if (auto cast = dyn_cast<tensor::CastOp>(def))
    return Element{cast.getSource(), element.indices};
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp>(
          def)) {
    auto indices = reshapeIndices(def, element.indices);
    if (!indices)
      return std::nullopt;
    return Element{def->getOperand(0), std::move(*indices)};
  }
  auto op = dyn_cast<linalg::LinalgOp>(def);
  if (!op || !op.hasPureTensorSemantics() || op.getNumReductionLoops() > 0)
    return std::nullopt;
  auto result = cast<OpResult>(element.tensor);
  auto source = dyn_cast_or_null<BlockArgument>(getMoved(
      op.getBlock()->getTerminator()->getOperand(result.getResultNumber())));
  if (!source || source.getOwner() != op.getBlock())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(source);
  if (op.isDpsInit(operand) || !isa<RankedTensorType>(operand->get().getType()))
    return std::nullopt;
  SmallVector<AffineExpr> loops;
  SmallVector<unsigned> reductions;
  OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
  if (failed(findLoops(op, op.getMatchingIndexingMap(init), element.indices,
                       graph, loops, reductions)))
    return std::nullopt;
  return Element{operand->get(),
                 applyMap(op.getMatchingIndexingMap(operand), loops, graph)};
}

/// A softmax by its definition: exp(x - max x) over the sum of the same and
/// e0 exp(-max x), of inputs times a scale.
Expr PullThrough::pullSoftmax(Value input, unsigned dim, const Element &element,
                              double scale, double extra) {
  unsigned variable = graph.addVariable(
      cast<RankedTensorType>(input.getType()).getDimSize(dim));
  SmallVector<AffineExpr> indices = element.indices;
  indices[dim] = graph.getIndex(variable);
  auto scaled = [&](ArrayRef<AffineExpr> at) {
    return graph.product({graph.constant(scale), pull(input, at)});
  };
  Expr other = scaled(indices);
  Expr maximum = graph.reduce(Reduction::Max, variable, other);
  Expr sum = graph.reduce(Reduction::Add, variable,
                          graph.exp(graph.subtract(other, maximum)));
  sum = graph.sum({sum, graph.product({graph.constant(extra),
                                       graph.exp(graph.negate(maximum))})});
  Expr own = graph.exp(graph.subtract(scaled(element.indices), maximum));
  return graph.product({own, graph.reciprocal(sum)});
}

/// Where scale and e0 are numbers; others are the op's own.
Expr PullThrough::pullSoftmax(SoftmaxOp op, const Element &element) {
  LengthAttr length = op.getScale().getLength();
  std::optional<double> number = length ? length.getConstant() : 1.0;
  std::optional<double> extra = op.getNormalizer().evaluate();
  if (!number || !extra || !op.getParams().empty() ||
      !isa<RankedTensorType>(op.getInput().getType()))
    return nullptr;
  auto headDim = static_cast<int64_t>(op.getHeadDim().value_or(1));
  std::optional<double> scale = op.getScale().evaluate(headDim, *number);
  return scale ? pullSoftmax(op.getInput(), op.getKeyDim(), element, *scale,
                             *extra)
               : nullptr;
}

Expr PullThrough::pullUncached(const Element &element) {
  Expr leaf = graph.load(element.tensor, element.indices);
  Operation *def = element.tensor.getDefiningOp();
  if (!def || graph.size() > budget || leaves.contains(element.tensor))
    return leaf;
  if (std::optional<Element> source = step(element))
    return pull(source->tensor, source->indices);
  if (isa<tensor::EmptyOp>(def))
    return graph.undefined();
  Expr result = nullptr;
  if (auto constant = dyn_cast<arith::ConstantOp>(def))
    result = pullConstant(constant.getValue(), element);
  else if (auto splat = dyn_cast<tensor::SplatOp>(def))
    result = scalar(splat.getInput());
  else if (isa<tensor::ExtractSliceOp>(def))
    result = pullSlice(def, element);
  else if (isa<tensor::PadOp>(def))
    result = pullPad(def, element);
  else if (isa<tensor::ConcatOp>(def))
    result = pullConcat(def, element);
  else if (auto softmax = dyn_cast<linalg::SoftmaxOp>(def))
    result = pullSoftmax(softmax.getInput(), softmax.getDimension(), element);
  else if (auto softmax = dyn_cast<SoftmaxOp>(def))
    result = pullSoftmax(softmax, element);
  else if (isa<linalg::LinalgOp>(def) && !isContraction(element.tensor))
    result = expand(cast<OpResult>(element.tensor), element.indices);
  return result ? result : leaf;
}

/// What makes the variables of `element` those of `x`: they may differ in one,
/// which was the bound one of a reduction when `element` was pulled.
static std::optional<Substitution> matchVariables(const ExprGraph &graph,
                                                  Expr x, Expr element) {
  Substitution by;
  std::optional<unsigned> own;
  for (unsigned variable : x->free.set_bits())
    if (!element->dependsOn(variable)) {
      if (own)
        return std::nullopt;
      own = variable;
    }
  for (unsigned variable : element->free.set_bits())
    if (!x->dependsOn(variable)) {
      if (!own || !by.empty() ||
          graph.getExtent(*own) != graph.getExtent(variable))
        return std::nullopt;
      by[variable] = graph.getIndex(*own);
    }
  if (own && by.empty())
    return std::nullopt;
  return by;
}

Expr PullThrough::findHolder(Expr x, llvm::function_ref<bool(Expr)> accepts) {
  Expr first = nullptr; // the order of a map is not the same in each run
  for (auto [load, element] : pulled) {
    if (element->kind != x->kind || load == element)
      continue;
    std::optional<Substitution> by = matchVariables(graph, x, element);
    if (!by || graph.substitute(element, *by) != x)
      continue;
    Expr holder = graph.substitute(load, *by);
    if (accepts(holder) && (!first || holder->id < first->id))
      first = holder;
  }
  return first;
}

Expr PullThrough::pull(Value tensor, ArrayRef<AffineExpr> indices) {
  Expr key = graph.load(tensor, indices);
  if (Expr known = pulled.lookup(key))
    return known;
  Expr result = pullUncached({tensor, llvm::to_vector(indices)});
  return pulled[key] = result;
}

} // namespace attn::raise
