//===- ReadPolicies.cpp - Scale and normaliser as attributes --------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;

namespace attn::raise {
namespace {

/// Whether two numbers are the same within 4 units in the last place of f32.
bool isNear(double value, double expected) {
  return std::abs(value - expected) <= 4 * 0x1p-23 * std::abs(expected);
}

/// log(row + 1) with the constant factor 1 / (log(base) sqrt(d)): the growth of
/// the number of visible keys under a causal mask.
std::optional<double> matchLogLength(const ExprGraph &graph, const Plan &plan,
                                     double headDim) {
  const Score &score = plan.score;
  if (score.rowScales.size() != 1 || !plan.roles.row || score.scale <= 0 ||
      !score.rowScales[0]->is(ExprKind::Log) ||
      plan.align == Alignment::BottomRight)
    return std::nullopt;
  // Positions would be counted from the first key of a segment.
  if (llvm::any_of(plan.scores.masks, [](const Policy &mask) {
        return isa<SegmentIdsAttr>(mask.attribute);
      }))
    return std::nullopt;
  Expr length = score.rowScales[0]->operands[0];
  if (!length->is(ExprKind::Index) ||
      length->index != graph.getIndex(*plan.roles.row) + 1)
    return std::nullopt;
  double logBase = 1.0 / (score.scale * std::sqrt(headDim));
  double base = std::exp(logBase);
  if (!std::isfinite(base) || base <= 1.0)
    return std::nullopt;
  double rounded = std::round(base);
  return rounded > 1.0 && isNear(std::log(rounded), logBase) ? rounded : base;
}

/// Whether `scale` is 1/sqrt(headDim). Models in narrow types round the root,
/// or one over it.
bool isInverseRoot(double scale, int64_t headDim, Type element) {
  double root = std::sqrt(headDim);
  if (isNear(scale, 1.0 / root))
    return true;
  if (!element.isF16() && !element.isBF16())
    return false;
  double rounded = 1.0 / roundTo(element, root);
  return isNear(scale, rounded) || isNear(scale, roundTo(element, rounded)) ||
         isNear(scale, roundTo(element, 1.0 / root));
}

Attribute nameConstant(MLIRContext *context, Plan &plan, int64_t headDim) {
  double scale = plan.score.scale;
  Type element = getElementTypeOrSelf(plan.score.query->tensor.getType());
  if (!ShapedType::isDynamic(headDim) && isInverseRoot(scale, headDim, element))
    return InvSqrtDimAttr::get(context);
  if (isNear(scale, 1.0))
    return NoScaleAttr::get(context);
  if (!ShapedType::isDynamic(headDim) && isNear(scale, 1.0 / headDim))
    return InvDimAttr::get(context);
  if (!ShapedType::isDynamic(headDim) &&
      isNear(scale, 2.5 / std::sqrt(headDim)))
    return GradientMaxBlindAttr::get(context);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", scale);
  plan.remarks.push_back(
      Remark(RemarkId::ScaleStaysConstant, {{"scale", text}}));
  return ConstantScaleAttr::get(context, scale);
}

bool readScale(ExprGraph &graph, Plan &plan, Rejection &why) {
  MLIRContext *context = graph.getContext();
  Score &score = plan.score;
  int64_t headDim = graph.getExtent(score.headDim);
  if (score.rowScales.empty()) {
    plan.scale.attribute = nameConstant(context, plan, headDim);
    return true;
  }
  if (!ShapedType::isDynamic(headDim)) {
    if (auto base = matchLogLength(graph, plan, headDim)) {
      plan.align = Alignment::TopLeft;
      plan.scale.attribute = LogLengthAttr::get(
          context, *base, LengthAttr::get(context, LengthKind::Position, 0));
      return true;
    }
  }
  SmallVector<Expr> factors(score.rowScales);
  factors.push_back(graph.constant(score.scale));
  plan.scale = {OperandScaleAttr::get(context, /*nonNegative=*/false),
                graph.product(factors)};
  for (unsigned variable : plan.scale.param->free.set_bits()) {
    std::optional<unsigned> dim = plan.roles.find(variable);
    if (!dim || *dim > plan.roles.getRowDim())
      return why.reject(
          8, "the scale of the score varies with more than batch and row");
  }
  return true;
}

bool readNormalizer(ExprGraph &graph, Plan &plan, Rejection &why) {
  MLIRContext *context = graph.getContext();
  const Softmax &softmax = plan.softmax;
  if (softmax.sink) {
    for (unsigned variable : softmax.sink->free.set_bits()) {
      std::optional<unsigned> dim = plan.roles.find(variable);
      if (!dim || *dim >= plan.roles.getRowDim())
        return why.reject(8, "the sink varies with more than batch and head");
    }
    plan.normalizer = {SinkAttr::get(context), softmax.sink};
  } else if (softmax.extra == 0.0) {
    plan.normalizer.attribute = SoftmaxNormAttr::get(context);
  } else if (softmax.extra == 1.0) {
    plan.normalizer.attribute = Softmax1Attr::get(context);
  } else {
    plan.normalizer.attribute = SoftmaxNAttr::get(context, softmax.extra);
  }
  return true;
}

} // namespace

bool readAlibi(PullThrough &pull, Plan &plan, Expr term, ScorePlan &scores) {
  ExprGraph &graph = pull.getGraph();
  const Roles &roles = plan.roles;
  if (!roles.row || plan.softmax.isGuarded)
    return false;
  SmallVector<Expr> slopes;
  Expr distance = nullptr;
  for (Expr factor : ExprGraph::getFactors(term)) {
    if (factor->dependsOn(roles.key) && distance)
      return false;
    if (factor->dependsOn(roles.key))
      distance = factor;
    else
      slopes.push_back(factor);
  }
  if (!distance)
    return false;
  bool isSize = distance->is(ExprKind::Abs);
  Expr ahead = isSize ? distance->operands[0] : distance;
  if (!ahead->is(ExprKind::Index))
    return false;
  AffineExpr row = graph.getIndex(*roles.row), key = graph.getIndex(roles.key);
  int64_t shift = 0, keys = graph.getExtent(roles.key),
          rows = graph.getExtent(*roles.row);
  if (plan.align == Alignment::BottomRight) {
    if (ShapedType::isDynamic(keys) || ShapedType::isDynamic(rows))
      return false;
    shift = keys - rows;
  }
  AffineExpr expected = graph.simplifyIndex(key - row - shift);
  bool isBehind = ahead->index == graph.simplifyIndex(row + shift - key);
  if (!isBehind && ahead->index != expected)
    return false;
  // Distances ahead are not positive under a causal mask.
  bool isCausal = llvm::any_of(scores.masks, [](const Policy &mask) {
    return isa<CausalAttr, ChunkedAttr>(mask.attribute);
  });
  if (!isSize && !isCausal)
    return false;
  if (isSize || isBehind)
    slopes.push_back(graph.constant(-1.0));
  Expr slope = makeEmittable(pull, graph.product(slopes));
  auto isOfHead = [&](unsigned variable) {
    std::optional<unsigned> dim = roles.find(variable);
    return dim && *dim + 1 == roles.getRowDim();
  };
  if (!slope || !llvm::all_of(slope->free.set_bits(), isOfHead))
    return false;
  if (!plan.align)
    plan.align = Alignment::TopLeft;
  scores.biases.push_back(
      {AlibiAttr::get(graph.getContext(), /*operandSlopes=*/true), slope});
  return true;
}

bool readPolicies(ExprGraph &graph, Plan &plan, Rejection &why) {
  return readScale(graph, plan, why) && readNormalizer(graph, plan, why);
}

} // namespace attn::raise
