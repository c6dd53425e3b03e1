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
  Value unseen = lanes.cmp(arith::CmpFPredicate::OEQ, newMax, lowest);
  Value safeMax = lanes.select(unseen, lanes.constant(0.0), newMax);
  Value change = lanes.sub(oldMax, safeMax);
  Value rescale = emitWeight(b, loc, change, target);
  Value squares = operands.statistics.squares, logs = operands.statistics.logs;
  Values init(1 + (squares ? 1 : 0) + (logs ? 1 : 0), lanes.constant(0.0));
  auto sumLoop = scf::ForOp::create(
      b, loc, zero, blockKeys, step, init,
      [&](OpBuilder &nested, Location, Value column, ValueRange sum) {
        std::array<Value, 2> position = {row, column};
        Value score = vector::LoadOp::create(nested, loc, type, weights,
                                             ValueRange(position));
        Value distance = arith::SubFOp::create(nested, loc, score, safeMax);
        Value weight = emitWeight(nested, loc, distance, target);
        vector::StoreOp::create(nested, loc, weight, weights,
                                ValueRange(position));
        LaneBuilder in(nested, loc, shape.element, shape.lanes);
        Values next = {in.add(sum[0], weight)};
        if (squares)
          next.push_back(in.fma(weight, weight, sum[1]));
        if (logs)
          next.push_back(
              in.fma(weight, emitFiniteDistance(in, distance), sum.back()));
        scf::YieldOp::create(nested, loc, next);
      });
  auto plus = [&](Value x, Value y) { return lanes.add(x, y); };
  Value blockSum = emitAllLanes(b, loc, sumLoop.getResult(0), plus);
  RowStatistics block;
  block.top = newMax;
  if (squares)
    block.squares = emitAllLanes(b, loc, sumLoop.getResult(1), plus);
  if (logs)
    block.logs = emitAllLanes(b, loc, sumLoop.getResults().back(), plus);
  emitStatistics(b, row, block, change, rescale);
  Value sum = lanes.fma(splatLoad(b, operands.sum, row), rescale, blockSum);
  storeLane(b, newMax, operands.max, row);
  storeLane(b, sum, operands.sum, row);
  vector::StoreOp::create(b, loc, rescale, rescales, ValueRange{row, zero});
}

void DecodeEmitter::emitStatistics(OpBuilder &b, Value row,
                                   const RowStatistics &block, Value distance,
                                   Value rescale) {
  LaneBuilder lanes(b, loc, shape.element, shape.lanes);
  if (Value squares = operands.statistics.squares) {
    Value old = lanes.mul(splatLoad(b, squares, row), rescale);
    storeLane(b, lanes.fma(old, rescale, block.squares), squares, row);
  }
  if (Value logs = operands.statistics.logs) {
    // Each of the logarithms that a weight was multiplied by changes alike.
    Value old =
        lanes.fma(emitFiniteDistance(lanes, distance),
                  splatLoad(b, operands.sum, row), splatLoad(b, logs, row));
    storeLane(b, lanes.fma(old, rescale, block.logs), logs, row);
  }
  if (operands.statistics.top)
    storeLane(b, block.top, operands.statistics.top, row);
}
