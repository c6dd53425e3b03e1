//===- DecomposeSoftmax.cpp - A softmax on its own as structured ops ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Shared/SoftmaxRow.h"
#include "attn/Dialect/Attn/IR/GenericBuilder.h"

#include "attn/Conversion/AttnToLinalg/AttnToLinalg.h"
#include "attn/Dialect/Attn/Score/ScoreEmitter.h"
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
      : op(op), loc(op.getLoc()),
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
  SmallVector<MappedTensor> getParams(unsigned first, unsigned count);

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
  return generics.create(
      rowDims, inputs,
      generics.createEmpty(op.getInput(), rowDims, op.getComputeType()), body);
}

MappedTensor SoftmaxBuilder::createScales() {
  SmallVector<ParamSpec> specs =
      cast<PolicyAttrInterface>(op.getScale()).getParamSpecs();
  return createRows(
      getParams(0, specs.size()), [&](LaneBuilder &lanes, ValueRange at) {
        SmallVector<Value> params;
        for (auto [spec, value] : llvm::zip(specs, at))
          params.push_back(toLanes(lanes, spec.element, value));
        OpBuilder &nested = lanes.getBuilder();
        auto getSize = [&](unsigned dim) -> Value {
          return tensor::DimOp::create(nested, loc, op.getInput(), dim);
        };
        auto getRow = [&]() -> Value {
          return linalg::IndexOp::create(nested, loc, rowDims.size() - 1);
        };
        return emitSoftmaxScale(lanes, op, params, {getSize, getRow});
      });
}

/// log e0 of each row, -inf where e0 is 0.
MappedTensor SoftmaxBuilder::createLogExtras() {
  unsigned first =
      cast<PolicyAttrInterface>(op.getScale()).getParamSpecs().size();
  unsigned count = op.getParams().size() - first;
  return createRows(
      getParams(first, count), [&](LaneBuilder &lanes, ValueRange at) {
        return emitSoftmaxLogExtra(lanes, op, at.take_front(count));
      });
}

Value SoftmaxBuilder::run() {
  MappedTensor scales = createScales();
  MappedTensor signs =
      createRows({scales}, [&](LaneBuilder &lanes, ValueRange at) {
        return emitSoftmaxSign(lanes, at[0]);
      });
  MappedTensor tops = createRows({}, [&](LaneBuilder &lanes, ValueRange) {
    return lanes.constant(-std::numeric_limits<double>::infinity());
  });
  tops = generics.create({input, signs}, tops,
                         [&](LaneBuilder &lanes, ValueRange at) {
                           return lanes.max(lanes.mul(at[0], at[1]), at[2]);
                         });
  MappedTensor shifts =
      createRows({scales, tops}, [&](LaneBuilder &lanes, ValueRange at) {
        return emitSoftmaxWeighting(lanes, at[0], at[1]).shift;
      });
  auto weightOf = [&](LaneBuilder &lanes, ValueRange at) {
    return lanes.exp(emitSoftmaxDistance(lanes, at[0], {at[1], at[2]}));
  };
  MappedTensor sums =
      createRows({createLogExtras(), shifts, scales},
                 [&](LaneBuilder &lanes, ValueRange at) {
                   return emitSoftmaxExtra(lanes, at[0], {at[1], at[2]});
                 });
  sums = generics.create({input, shifts, scales}, sums,
                         [&](LaneBuilder &lanes, ValueRange at) {
                           return lanes.add(weightOf(lanes, at), at[3]);
                         });
  return generics
      .create({input, shifts, scales, sums}, {op.getOutput(), input.map},
              [&](LaneBuilder &lanes, ValueRange at) {
                Value weight = weightOf(lanes, at);
                Value zero = lanes.constant(0.0);
                Value isEmpty =
                    lanes.cmp(arith::CmpFPredicate::OEQ, at[3], zero);
                return lanes.select(isEmpty, zero, lanes.div(weight, at[3]));
              })
      .tensor;
}

LogicalResult attn::decompose(RewriterBase &rewriter, SoftmaxOp op) {
  if (!isa<RankedTensorType>(op.getOutput().getType()))
    return rewriter.notifyMatchFailure(op, "its operands are not tensors");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  rewriter.replaceOp(op, SoftmaxBuilder(rewriter, op).run());
  return success();
}
