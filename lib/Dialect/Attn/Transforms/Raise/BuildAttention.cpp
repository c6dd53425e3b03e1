//===- BuildAttention.cpp - attn.attention from a full reading ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/IR/ProductParts.h"
#include "attn/Dialect/Attn/Transforms/Raise/Reading.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include <limits>

using namespace mlir;

namespace attn::raise {
namespace {

class AttentionBuilder {
public:
  AttentionBuilder(OpBuilder &builder, Location loc, ExprGraph &graph,
                   const Plan &plan)
      : builder(builder), loc(loc), graph(graph), plan(plan) {}

  /// The attention with these scores into `init`.
  AttentionOp build(const ScorePlan &scores, Value init, bool wantsLse);
  Value createInit(RankedTensorType type);
  /// `result` with the mean of all values in rows without a visible key, where
  /// `lse` has some.
  Value createMeans(Value result, Value lse);

  /// Puts the probes of `op` in the place of what the plan's numbers are.
  void replaceNumbers(AttentionOp op);

private:
  AffineMap getMap(ArrayRef<AffineExpr> indices, ArrayRef<unsigned> units) {
    return plan.roles.getMap(indices, units, builder.getContext());
  }
  OpFoldResult getSize(unsigned variable);
  FloatType getComputeType() const {
    bool isWide =
        getElementTypeOrSelf(plan.score.query->tensor.getType()).isF64();
    return isWide ? FloatType(builder.getF64Type())
                  : FloatType(builder.getF32Type());
  }
  void addParam(const Policy &policy) {
    addParam(policy.param, policy.element);
    addParam(policy.second, policy.element);
  }
  void addParam(Expr x, ParamElement element);
  void addRegionParams(ArrayRef<RegionStep> region);
  void buildRegion(AttentionOp op, ArrayRef<RegionStep> region,
                   ValueRange params);
  Value createRowOutput();
  SmallVector<AffineExpr> getRowIndices() const;
  Value createHasEmptyRow(Value lse);
  Value createValueSum();
  Value selectMeans(Value result, Value lse);
  SmallVector<Attribute> addParams(ArrayRef<Policy> policies);
  SmallVector<Probe> getProbes() const;
  Value emitNumber(Expr x, const RowNumber &number);

  OpBuilder &builder;
  Location loc;
  ExprGraph &graph;
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

void AttentionBuilder::addParam(Expr x, ParamElement kind) {
  if (!x)
    return;
  bool isFloat = kind == ParamElement::Float;
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
  Type element = getComputeType();
  if (kind != ParamElement::Float)
    element = builder.getIntegerType(kind == ParamElement::Boolean ? 1 : 64);
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

//===----------------------------------------------------------------------===//
// The score region
//===----------------------------------------------------------------------===//

void AttentionBuilder::addRegionParams(ArrayRef<RegionStep> region) {
  for (const RegionStep &step : region) {
    addParam(step.bias);
    for (const RegionStep::Condition &condition : step.conditions)
      addParam(condition.param);
  }
}

/// Builds the ops of a score region.
class RegionBuilder {
public:
  RegionBuilder(OpBuilder &builder, Location loc, const Roles &roles,
                Block &block)
      : builder(builder), loc(loc), roles(roles), block(block) {}

  void build(ArrayRef<RegionStep> region);

private:
  Value takeParam() { return block.getArgument(nextParam++); }
  Value emitStep(const RegionStep &step, Value score);
  Value emitCondition(const RegionStep::Condition &condition);

  OpBuilder &builder;
  Location loc;
  const Roles &roles;
  Block &block;
  unsigned nextParam = 5; // behind score, batch, head, row and key
};

Value RegionBuilder::emitCondition(const RegionStep::Condition &condition) {
  if (!condition.index) {
    Value param = takeParam();
    if (!condition.isNegated)
      return param;
    Value yes =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    return arith::XOrIOp::create(builder, loc, param, yes);
  }
  llvm::DenseMap<AffineExpr, AffineExpr> dims;
  if (roles.row)
    dims[builder.getAffineDimExpr(*roles.row)] = builder.getAffineDimExpr(0);
  dims[builder.getAffineDimExpr(roles.key)] = builder.getAffineDimExpr(1);
  Value index = affine::expandAffineExpr(
      builder, loc, condition.index.replace(dims),
      {block.getArgument(3), block.getArgument(4)}, /*symbolValues=*/{});
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, index,
                               zero);
}

Value RegionBuilder::emitStep(const RegionStep &step, Value score) {
  if (step.bias.param) {
    Value bias = takeParam();
    if (bias.getType().getIntOrFloatBitWidth() <
        score.getType().getIntOrFloatBitWidth())
      bias = arith::ExtFOp::create(builder, loc, score.getType(), bias);
    return arith::AddFOp::create(builder, loc, score, bias);
  }
  Value keep;
  for (const RegionStep::Condition &condition : step.conditions) {
    Value next = emitCondition(condition);
    keep = keep ? arith::AndIOp::create(builder, loc, keep, next) : next;
  }
  Value hidden = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(score.getType(), step.fill));
  if (step.isTerm)
    hidden = arith::AddFOp::create(builder, loc, score, hidden);
  return arith::SelectOp::create(builder, loc, keep, score, hidden);
}

void RegionBuilder::build(ArrayRef<RegionStep> region) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&block);
  Value score = block.getArgument(0);
  for (const RegionStep &step : region)
    score = emitStep(step, score);
  YieldOp::create(builder, loc, score);
}

