//===- SoftmaxEmitter.cpp - The steps of attn.softmax ---------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxEmitter.h"
#include "../Lanes/LaneMemory.h"
#include "../Lanes/Weights.h"

#include "attn/Dialect/Attn/Score/ScoreEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

SoftmaxEmitter::SoftmaxEmitter(OpBuilder &builder, SoftmaxOp op,
                               const TargetDescription &target)
    : builder(builder), loc(op.getLoc()), op(op), schedule(cast<SoftmaxScheduleAttr>(op.getScheduleAttr())),
      target(target), type(op.getComputeType()) {}

Value SoftmaxEmitter::getSize(OpBuilder &b, unsigned dim) {
  return b.createOrFold<memref::DimOp>(loc, op.getInput(),
                                       createIndex(b, loc, dim));
}

bool SoftmaxEmitter::areInVectors() {
  return hasUnitInnerStride(op.getInput()) &&
         hasUnitInnerStride(op.getOutput());
}

/// One that varies with the rows in the lanes is loaded lane by lane, since its
/// stride is arbitrary; rows past the end repeat the last one.
Value SoftmaxEmitter::loadParam(LaneBuilder &lanes, unsigned index,
                                ValueRange indices) {
  OpBuilder &b = lanes.getBuilder();
  Value param = op.getParams()[index];
  ParamSpec spec = op.getParamSpecs()[index];
  auto shaped = dyn_cast<MemRefType>(param.getType());
  if (!shaped)
    return toLanes(lanes, spec.element, param);
  SmallVector<unsigned> dims = *op.getParamDims(spec, shaped.getRank());
  SmallVector<Value> position;
  for (unsigned dim : dims)
    position.push_back(indices[dim]);
  unsigned rowDim = getRank() - 1;
  bool varies = lanes.isVector() && llvm::is_contained(dims, rowDim);
  if (!varies)
    return toLanes(lanes, spec.element,
                   memref::LoadOp::create(b, loc, param, position));
  LaneBuilder scalars(b, loc, type);
  Value last =
      arith::SubIOp::create(b, loc, getSize(b, rowDim), createIndex(b, loc, 1));
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes.getLanes(); ++lane) {
    Value row = addIndex(b, loc, indices[rowDim], lane);
    position[llvm::find(dims, rowDim) - dims.begin()] =
        arith::MinUIOp::create(b, loc, row, last);
    Value element = memref::LoadOp::create(b, loc, param, position);
    element = toLanes(scalars, spec.element, element);
    // Ints are i32 in the lanes and index as scalars.
    if (element.getType().isIndex())
      element = arith::IndexCastOp::create(b, loc, b.getI32Type(), element);
    elements.push_back(element);
  }
  return vector::FromElementsOp::create(
      b, loc, VectorType::get(lanes.getLanes(), elements[0].getType()),
      elements);
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
