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

using namespace mlir;
using namespace attn;

/// The distance of the numbers of a piece to `center`, 0 past the end.
static Value getDistance(const RowPiece &piece, Value center, ChunkLoad load) {
  LaneBuilder &lanes = piece.lanes;
  return piece.within(lanes.sub(load(piece), lanes.toFloatLanes(center)), 0.0);
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
static ChunkPowers emitAroundMean(RowMachine &machine, LaneBuilder &scalars,
                                  const RowPlace &chunk, Value count,
                                  ChunkLoad load) {
  OpBuilder &b = scalars.getBuilder();
  Location loc = scalars.getLoc();
  Value one = scalars.index(1);
  Value middle = arith::ShRUIOp::create(b, loc, chunk.sizes.back(), one);
  auto askForHalf = [&](const RowPiece &piece, bool isSecond) {
    OpBuilder &in = piece.lanes.getBuilder();
    SmallVector<Value> half(piece.position);
    half.back() = arith::ShRUIOp::create(in, loc, half.back(), one);
    if (isSecond)
      half.back() = arith::AddIOp::create(in, loc, half.back(), middle);
    machine.askForNext(piece, chunk, half);
  };
  ChunkPowers result;
  result.sum =
      emitRowSum(machine, b, chunk, [&](const RowPiece &piece, Value &sum) {
        askForHalf(piece, /*isSecond=*/false);
        sum = piece.lanes.add(sum, load(piece));
      });
  Value mean = scalars.div(result.sum, count);
  result.powers = machine.reduce(
      b, chunk, {0.0, 0.0, 0.0},
      [&](const RowPiece &piece, MutableArrayRef<Value> sums) {
        askForHalf(piece, /*isSecond=*/true);
        addPowers(piece.lanes, getDistance(piece, mean, load), sums);
      },
      addLanes);
  return result;
}

static ChunkPowers emitAroundFirst(RowMachine &machine, LaneBuilder &s,
                                   const RowPlace &chunk, Value count,
                                   ChunkLoad load) {
  SmallVector<Value> start(chunk.sizes.size(), s.index(0));
  Value first = load({s, start});
  SmallVector<Value> sums = machine.reduce(
      s.getBuilder(), chunk, {0.0, 0.0, 0.0, 0.0},
      [&](const RowPiece &piece, MutableArrayRef<Value> all) {
        machine.askForNext(piece, chunk, piece.position);
        Value d = getDistance(piece, first, load);
        addPowers(piece.lanes, d, all.take_front(3));
        all[3] = piece.lanes.add(all[3], d);
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

ChunkPowers attn::emitChunkPowers(RowMachine &machine, LaneBuilder &scalars,
                                  const RowPlace &chunk, Value count,
                                  ChunkLoad load, bool hasSpareDigits) {
  return hasSpareDigits ? emitAroundFirst(machine, scalars, chunk, count, load)
                        : emitAroundMean(machine, scalars, chunk, count, load);
}
