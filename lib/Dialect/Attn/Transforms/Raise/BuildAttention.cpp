//===- BuildAttention.cpp - attn.attention from a full reading ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attn::raise {
namespace {

class AttentionBuilder {
public:
  AttentionBuilder(OpBuilder &builder, Location loc, const ExprGraph &graph,
                   const Plan &plan)
      : builder(builder), loc(loc), graph(graph), plan(plan) {}

  Value build(RankedTensorType type);

private:
  AffineMap getMap(ArrayRef<AffineExpr> indices, ArrayRef<unsigned> units) {
    return plan.roles.getMap(indices, units, builder.getContext());
  }
  OpFoldResult getSize(unsigned variable);
  void addParam(const Policy &policy);
  SmallVector<Attribute> addParams(ArrayRef<Policy> policies);

  OpBuilder &builder;
  Location loc;
  const ExprGraph &graph;
  const Plan &plan;
  SmallVector<Value> params;
  SmallVector<AffineMap> maps;
};

OpFoldResult AttentionBuilder::getSize(unsigned variable) {
  int64_t extent = graph.getExtent(variable);
  if (!ShapedType::isDynamic(extent))
    return builder.getIndexAttr(extent);
  for (Expr load : {plan.score.query, plan.score.key, plan.softmax.value[0]})
    for (auto [i, index] : llvm::enumerate(load->indices))
      if (ExprGraph::asVariable(index) == variable)
        return tensor::getMixedSize(builder, loc, load->tensor, i);
  llvm_unreachable("assignRoles found every variable in an operand");
}

void AttentionBuilder::addParam(const Policy &policy) {
  Expr x = policy.param;
  if (!x)
    return;
  bool isFloat = policy.element == ParamElement::Float;
  if (isOperand(graph, x) &&
      isa<FloatType>(getElementTypeOrSelf(x->tensor.getType())) == isFloat) {
    params.push_back(x->tensor);
    maps.push_back(getMap(x->indices, {}));
    return;
  }
  // Dimensions in the order of the attention.
  SmallVector<unsigned> variables(x->free.set_bits());
  llvm::sort(variables, [&](unsigned a, unsigned b) {
    return *plan.roles.find(a) < *plan.roles.find(b);
  });
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> indices;
  for (unsigned variable : variables) {
    sizes.push_back(getSize(variable));
    indices.push_back(graph.getIndex(variable));
  }
  Type element = builder.getF32Type();
  if (policy.element == ParamElement::Boolean)
    element = builder.getI1Type();
  else if (getElementTypeOrSelf(plan.score.query->tensor.getType()).isF64())
    element = builder.getF64Type();
  params.push_back(
      emitTensor(builder, loc, graph, x, variables, sizes, element));
  maps.push_back(getMap(indices, {}));
}

SmallVector<Attribute> AttentionBuilder::addParams(ArrayRef<Policy> policies) {
  SmallVector<Attribute> attributes;
  for (const Policy &policy : policies) {
    addParam(policy);
    attributes.push_back(policy.attribute);
  }
  return attributes;
}

Value AttentionBuilder::build(RankedTensorType type) {
  const Roles &roles = plan.roles;
  MLIRContext *context = builder.getContext();
  SmallVector<unsigned> unitRow, unitValue, unitResult;
  if (!roles.row)
    unitRow = {roles.getRowDim()};
  if (!roles.value)
    unitValue = {roles.getRowDim() + 3};
  llvm::append_range(unitResult, unitRow);
  llvm::append_range(unitResult, unitValue);

  Expr query = plan.score.query, key = plan.score.key,
       value = plan.softmax.value[0];
  maps = {getMap(query->indices, unitRow), getMap(key->indices, {}),
          getMap(value->indices, unitValue)};
  addParam(plan.scale);
  SmallVector<Attribute> biases = addParams(plan.biases),
                         masks = addParams(plan.masks);
  addParam(plan.normalizer);
  maps.push_back(getMap(plan.result, unitResult));

  SmallVector<OpFoldResult> sizes;
  for (auto [index, size] : llvm::zip_equal(plan.result, type.getShape())) {
    std::optional<unsigned> variable = ExprGraph::asVariable(index);
    sizes.push_back(variable ? getSize(*variable) : builder.getIndexAttr(size));
  }
  Value init =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  Attribute similarity =
      plan.score.cosine ? Attribute(plan.score.cosine) : DotAttr::get(context);
  AlignmentAttr align =
      plan.align ? AlignmentAttr::get(context, *plan.align) : AlignmentAttr();
  FloatAttr softcap = plan.score.softcap
                          ? builder.getF64FloatAttr(*plan.score.softcap)
                          : FloatAttr();
  auto op = AttentionOp::create(
      builder, loc, init.getType(), query->tensor, key->tensor, value->tensor,
      params, init,
      /*origin=*/ValueRange(), /*sizes=*/ValueRange(),
      cast<ScalePolicyAttrInterface>(plan.scale.attribute), similarity,
      cast<NormalizerAttrInterface>(plan.normalizer.attribute), align,
      builder.getArrayAttr(biases), builder.getArrayAttr(masks), softcap,
      builder.getAffineMapArrayAttr(maps), /*schedule=*/ScheduleAttr(),
      /*probes=*/ArrayAttr(),
      /*load_query=*/ArrayAttr(), /*load_key=*/ArrayAttr(), /*scoreCount=*/0);
  return op->getResult(0);
}

} // namespace

Value buildAttention(OpBuilder &builder, Value root, const ExprGraph &graph,
                     const Plan &plan) {
  return AttentionBuilder(builder, root.getLoc(), graph, plan)
      .build(cast<RankedTensorType>(root.getType()));
}

} // namespace attn::raise
