//===- ScoreLanes.cpp - The score emitter on rows in lanes ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attn;

LogicalResult attn::checkScores(AttentionOpInterface op,
                                PatternRewriter &rewriter) {
  if (op.getSizes().empty())
    return rewriter.notifyMatchFailure(op, "the problem's sizes are not given");
  LengthAttr length = op.getScale().getLength();
  bool hasSegments = llvm::any_of(
      op.getMasks(), [](Attribute mask) { return isa<SegmentIdsAttr>(mask); });
  if (hasSegments && length && length.usesPositions())
    return rewriter.notifyMatchFailure(
        op, "the scale counts positions within segments");
  return success();
}

ScoreLanes::ScoreLanes(OpBuilder &builder, AttentionOpInterface op,
                       const RegisterTile &tile)
    : builder(builder), loc(op.getLoc()), op(op),
      lanes(builder, loc, tile.element, tile.lanes),
      emitter(lanes, op, op.getSizes(),
              [this](unsigned index, const ScoreIndices &) {
                return loadParam(index);
              }) {}

ScoreLanes::Row ScoreLanes::getRow(Value firstRow) {
  currentRow = firstRow;
  SmallVector<Value> batch(op.getNumBatchDims(), lanes.index(0));
  return emitter.prepareRow(
      batch, lanes.add(lanes.toIntLanes(firstRow), lanes.iota()));
}

ScoreLanes::Row ScoreLanes::prepareRow(Value firstRow) {
  Row row = getRow(firstRow);
  emitter.prepareFactor(row);
  return row;
}

ScoreLanes::Column ScoreLanes::prepareColumn(Value key) {
  return emitter.prepareColumn(lanes.toIntLanes(key));
}

Value ScoreLanes::apply(Value score, Value firstRow, const Row &row, Value key,
                        const Column &column) {
  currentRow = firstRow;
  currentKey = key;
  score = emitter.emitScore(score, row, column);
  Value visible = emitter.emitVisible(row, column);
  if (!visible)
    return score;
  Value hidden = lanes.constant(-std::numeric_limits<double>::infinity());
  return lanes.select(visible, score, hidden);
}

Value ScoreLanes::emitScale(Value firstRow) {
  return emitter.emitScale(getRow(firstRow));
}

Value ScoreLanes::emitLog2Extra(Value firstRow) {
  return emitter.emitLog2Extra(getRow(firstRow));
}

Value ScoreLanes::loadElement(LaneBuilder &target, unsigned index,
                              ArrayRef<Value> position) {
  Value value = op.getParams()[index];
  if (isa<MemRefType>(value.getType()))
    value = memref::LoadOp::create(builder, loc, value, position);
  switch (getParamElement(op, index)) {
  case ParamElement::Float:
    return target.toFloatLanes(value);
  case ParamElement::Integer:
    return target.toIntLanes(value);
  case ParamElement::Boolean:
    return target.toBoolLanes(value);
  }
  llvm_unreachable("all kinds are handled");
}

/// Positions of a param on the tile: batch dimensions have size 1 there.
Value ScoreLanes::loadParam(unsigned index) {
  AffineMap map = op.getParamMap(index);
  SmallVector<Value> position;
  for (AffineExpr result : map.getResults()) {
    if (result.isFunctionOfDim(op.getRowDim()))
      return loadRowParam(index, map);
    bool isKey = result.isFunctionOfDim(op.getKeyDim());
    position.push_back(isKey ? currentKey : lanes.index(0));
  }
  return loadElement(lanes, index, position);
}

/// One load per lane: the rows' stride is arbitrary, and rows past the end of
/// the tile repeat the last one.
Value ScoreLanes::loadRowParam(unsigned index, AffineMap map) {
  LaneBuilder scalars(builder, loc, lanes.getElementType());
  Value param = op.getParams()[index];
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes.getLanes(); ++lane) {
    SmallVector<Value> position;
    for (auto [dim, result] : llvm::enumerate(map.getResults())) {
      if (result.isFunctionOfDim(op.getKeyDim())) {
        position.push_back(currentKey);
      } else if (result.isFunctionOfDim(op.getRowDim())) {
        Value size = memref::DimOp::create(builder, loc, param, dim);
        Value last = arith::SubIOp::create(builder, loc, size, lanes.index(1));
        Value row = addIndex(builder, loc, currentRow, lane);
        position.push_back(arith::MinUIOp::create(builder, loc, row, last));
      } else {
        position.push_back(lanes.index(0));
      }
    }
    Value element = loadElement(scalars, index, position);
    // Ints are i32 in the lanes and index as scalars.
    if (element.getType().isIndex())
      element = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                           element);
    elements.push_back(element);
  }
  auto type = VectorType::get({lanes.getLanes()}, elements[0].getType());
  return vector::FromElementsOp::create(builder, loc, type, elements);
}
