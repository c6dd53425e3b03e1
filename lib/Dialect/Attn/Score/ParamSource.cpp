//===- ParamSource.cpp - Where params of policies are read ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Score/ParamSource.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

ParamSpec attn::getParamSpec(AttentionOpInterface op, unsigned index) {
  SmallVector<ParamSpec> specs;
  auto append = [&](Attribute policy) {
    llvm::append_range(specs,
                       cast<PolicyAttrInterface>(policy).getParamSpecs());
  };
  append(op.getScale());
  llvm::for_each(op.getBiases(), append);
  ParamRange region = op.getRegionParams();
  for (Value param : op.getParams().slice(region.first, region.count)) {
    bool isBoolean = getElementTypeOrSelf(param.getType()).isInteger(1);
    specs.push_back({"score param",
                     isBoolean ? ParamElement::Boolean : ParamElement::Float,
                     {}});
  }
  llvm::for_each(op.getMasks(), append);
  append(op.getNormalizer());
  return specs[index];
}

ParamElement attn::getParamElement(AttentionOpInterface op, unsigned index) {
  return getParamSpec(op, index).element;
}

/// Lanes of 32 bits hold the nearest number that there is: a length beyond them
/// is one of more keys than any tensor has.
static Value nearestInt(LaneBuilder &lanes, Value value) {
  OpBuilder &b = lanes.getBuilder();
  Location loc = lanes.getLoc();
  if (getElementTypeOrSelf(lanes.getIntType()).isIndex())
    return value;
  Type type = value.getType();
  Type wide = b.getI64Type();
  if (auto vector = dyn_cast<VectorType>(type))
    wide = vector.clone(wide);
  if (getElementTypeOrSelf(type).isIndex())
    value = arith::IndexCastOp::create(b, loc, wide, value);
  else if (type != wide)
    return value;
  auto constant = [&](int64_t number) -> Value {
    Attribute attribute = b.getI64IntegerAttr(number);
    if (auto vector = dyn_cast<VectorType>(wide))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(b, loc, cast<TypedAttr>(attribute));
  };
  value = arith::MaxSIOp::create(b, loc, value, constant(INT32_MIN));
  return arith::MinSIOp::create(b, loc, value, constant(INT32_MAX));
}

Value attn::toLanes(LaneBuilder &lanes, ParamElement element, Value value) {
  switch (element) {
  case ParamElement::Float:
    return lanes.toFloatLanes(value);
  case ParamElement::Integer:
    return lanes.toIntLanes(nearestInt(lanes, value));
  case ParamElement::Boolean:
    return lanes.toBoolLanes(value);
  }
  llvm_unreachable("all kinds are handled");
}

/// A vector of params, as they are stored, in the builder's types.
static Value convertLanes(LaneBuilder &lanes, ParamElement element,
                          Value values) {
  OpBuilder &b = lanes.getBuilder();
  Location loc = lanes.getLoc();
  if (element == ParamElement::Boolean) {
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(values.getType()));
    return lanes.cmp(arith::CmpIPredicate::ne, values, zero);
  }
  Type type = element == ParamElement::Float ? lanes.getFloatType()
                                             : lanes.getIntType();
  if (element == ParamElement::Integer)
    values = nearestInt(lanes, values);
  Type from = getElementTypeOrSelf(values.getType());
  if (from == getElementTypeOrSelf(type))
    return values;
  if (from.isIndex())
    return arith::IndexCastOp::create(b, loc, type, values);
  bool widens = from.getIntOrFloatBitWidth() <
                getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (element == ParamElement::Float)
    return widens ? Value(arith::ExtFOp::create(b, loc, type, values))
                  : arith::TruncFOp::create(b, loc, type, values);
  return widens ? Value(arith::ExtSIOp::create(b, loc, type, values))
                : arith::TruncIOp::create(b, loc, type, values);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

