//===- ScoreLanes.cpp - The score emitter on rows in lanes ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace attn;

LogicalResult attn::checkScores(AttentionOpInterface op,
                                PatternRewriter &rewriter) {
  if (op.getSizes().empty())
    return rewriter.notifyMatchFailure(op, "the problem's sizes are not given");
  return success();
}

/// The params of segment ids where n = position restarts in each segment: the
/// rows' ids, and the ids of all keys after them.
static std::optional<unsigned> getCountedSegments(AttentionOpInterface op) {
  LengthAttr length = op.getScale().getLength();
  if (!length || length.getKind() != LengthKind::Position)
    return std::nullopt;
  for (auto [i, mask] : llvm::enumerate(op.getMasks()))
    if (isa<SegmentIdsAttr>(mask))
      return op.getMaskParams(i).first;
  return std::nullopt;
}

ScoreLanes::ScoreLanes(OpBuilder &builder, AttentionOpInterface op,
                       const RegisterTile &tile, Value inverseNorms)
    : builder(builder), loc(op.getLoc()), op(op),
      lanes(builder, loc, tile.element, tile.lanes), tiles(builder, op, tile),
      inverseNorms(inverseNorms),
      emitter(lanes, op, op.getSizes(),
              [this](unsigned index, const ScoreIndices &) {
                return loadParam(index);
              }) {}

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

void ScoreLanes::prepareGroup(Value firstRow, int64_t keyBound,
                              ScratchPool &pool) {
  tiles.fill(firstRow, keyBound, pool);
}

ScoreLanes::Row ScoreLanes::getRow(Value firstRow, int64_t column) {
  Row row;
  row.first = firstRow;
  row.column = column;
  currentRow = &row;
  currentColumn = nullptr;
  unsigned key = op.getKeyDim(), rowDim = op.getRowDim();
  for (unsigned i = 0, e = op.getNumScoreParams(); i < e; ++i) {
    AffineMap map = op.getParamMap(i);
    row.params.push_back(map.isFunctionOfDim(key)      ? Value()
                         : map.isFunctionOfDim(rowDim) ? loadRowParam(i)
                                                       : loadUniform(i, {}));
  }
  SmallVector<Value> batch(op.getNumBatchDims(), lanes.index(0));
  row.emitted = emitter.prepareRow(
      batch, lanes.add(lanes.toIntLanes(firstRow), lanes.iota()));
  return row;
}

ScoreLanes::Row ScoreLanes::prepareRow(Value firstRow, int64_t column) {
  Row row = getRow(firstRow, column);
  currentRow = &row;
  emitter.prepareFactor(row.emitted);
  double infinity = std::numeric_limits<double>::infinity();
  row.hidden = lanes.constant(-infinity);
  if (!hidesKeys() || !op.isScoreLinear())
    return row;
  // The kept score of a hidden key becomes -inf by its factor, which therefore
  // must not be 0: the smallest normal number gives scores of 0 as well.
  Value &factor = row.emitted.factor;
  Value zero = lanes.constant(0.0);
  double smallest = lanes.getElementType().isF64() ? 0x1p-1022 : 0x1p-126;
  factor = lanes.select(lanes.cmp(arith::CmpFPredicate::OEQ, factor, zero),
                        lanes.constant(smallest), factor);
  row.hidden = lanes.select(lanes.cmp(arith::CmpFPredicate::OLT, factor, zero),
                            lanes.constant(infinity), row.hidden);
  return row;
}

