//===- ChunkPowers.cpp - Sums of powers of a chunk of a tensor ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Around the mean there are two passes: one for the mean, one for the powers.
// Around the first number c there is one: with d the mean of the distances to c
// and s1 to s4 the sums of their powers, the sums around the mean are
//   s2 - d s1,  s3 - d (3 s2 - 2 d s1),  s4 - d (4 s3 - d (6 s2 - 3 d s1)).
// As c is one of the n numbers, the results are at least d^2 and d^4, and what
// cancels is about n times as large, wherever c lies: f64 has more digits than
// f32 and a chunk need.
//
//===----------------------------------------------------------------------===//

#include "ChunkPowers.h"

#include "../Lanes/LaneMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace attn;

/// The distance of the numbers at this position to `center`, 0 past the end.
static Value getDistance(LaneBuilder &lanes, ValueRange position, Value mask,
                         Value center, ChunkLoad load) {
  Value d = lanes.sub(load(lanes, position, mask), lanes.toFloatLanes(center));
  return mask ? lanes.select(mask, d, lanes.constant(0.0)) : d;
}

/// Adds the second, third and fourth powers.
static void addPowers(LaneBuilder &lanes, Value d,
                      MutableArrayRef<Value> sums) {
  Value square = lanes.mul(d, d);
  sums[0] = lanes.add(sums[0], square);
  sums[1] = lanes.fma(square, d, sums[1]);
  sums[2] = lanes.fma(square, square, sums[2]);
}

/// Both passes ask for a half of the next chunk, so that the memory is busy in
/// the first one, too.
static ChunkPowers emitAroundMean(OpBuilder &builder, Location loc,
                                  const RowShape &chunk, Value count,
                                  ChunkLoad load, ChunkAsk askForNext) {
  LaneBuilder scalars(builder, loc, chunk.type);
  Value one = createIndex(builder, loc, 1);
  Value middle = arith::ShRUIOp::create(builder, loc, chunk.sizes.back(), one);
  auto askForHalf = [&](LaneBuilder &lanes, ValueRange position,
                        bool isSecond) {
    OpBuilder &in = lanes.getBuilder();
    SmallVector<Value> half(position);
    half.back() = arith::ShRUIOp::create(in, loc, half.back(), one);
    if (isSecond)
      half.back() = arith::AddIOp::create(in, loc, half.back(), middle);
    askForNext(lanes, half);
  };
  ChunkPowers result;
  result.sum = emitRowReduction(
      builder, loc, chunk, 0.0,
      [&](LaneBuilder &lanes, ValueRange position, Value mask,
          MutableArrayRef<Value> sums) {
        askForHalf(lanes, position, /*isSecond=*/false);
        sums[0] = lanes.add(sums[0], load(lanes, position, mask));
      },
      addLanes)[0];
  Value mean = scalars.div(result.sum, count);
  result.powers = emitRowReduction(
      builder, loc, chunk, {0.0, 0.0, 0.0},
      [&](LaneBuilder &lanes, ValueRange position, Value mask,
          MutableArrayRef<Value> sums) {
        askForHalf(lanes, position, /*isSecond=*/true);
        addPowers(lanes, getDistance(lanes, position, mask, mean, load), sums);
      },
      addLanes);
  return result;
}

static ChunkPowers emitAroundFirst(OpBuilder &builder, Location loc,
                                   const RowShape &chunk, Value count,
                                   ChunkLoad load, ChunkAsk askForNext) {
  LaneBuilder s(builder, loc, chunk.type);
  SmallVector<Value> start(chunk.sizes.size(), createIndex(builder, loc, 0));
  Value first = load(s, start, /*mask=*/{});
  SmallVector<Value> sums = emitRowReduction(
      builder, loc, chunk, {0.0, 0.0, 0.0, 0.0},
      [&](LaneBuilder &lanes, ValueRange position, Value mask,
          MutableArrayRef<Value> all) {
        askForNext(lanes, position);
        Value d = getDistance(lanes, position, mask, first, load);
        addPowers(lanes, d, all.take_front(3));
        all[3] = lanes.add(all[3], d);
      },
      addLanes);
  Value s2 = sums[0], s3 = sums[1], s4 = sums[2], s1 = sums[3];
  Value d = s.div(s1, count), ds1 = s.mul(d, s1);
  auto times = [&](double factor, Value x) {
    return s.mul(s.constant(factor), x);
  };
  Value second = s.sub(s2, ds1);
  Value third = s.sub(s3, s.mul(d, s.sub(times(3.0, s2), times(2.0, ds1))));
  Value inner = s.mul(d, s.sub(times(6.0, s2), times(3.0, ds1)));
  Value fourth = s.sub(s4, s.mul(d, s.sub(times(4.0, s3), inner)));
  return {s.fma(first, count, s1), {second, third, fourth}};
}

ChunkPowers attn::emitChunkPowers(OpBuilder &builder, Location loc,
                                  const RowShape &chunk, Value count,
                                  ChunkLoad load, ChunkAsk askForNext,
                                  bool hasSpareDigits) {
  return hasSpareDigits
             ? emitAroundFirst(builder, loc, chunk, count, load, askForNext)
             : emitAroundMean(builder, loc, chunk, count, load, askForNext);
}
