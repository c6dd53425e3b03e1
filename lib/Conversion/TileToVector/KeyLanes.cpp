//===- KeyLanes.cpp - The score emitter on keys in lanes ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyLanes.h"

#include "../Shared/ConvertFloat.h"
#include "TileShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace attn;

LogicalResult attn::checkKeyScores(AttentionOpInterface op,
                                   PatternRewriter &rewriter) {
  if (op.getSizes().empty())
    return rewriter.notifyMatchFailure(op, "the problem's sizes are not given");
  LengthAttr length = op.getScale().getLength();
  bool hasSegments = llvm::any_of(
      op.getMasks(), [](Attribute mask) { return isa<SegmentIdsAttr>(mask); });
  if (hasSegments && length && length.getKind() == LengthKind::Position)
    return rewriter.notifyMatchFailure(
        op, "the scale counts positions within segments");
  return success();
}

KeyLanes::KeyLanes(OpBuilder &builder, AttentionOpInterface op,
                   int64_t laneCount)
    : builder(builder), loc(op.getLoc()), op(op),
      lanes(builder, loc, op.getComputeType(), laneCount),
      emitter(lanes, op, op.getSizes(),
              [this](unsigned index, const ScoreIndices &) {
                return loadParam(index);
              }) {}

KeyLanes::Row KeyLanes::prepareRow(const TileRow &row) {
  currentRow = row;
  SmallVector<Value> batch(op.getNumBatchDims(), lanes.index(0));
  if (!batch.empty())
    batch.back() = row.head;
  return emitter.prepareRow(batch, lanes.toIntLanes(row.row));
}

Value KeyLanes::emitFactor(const TileRow &row) {
  Row prepared = prepareRow(row);
  emitter.prepareFactor(prepared);
  return prepared.factor;
}

Value KeyLanes::emitScale(const TileRow &row) {
  return emitter.emitScale(prepareRow(row));
}

Value KeyLanes::emitLogExtra(const TileRow &row) {
  return emitter.emitLogExtra(prepareRow(row));
}

Value KeyLanes::apply(Value similarity, const Row &row, const TileRow &where,
                      Value key, Value count) {
  currentRow = where;
  currentKey = key;
  active = lanes.cmp(arith::CmpIPredicate::slt, lanes.iota(),
                     lanes.toIntLanes(count));
  ScoreEmitter::Column column =
      emitter.prepareColumn(lanes.add(lanes.toIntLanes(key), lanes.iota()));
  Value score = emitter.emitScore(similarity, row, column);
  Value visible = active;
  if (Value seen = emitter.emitVisible(row, column))
    visible = lanes.bitAnd(visible, seen);
  Value hidden = lanes.constant(-std::numeric_limits<double>::infinity());
  return lanes.select(visible, score, hidden);
}

//===----------------------------------------------------------------------===//
// Params
//===----------------------------------------------------------------------===//

/// A vector of params in the builder's types.
Value KeyLanes::widen(unsigned index, Value values) {
  if (getParamElement(op, index) == ParamElement::Float)
    return convertFloat(builder, loc, values, lanes.getFloatType());
  if (getParamElement(op, index) == ParamElement::Boolean) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(values.getType()));
    return lanes.cmp(arith::CmpIPredicate::ne, values, zero);
  }
  Type element = getElementTypeOrSelf(values.getType());
  Type type = lanes.getIntType();
  if (element.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, values);
  if (element.getIntOrFloatBitWidth() < 32)
    return arith::ExtSIOp::create(builder, loc, type, values);
  if (element.getIntOrFloatBitWidth() > 32)
    return arith::TruncIOp::create(builder, loc, type, values);
  return values;
}

/// A tile of heads starts where a group of heads does.
Value KeyLanes::getHeadIndex(AffineExpr result) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(result);
  if (!binary)
    return currentRow.head;
  int64_t group = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  return arith::DivUIOp::create(builder, loc, currentRow.head,
                                lanes.index(group));
}

Value KeyLanes::loadParam(unsigned index) {
  AffineMap map = op.getParamMap(index);
  Value param = op.getParams()[index];
  if (!isa<MemRefType>(param.getType()))
    return toLanes(lanes, getParamElement(op, index), param);
  SmallVector<Value> position;
  std::optional<unsigned> keyDim;
  for (auto [i, result] : llvm::enumerate(map.getResults())) {
    if (result.isFunctionOfDim(op.getRowDim())) {
      position.push_back(currentRow.row);
    } else if (result.isFunctionOfDim(op.getKeyDim())) {
      keyDim = i;
      position.push_back(currentKey);
    } else if (op.getNumBatchDims() != 0 &&
               result.isFunctionOfDim(op.getNumBatchDims() - 1)) {
      position.push_back(getHeadIndex(result));
    } else {
      position.push_back(lanes.index(0));
    }
  }
  if (keyDim)
    return loadKeys(index, position, *keyDim);
  return toLanes(lanes, getParamElement(op, index),
                 memref::LoadOp::create(builder, loc, param, position));
}

Value KeyLanes::loadKeys(unsigned index, ArrayRef<Value> position,
                         unsigned keyDim) {
  Value param = op.getParams()[index];
  auto type = cast<MemRefType>(param.getType());
  Type element = type.getElementType();
  bool isLast = keyDim + 1 == type.getRank() && hasUnitInnerStride(param);
  if (isLast && element.isIntOrFloat() &&
      element.getIntOrFloatBitWidth() >= 16) {
    auto vectorType = VectorType::get({lanes.getLanes()}, element);
    Value zeros = arith::ConstantOp::create(builder, loc,
                                            builder.getZeroAttr(vectorType));
    return widen(index,
                 vector::MaskedLoadOp::create(builder, loc, vectorType, param,
                                              position, active, zeros));
  }
  // Booleans and strided params come one by one; lanes past the last key repeat
  // it.
  Value size = memref::DimOp::create(builder, loc, param, keyDim);
  Value last = arith::SubIOp::create(builder, loc, size, lanes.index(1));
  SmallVector<Value> elements, at(position);
  for (int64_t lane = 0; lane < lanes.getLanes(); ++lane) {
    at[keyDim] = arith::MinUIOp::create(
        builder, loc, addIndex(builder, loc, position[keyDim], lane), last);
    Value value = memref::LoadOp::create(builder, loc, param, at);
    if (value.getType().isInteger(1))
      value = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), value);
    elements.push_back(value);
  }
  auto vectorType = VectorType::get({lanes.getLanes()}, elements[0].getType());
  return widen(index, vector::FromElementsOp::create(builder, loc, vectorType,
                                                     elements));
}
