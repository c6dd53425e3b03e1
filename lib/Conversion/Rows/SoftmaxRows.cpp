//===- SoftmaxRows.cpp - attn.softmax row by row --------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three passes over a row: its maximum; the weights, which stay in scratch
// memory, and their sum; the quotients. The second one has most to compute, and
// asks for the next row meanwhile, so that only the first row of a work item is
// waited for. Blocks of rows are the work items.
//
//===----------------------------------------------------------------------===//

#include "../Lanes/LaneMemory.h"
#include "RowLoop.h"
#include "RowMemory.h"
#include "SoftmaxEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kCacheLine = 64;

class RowsEmitter : SoftmaxEmitter {
public:
  using SoftmaxEmitter::SoftmaxEmitter;
  void emit();

private:
  void emitBlock(OpBuilder &b, const RowBlock &block);
  void emitRow(OpBuilder &b, ValueRange here, ValueRange next);
  /// Of the scores times the sign of the scale.
  Value emitMaximum(OpBuilder &b, ValueRange here, Value scale);
  /// Fills the scratch row with weights and returns their sum.
  Value emitWeights(OpBuilder &b, ValueRange here, ValueRange next,
                    const SoftmaxWeighting &weighting);
  void emitOutput(OpBuilder &b, ValueRange here, Value factor, bool pastCaches);

  RowShape row;
  /// Whether the output is too large for the caches; may be null.
  Value streams;
  Value scratch;
};

SmallVector<Value> join(ValueRange row, ValueRange position) {
  SmallVector<Value> indices(row);
  llvm::append_range(indices, position);
  return indices;
}

} // namespace

void RowsEmitter::emit() {
  int64_t last = getRank() - 1;
  row = getRowShape();
  row.sizes.push_back(getSize(builder, last));
  if (row.inVectors)
    streams = emitIsLarge(builder, loc, op.getOutput(), schedule.getStream());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < last; ++dim)
    sizes.push_back(getSize(builder, dim));
  emitRowBlocks(
      builder, loc, sizes, schedule.getRows(),
      [&](OpBuilder &b, const RowBlock &block) { emitBlock(b, block); });
}

void RowsEmitter::emitBlock(OpBuilder &b, const RowBlock &block) {
  // Whole vectors of weights, also where the last one is not filled.
  Value vectors = b.createOrFold<arith::CeilDivUIOp>(
      loc, row.sizes[0], createIndex(b, loc, row.lanes));
  Value size = b.createOrFold<arith::MulIOp>(loc, vectors,
                                             createIndex(b, loc, row.lanes));
  std::optional<int64_t> known = getConstantIntValue(size);
  auto shape = MemRefType::get(known.value_or(ShapedType::kDynamic), type);
  scratch = memref::AllocOp::create(b, loc, shape,
                                    known ? ValueRange() : ValueRange(size),
                                    b.getI64IntegerAttr(kCacheLine));
  block.emitRows(b, loc,
                 [&](OpBuilder &nested, ValueRange here, ValueRange next) {
                   emitRow(nested, here, next);
                 });
  memref::DeallocOp::create(b, loc, scratch);
  emitEndOfWrites(b, loc, streams);
}

void RowsEmitter::emitRow(OpBuilder &b, ValueRange here, ValueRange next) {
  LaneBuilder scalars(b, loc, type);
  Policies policies = emitPolicies(scalars, here);
  SoftmaxWeighting weighting = emitSoftmaxWeighting(
      scalars, policies.scale, emitMaximum(b, here, policies.scale));
  Value sum = emitWeights(b, here, next, weighting);
  sum =
      scalars.add(emitSoftmaxExtra(scalars, policies.logExtra, weighting), sum);
  Value factor = emitFactor(scalars, sum);
  emitWrites(b, loc,
             emitIsStream(b, loc, streams, op.getOutput(), here, row.lanes),
             [&](OpBuilder &nested, bool pastCaches) {
               emitOutput(nested, here, factor, pastCaches);
             });
}

Value RowsEmitter::emitMaximum(OpBuilder &b, ValueRange here, Value scale) {
  LaneBuilder scalars(b, loc, type);
  Value sign = emitSoftmaxSign(scalars, scale);
  return emitRowReduction(
      b, loc, row, -kInfinity,
      [&](LaneBuilder &lanes, ValueRange position, Value mask,
          MutableArrayRef<Value> tops) {
        Value x = loadLanes(lanes, op.getInput(), join(here, position), mask);
        Value score = lanes.mul(x, lanes.toFloatLanes(sign));
        if (mask)
          score = lanes.select(mask, score, lanes.constant(-kInfinity));
        tops[0] = lanes.max(score, tops[0]);
      },
      [](LaneBuilder &lanes, Value a, Value b) { return lanes.max(a, b); })[0];
}

Value RowsEmitter::emitWeights(OpBuilder &b, ValueRange here, ValueRange next,
                               const SoftmaxWeighting &weighting) {
  return emitRowReduction(
      b, loc, row, 0.0,
      [&](LaneBuilder &lanes, ValueRange position, Value mask,
          MutableArrayRef<Value> sums) {
        if (lanes.isVector())
          emitPrefetch(lanes.getBuilder(), loc, op.getInput(),
                       join(next, position));
        Value x = loadLanes(lanes, op.getInput(), join(here, position), mask);
        Value weight = emitWeight(lanes, x, weighting);
        if (mask)
          weight = lanes.select(mask, weight, lanes.constant(0.0));
        storeLanes(lanes, weight, scratch, position, /*pastCaches=*/false);
        sums[0] = lanes.add(sums[0], weight);
      },
      [](LaneBuilder &lanes, Value a, Value b) { return lanes.add(a, b); })[0];
}

void RowsEmitter::emitOutput(OpBuilder &b, ValueRange here, Value factor,
                             bool pastCaches) {
  emitRowReduction(
      b, loc, row, {},
      [&](LaneBuilder &lanes, ValueRange position, Value mask,
          MutableArrayRef<Value>) {
        Value weight = loadLanes(lanes, scratch, position);
        storeLanes(lanes, lanes.mul(weight, lanes.toFloatLanes(factor)),
                   op.getOutput(), join(here, position), pastCaches, mask);
      },
      [](LaneBuilder &, Value a, Value) { return a; });
}

void attn::emitSoftmaxRows(OpBuilder &builder, SoftmaxOp op,
                           const TargetDescription &target) {
  RowsEmitter(builder, op, target).emit();
}