ScoreLanes::Column ScoreLanes::prepareColumn(Value key) {
  Column column;
  column.emitted = emitter.prepareColumn(lanes.toIntLanes(key));
  column.key = key;
  column.params.resize(op.getParams().size());
  if (op.isCosine())
    column.inverseNorm = lanes.toFloatLanes(
        memref::LoadOp::create(builder, loc, inverseNorms, ValueRange(key)));
  return column;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

ScoreLanes::Score ScoreLanes::apply(Value similarity, const Row &row,
                                    Column &column) {
  currentRow = &row;
  currentColumn = &column;
  if (column.inverseNorm)
    similarity = lanes.mul(similarity, column.inverseNorm);
  bool linear = op.isScoreLinear();
  Value kept = similarity;
  if (!linear)
    kept = emitter.emitScore(similarity, row.emitted, column.emitted);
  if (Value visible = emitter.emitVisible(row.emitted, column.emitted))
    kept = lanes.select(visible, kept, row.hidden);
  return {kept, linear ? lanes.mul(kept, row.emitted.factor) : kept};
}

Value ScoreLanes::emitDistance(Value kept, const Row &row, Value max) {
  if (!op.isScoreLinear())
    return lanes.sub(kept, max);
  return lanes.fma(kept, row.emitted.factor, lanes.neg(max));
}

Value ScoreLanes::emitScale(Value firstRow) {
  Row row = getRow(firstRow, 0);
  currentRow = &row;
  if (std::optional<unsigned> segments = getCountedSegments(op)) {
    Value start = emitSegmentStart(row, *segments);
    emitter.setSegmentStart(
        [start](const ScoreEmitter::Row &) { return start; });
  }
  return emitter.emitScale(row.emitted);
}

/// The first key of each row's segment; a row whose segment has no key counts
/// from itself.
Value ScoreLanes::emitSegmentStart(const Row &row, unsigned segments) {
  Value ids = op.getParams()[segments + 1];
  Value count = lanes.index(1);
  for (auto [i, result] :
       llvm::enumerate(op.getParamMap(segments + 1).getResults()))
    if (result.isFunctionOfDim(op.getKeyDim()))
      count = memref::DimOp::create(builder, loc, ids, i);
  Value none = lanes.integer(std::numeric_limits<int32_t>::max());
  auto loop = scf::ForOp::create(
      builder, loc, lanes.index(0), count, lanes.index(1), none,
      [&](OpBuilder &, Location, Value key, ValueRange start) {
        Value same = lanes.cmp(arith::CmpIPredicate::eq, row.params[segments],
                               loadUniform(segments + 1, key));
        Value found = lanes.select(same, lanes.toIntLanes(key), none);
        scf::YieldOp::create(builder, loc, lanes.min(start[0], found));
      });
  Value start = loop.getResult(0);
  Value found = lanes.cmp(arith::CmpIPredicate::ne, start, none);
  return lanes.select(found, start, row.emitted.position);
}

Value ScoreLanes::emitLogExtra(Value firstRow) {
  Row row = getRow(firstRow, 0);
  currentRow = &row;
  return emitter.emitLogExtra(row.emitted);
}

//===----------------------------------------------------------------------===//
// Params
//===----------------------------------------------------------------------===//

/// Each param is loaded where it is as constant as it can be.
Value ScoreLanes::loadParam(unsigned index) {
  if (Value value = currentRow->params[index])
    return value;
  assert(currentColumn && "a param that varies with keys needs a key");
  if (tiles.isMatrix(index))
    return tiles.load(index, currentColumn->key, currentRow->column);
  Value &value = currentColumn->params[index];
  if (!value)
    value = loadUniform(index, currentColumn->key);
  return value;
}

Value ScoreLanes::loadElement(LaneBuilder &target, unsigned index,
                              ArrayRef<Value> position) {
  Value value = op.getParams()[index];
  if (isa<MemRefType>(value.getType()))
    value = memref::LoadOp::create(builder, loc, value, position);
  return toLanes(target, getParamElement(op, index), value);
}

/// A param that is the same for all rows: batch dimensions have size 1.
Value ScoreLanes::loadUniform(unsigned index, Value key) {
  SmallVector<Value> position;
  for (AffineExpr result : op.getParamMap(index).getResults())
    position.push_back(result.isFunctionOfDim(op.getKeyDim()) ? key
                                                              : lanes.index(0));
  return loadElement(lanes, index, position);
}

/// The scales of a packed query fill the tile; other params of rows are loaded
/// lane by lane, since their stride is arbitrary, and rows past the end of the
/// tile repeat the last one.
Value ScoreLanes::loadRowParam(unsigned index) {
  Value param = op.getParams()[index];
  AffineMap map = op.getParamMap(index);
  auto type = cast<MemRefType>(param.getType());
  auto schedule = op->getAttrOfType<ScheduleAttr>("schedule");
  if (type.getRank() == 1 && hasUnitInnerStride(param) &&
      type.getDimSize(0) == schedule.getRows() &&
      type.getElementType() == lanes.getElementType())
    return vector::LoadOp::create(builder, loc,
                                  cast<VectorType>(lanes.getFloatType()), param,
                                  ValueRange(currentRow->first));
  LaneBuilder scalars(builder, loc, lanes.getElementType());
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes.getLanes(); ++lane) {
    SmallVector<Value> position(map.getNumResults(), lanes.index(0));
    for (auto [dim, result] : llvm::enumerate(map.getResults()))
      if (result.isFunctionOfDim(op.getRowDim())) {
        Value size = memref::DimOp::create(builder, loc, param, dim);
        Value last = arith::SubIOp::create(builder, loc, size, lanes.index(1));
        Value row = addIndex(builder, loc, currentRow->first, lane);
        position[dim] = arith::MinUIOp::create(builder, loc, row, last);
      }
    Value element = loadElement(scalars, index, position);
    // Ints are i32 in the lanes and index as scalars.
    if (element.getType().isIndex())
      element = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                           element);
    elements.push_back(element);
  }
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get({lanes.getLanes()}, elements[0].getType()),
      elements);
}
