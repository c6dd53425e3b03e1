//===- DecodeSoftmax.cpp - Weights and statistics of a block of keys ------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Lanes/LaneSums.h"
#include "../Lanes/Weights.h"
#include "DecodeEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace attn;

void DecodeEmitter::emitSoftmax(OpBuilder &b, Value row, Value blockKeys) {
  LaneBuilder lanes(b, loc, shape.element, shape.lanes);
  VectorType type = shape.getVectorType();
  Value step = index(b, shape.lanes);
  Value lowest = lanes.constant(-std::numeric_limits<double>::infinity());
  Value oldMax = splatLoad(b, operands.max, row);
  auto maxLoop = scf::ForOp::create(
      b, loc, zero, blockKeys, step, ValueRange(lowest),
      [&](OpBuilder &nested, Location, Value column, ValueRange max) {
        Value score = vector::LoadOp::create(nested, loc, type, weights,
                                             ValueRange{row, column});
        // NaN loses here and comes back from the exponential.
        Value greater = arith::CmpFOp::create(
            nested, loc, arith::CmpFPredicate::OGT, score, max[0]);
        Value next =
            arith::SelectOp::create(nested, loc, greater, score, max[0]);
        scf::YieldOp::create(nested, loc, next);
      });
  auto larger = [&](Value x, Value y) { return lanes.max(x, y); };
  Value blockMax = emitAllLanes(b, loc, maxLoop.getResult(0), larger);
  Value newMax = lanes.max(blockMax, oldMax);
  Value reference = emitReference(lanes, newMax);
  Rescale rescale =
      emitRescale(lanes, oldMax, reference, [&](LaneBuilder &, Value x) {
        return emitWeight(b, loc, x, target);
      });
  SmallVector<Statistic> summed = operands.statistics.getSums();
  Values init(1 + summed.size(), lanes.constant(0.0));
  auto sumLoop = scf::ForOp::create(
      b, loc, zero, blockKeys, step, init,
      [&](OpBuilder &nested, Location, Value column, ValueRange sum) {
        std::array<Value, 2> position = {row, column};
        Value score = vector::LoadOp::create(nested, loc, type, weights,
                                             ValueRange(position));
        Value distance = arith::SubFOp::create(nested, loc, score, reference);
        Value weight = emitWeight(
            nested, loc, distance, target,
            shape.schedule.getSumRounded() ? tile.getNarrow() : FloatType());
        vector::StoreOp::create(nested, loc, weight, weights,
                                ValueRange(position));
        LaneBuilder in(nested, loc, shape.element, shape.lanes);
        Values next = {in.add(sum[0], weight)};
        for (auto [i, kind] : llvm::enumerate(summed))
          next.push_back(emitStatistic(in, kind, weight, distance, sum[1 + i]));
        scf::YieldOp::create(nested, loc, next);
      });
  auto plus = [&](Value x, Value y) { return lanes.add(x, y); };
  Value laneSums = sumLoop.getResult(0);
  if (takesPairs()) {
    Value rounded = emitPairedWeights(b, row, blockKeys);
    if (shape.schedule.getSumRounded())
      laneSums = rounded;
  }
  Value blockSum = emitAllLanes(b, loc, laneSums, plus);
  RowStatistics block;
  block.top = newMax;
  for (auto [i, kind] : llvm::enumerate(summed))
    block.get(kind) = emitAllLanes(b, loc, sumLoop.getResult(1 + i), plus);
  emitStatistics(b, row, block, rescale);
  Value sum = emitMoved(lanes, splatLoad(b, operands.sum, row), rescale.factor,
                        blockSum);
  storeLane(b, newMax, operands.max, row);
  storeLane(b, sum, operands.sum, row);
  vector::StoreOp::create(b, loc, rescale.factor, rescales,
                          ValueRange{row, zero});
}

Value DecodeEmitter::emitPairedWeights(OpBuilder &b, Value row,
                                       Value blockKeys) {
  VectorType type = shape.getVectorType();
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  auto loop = scf::ForOp::create(
      b, loc, zero, blockKeys, index(b, 2 * shape.lanes), ValueRange(none),
      [&](OpBuilder &nested, Location, Value column, ValueRange sum) {
        StepArithmetic arithmetic(nested, loc, tile);
        Value after = addIndex(nested, loc, column, shape.lanes);
        Value first = vector::LoadOp::create(nested, loc, type, weights,
                                             ValueRange{row, column});
        Value second = vector::LoadOp::create(nested, loc, type, weights,
                                              ValueRange{row, after});
        // The last vector of the block may stand alone.
        Value exists = arith::CmpIOp::create(
            nested, loc, arith::CmpIPredicate::ult, after, blockKeys);
        second = arith::SelectOp::create(nested, loc, exists, second, none);
        Value pairs = arithmetic.roundNeighbours(first, second);
        Value to =
            arith::DivUIOp::create(nested, loc, column, index(nested, 2));
        vector::StoreOp::create(nested, loc, pairs, weights,
                                ValueRange{row, to});
        scf::YieldOp::create(
            nested, loc, arithmetic.addRounded({first, second}, pairs, sum[0]));
      });
  return loop.getResult(0);
}

void DecodeEmitter::emitStatistics(OpBuilder &b, Value row, RowStatistics block,
                                   const Rescale &rescale) {
  LaneBuilder lanes(b, loc, shape.element, shape.lanes);
  RowStatistics old;
  SmallVector<Statistic> sums = operands.statistics.getSums();
  for (Statistic kind : sums)
    old.get(kind) = splatLoad(b, operands.statistics.get(kind), row);
  RowStatistics moved = emitMovedStatistics(
      lanes, old, splatLoad(b, operands.sum, row), rescale, block);
  for (Statistic kind : sums)
    storeLane(b, moved.get(kind), operands.statistics.get(kind), row);
  if (operands.statistics.top)
    storeLane(b, block.top, operands.statistics.top, row);
}
