//===- RowChanger.cpp - Norm and rotation of loaded rows ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowChanger.h"

#include "../Lanes/LaneSums.h"
#include "../Shared/NormFactor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

RowChanger::RowChanger(AttentionOpInterface op, LoadedRows rows, int64_t lanes,
                       int64_t size)
    : loc(op.getLoc()), op(op), rows(rows), element(op.getComputeType()),
      lanes(lanes), size(size), vectorType(VectorType::get({lanes}, element)),
      vectors(loc, vectorType, size) {}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Where the row's part of a param starts. The heads of keys have one index in
/// a tile, as all dimensions but rows, keys and the heads of queries do.
RowStart RowChanger::getParamStart(OpBuilder &b, unsigned param,
                                   const TileRow &where) {
  AffineMap map = op.getParamMap(param);
  if (rows == LoadedRows::Query)
    return getRowStart(b, op, map, op.getHeadDimDim(), where);
  SmallVector<Value> dims(op.getNumDims());
  dims[op.getKeyDim()] = where.row;
  AffineExpr inner = b.getAffineDimExpr(op.getHeadDimDim());
  return {emitPosition(b, loc, map, dims), *map.getResultPosition(inner)};
}

RowChanger::Values RowChanger::loadRow(OpBuilder &b, Value from,
                                       const RowStart &start) {
  Values chunks;
  for (int64_t c = 0; c < vectors.getCount(); ++c)
    chunks.push_back(vectors.load(b, from, start.position, start.innerDim, c));
  return chunks;
}

void RowChanger::storeRow(OpBuilder &b, ArrayRef<Value> chunks, Value to,
                          Value toRow) {
  Value zero = createIndex(b, loc, 0);
  for (auto [c, chunk] : llvm::enumerate(chunks))
    vectors.store(b, chunk, to, {toRow, zero}, 1, c);
}

/// `count` of `width` lanes from element `first` of a row of the table on, the
/// others 0.
Value RowChanger::loadTable(OpBuilder &b, Value param, const RowStart &table,
                            int64_t first, int64_t count, int64_t width) {
  SmallVector<Value> position(table.position);
  position[table.innerDim] = createIndex(b, loc, first);
  RowVectors part(loc, VectorType::get({width}, element),
                  std::min(count, width));
  return part.load(b, param, position, table.innerDim, 0);
}

//===----------------------------------------------------------------------===//
// Norm
//===----------------------------------------------------------------------===//

Value RowChanger::emitRowSum(OpBuilder &b, ArrayRef<Value> terms) {
  LaneBuilder vectorLanes(b, loc, element, lanes);
  return emitReduced(b, loc, SmallVector<Value>(terms),
                     [&](Value x, Value y) { return vectorLanes.add(x, y); });
}

void RowChanger::clearTail(LaneBuilder &vectorLanes, Values &chunks) {
  int64_t tail = size - (vectors.getCount() - 1) * lanes;
  if (tail == lanes)
    return;
  SmallVector<bool> active(lanes);
  std::fill_n(active.begin(), tail, true);
  OpBuilder &b = vectorLanes.getBuilder();
  Value mask = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()),
                             ArrayRef<bool>(active)));
  chunks.back() =
      vectorLanes.select(mask, chunks.back(), vectorLanes.constant(0.0));
}

void RowChanger::normalise(OpBuilder &b, RowNormAttr norm, unsigned firstParam,
                           const TileRow &where, Values &chunks) {
  LaneBuilder wide(b, loc, element, lanes), scalar(b, loc, element);
  Value inverse = scalar.constant(1.0 / static_cast<double>(size));
  NormKindTraits traits = getTraits(norm.getKind());
  if (traits.isCentred) {
    Value mean = scalar.mul(emitRowSum(b, chunks), inverse);
    Value spread = wide.toFloatLanes(mean);
    for (Value &chunk : chunks)
      chunk = wide.sub(chunk, spread);
    clearTail(wide, chunks);
  }
  // Two chains of multiply-adds, so that they do not wait for each other.
  Values squares;
  for (auto [c, chunk] : llvm::enumerate(chunks)) {
    if (c < 2)
      squares.push_back(wide.mul(chunk, chunk));
    else
      squares[c % 2] = wide.fma(chunk, chunk, squares[c % 2]);
  }
  Value variance = emitRowSum(b, squares);
  if (traits.usesMean)
    variance = scalar.mul(variance, inverse);
  Value factor = wide.toFloatLanes(
      emitNormFactor(scalar, norm.getEps(), norm.getMode(), variance));
  auto loadParam = [&](unsigned param, int64_t chunk) {
    RowStart start = getParamStart(b, param, where);
    return vectors.load(b, op.getParams()[param], start.position,
                        start.innerDim, chunk);
  };
  for (auto [c, chunk] : llvm::enumerate(chunks)) {
    unsigned param = firstParam;
    Value gamma = norm.getGamma() ? loadParam(param++, c) : Value();
    Value beta = norm.getBeta() ? loadParam(param, c) : Value();
    chunk = emitNormalised(wide, chunk, Value(), factor, gamma, beta);
  }
}

//===----------------------------------------------------------------------===//
// Rotation
//===----------------------------------------------------------------------===//

