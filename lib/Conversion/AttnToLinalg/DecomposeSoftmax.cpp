//===- DecomposeSoftmax.cpp - A softmax on its own as structured ops ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockGenerics.h"

#include "attn/Conversion/AttnToLinalg.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>

using namespace mlir;
using namespace attn;

namespace {

/// Builds the steps of one softmax. What varies by row only is a tensor over
/// the dimensions of the rows.
class SoftmaxBuilder {
public:
  SoftmaxBuilder(RewriterBase &rewriter, SoftmaxOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()),
        generics(rewriter, loc,
                 cast<ShapedType>(op.getInput().getType()).getRank(),
                 op.getComputeType()),
        input{op.getInput(), generics.getIdentity()} {
    for (unsigned dim = 0, e = input.map.getNumDims(); dim < e; ++dim)
      if (dim != op.getKeyDim())
        rowDims.push_back(dim);
  }

  Value run();

private:
  using RowBody = llvm::function_ref<Value(LaneBuilder &, ValueRange)>;
  /// A number for each row, from params of the policies.
  MappedTensor createRows(ArrayRef<MappedTensor> inputs, RowBody body);
  MappedTensor createScales();
  MappedTensor createLogExtras();
  Value emitLength(LaneBuilder &lanes, ValueRange params);
  std::optional<double> getFixedLength();
  SmallVector<MappedTensor> getParams(unsigned first, unsigned count);

  RewriterBase &rewriter;
  SoftmaxOp op;
  Location loc;
  GenericBuilder generics;
  MappedTensor input;
  SmallVector<unsigned> rowDims;
};

} // namespace

SmallVector<MappedTensor> SoftmaxBuilder::getParams(unsigned first,
                                                    unsigned count) {
  SmallVector<MappedTensor> params;
  SmallVector<AffineMap> maps = op.getShapedMaps();
  for (unsigned i = first; i < first + count; ++i)
    params.push_back(
        {op.getParams()[i], maps[1 + i] ? maps[1 + i] : generics.getMap({})});
  return params;
}

MappedTensor SoftmaxBuilder::createRows(ArrayRef<MappedTensor> inputs,
                                        RowBody body) {
  // Over the dimensions of the rows alone.
  GenericBuilder own(rewriter, loc, rowDims.size(), op.getComputeType());
  SmallVector<AffineExpr> loops(input.map.getNumDims(),
                                rewriter.getAffineConstantExpr(0));
  for (auto [loop, dim] : llvm::enumerate(rowDims))
    loops[dim] = rewriter.getAffineDimExpr(loop);
  SmallVector<MappedTensor> mapped;
  for (const MappedTensor &from : inputs)
    mapped.push_back({from.tensor, from.map.replaceDimsAndSymbols(
                                       loops, {}, rowDims.size(), 0)});
  MappedTensor empty =
      generics.createEmpty(op.getInput(), rowDims, op.getComputeType());
  MappedTensor rows =
      own.create(mapped, {empty.tensor, own.getIdentity()}, body);
  return {rows.tensor, empty.map};
}

/// n, where it is known now.
std::optional<double> SoftmaxBuilder::getFixedLength() {
  LengthAttr length = cast<ScalePolicyAttrInterface>(op.getScale()).getLength();
  if (!length)
    return 1.0;
  if (std::optional<double> constant = length.getConstant())
    return constant;
  int64_t keys =
      cast<ShapedType>(op.getInput().getType()).getDimSize(op.getKeyDim());
  bool counts = length.getKind() == LengthKind::Keys ||
                length.getKind() == LengthKind::Visible;
  if (counts && !ShapedType::isDynamic(keys))
    return std::max<double>(1.0, keys);
  return std::nullopt;
}

/// n of a row in the body of createRows, as a float of at least 1.
Value SoftmaxBuilder::emitLength(LaneBuilder &lanes, ValueRange params) {
  LengthAttr length = cast<ScalePolicyAttrInterface>(op.getScale()).getLength();
  if (std::optional<double> fixed = getFixedLength())
    return lanes.constant(*fixed);
  OpBuilder &nested = lanes.getBuilder();
  auto sizeOf = [&](unsigned dim) -> Value {
    return tensor::DimOp::create(nested, loc, op.getInput(), dim);
  };
  Value count;
  if (length.getKind() == LengthKind::PositionOperand) {
    count = lanes.add(lanes.toIntLanes(params.back()), lanes.integer(1));
  } else if (length.getKind() == LengthKind::Position) {
    Value row = linalg::IndexOp::create(nested, loc, rowDims.size() - 1);
    count = lanes.add(row, lanes.integer(1));
    if (op.getAlign() == Alignment::BottomRight)
      count = lanes.add(
          count, lanes.sub(sizeOf(op.getKeyDim()), sizeOf(*op.getRowDim())));
  } else {
    count = sizeOf(op.getKeyDim());
  }
  return lanes.intToFloat(lanes.max(count, lanes.integer(1)));
}

