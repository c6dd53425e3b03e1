//===- Statistics.cpp - attn.statistics in chunks ------------------------===//
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

#include "../Shared/ConvertFloat.h"
#include "ChunkPowers.h"
#include "RowOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

namespace {

constexpr int64_t kCacheLine = 64;

/// What a chunk gives: its sum and count, and the sums of the powers of the
/// distance to its mean; or, in the first place, the largest magnitude.
enum Part : int64_t { kSum, kCount, kSecond, kThird, kFourth, kNumParts };

/// Chunks are the rows of the machine.
class StatisticsEmitter : public RowAlgorithm {
public:
  StatisticsEmitter(OpBuilder &builder, StatisticsOp op, RowMachine &machine,
                    int64_t lines, int64_t columns);
  void emit(OpBuilder &builder);

  void locate(OpBuilder &b, ValueRange at, RowOrigin &origin,
              SmallVectorImpl<Value> &sizes) override;
  /// Leaves what the chunk gives in `parts`.
  SmallVector<Value> measure(OpBuilder &b, const RowPlace &chunk) override;

private:
  void emitPowers(LaneBuilder &scalars, const RowPlace &chunk);
  void emitLargest(LaneBuilder &scalars, const RowPlace &chunk);
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
  Value load(const RowPiece &piece, const RowPlace &chunk) {
    OpBuilder &b = piece.lanes.getBuilder();
    return machine.load(piece, op.getInput(),
                        chunk.origin.locate(b, loc, piece.position));
  }
  void storePart(LaneBuilder &scalars, ValueRange at, Part part, Value value);
  Value getSize(OpBuilder &b, int64_t dim) {
    return b.createOrFold<memref::DimOp>(loc, op.getInput(), index(b, dim));
  }
  Value index(OpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  bool isKurtosis() { return op.getMeasure() == Measure::Kurtosis; }
  /// Whether chunks have indices of the dimension before the last one.
  bool hasLines() { return rank - numKept > 1; }
  /// That dimension is the last one of the chunks, whether it is reduced or
  /// not: so the next chunk is the next memory.
  bool isMatrix() { return rank > 1; }

  Location loc;
  StatisticsOp op;
  RowMachine &machine;
  /// Of a chunk.
  int64_t lines, columns;
  FloatType type;
  int64_t rank, numKept;
  /// How many chunks there are by dimension: the outer ones, the parts of a
  /// line and, where there are several, the lines or blocks of them.
  SmallVector<Value> counts;
  /// By chunk, and part.
  Value parts;
};

} // namespace

StatisticsEmitter::StatisticsEmitter(OpBuilder &builder, StatisticsOp op,
                                     RowMachine &machine, int64_t lines,
                                     int64_t columns)
    : loc(op.getLoc()), op(op), machine(machine), lines(lines),
      columns(columns), type(op.getComputeType()),
      rank(cast<ShapedType>(op.getInput().getType()).getRank()),
      numKept(cast<ShapedType>(op.getOutput().getType()).getRank()) {
  auto countOf = [&](int64_t dim, int64_t step) {
    return builder.createOrFold<arith::CeilDivUIOp>(loc, getSize(builder, dim),
                                                    index(builder, step));
  };
  for (int64_t dim = 0; dim + 2 < rank; ++dim)
    counts.push_back(getSize(builder, dim));
  counts.push_back(countOf(rank - 1, columns));
  if (isMatrix())
    counts.push_back(countOf(rank - 2, hasLines() ? lines : 1));
}

void StatisticsEmitter::emit(OpBuilder &builder) {
  SmallVector<int64_t> shape(counts.size(), ShapedType::kDynamic);
  shape.push_back(kNumParts);
  parts =
      memref::AllocOp::create(builder, loc, MemRefType::get(shape, type),
                              counts, builder.getI64IntegerAttr(kCacheLine));
  RowSpace chunks;
  chunks.counts = counts;
  chunks.inputs = chunks.along = {op.getInput()};
  machine.emitRows(builder, chunks, *this);
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < numKept; ++dim)
    sizes.push_back(getSize(builder, dim));
  machine.emitEach(builder, sizes,
                   [&](OpBuilder &b, ValueRange kept) { emitResult(b, kept); });
  memref::DeallocOp::create(builder, loc, parts);
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

void StatisticsEmitter::locate(OpBuilder &b, ValueRange at, RowOrigin &origin,
                               SmallVectorImpl<Value> &sizes) {
  auto cut = [&](int64_t dim, Value number, int64_t step) {
    Value size = getSize(b, dim);
    std::optional<int64_t> known = getConstantIntValue(size);
    if (known && *known <= step) {
      origin.first.push_back(index(b, 0));
      sizes.push_back(size);
      return;
    }
    Value length = index(b, step);
    Value begin = arith::MulIOp::create(b, loc, number, length);
    Value left = arith::SubIOp::create(b, loc, size, begin);
    origin.first.push_back(begin);
    sizes.push_back(arith::MinUIOp::create(b, loc, left, length));
  };
  llvm::append_range(origin.outer, at.drop_back(isMatrix() ? 2 : 1));
  if (hasLines())
    cut(rank - 2, at.back(), lines);
  else if (isMatrix())
    origin.outer.push_back(at.back());
  cut(rank - 1, at[rank - (isMatrix() ? 2 : 1)], columns);
}

SmallVector<Value> StatisticsEmitter::measure(OpBuilder &b,
                                              const RowPlace &chunk) {
  LaneBuilder scalars(b, loc, type);
  if (isKurtosis())
    emitPowers(scalars, chunk);
  else
    emitLargest(scalars, chunk);
  return {};
}

void StatisticsEmitter::storePart(LaneBuilder &scalars, ValueRange at,
                                  Part part, Value value) {
  SmallVector<Value> where(at);
  where.push_back(scalars.index(part));
  machine.storeOnce(scalars, value, parts, where);
}

void StatisticsEmitter::emitPowers(LaneBuilder &scalars,
                                   const RowPlace &chunk) {
  OpBuilder &b = scalars.getBuilder();
  Value elements = scalars.index(1);
  for (Value size : chunk.sizes)
    elements = arith::MulIOp::create(b, loc, elements, size);
  Value count = scalars.toFloatLanes(elements);
  bool isNarrow = getElementTypeOrSelf(op.getInput()) != type;
  ChunkPowers found = emitChunkPowers(
      machine, scalars, chunk, count,
      [&](const RowPiece &piece) { return load(piece, chunk); },
      /*hasSpareDigits=*/isNarrow);
  storePart(scalars, chunk.number, kSum, found.sum);
  storePart(scalars, chunk.number, kCount, count);
  for (auto [i, power] : llvm::enumerate(found.powers))
    storePart(scalars, chunk.number, static_cast<Part>(kSecond + i), power);
}

void StatisticsEmitter::emitLargest(LaneBuilder &scalars,
                                    const RowPlace &chunk) {
  Value largest = machine.reduce(
      scalars.getBuilder(), chunk, 0.0,
      [&](const RowPiece &piece, MutableArrayRef<Value> tops) {
        machine.askForNext(piece, chunk, piece.position);
        Value x = piece.lanes.abs(load(piece, chunk));
        tops[0] = emitLarger(piece.lanes, x, tops[0]);
      },
      emitLarger)[0];
  storePart(scalars, chunk.number, kSum, largest);
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
  SmallVector<Value> zeros(chunkCounts.size(), index(b, 0));
  SmallVector<Value> ones(chunkCounts.size(), index(b, 1));
  auto nest = scf::buildLoopNest(
      b, loc, zeros, chunkCounts, ones, initial,
      [&](OpBuilder &in, Location, ValueRange at, ValueRange old) {
        LaneBuilder scalars(in, loc, type);
        auto read = [&](Part part) -> Value {
          SmallVector<Value> where(kept.drop_back(isLine));
          llvm::append_range(where, at);
          llvm::append_range(where, kept.take_back(isLine));
          where.push_back(index(in, part));
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

void attn::emitStatistics(OpBuilder &builder, StatisticsOp op,
                          RowMachine &machine, int64_t lines, int64_t columns) {
  StatisticsEmitter(builder, op, machine, lines, columns).emit(builder);
}
