//===- RaiseGroupNorm.cpp - Layer norms of groups of channels -------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch spells a group norm as a layer norm of a reshaped tensor, with gamma
// and beta behind the reshape back. The layer norm is raised first.
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/RaiseGroupNorm.h"
#include "attn/Dialect/Attn/Transforms/Raise/Candidates.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::raise {
namespace {

/// Bounds the expressions of one norm, and how far behind it they are looked
/// for.
constexpr unsigned nodeBudget = 2000;
constexpr unsigned maxRoots = 8;

/// A norm of groups of channels as PyTorch has it: a layer norm of whole groups
/// without gamma and beta, and behind it what belongs to the channels.
class GroupCandidate {
public:
  explicit GroupCandidate(NormOp op)
      : op(op), normed(op.getResult(0)),
        normedType(cast<RankedTensorType>(normed.getType())) {}

  /// Takes as much as belongs to the channels.
  void raise() {
    SmallVector<Value> roots = findRoots(normed, maxRoots);
    for (; roots.size() > 1; roots.pop_back())
      if (read(roots.back())) {
        roots.back().replaceAllUsesWith(build(roots.back()));
        return;
      }
  }

private:
  bool read(Value result);
  bool readAffine(Expr y, RankedTensorType type);
  bool findChannels(RankedTensorType type);
  Value createInput(OpBuilder &builder, ArrayRef<int64_t> shape);
  Value createParam(OpBuilder &builder, Value result, Expr param);
  Value build(Value result);

  NormOp op;
  Value normed;
  RankedTensorType normedType;
  std::optional<ExprGraph> graph; // of the last result
  SmallVector<AffineExpr> indices;
  Expr gamma = nullptr, beta = nullptr;
  int64_t dim = 0;                  // of groups and of the result's channels
  int64_t groups = 0, channels = 0; // channels of a group
};

/// Reads y as the norm's element at the same place in memory, and what stands
/// beside it.
bool GroupCandidate::readAffine(Expr y, RankedTensorType type) {
  auto isNormed = [&](Expr x) {
    return x->is(ExprKind::Load) && x->tensor == normed;
  };
  SmallVector<Expr> gains, shifts;
  Expr scaled = nullptr, element = nullptr;
  for (Expr term : ExprGraph::getTerms(y)) {
    if (!scaled && llvm::any_of(ExprGraph::getFactors(term), isNormed))
      scaled = term;
    else
      shifts.push_back(term);
  }
  if (!scaled)
    return false;
  for (Expr factor : ExprGraph::getFactors(scaled)) {
    if (!element && isNormed(factor))
      element = factor;
    else
      gains.push_back(factor);
  }
  gamma = gains.empty() ? nullptr : graph->product(gains);
  beta = shifts.empty() ? nullptr : graph->sum(shifts);
  AffineExpr zero = getAffineConstantExpr(0, op.getContext());
  auto getOffset = [&](ArrayRef<AffineExpr> at, RankedTensorType tensor) {
    AffineExpr offset = zero;
    for (auto [index, size] : llvm::zip_equal(at, tensor.getShape()))
      offset = offset * size + index;
    return offset;
  };
  return graph->simplifyIndex(getOffset(element->indices, normedType) -
                              getOffset(indices, type)) == zero;
}

/// Whether gamma and beta vary along one dimension, which has the groups and
/// their channels.
bool GroupCandidate::findChannels(RankedTensorType type) {
  std::optional<unsigned> found;
  for (Expr param : {gamma, beta}) {
    if (!param)
      continue;
    if (param->free.count() != 1 || !canEmit(param))
      return false;
    unsigned only = param->free.find_first();
    if (found.value_or(only) != only)
      return false;
    found = only;
  }
  if (!found)
    return false;
  dim = llvm::find(indices, graph->getIndex(*found)) - indices.begin();
  if (op.getAxes().front() != dim + 1 ||
      normedType.getShape().take_front(dim) != type.getShape().take_front(dim))
    return false;
  groups = normedType.getDimSize(dim);
  channels = type.getDimSize(dim) / groups;
  return type.getDimSize(dim) % groups == 0 && channels > 1;
}

bool GroupCandidate::read(Value result) {
  auto type = cast<RankedTensorType>(result.getType());
  if (type.getElementType() != normedType.getElementType() ||
      !type.hasStaticShape() || !normedType.hasStaticShape() ||
      type.getNumElements() == 0)
    return false;
  graph.emplace(op.getContext());
  PullThrough pull(*graph, nodeBudget);
  pull.stopAt(normed);
  indices = addIndices(*graph, result);
  return readAffine(pull.pull(result, indices), type) && findChannels(type);
}

/// The norm's input with the channels of a group as a dimension.
Value GroupCandidate::createInput(OpBuilder &builder, ArrayRef<int64_t> shape) {
  Value input = op.getInput();
  auto type = cast<RankedTensorType>(input.getType());
  if (type.getShape() == shape)
    return input;
  // Those before stay, the others are one.
  auto join = [&](int64_t rank) {
    SmallVector<ReassociationIndices> joined;
    for (int64_t i = 0; i < rank; ++i) {
      if (i <= dim + 1)
        joined.emplace_back();
      joined.back().push_back(i);
    }
    return joined;
  };
  int64_t rank = shape.size();
  if (type.getRank() > dim + 2)
    input = tensor::CollapseShapeOp::create(builder, op.getLoc(), input,
                                            join(type.getRank()));
  if (rank > dim + 2)
    input = tensor::ExpandShapeOp::create(builder, op.getLoc(),
                                          type.clone(shape), input, join(rank));
  return input;
}

/// Gamma or beta of all channels.
Value GroupCandidate::createParam(OpBuilder &builder, Value result,
                                  Expr param) {
  // Params of f32 go with narrower elements, and hold what f32 steps compute.
  Type element = normedType.getElementType();
  if (!element.isF64())
    element = builder.getF32Type();
  return param ? buildParam(builder, result.getLoc(), *graph, param,
                            graph->load(result, indices), {dim}, element)
               : Value();
}

Value GroupCandidate::build(Value result) {
  OpBuilder builder(result.getDefiningOp());
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<int64_t> shape(type.getShape().take_front(dim));
  shape.append({groups, channels});
  llvm::append_range(shape, type.getShape().drop_front(dim + 1));
  GroupNorm group;
  group.input = createInput(builder, shape);
  group.gamma = createParam(builder, result, gamma);
  group.beta = createParam(builder, result, beta);
  group.dim = dim;
  group.axes = llvm::to_vector(llvm::seq<int64_t>(dim + 1, shape.size()));
  group.eps = op.getEpsAttr();
  group.epsMode = op.getEpsModeAttr();
  return buildGroupNorm(builder, result.getLoc(), type, group);
}

/// A layer norm of the last dimensions, and nothing but that.
bool mayHaveGroups(NormOp op) {
  return op.getKind() == NormKind::Layer && op.isCentered() && !op.getGamma() &&
         !op.getBeta() && op->getNumResults() == 1 && !op.getResidual() &&
         op.getAxes().front() == op.getRank() - int64_t(op.getAxes().size());
}

} // namespace

