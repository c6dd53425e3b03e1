//===- Operands.cpp - Which tensors an attention can read as they are -----===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"

using namespace mlir;

namespace attn::raise {

bool isOperand(const ExprGraph &graph, Expr load) {
  if (!load->is(ExprKind::Load))
    return false;
  auto type = dyn_cast<RankedTensorType>(load->tensor.getType());
  if (!type)
    return load->indices.empty();
  for (auto [expr, size] : llvm::zip_equal(load->indices, type.getShape())) {
    AffineExpr index = expr;
    if (isa<AffineConstantExpr>(index)) {
      if (size != 1)
        return false;
      continue;
    }
    int64_t factor = 1;
    if (index.getKind() == AffineExprKind::FloorDiv) {
      auto division = cast<AffineBinaryOpExpr>(index);
      factor = cast<AffineConstantExpr>(division.getRHS()).getValue();
      index = division.getLHS();
    }
    std::optional<unsigned> variable = ExprGraph::asVariable(index);
    if (!variable)
      return false;
    int64_t extent = graph.getExtent(*variable);
    bool isDynamic = ShapedType::isDynamic(size);
    if (isDynamic != ShapedType::isDynamic(extent) ||
        (isDynamic && factor != 1) || (!isDynamic && size * factor != extent))
      return false;
  }
  return true;
}

/// The producer of `element` that is a constant times a load, one operation up.
static std::optional<Element>
stepScaled(PullThrough &pull, const Element &element, double &scale) {
  ExprGraph &graph = pull.getGraph();
  auto op = element.tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumReductionLoops() > 0)
    return std::nullopt;
  Expr x = pull.expand(cast<OpResult>(element.tensor), element.indices,
                       [&](OpOperand &operand, Element source) {
                         Expr full = pull.pull(source.tensor, source.indices);
                         return full->is(ExprKind::Constant)
                                    ? full
                                    : graph.load(source.tensor, source.indices);
                       });
  if (!x || !x->is(ExprKind::Product) || x->operands.size() != 2 ||
      !x->operands[0]->is(ExprKind::Constant) ||
      !x->operands[1]->is(ExprKind::Load) || x->operands[1]->indices.empty())
    return std::nullopt;
  scale *= x->operands[0]->number;
  return Element{x->operands[1]->tensor,
                 llvm::to_vector(x->operands[1]->indices)};
}

Expr findOperand(PullThrough &pull, const Element &element, bool mayScale) {
  ExprGraph &graph = pull.getGraph();
  Expr best = nullptr;
  double scale = 1.0;
  std::optional<Element> at = element;
  while (at) {
    Expr load = graph.load(at->tensor, at->indices);
    if (isOperand(graph, load))
      best = graph.product({graph.constant(scale), load});
    std::optional<Element> next = pull.step(*at);
    if (!next && pull.widens())
      next = pull.stepWidened(*at);
    at = next || !mayScale ? next : stepScaled(pull, *at, scale);
  }
  return best;
}

Expr makeEmittable(PullThrough &pull, Expr x) {
  if (canEmit(x))
    return x;
  ExprGraph &graph = pull.getGraph();
  Expr holder = pull.findHolder(x, [&](Expr load) {
    return isa<RankedTensorType>(load->tensor.getType()) &&
           isOperand(graph, load);
  });
  if (holder || x->is(ExprKind::Reduce) || x->is(ExprKind::Opaque))
    return holder;
  SmallVector<Expr> operands;
  for (Expr operand : x->operands) {
    Expr emittable = makeEmittable(pull, operand);
    if (!emittable)
      return nullptr;
    operands.push_back(emittable);
  }
  return operands.empty() ? nullptr : graph.rebuild(x, operands);
}

} // namespace attn::raise