MappedTensor SoftmaxBuilder::createScales() {
  auto scale = cast<ScalePolicyAttrInterface>(op.getScale());
  unsigned count = scale.getParamSpecs().size();
  int64_t headDim = op.getHeadDim() ? *op.getHeadDim() : ShapedType::kDynamic;
  LengthAttr length = scale.getLength();
  bool hasPosition = length && length.getKind() == LengthKind::PositionOperand;
  return createRows(
      getParams(0, count), [&](LaneBuilder &lanes, ValueRange at) {
        // Whatever is known now is computed now, in f64.
        if (std::optional<double> fixed = getFixedLength())
          if (auto lambda = scale.evaluate(double(headDim), *fixed))
            return lanes.constant(*lambda);
        ScaleInputs inputs;
        inputs.staticHeadDim = headDim;
        inputs.headDim = lanes.constant(double(headDim));
        if (length)
          inputs.length = emitLength(lanes, at.take_front(count));
        for (Value param : at.take_front(count - (hasPosition ? 1 : 0)))
          inputs.params.push_back(param);
        return scale.emitScale(lanes, inputs);
      });
}

/// log e0 of each row, -inf where e0 is 0.
MappedTensor SoftmaxBuilder::createLogExtras() {
  auto normalizer = cast<NormalizerAttrInterface>(op.getNormalizer());
  unsigned first =
      cast<PolicyAttrInterface>(op.getScale()).getParamSpecs().size();
  unsigned count = op.getParams().size() - first;
  return createRows(
      getParams(first, count), [&](LaneBuilder &lanes, ValueRange at) {
        Value extra = normalizer.emitLogExtra(lanes, at.take_front(count));
        return extra ? extra
                     : lanes.constant(-std::numeric_limits<double>::infinity());
      });
}

Value SoftmaxBuilder::run() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  MappedTensor scales = createScales(), extras = createLogExtras();
  MappedTensor tops = generics.create(
      {input, scales}, extras, [&](LaneBuilder &lanes, ValueRange at) {
        return lanes.max(lanes.mul(at[0], at[1]), at[2]);
      });
  // Where m = -inf, all scores are: exp(s - m) is that of m = 0.
  auto minus = [&](LaneBuilder &lanes, Value top) {
    Value isEmpty =
        lanes.cmp(arith::CmpFPredicate::OEQ, top, lanes.constant(-infinity));
    return lanes.neg(lanes.select(isEmpty, lanes.constant(0.0), top));
  };
  // exp(lambda x - m), rounded in the same way in the sum and in the result:
  // the rounding of m cancels between the two.
  auto weightOf = [&](LaneBuilder &lanes, ValueRange at) {
    return lanes.exp(lanes.fma(at[0], at[1], minus(lanes, at[2])));
  };
  // e0 relative to the maximum: 1 where it is the maximum, infinite or not.
  MappedTensor sums =
      createRows({extras, tops}, [&](LaneBuilder &lanes, ValueRange at) {
        Value zero = lanes.constant(0.0), one = lanes.constant(1.0);
        Value isTop = lanes.cmp(arith::CmpFPredicate::OEQ, at[0], at[1]);
        Value isNothing = lanes.cmp(arith::CmpFPredicate::OEQ, at[0],
                                    lanes.constant(-infinity));
        Value weight = lanes.exp(lanes.add(at[0], minus(lanes, at[1])));
        Value extra = lanes.select(isTop, one, weight);
        return lanes.select(isNothing, zero, extra);
      });
  sums = generics.create({input, scales, tops}, sums,
                         [&](LaneBuilder &lanes, ValueRange at) {
                           return lanes.add(weightOf(lanes, at), at[3]);
                         });
  return generics
      .create({input, scales, tops, sums}, {op.getOutput(), input.map},
              [&](LaneBuilder &lanes, ValueRange at) {
                Value weight = weightOf(lanes, at);
                Value zero = lanes.constant(0.0);
                Value isEmpty =
                    lanes.cmp(arith::CmpFPredicate::OEQ, at[3], zero);
                return lanes.select(isEmpty, zero, lanes.div(weight, at[3]));
              })
      .tensor;
}

LogicalResult attn::decomposeSoftmax(RewriterBase &rewriter, SoftmaxOp op) {
  if (!isa<RankedTensorType>(op.getOutput().getType()))
    return rewriter.notifyMatchFailure(op, "its operands are not tensors");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  rewriter.replaceOp(op, SoftmaxBuilder(rewriter, op).run());
  return success();
}