void AttentionBuilder::buildRegion(AttentionOp op, ArrayRef<RegionStep> region,
                                   ValueRange params) {
  Type index = builder.getIndexType();
  SmallVector<Type> types = {getComputeType(), index, index, index, index};
  for (Value param : params)
    types.push_back(getElementTypeOrSelf(param.getType()));
  Block &block = op.getScore().front().emplaceBlock();
  block.addArguments(types, SmallVector<Location>(types.size(), loc));
  RegionBuilder(builder, loc, plan.roles, block).build(region);
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

Value AttentionBuilder::createInit(RankedTensorType type) {
  SmallVector<OpFoldResult> sizes;
  for (auto [index, size] : llvm::zip_equal(plan.result, type.getShape())) {
    std::optional<unsigned> variable = ExprGraph::asVariable(index);
    sizes.push_back(variable ? getSize(*variable) : builder.getIndexAttr(size));
  }
  return tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
}

/// A tensor for lse or a probe, by batch and row; adds its map.
Value AttentionBuilder::createRowOutput() {
  const Roles &roles = plan.roles;
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> results;
  SmallVector<std::optional<unsigned>> variables(roles.batch);
  variables.push_back(roles.row);
  for (auto [dim, variable] : llvm::enumerate(variables)) {
    sizes.push_back(variable ? getSize(*variable) : builder.getIndexAttr(1));
    results.push_back(builder.getAffineDimExpr(dim));
  }
  maps.push_back(
      AffineMap::get(roles.getNumDims(), 0, results, builder.getContext()));
  return tensor::EmptyOp::create(builder, loc, sizes, getComputeType());
}

//===----------------------------------------------------------------------===//
// Rows without a visible key
//===----------------------------------------------------------------------===//

/// The place of a row in those outputs; a dimension of size 1 has no variable.
SmallVector<AffineExpr> AttentionBuilder::getRowIndices() const {
  SmallVector<std::optional<unsigned>> variables(plan.roles.batch);
  variables.push_back(plan.roles.row);
  return llvm::map_to_vector(
      variables, [&](std::optional<unsigned> variable) -> AffineExpr {
        return variable ? graph.getIndex(*variable)
                        : getAffineConstantExpr(0, graph.getContext());
      });
}

Value AttentionBuilder::createHasEmptyRow(Value lse) {
  FloatType type = getComputeType();
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, value));
  };
  double infinity = std::numeric_limits<double>::infinity();
  Value init = tensor::SplatOp::create(builder, loc, number(infinity),
                                       RankedTensorType::get({}, type));
  auto all = llvm::to_vector(
      llvm::seq<int64_t>(0, cast<RankedTensorType>(lse.getType()).getRank()));
  auto least = linalg::ReduceOp::create(
      builder, loc, lse, init, all,
      [](OpBuilder &b, Location at, ValueRange arguments) {
        Value smaller =
            arith::MinimumFOp::create(b, at, arguments[0], arguments[1]);
        linalg::YieldOp::create(b, at, smaller);
      });
  Value found = tensor::ExtractOp::create(builder, loc, least->getResult(0),
                                          ValueRange());
  // A NaN of one row hides what the others are.
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ULE, found,
                               number(-infinity));
}