void remarkRaised(NormOp op) {
  bool gamma(op.getGamma()), beta(op.getBeta());
  Remark(RemarkId::RaisedToNorm,
         {{"kind", stringifyNormKind(op.getKind()).str()},
          {"affine", gamma && beta ? " with gamma and beta"
                     : gamma       ? " with gamma"
                     : beta        ? " with beta"
                                   : ""}})
      .emit(op.getLoc());
}

Value buildGroupNorm(OpBuilder &builder, Location loc, RankedTensorType type,
                     const GroupNorm &group) {
  auto grouped = cast<RankedTensorType>(group.input.getType());
  auto split = [&](Value param) -> Value {
    if (!param)
      return {};
    SmallVector<ReassociationIndices> both = {{0, 1}};
    auto channels =
        RankedTensorType::get(grouped.getShape().slice(group.dim, 2),
                              getElementTypeOrSelf(param.getType()));
    return tensor::ExpandShapeOp::create(builder, loc, channels, param, both);
  };
  Value gamma = split(group.gamma), beta = split(group.beta);
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, group.input),
      type.getElementType());
  auto norm = NormOp::create(
      builder, loc, TypeRange(init.getType()), group.input,
      /*residual=*/Value(), /*factor=*/Value(), gamma, beta, /*mean=*/Value(),
      /*variance=*/Value(), init, /*sum=*/Value(), /*running_mean=*/Value(),
      /*running_variance=*/Value(),
      NormKindAttr::get(builder.getContext(), NormKind::Group),
      group.isCentred ? BoolAttr() : builder.getBoolAttr(false),
      builder.getDenseI64ArrayAttr(group.axes),
      builder.getDenseI64ArrayAttr({group.dim, group.dim + 1}), group.eps,
      group.epsMode, /*momentum=*/FloatAttr(), /*unbiased=*/UnitAttr(),
      /*schedule=*/NormScheduleAttr());
  remarkRaised(norm);
  return tensor::CollapseShapeOp::create(
      builder, loc, type, norm->getResult(0),
      getSplitReassociation(type.getRank(), group.dim));
}

SmallVector<ReassociationIndices> getSplitReassociation(int64_t rank,
                                                        int64_t dim) {
  SmallVector<ReassociationIndices> joined(rank);
  for (int64_t i = 0; i <= rank; ++i)
    joined[i > dim ? i - 1 : i].push_back(i);
  return joined;
}

void raiseGroupNorms(Operation *root) {
  SmallVector<NormOp> norms;
  root->walk([&](NormOp op) {
    if (mayHaveGroups(op))
      norms.push_back(op);
  });
  for (NormOp op : norms)
    GroupCandidate(op).raise();
  visitFromLast(root, [](Operation *) {});
}

} // namespace attn::raise