SmallVector<Value> attn::emitPosition(OpBuilder &builder, Location loc,
                                      AffineMap map, ArrayRef<Value> dims) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  SmallVector<Value> position;
  for (AffineExpr expr : map.getResults()) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      position.push_back(index(constant.getValue()));
      continue;
    }
    auto group = dyn_cast<AffineBinaryOpExpr>(expr);
    Value at =
        dims[cast<AffineDimExpr>(group ? group.getLHS() : expr).getPosition()];
    if (!at)
      at = index(0);
    else if (group)
      at = arith::DivUIOp::create(
          builder, loc, at,
          index(cast<AffineConstantExpr>(group.getRHS()).getValue()));
    position.push_back(at);
  }
  return position;
}

/// One element; a param that is no tensor and no memref is its own.
static Value loadElement(LaneBuilder &lanes, Value param,
                         ArrayRef<Value> position) {
  OpBuilder &b = lanes.getBuilder();
  if (isa<MemRefType>(param.getType()))
    return memref::LoadOp::create(b, lanes.getLoc(), param, position);
  if (isa<RankedTensorType>(param.getType()))
    return tensor::ExtractOp::create(b, lanes.getLoc(), param, position);
  return param;
}

/// One element after the other: for strides, and for booleans, whose vectors
/// memory has no form for.
static Value gatherElements(LaneBuilder &lanes, Value memref,
                            ArrayRef<Value> position, unsigned axis) {
  OpBuilder &b = lanes.getBuilder();
  Location loc = lanes.getLoc();
  Value size = memref::DimOp::create(b, loc, memref, axis);
  Value last = arith::SubIOp::create(b, loc, size, lanes.index(1));
  SmallVector<Value> elements, at(position);
  for (int64_t lane = 0; lane < lanes.getLanes(); ++lane) {
    Value own = position[axis];
    if (lane != 0)
      own = arith::AddIOp::create(b, loc, own, lanes.index(lane));
    at[axis] = arith::MinUIOp::create(b, loc, own, last);
    Value element = memref::LoadOp::create(b, loc, memref, at);
    if (element.getType().isInteger(1))
      element = arith::ExtUIOp::create(b, loc, b.getI32Type(), element);
    elements.push_back(element);
  }
  return vector::FromElementsOp::create(
      b, loc, VectorType::get({lanes.getLanes()}, elements[0].getType()),
      elements);
}

Value attn::loadParamLanes(LaneBuilder &lanes, ParamElement element,
                           Value memref, ArrayRef<Value> position,
                           const LaneAccess &access) {
  OpBuilder &b = lanes.getBuilder();
  Location loc = lanes.getLoc();
  auto type = cast<MemRefType>(memref.getType());
  Type stored = type.getElementType();
  bool isLast = access.axis + 1 == type.getRank() && type.isLastDimUnitStride();
  bool isVector = isLast && stored.isIntOrFloat() &&
                  stored.getIntOrFloatBitWidth() >= 16 &&
                  (access.isWhole || access.active);
  if (!isVector)
    return convertLanes(lanes, element,
                        gatherElements(lanes, memref, position, access.axis));
  auto vectorType = VectorType::get({lanes.getLanes()}, stored);
  Value values;
  if (access.isWhole) {
    values = vector::LoadOp::create(b, loc, vectorType, memref, position);
  } else {
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
    values = vector::MaskedLoadOp::create(b, loc, vectorType, memref, position,
                                          access.active, zeros);
  }
  return convertLanes(lanes, element, values);
}

//===----------------------------------------------------------------------===//
// ParamSource
//===----------------------------------------------------------------------===//

/// Whether a param of rows has an element for each row of the schedule's tile,
/// as the scales of a packed query have.
static bool fillsTile(AttentionOpInterface op, Value param) {
  auto schedule = op->getAttrOfType<ScheduleAttr>("schedule");
  auto type = cast<MemRefType>(param.getType());
  return schedule && type.getRank() == 1 &&
         type.getDimSize(0) == schedule.getRows();
}

