//===- Statistics.cpp - attn.statistics as vector loops -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of one result are cut into chunks: some lines of the innermost
// dimension, or a part of one. A chunk is small enough for the first-level
// cache: its powers are summed around its own mean, in f64 (see ChunkPowers.h),
// while the next one is asked for, so that memory is read once. What each chunk
// gives is put together in the order of the chunks, whichever thread computed
// it.
//
//===----------------------------------------------------------------------===//

#include "../Lanes/LaneMemory.h"
#include "../Lanes/LaneSums.h"
#include "../Shared/ConvertFloat.h"
#include "ChunkPowers.h"
#include "RowLoop.h"
#include "RowMemory.h"
#include "RowPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

constexpr int64_t kCacheLine = 64;
/// The results of rows are put together by work items of so many.
constexpr int64_t kItemResults = 256;

/// What a chunk gives: its sum and count, and the sums of the powers of the
/// distance to its mean; or, in the first place, the largest magnitude.
enum Part : int64_t { kSum, kCount, kSecond, kThird, kFourth, kNumParts };

class StatisticsEmitter {
public:
  StatisticsEmitter(OpBuilder &builder, StatisticsOp op);
  void emit();

private:
  /// The part of a row of the input that is one chunk.
  struct Chunk {
    /// Its first element.
    SmallVector<Value> first;
    RowShape shape;
  };
  Chunk getChunk(OpBuilder &b, ValueRange at);
  void emitChunk(OpBuilder &b, ValueRange at, ValueRange next);
  void emitPowers(OpBuilder &b, const Chunk &chunk, ValueRange at,
                  ValueRange nextFirst);
  void emitLargest(OpBuilder &b, const Chunk &chunk, ValueRange at,
                   ValueRange nextFirst);
  void emitResult(OpBuilder &b, ValueRange kept);
  Value emitKurtosis(OpBuilder &b, ValueRange kept);
  Value emitInfinityNorm(OpBuilder &b, ValueRange kept);
  /// Goes over the chunks of one result with some carried values; `part` reads
  /// what the chunk gave.
  using ReadPart = llvm::function_ref<Value(Part)>;
  SmallVector<Value>
  emitMerge(OpBuilder &b, ValueRange kept, ValueRange initial,
            llvm::function_ref<SmallVector<Value>(LaneBuilder &, ReadPart,
                                                  ValueRange)>
                merge);
  void storePart(OpBuilder &b, ValueRange at, Part part, Value value);
  Value emitLarger(LaneBuilder &lanes, Value a, Value b);
  SmallVector<Value> getIndices(OpBuilder &b, ValueRange first,
                                ValueRange position);
  Value getSize(OpBuilder &b, int64_t dim) {
    return b.createOrFold<memref::DimOp>(loc, op.getInput(),
                                         createIndex(b, loc, dim));
  }
  bool isKurtosis() { return op.getMeasure() == Measure::Kurtosis; }
  /// Whether chunks have indices of the dimension before the last one.
  bool hasLines() { return rank - numKept > 1; }
  /// That dimension is the last one of the chunks, whether it is reduced or
  /// not: so the next chunk is the next memory.
  bool isMatrix() { return rank > 1; }

  OpBuilder &builder;
  Location loc;
  StatisticsOp op;
  StatisticsScheduleAttr schedule;
  FloatType type;
  int64_t rank, numKept;
  bool inVectors;
  /// How many chunks there are by dimension: the outer ones, the parts of a
  /// line and, where there are several, the lines or blocks of them.
  SmallVector<Value> counts;
  /// By chunk, and part.
  Value parts;
};

} // namespace

StatisticsEmitter::StatisticsEmitter(OpBuilder &builder, StatisticsOp op)
    : builder(builder), loc(op.getLoc()), op(op),
      schedule(cast<StatisticsScheduleAttr>(op.getScheduleAttr())),
      type(op.getComputeType()),
      rank(cast<ShapedType>(op.getInput().getType()).getRank()),
      numKept(cast<ShapedType>(op.getOutput().getType()).getRank()),
      inVectors(hasUnitInnerStride(op.getInput())) {
  auto countOf = [&](int64_t dim, int64_t step) {
    return builder.createOrFold<arith::CeilDivUIOp>(
        loc, getSize(builder, dim), createIndex(builder, loc, step));
  };
  for (int64_t dim = 0; dim + 2 < rank; ++dim)
    counts.push_back(getSize(builder, dim));
  counts.push_back(countOf(rank - 1, schedule.getColumns()));
  if (isMatrix())
    counts.push_back(countOf(rank - 2, hasLines() ? schedule.getLines() : 1));
}

