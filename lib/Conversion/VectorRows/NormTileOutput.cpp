//===- NormTileOutput.cpp - The output of a norm's tiles ------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace attn;

/// Rows that use the same numbers of a vector of columns one after the other.
constexpr int64_t kOutputRows = 4;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value NormTilesEmitter::emitInput(LaneBuilder &lanes, ArrayRef<Value> at,
                                  Value mask, bool storesSum) {
  if (op.getSum() && !storesSum)
    return loadLanes(lanes, op.getSum(), at, mask);
  Value x = loadLanes(lanes, op.getInput(), at, mask);
  if (!op.getResidual())
    return x;
  x = emitResidualSum(lanes, op, x,
                      loadLanes(lanes, op.getResidual(), at, mask));
  if (op.getSum())
    storeLanes(lanes, x, op.getSum(), at, /*pastCaches=*/false, mask);
  return x;
}

Value NormTilesEmitter::emitStreams() {
  Value isLarge =
      emitIsLarge(builder, loc, op.getOutput(), schedule.getStream());
  if (!isLarge)
    return {};
  int64_t bytes = getVectorBytes(op.getOutput(), 1);
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, op.getOutput());
  Value elements = metadata.getOffset();
  // A dimension of one index goes nowhere.
  for (auto [stride, extent] :
       llvm::zip(metadata.getStrides().drop_back(), sizes)) {
    Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        extent, index(builder, 1));
    Value step =
        arith::SelectOp::create(builder, loc, isOne, index(builder, 0), stride);
    elements = arith::OrIOp::create(builder, loc, elements, step);
  }
  Value address = arith::OrIOp::create(
      builder, loc,
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc,
                                                     op.getOutput()),
      arith::MulIOp::create(builder, loc, elements, index(builder, bytes)));
  Value isAligned =
      emitIsMultiple(builder, loc, address, panel.numLanes * bytes);
  return arith::AndIOp::create(builder, loc, isLarge, isAligned);
}

void NormTilesEmitter::prefetch(OpBuilder &b, const NormTile &tile,
                                const NormTile &next, ArrayRef<Value> at) {
  SmallVector<Value> there;
  for (auto [here, from, to] : llvm::zip_equal(at, tile.begin, next.begin)) {
    Value offset = b.createOrFold<arith::SubIOp>(loc, here, from);
    there.push_back(b.createOrFold<arith::AddIOp>(loc, offset, to));
  }
  for (Value input : {op.getInput(), op.getResidual()})
    if (input)
      emitPrefetch(b, loc, input, there);
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

/// What is the same for all of a line is loaded before it: a store could change
/// it, for all that the compiler knows.
NormTilesEmitter::LineNumbers
NormTilesEmitter::loadLine(OpBuilder &b, const NormNumbers &numbers,
                           ArrayRef<Value> at, int64_t rows) {
  LaneBuilder scalars(b, loc, panel.type);
  SmallVector<int64_t> affine = op.getAffineDims();
  LineNumbers line;
  auto load = [&](Value memref, int64_t row) -> Value {
    if (!memref || llvm::is_contained(affine, panel.last))
      return {};
    SmallVector<Value> here(at);
    if (row != 0)
      here[panel.last - 1] = addIndex(b, loc, at[panel.last - 1], row);
    return loadLanes(scalars, memref, NormPanel::select(here, affine));
  };
  for (int64_t row = 0; row < rows; ++row) {
    line.gammas.push_back(load(op.getGamma(), row));
    line.betas.push_back(load(op.getBeta(), row));
  }
  if (panel.isColumns)
    return line;
  SmallVector<Value> indices = numbers.locate(b, loc, at);
  line.factor = loadLanes(scalars, numbers.spread, indices);
  if (numbers.mean)
    line.mean = loadLanes(scalars, numbers.mean, indices);
  return line;
}

/// A vector of a few rows, which share what belongs to columns.
void NormTilesEmitter::outputLanes(LaneBuilder &lanes, const NormTile &tile,
                                   const NormNumbers &numbers,
                                   const LineNumbers &line,
                                   const NormTile *next, ArrayRef<Value> at,
                                   Value mask, bool pastCaches) {
  OpBuilder &b = lanes.getBuilder();
  SmallVector<int64_t> affine = op.getAffineDims();
  Value mean = line.mean ? lanes.toFloatLanes(line.mean) : Value();
  Value factor = line.factor ? lanes.toFloatLanes(line.factor) : Value();
  if (panel.isColumns) {
    SmallVector<Value> indices = numbers.locate(b, loc, at);
    factor = loadLanes(lanes, numbers.spread, indices, mask);
    if (numbers.mean)
      mean = loadLanes(lanes, numbers.mean, indices, mask);
  }
  Value gamma, beta;
  // Rows of whole pages: a load waits for a store at the same place of another
  // page, so all rows are loaded before one is stored.
  SmallVector<std::pair<Value, SmallVector<Value>>> results;
  for (size_t row = 0, rows = line.gammas.size(); row < rows; ++row) {
    SmallVector<Value> here(at);
    if (row != 0)
      here[panel.last - 1] = addIndex(b, loc, at[panel.last - 1], row);
    auto spread = [&](Value memref, Value ofLine, Value before) -> Value {
      if (!memref)
        return {};
      if (ofLine)
        return lanes.toFloatLanes(ofLine);
      if (row != 0 && !llvm::is_contained(affine, panel.last - 1))
        return before;
      return loadLanes(lanes, memref, NormPanel::select(here, affine), mask);
    };
    gamma = spread(op.getGamma(), line.gammas[row], gamma);
    beta = spread(op.getBeta(), line.betas[row], beta);
    if (next && lanes.isVector() && !mask)
      prefetch(b, tile, *next, here);
    Value x = emitInput(lanes, here, mask, op.hasGivenStatistics());
    results.emplace_back(emitNormalised(lanes, x, mean, factor, gamma, beta),
                         here);
  }
  for (auto &[value, here] : results)
    storeLanes(lanes, value, op.getOutput(), here, pastCaches, mask);
}

void NormTilesEmitter::outputLine(OpBuilder &b, const NormTile &tile,
                                  const NormNumbers &numbers,
                                  const NormTile *next, SmallVector<Value> &at,
                                  int64_t rows, bool pastCaches) {
  LineNumbers line = loadLine(b, numbers, at, rows);
  panel.visitLanes(
      b, tile.begin[panel.last], tile.end[panel.last], panel.inVectors,
      [&](LaneBuilder &lanes, Value column, Value mask) {
        SmallVector<Value> here(at);
        here[panel.last] = column;
        outputLanes(lanes, tile, numbers, line, next, here, mask, pastCaches);
      });
}

void NormTilesEmitter::output(OpBuilder &b, const NormTile &tile,
                              const NormNumbers &numbers,
                              const NormTile *next) {
  auto emitLines = [&](OpBuilder &nested, bool pastCaches) {
    panel.visitLines(
        nested, tile, kOutputRows,
        [&](OpBuilder &inner, SmallVector<Value> &at, int64_t rows) {
          outputLine(inner, tile, numbers, next, at, rows, pastCaches);
        });
  };
  emitWrites(b, loc, streams, emitLines);
}
