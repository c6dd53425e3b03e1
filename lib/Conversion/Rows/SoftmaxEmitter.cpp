//===- SoftmaxEmitter.cpp - The steps of attn.softmax ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxEmitter.h"
#include "../Lanes/LaneMemory.h"
#include "../Lanes/Weights.h"

#include "attn/Dialect/Attn/Score/ParamSource.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

SoftmaxEmitter::SoftmaxEmitter(OpBuilder &builder, SoftmaxOp op,
                               const TargetDescription &target)
    : builder(builder), loc(op.getLoc()), op(op),
      schedule(cast<SoftmaxScheduleAttr>(op.getScheduleAttr())), target(target),
      type(op.getComputeType()) {}

Value SoftmaxEmitter::getSize(OpBuilder &b, unsigned dim) {
  return b.createOrFold<memref::DimOp>(loc, op.getInput(),
                                       createIndex(b, loc, dim));
}

bool SoftmaxEmitter::areInVectors() {
  return hasUnitInnerStride(op.getInput()) &&
         hasUnitInnerStride(op.getOutput());
}

Value SoftmaxEmitter::loadParam(LaneBuilder &lanes, unsigned index,
                                ValueRange indices) {
  OpBuilder &b = lanes.getBuilder();
  Value param = op.getParams()[index];
  ParamElement element = op.getParamSpecs()[index].element;
  if (!isa<MemRefType>(param.getType()))
    return toLanes(lanes, element, param);
  AffineMap map = op.getShapedMaps()[1 + index];
  SmallVector<Value> position =
      emitPosition(b, loc, map, SmallVector<Value>(indices));
  std::optional<unsigned> axis =
      map.getResultPosition(b.getAffineDimExpr(getRank() - 1));
  if (!lanes.isVector() || !axis)
    return toLanes(lanes, element,
                   memref::LoadOp::create(b, loc, param, position));
  LaneAccess access;
  access.axis = *axis;
  return loadParamLanes(lanes, element, param, position, access);
}

SoftmaxEmitter::Policies SoftmaxEmitter::emitPolicies(LaneBuilder &lanes,
                                                      ValueRange indices) {
  SmallVector<Value> params;
  for (unsigned i = 0, e = op.getParams().size(); i < e; ++i)
    params.push_back(loadParam(lanes, i, indices));
  unsigned count =
      cast<PolicyAttrInterface>(op.getScale()).getParamSpecs().size();
  auto getRow = [&]() {
    Value row = lanes.toIntLanes(indices[*op.getRowDim()]);
    return lanes.isVector() ? lanes.add(row, lanes.iota()) : row;
  };
  auto getDimSize = [&](unsigned dim) {
    return getSize(lanes.getBuilder(), dim);
  };
  ValueRange all(params);
  return {
      emitSoftmaxScale(lanes, op, all.take_front(count), {getDimSize, getRow}),
      emitSoftmaxLogExtra(lanes, op, all.drop_front(count))};
}

RowShape SoftmaxEmitter::getRowShape() {
  RowShape row;
  row.type = type;
  row.lanes = schedule.getLanes();
  row.unroll = schedule.getUnroll();
  row.inVectors = areInVectors();
  row.masksRest = true;
  return row;
}

Value SoftmaxEmitter::emitWeight(LaneBuilder &lanes, Value x,
                                 const SoftmaxWeighting &row) {
  Value distance = emitSoftmaxDistance(lanes, x, row);
  if (!lanes.isVector())
    return lanes.exp(distance);
  return emitNaturalWeight(lanes.getBuilder(), loc, distance, target);
}

Value SoftmaxEmitter::emitFactor(LaneBuilder &lanes, Value sum) {
  Value zero = lanes.constant(0.0);
  Value isEmpty = lanes.cmp(arith::CmpFPredicate::OEQ, sum, zero);
  return lanes.select(isEmpty, zero, lanes.div(lanes.constant(1.0), sum));
}