void StatisticsEmitter::emit() {
  SmallVector<int64_t> shape(counts.size(), ShapedType::kDynamic);
  shape.push_back(kNumParts);
  parts =
      memref::AllocOp::create(builder, loc, MemRefType::get(shape, type),
                              counts, builder.getI64IntegerAttr(kCacheLine));
  emitRowBlocks(builder, loc, counts, schedule.getChunks(),
                [&](OpBuilder &b, const RowBlock &block) {
                  block.emitRows(
                      b, loc,
                      [&](OpBuilder &in, ValueRange at, ValueRange next) {
                        emitChunk(in, at, next);
                      });
                });
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < numKept; ++dim)
    sizes.push_back(getSize(builder, dim));
  emitRowBlocks(builder, loc, sizes, kItemResults,
                [&](OpBuilder &b, const RowBlock &block) {
                  block.emitRows(b, loc,
                                 [&](OpBuilder &in, ValueRange kept,
                                     ValueRange) { emitResult(in, kept); });
                });
  memref::DeallocOp::create(builder, loc, parts);
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

StatisticsEmitter::Chunk StatisticsEmitter::getChunk(OpBuilder &b,
                                                     ValueRange at) {
  Chunk chunk;
  chunk.shape = {type,      schedule.getLanes(), schedule.getUnroll(),
                 inVectors, /*masksRest=*/true,  {}};
  auto cut = [&](int64_t dim, Value index, int64_t step) {
    Value size = getSize(b, dim);
    std::optional<int64_t> known = getConstantIntValue(size);
    if (known && *known <= step) {
      chunk.first.push_back(createIndex(b, loc, 0));
      chunk.shape.sizes.push_back(size);
      return;
    }
    Value length = createIndex(b, loc, step);
    Value begin = arith::MulIOp::create(b, loc, index, length);
    Value left = arith::SubIOp::create(b, loc, size, begin);
    chunk.first.push_back(begin);
    chunk.shape.sizes.push_back(arith::MinUIOp::create(b, loc, left, length));
  };
  llvm::append_range(chunk.first, at.drop_back(isMatrix() ? 2 : 1));
  if (hasLines())
    cut(rank - 2, at.back(), schedule.getLines());
  else if (isMatrix())
    chunk.first.push_back(at.back());
  cut(rank - 1, at[rank - (isMatrix() ? 2 : 1)], schedule.getColumns());
  return chunk;
}

SmallVector<Value> StatisticsEmitter::getIndices(OpBuilder &b, ValueRange first,
                                                 ValueRange position) {
  SmallVector<Value> indices(first);
  unsigned outer = first.size() - position.size();
  for (auto [i, offset] : llvm::enumerate(position))
    indices[outer + i] =
        arith::AddIOp::create(b, loc, indices[outer + i], offset);
  return indices;
}

void StatisticsEmitter::storePart(OpBuilder &b, ValueRange at, Part part,
                                  Value value) {
  SmallVector<Value> where(at);
  where.push_back(createIndex(b, loc, part));
  memref::StoreOp::create(b, loc, value, parts, where);
}

void StatisticsEmitter::emitChunk(OpBuilder &b, ValueRange at,
                                  ValueRange next) {
  Chunk chunk = getChunk(b, at);
  SmallVector<Value> nextFirst = getChunk(b, next).first;
  if (isKurtosis())
    emitPowers(b, chunk, at, nextFirst);
  else
    emitLargest(b, chunk, at, nextFirst);
}

void StatisticsEmitter::emitPowers(OpBuilder &b, const Chunk &chunk,
                                   ValueRange at, ValueRange nextFirst) {
  LaneBuilder scalars(b, loc, type);
  auto askForNext = [&](LaneBuilder &lanes, ValueRange position) {
    OpBuilder &in = lanes.getBuilder();
    if (lanes.isVector())
      emitPrefetch(in, loc, op.getInput(), getIndices(in, nextFirst, position));
  };
  auto load = [&](LaneBuilder &lanes, ValueRange position, Value mask) {
    return loadLanes(lanes, op.getInput(),
                     getIndices(lanes.getBuilder(), chunk.first, position),
                     mask);
  };
  Value elements = createIndex(b, loc, 1);
  for (Value size : chunk.shape.sizes)
    elements = arith::MulIOp::create(b, loc, elements, size);
  Value count = scalars.toFloatLanes(elements);
  bool isNarrow = getElementTypeOrSelf(op.getInput()) != type;
  ChunkPowers found =
      emitChunkPowers(b, loc, chunk.shape, count, load, askForNext,
                      /*hasSpareDigits=*/isNarrow);
  storePart(b, at, kSum, found.sum);
  storePart(b, at, kCount, count);
  for (auto [i, power] : llvm::enumerate(found.powers))
    storePart(b, at, static_cast<Part>(kSecond + i), power);
}

/// Of two that are not negative: as integers, NaN is larger than all numbers.
Value StatisticsEmitter::emitLarger(LaneBuilder &lanes, Value a, Value b) {
  OpBuilder &in = lanes.getBuilder();
  Type bits = in.getIntegerType(type.getWidth());
  if (lanes.isVector())
    bits = VectorType::get(lanes.getLanes(), bits);
  a = arith::BitcastOp::create(in, loc, bits, a);
  b = arith::BitcastOp::create(in, loc, bits, b);
  Value larger = arith::MaxUIOp::create(in, loc, a, b);
  return arith::BitcastOp::create(in, loc, lanes.getFloatType(), larger);
}