/// The sum of the values over all keys, in the type of the sums.
Value AttentionBuilder::createValueSum() {
  Expr value = plan.softmax.value[0];
  auto type = cast<RankedTensorType>(value->tensor.getType());
  AffineExpr key = graph.getIndex(plan.roles.key);
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> results;
  SmallVector<utils::IteratorType> iterators;
  for (auto [dim, index] : llvm::enumerate(value->indices)) {
    bool isKey = index == key;
    iterators.push_back(isKey ? utils::IteratorType::reduction
                              : utils::IteratorType::parallel);
    if (isKey)
      continue;
    sizes.push_back(tensor::getMixedSize(builder, loc, value->tensor, dim));
    results.push_back(builder.getAffineDimExpr(dim));
  }
  FloatType element = getComputeType();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  Value init = tensor::EmptyOp::create(builder, loc, sizes, element);
  init = linalg::FillOp::create(builder, loc, zero, init).getResult(0);
  unsigned rank = type.getRank();
  SmallVector<AffineMap> indexing = {
      builder.getMultiDimIdentityMap(rank),
      AffineMap::get(rank, 0, results, builder.getContext())};
  auto sum = linalg::GenericOp::create(
      builder, loc, init.getType(), value->tensor, init, indexing, iterators,
      [&](OpBuilder &b, Location at, ValueRange arguments) {
        Value term = arguments[0];
        if (term.getType() != element)
          term = arith::ExtFOp::create(b, at, element, term);
        Value next = arith::AddFOp::create(b, at, term, arguments[1]);
        linalg::YieldOp::create(b, at, next);
      });
  return sum.getResult(0);
}

Value AttentionBuilder::selectMeans(Value result, Value lse) {
  Expr value = plan.softmax.value[0];
  auto indices = llvm::to_vector(value->indices);
  llvm::erase(indices, graph.getIndex(plan.roles.key));
  auto keys = dyn_cast<Value>(getSize(plan.roles.key));
  // The sum of no values is 0, and so is their mean.
  Expr count = keys ? graph.maximum({graph.load(keys, {}), graph.constant(1.0)})
                    : graph.constant(
                          static_cast<double>(graph.getExtent(plan.roles.key)));
  Expr mean = graph.product(
      {graph.reciprocal(count), graph.load(createValueSum(), indices)});
  Expr isEmpty =
      graph.compare(Comparison::Equal, graph.load(lse, getRowIndices()),
                    graph.constant(-std::numeric_limits<double>::infinity()));
  Expr chosen = graph.select(isEmpty, mean, graph.load(result, plan.result));
  SmallVector<unsigned> variables;
  SmallVector<OpFoldResult> sizes;
  auto type = cast<RankedTensorType>(result.getType());
  for (auto [dim, index] : llvm::enumerate(plan.result)) {
    std::optional<unsigned> variable = ExprGraph::asVariable(index);
    variables.push_back(variable ? *variable : graph.addVariable(1));
    sizes.push_back(tensor::getMixedSize(builder, loc, result, dim));
  }
  return emitTensor(builder, loc, graph, chosen, variables, sizes,
                    type.getElementType());
}

Value AttentionBuilder::createMeans(Value result, Value lse) {
  auto branch = scf::IfOp::create(
      builder, loc, createHasEmptyRow(lse),
      [&](OpBuilder &, Location) {
        Value means = selectMeans(result, lse);
        scf::YieldOp::create(builder, loc, means);
      },
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(builder, loc, result);
      });
  return branch.getResult(0);
}

//===----------------------------------------------------------------------===//
// Probes
//===----------------------------------------------------------------------===//

static Probe getProbe(RowStatistic kind) {
  switch (kind) {
  case RowStatistic::Entropy:
    return Probe::Entropy;
  case RowStatistic::Squares:
    return Probe::SumP2;
  case RowStatistic::Largest:
    return Probe::MaxLogit;
  }
  llvm_unreachable("all numbers are handled");
}

SmallVector<Probe> AttentionBuilder::getProbes() const {
  llvm::SetVector<Probe> probes;
  for (const RowNumber &number : plan.numbers)
    probes.insert(getProbe(number.kind));
  return probes.takeVector();
}