/// (a, b) turns to (a cos - b sin, b cos + a sin).
static std::pair<Value, Value> turn(LaneBuilder &lanes, Value a, Value b,
                                    Value sine, Value cosine) {
  return {lanes.sub(lanes.mul(a, cosine), lanes.mul(b, sine)),
          lanes.fma(b, cosine, lanes.mul(a, sine))};
}

/// Pairs are neighbours in one vector: with its elements swapped and the sines
/// of the first elements negated, both are one product and one multiply-add.
void RowChanger::rotateNeighbours(OpBuilder &b, int64_t pairs,
                                  const RowStart &table, Value param,
                                  Values &chunks) {
  LaneBuilder wide(b, loc, element, lanes);
  int64_t half = lanes / 2;
  SmallVector<int64_t> swap, both, signs;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    swap.push_back(lane ^ 1);
    both.push_back(lane / 2);
    signs.push_back(lane / 2 + (lane % 2 == 0 ? 0 : half));
  }
  for (int64_t c = 0; c * half < pairs; ++c) {
    Value &chunk = chunks[c];
    int64_t count = std::min(half, pairs - c * half);
    Value sine = loadTable(b, param, table, c * half, count, half);
    Value cosine = loadTable(b, param, table, pairs + c * half, count, half);
    LaneBuilder narrow(b, loc, element, half);
    sine = vector::ShuffleOp::create(b, loc, narrow.neg(sine), sine, signs);
    cosine = vector::ShuffleOp::create(b, loc, cosine, cosine, both);
    Value swapped = vector::ShuffleOp::create(b, loc, chunk, chunk, swap);
    Value turned = wide.fma(chunk, cosine, wide.mul(swapped, sine));
    if (count != half) {
      SmallVector<bool> isTurned(lanes);
      std::fill_n(isTurned.begin(), 2 * count, true);
      Value mask = arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()),
                                 ArrayRef<bool>(isTurned)));
      turned = wide.select(mask, turned, chunk);
    }
    chunk = turned;
  }
}

void RowChanger::rotateHalves(OpBuilder &b, int64_t pairs,
                              const RowStart &table, Value param,
                              Values &chunks) {
  LaneBuilder wide(b, loc, element, lanes);
  for (int64_t t = 0; t < pairs; t += lanes) {
    Value &first = chunks[t / lanes], &second = chunks[(pairs + t) / lanes];
    Value sine = loadTable(b, param, table, t, lanes, lanes);
    Value cosine = loadTable(b, param, table, pairs + t, lanes, lanes);
    std::tie(first, second) = turn(wide, first, second, sine, cosine);
  }
}

void RowChanger::rotateStored(OpBuilder &b, int64_t pairs,
                              const RowStart &table, Value param, Value to,
                              Value toRow) {
  LaneBuilder wide(b, loc, element, lanes);
  RowVectors half(loc, vectorType, pairs);
  SmallVector<Value> firstAt = {toRow, createIndex(b, loc, 0)};
  SmallVector<Value> secondAt = {toRow, createIndex(b, loc, pairs)};
  for (int64_t c = 0; c < half.getCount(); ++c) {
    int64_t count = pairs - c * lanes;
    Value sine = loadTable(b, param, table, c * lanes, count, lanes);
    Value cosine = loadTable(b, param, table, pairs + c * lanes, count, lanes);
    auto [first, second] = turn(wide, half.load(b, to, firstAt, 1, c),
                                half.load(b, to, secondAt, 1, c), sine, cosine);
    half.store(b, first, to, firstAt, 1, c);
    half.store(b, second, to, secondAt, 1, c);
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void RowChanger::emitRow(OpBuilder &b, Value from, const RowStart &start,
                         const TileRow &where, Value to, Value toRow) {
  Values chunks = loadRow(b, from, start);
  for (auto [i, change] : llvm::enumerate(op.getRowChanges(rows))) {
    unsigned param = op.getRowChangeParams(rows, i).first;
    auto typed = cast<RowChangeAttrInterface>(change);
    if (RowNormAttr norm = typed.getNorm()) {
      normalise(b, norm, param, where, chunks);
      continue;
    }
    RotateAttr rotation = typed.getRotation();
    int64_t pairs = rotation.getDims() / 2;
    Value memory = op.getParams()[param];
    RowStart table = getParamStart(b, param, where);
    if (rotation.getPairs() == PairLayout::Interleaved) {
      rotateNeighbours(b, pairs, table, memory, chunks);
    } else if (pairs % lanes == 0) {
      rotateHalves(b, pairs, table, memory, chunks);
    } else {
      storeRow(b, chunks, to, toRow);
      rotateStored(b, pairs, table, memory, to, toRow);
      chunks = loadRow(b, to, {{toRow, createIndex(b, loc, 0)}, 1});
    }
  }
  storeRow(b, chunks, to, toRow);
}

Value RowChanger::emitBlock(OpBuilder &builder, Value block, Value scratch) {
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(builder, loc, block);
  SmallVector<OpFoldResult> zeros(2, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(2, builder.getIndexAttr(1));
  Value result =
      memref::SubViewOp::create(builder, loc, scratch, zeros, sizes, ones);
  Value zero = createIndex(builder, loc, 0);
  emitLoop(builder, loc, zero,
           getValueOrCreateConstantIndexOp(builder, loc, sizes[0]), 1,
           [&](OpBuilder &b, Value row) {
             emitRow(b, block, {{row, zero}, 1}, {zero, row}, result, row);
           });
  return result;
}