void StatisticsEmitter::emitLargest(OpBuilder &b, const Chunk &chunk,
                                    ValueRange at, ValueRange nextFirst) {
  Value largest = emitRowReduction(
      b, loc, chunk.shape, 0.0,
      [&](LaneBuilder &lanes, ValueRange position, Value mask,
          MutableArrayRef<Value> tops) {
        OpBuilder &in = lanes.getBuilder();
        if (lanes.isVector())
          emitPrefetch(in, loc, op.getInput(),
                       getIndices(in, nextFirst, position));
        Value x = loadLanes(lanes, op.getInput(),
                            getIndices(in, chunk.first, position), mask);
        tops[0] = emitLarger(lanes, lanes.abs(x), tops[0]);
      },
      [&](LaneBuilder &lanes, Value x, Value y) {
        return emitLarger(lanes, x, y);
      })[0];
  storePart(b, at, kSum, largest);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

SmallVector<Value> StatisticsEmitter::emitMerge(
    OpBuilder &b, ValueRange kept, ValueRange initial,
    llvm::function_ref<SmallVector<Value>(LaneBuilder &, ReadPart, ValueRange)>
        merge) {
  // A line of its own comes after its parts.
  bool isLine = isMatrix() && !hasLines();
  ArrayRef<Value> chunkCounts =
      ArrayRef(counts).drop_front(numKept - isLine).drop_back(isLine);
  SmallVector<Value> zeros(chunkCounts.size(), createIndex(b, loc, 0));
  SmallVector<Value> ones(chunkCounts.size(), createIndex(b, loc, 1));
  auto nest = scf::buildLoopNest(
      b, loc, zeros, chunkCounts, ones, initial,
      [&](OpBuilder &in, Location, ValueRange at, ValueRange old) {
        LaneBuilder scalars(in, loc, type);
        auto read = [&](Part part) -> Value {
          SmallVector<Value> where(kept.drop_back(isLine));
          llvm::append_range(where, at);
          llvm::append_range(where, kept.take_back(isLine));
          where.push_back(createIndex(in, loc, part));
          return memref::LoadOp::create(in, loc, parts, where);
        };
        SmallVector<Value> results = merge(scalars, read, old);
        return scf::ValueVector(results.begin(), results.end());
      });
  return SmallVector<Value>(nest.results);
}

Value StatisticsEmitter::emitKurtosis(OpBuilder &b, ValueRange kept) {
  LaneBuilder scalars(b, loc, type);
  Value zero = scalars.constant(0.0);
  SmallVector<Value> totals = emitMerge(
      b, kept, {zero, zero},
      [](LaneBuilder &s, ReadPart read, ValueRange old) -> SmallVector<Value> {
        return {s.add(old[0], read(kSum)), s.add(old[1], read(kCount))};
      });
  Value whole = totals[1], mean = scalars.div(totals[0], whole);
  // With d the chunk's mean less that of all, n its count and S its own sums of
  // powers: S2 + n d^2 and S4 + 4 d S3 + 6 d^2 S2 + n d^4.
  SmallVector<Value> powers = emitMerge(
      b, kept, {zero, zero},
      [&](LaneBuilder &s, ReadPart read, ValueRange old) -> SmallVector<Value> {
        Value count = read(kCount), second = read(kSecond);
        Value d = s.sub(s.div(read(kSum), count), mean);
        Value d2 = s.mul(d, d), far = s.mul(count, d2);
        Value fourth = s.add(read(kFourth), s.mul(d2, far));
        Value third = s.mul(s.constant(4.0), read(kThird));
        fourth = s.fma(d, third, fourth);
        fourth = s.fma(s.mul(s.constant(6.0), d2), second, fourth);
        return {s.add(old[0], s.add(second, far)), s.add(old[1], fourth)};
      });
  Value variance = scalars.div(powers[0], whole);
  return scalars.div(scalars.div(powers[1], whole),
                     scalars.mul(variance, variance));
}

Value StatisticsEmitter::emitInfinityNorm(OpBuilder &b, ValueRange kept) {
  LaneBuilder scalars(b, loc, type);
  return emitMerge(
      b, kept, scalars.constant(0.0),
      [&](LaneBuilder &s, ReadPart read, ValueRange old) -> SmallVector<Value> {
        return {emitLarger(s, read(kSum), old[0])};
      })[0];
}

void StatisticsEmitter::emitResult(OpBuilder &b, ValueRange kept) {
  Value result =
      isKurtosis() ? emitKurtosis(b, kept) : emitInfinityNorm(b, kept);
  Type element = getElementTypeOrSelf(op.getOutput());
  memref::StoreOp::create(b, loc, convertFloat(b, loc, result, element),
                          op.getOutput(), kept);
}

void attn::emitStatistics(OpBuilder &builder, StatisticsOp op) {
  StatisticsEmitter(builder, op).emit();
}