/// `x`, a number of each row, as the tensor of `number`.
Value AttentionBuilder::emitNumber(Expr x, const RowNumber &number) {
  auto type = cast<RankedTensorType>(number.tensor.getType());
  if (x->is(ExprKind::Load) && x->tensor.getType() == type &&
      ArrayRef(x->indices) == ArrayRef(number.indices))
    return x->tensor;
  SmallVector<unsigned> variables;
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr index : number.indices) {
    std::optional<unsigned> variable = ExprGraph::asVariable(index);
    variables.push_back(variable ? *variable : graph.addVariable(1));
    sizes.push_back(variable ? getSize(*variable) : builder.getIndexAttr(1));
  }
  return emitTensor(builder, loc, graph, x, variables, sizes,
                    type.getElementType());
}

void AttentionBuilder::replaceNumbers(AttentionOp op) {
  SmallVector<Probe> probes = getProbes();
  unsigned first = op->getNumResults() - probes.size();
  for (const RowNumber &number : plan.numbers) {
    unsigned at = llvm::find(probes, getProbe(number.kind)) - probes.begin();
    Expr x = graph.load(op->getResult(first + at), getRowIndices());
    // exp(s - lse) is the weight of a score.
    if (number.kind == RowStatistic::Largest)
      x = graph.exp(
          graph.subtract(x, graph.load(op->getResult(1), getRowIndices())));
    Value replaced = number.tensor;
    replaced.replaceAllUsesWith(emitNumber(x, number));
  }
}

AttentionOp AttentionBuilder::build(const ScorePlan &scores, Value init,
                                    bool wantsLse) {
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
  params.clear();
  maps = {getMap(query->indices, unitRow), getMap(key->indices, {}),
          getMap(value->indices, unitValue)};
  addParam(plan.scale);
  SmallVector<Attribute> biases = addParams(scores.biases);
  size_t firstOfRegion = params.size();
  addRegionParams(scores.region);
  size_t endOfRegion = params.size();
  SmallVector<Attribute> masks = addParams(scores.masks);
  addParam(plan.normalizer);
  maps.push_back(getMap(plan.result, unitResult));
  SmallVector<Value> outputs = {init};
  if (wantsLse)
    outputs.push_back(createRowOutput());
  SmallVector<Attribute> probes;
  for (Probe probe : getProbes()) {
    outputs.push_back(createRowOutput());
    probes.push_back(ProbeAttr::get(context, probe));
  }

  Attribute similarity =
      plan.score.cosine ? Attribute(plan.score.cosine) : DotAttr::get(context);
  AlignmentAttr align =
      plan.align ? AlignmentAttr::get(context, *plan.align) : AlignmentAttr();
  FloatAttr softcap = plan.score.softcap
                          ? builder.getF64FloatAttr(*plan.score.softcap)
                          : FloatAttr();
  auto op = AttentionOp::create(
      builder, loc, TypeRange(ValueRange(outputs)), query->tensor, key->tensor,
      value->tensor, params, outputs,
      /*origin=*/ValueRange(), /*sizes=*/ValueRange(),
      cast<ScalePolicyAttrInterface>(plan.scale.attribute), similarity,
      cast<NormalizerAttrInterface>(plan.normalizer.attribute), align,
      builder.getArrayAttr(biases), builder.getArrayAttr(masks), softcap,
      builder.getAffineMapArrayAttr(maps), /*schedule=*/ScheduleAttr(),
      probes.empty() ? ArrayAttr() : builder.getArrayAttr(probes),
      /*load_query=*/ArrayAttr(), /*load_key=*/ArrayAttr(),
      /*scoreCount=*/scores.region.empty() ? 0 : 1);
  if (!scores.region.empty())
    buildRegion(
        op, scores.region,
        ArrayRef(params).slice(firstOfRegion, endOfRegion - firstOfRegion));
  return op;
}

} // namespace

Value buildAttention(OpBuilder &builder, Value root, ExprGraph &graph,
                     const Plan &plan) {
  AttentionBuilder attention(builder, root.getLoc(), graph, plan);
  Value init = attention.createInit(cast<RankedTensorType>(root.getType()));
  auto needsLse = [](const RowNumber &number) {
    return number.kind == RowStatistic::Largest;
  };
  AttentionOp op = attention.build(plan.scores, init,
                                   plan.meansEmptyRows ||
                                       llvm::any_of(plan.numbers, needsLse));
  if (Attribute products = root.getDefiningOp()->getAttr(kProductsAttrName))
    op->setAttr(kProductsAttrName, products);
  attention.replaceNumbers(op);
  Value result = op->getResult(0);
  return plan.meansEmptyRows ? attention.createMeans(result, op->getResult(1))
                             : result;
}

} // namespace attn::raise
