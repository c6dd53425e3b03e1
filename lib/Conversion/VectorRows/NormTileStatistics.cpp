//===- NormTileStatistics.cpp - A norm's means and factors ----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

void NormTilesEmitter::measure(OpBuilder &b, const NormTile &tile,
                               const NormNumbers &numbers) {
  NormMeasure(panel, tile, numbers,
              [&](LaneBuilder &lanes, ArrayRef<Value> at, Value mask) {
                return emitInput(lanes, at, mask, /*storesSum=*/true);
              })
      .emit(b);
}

/// In the order of the chunks.
void NormTilesEmitter::mergeParts(LaneBuilder &lanes, ArrayRef<Value> at,
                                  Value mask, const NormNumbers &parts,
                                  Value &sum, Value &spread) {
  OpBuilder &b = lanes.getBuilder();
  Value step = index(b, schedule.getChunk()), size = sizes[chunkDim];
  Value perIndex = index(b, 1);
  for (int64_t axis : op.getAxes())
    if (axis != chunkDim)
      perIndex = b.createOrFold<arith::MulIOp>(loc, perIndex, sizes[axis]);
  SmallVector<Value> state = {lanes.constant(0.0)};
  if (parts.mean)
    state.append(2, lanes.constant(0.0));
  auto body = [&](OpBuilder &nested, Location, Value i, ValueRange carried) {
    LaneBuilder inner(nested, loc, panel.type, lanes.getLanes());
    LaneBuilder scalars(nested, loc, panel.type);
    auto toCount = [&](Value indices) {
      return scalars.toFloatLanes(
          arith::MulIOp::create(nested, loc, indices, perIndex));
    };
    Value left = arith::SubIOp::create(nested, loc, size, i);
    Value more = toCount(arith::MinUIOp::create(nested, loc, step, left));
    NormNumbers part = parts;
    part.part = arith::DivUIOp::create(nested, loc, i, step);
    SmallVector<Value> indices = part.locate(nested, loc, at);
    Value oldSpread = carried[0], oldMean, otherMean;
    Value otherSpread = loadLanes(inner, part.spread, indices, mask);
    if (part.mean) {
      oldMean = carried[1];
      otherMean = loadLanes(inner, part.mean, indices, mask);
    }
    mergeNormNumbers(inner, oldMean, oldSpread, toCount(i), otherMean,
                     otherSpread, more);
    SmallVector<Value> next = {oldSpread};
    if (oldMean) {
      Value more = loadLanes(inner, part.sum, indices, mask);
      next.append({oldMean, inner.add(carried[2], more)});
    }
    scf::YieldOp::create(nested, loc, next);
  };
  auto loop = scf::ForOp::create(b, loc, index(b, 0), size, step, state, body);
  spread = loop.getResult(0);
  if (parts.mean)
    sum = loop.getResult(2);
}

/// v of the formula, and the mean where there is one.
Value NormTilesEmitter::emitVariance(LaneBuilder &lanes, ArrayRef<Value> at,
                                     Value mask, const NormNumbers &numbers,
                                     const NormNumbers *parts, Value &mean) {
  if (op.hasGivenStatistics()) {
    SmallVector<Value> indices = NormPanel::select(at, panel.kept);
    if (op.getMean())
      mean = loadLanes(lanes, op.getMean(), indices, mask);
    return loadLanes(lanes, op.getVariance(), indices, mask);
  }
  Value spread, sum;
  if (parts) {
    mergeParts(lanes, at, mask, *parts, sum, spread);
  } else {
    SmallVector<Value> indices = numbers.locate(lanes.getBuilder(), loc, at);
    spread = loadLanes(lanes, numbers.spread, indices, mask);
    if (numbers.sum)
      sum = loadLanes(lanes, numbers.sum, indices, mask);
  }
  Value size = lanes.toFloatLanes(count);
  if (sum)
    mean = lanes.div(sum, size);
  return op.usesMean() ? lanes.div(spread, size) : spread;
}

void NormTilesEmitter::finish(OpBuilder &b, const NormTile &tile,
                              const NormNumbers &numbers,
                              const NormNumbers *parts) {
  SmallVector<Value> at(panel.last + 1);
  auto emitLine = [&](OpBuilder &nested, SmallVector<Value> &inner) {
    panel.visitLanes(
        nested, tile.begin[panelDim], tile.end[panelDim], panel.keptInVectors,
        [&](LaneBuilder &lanes, Value column, Value mask) {
          inner[panelDim] = column;
          Value mean;
          Value variance =
              emitVariance(lanes, inner, mask, numbers, parts, mean);
          SmallVector<Value> group = NormPanel::select(inner, panel.kept);
          emitRunningUpdates(
              lanes, op, mean, variance, count, [&](Value memref, Value batch) {
                Value old = loadLanes(lanes, memref, group, mask);
                storeLanes(lanes, emitRunning(lanes, op, old, batch), memref,
                           group, /*pastCaches=*/false, mask);
              });
          SmallVector<Value> indices =
              numbers.locate(lanes.getBuilder(), loc, inner);
          storeLanes(lanes, emitNormFactor(lanes, op, variance), numbers.spread,
                     indices, /*pastCaches=*/false, mask);
          if (mean)
            storeLanes(lanes, mean, numbers.mean, indices, /*pastCaches=*/false,
                       mask);
        });
  };
  panel.visit(b, tile, ArrayRef(panel.kept).drop_back(), at, emitLine);
}