LaneIndex ParamSource::getIndex(Value first, bool inLanes) {
  Value ints = lanes.toIntLanes(first);
  return {inLanes ? lanes.add(ints, lanes.iota()) : ints, first};
}

SmallVector<Value> ParamSource::getPosition(Value operand, AffineMap map,
                                            const ScoreIndices &where,
                                            Value headDim) {
  OpBuilder &b = lanes.getBuilder();
  Location loc = lanes.getLoc();
  SmallVector<Value> dims(where.batch);
  dims.resize(op.getNumDims());
  dims[op.getRowDim()] = where.row.first;
  dims[op.getKeyDim()] = where.key.first;
  dims[op.getHeadDimDim()] = headDim;
  SmallVector<Value> position = emitPosition(b, loc, map, dims);
  // States are padded to a static number of rows, other tensors are not.
  bool mayPassEnd = isa<RankedTensorType>(operand.getType()) &&
                    axis == LaneAxis::None && !op.getOrigin().empty();
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (mayPassEnd && expr.isFunctionOfDim(op.getRowDim())) {
      Value rows = tensor::DimOp::create(b, loc, operand, i);
      position[i] = arith::MinSIOp::create(
          b, loc, position[i],
          arith::SubIOp::create(b, loc, rows, lanes.index(1)));
    }
  return position;
}

ScoreIndices ParamSource::loadRow(ArrayRef<Value> batch, Value first) {
  ScoreIndices where = {SmallVector<Value>(batch), LaneIndex({}, first), {}};
  SmallVector<Value> params;
  for (unsigned i = 0, e = op.getNumScoreParams(); i < e; ++i)
    params.push_back(op.getParamMap(i).isFunctionOfDim(op.getKeyDim())
                         ? Value()
                         : load(i, where));
  where.row = getRow(first);
  where.row.params = std::move(params);
  return where;
}

void ParamSource::loadKeyParams(ArrayRef<Value> batch, LaneIndex &key) {
  ScoreIndices where = {SmallVector<Value>(batch), {}, key};
  for (unsigned i = 0, e = op.getNumScoreParams(); i < e; ++i) {
    AffineMap map = op.getParamMap(i);
    bool isOfKey = map.isFunctionOfDim(op.getKeyDim()) &&
                   !map.isFunctionOfDim(op.getRowDim());
    key.params.push_back(isOfKey ? load(i, where) : Value());
  }
}

Value ParamSource::load(unsigned index, const ScoreIndices &where) {
  for (const LaneIndex *along : {&where.row, &where.key})
    if (index < along->params.size() && along->params[index])
      return along->params[index];
  Value param = op.getParams()[index];
  AffineMap map = op.getParamMap(index);
  ParamElement element = getParamElement(op, index);
  bool ofRow = map.isFunctionOfDim(op.getRowDim());
  bool ofKey = map.isFunctionOfDim(op.getKeyDim());
  if (axis == LaneAxis::Rows && ofRow && ofKey)
    return loadMatrix(index, where);
  SmallVector<Value> position;
  if (isa<ShapedType>(param.getType()))
    position = getPosition(param, map, where);
  if ((axis == LaneAxis::Rows && ofRow) || (axis == LaneAxis::Keys && ofKey)) {
    unsigned dim =
        ofRow && axis == LaneAxis::Rows ? op.getRowDim() : op.getKeyDim();
    const LaneIndex &along = dim == op.getRowDim() ? where.row : where.key;
    LaneAccess access;
    access.axis =
        *map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
    access.active = along.active;
    access.isWhole = axis == LaneAxis::Rows && fillsTile(op, param);
    return loadParamLanes(lanes, element, param, position, access);
  }
  Value value = loadElement(lanes, param, position);
  // Scalars of the region have its own types.
  ParamRange region = op.getRegionParams();
  bool isOfRegion = index - region.first < region.count;
  return axis == LaneAxis::None && isOfRegion ? value
                                              : toLanes(lanes, element, value);
}
