//===- SoftmaxSegments.cpp - attn.softmax of very long rows ---------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row that no cache holds, or one of so few that they would leave threads
// without work, is cut into segments, the work items. Each first gives its own
// maximum, and its sum relative to it; then each puts those of its row together
// and writes its weights, which are computed a second time.
//
//===----------------------------------------------------------------------===//

#include "../Lanes/LaneMemory.h"
#include "RowLoop.h"
#include "RowMemory.h"
#include "SoftmaxEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class SegmentsEmitter : SoftmaxEmitter {
public:
  using SoftmaxEmitter::SoftmaxEmitter;
  void emit();

private:
  /// Calls `body` for each segment: its row, its number and where it starts.
  void emitSegments(
      llvm::function_ref<void(OpBuilder &, ValueRange, Value, Value)> body);
  void emitParts(OpBuilder &b, ValueRange here, Value segment, Value begin);
  void emitOutput(OpBuilder &b, ValueRange here, Value begin);
  /// The weighting of the row and its sum, of all segments.
  std::pair<SoftmaxWeighting, Value> emitTotal(OpBuilder &b, ValueRange here,
                                               const Policies &policies);
  Value emitWeightOf(LaneBuilder &lanes, ValueRange here, Value begin,
                     ValueRange position, Value mask,
                     const SoftmaxWeighting &weighting);
  SmallVector<Value> getIndices(OpBuilder &b, ValueRange here, Value begin,
                                ValueRange position) {
    SmallVector<Value> indices(here);
    indices.push_back(arith::AddIOp::create(b, loc, begin, position.front()));
    return indices;
  }

  /// Of the segment at hand.
  RowShape row;
  Value numSegments;
  SmallVector<Value> sizes;
  /// Maxima and sums: the dimensions of the rows, the segments, and these two.
  Value parts;
  Value streams;
};

} // namespace

void SegmentsEmitter::emit() {
  int64_t last = getRank() - 1;
  row = getRowShape();
  if (row.inVectors)
    streams = emitIsLarge(builder, loc, op.getOutput(), schedule.getStream());
  for (int64_t dim = 0; dim < last; ++dim)
    sizes.push_back(getSize(builder, dim));
  numSegments = arith::CeilDivUIOp::create(
      builder, loc, getSize(builder, last),
      createIndex(builder, loc, schedule.getSegment()));
  SmallVector<int64_t> shape(last + 1, ShapedType::kDynamic);
  shape.push_back(2);
  SmallVector<Value> dynamic(sizes);
  dynamic.push_back(numSegments);
  parts = memref::AllocOp::create(builder, loc, MemRefType::get(shape, type),
                                  dynamic, builder.getI64IntegerAttr(64));
  emitSegments([&](OpBuilder &b, ValueRange here, Value segment, Value begin) {
    emitParts(b, here, segment, begin);
  });
  emitSegments([&](OpBuilder &b, ValueRange here, Value, Value begin) {
    emitOutput(b, here, begin);
  });
  memref::DeallocOp::create(builder, loc, parts);
}

void SegmentsEmitter::emitSegments(
    llvm::function_ref<void(OpBuilder &, ValueRange, Value, Value)> body) {
  SmallVector<Value> counts(sizes);
  counts.push_back(numSegments);
  auto emitSegment = [&](OpBuilder &b, ValueRange at, ValueRange) {
    Value length = createIndex(b, loc, schedule.getSegment());
    Value begin = arith::MulIOp::create(b, loc, at.back(), length);
    Value left =
        arith::SubIOp::create(b, loc, getSize(b, getRank() - 1), begin);
    row.sizes = {arith::MinUIOp::create(b, loc, left, length)};
    body(b, at.drop_back(), at.back(), begin);
  };
  emitRowBlocks(builder, loc, counts, /*rows=*/1,
                [&](OpBuilder &b, const RowBlock &block) {
                  block.emitRows(b, loc, emitSegment);
                });
}

Value SegmentsEmitter::emitWeightOf(LaneBuilder &lanes, ValueRange here,
                                    Value begin, ValueRange position,
                                    Value mask,
                                    const SoftmaxWeighting &weighting) {
  Value x =
      loadLanes(lanes, op.getInput(),
                getIndices(lanes.getBuilder(), here, begin, position), mask);
  return emitWeight(lanes, x, weighting);
}

void SegmentsEmitter::emitParts(OpBuilder &b, ValueRange here, Value segment,
                                Value begin) {
  LaneBuilder scalars(b, loc, type);
  Value scale = emitPolicies(scalars, here).scale;
  Value sign = emitSoftmaxSign(scalars, scale);
  Value top = emitRowReduction(
      b, loc, row, -kInfinity,
      [&](LaneBuilder &lanes, ValueRange position, Value mask,
          MutableArrayRef<Value> tops) {
        Value x = loadLanes(
            lanes, op.getInput(),
            getIndices(lanes.getBuilder(), here, begin, position), mask);
        Value score = lanes.mul(x, lanes.toFloatLanes(sign));
        if (mask)
          score = lanes.select(mask, score, lanes.constant(-kInfinity));
        tops[0] = lanes.max(score, tops[0]);
      },
      [](LaneBuilder &lanes, Value a, Value b) { return lanes.max(a, b); })[0];
  SoftmaxWeighting weighting = emitSoftmaxWeighting(scalars, scale, top);
  Value sum = emitRowReduction(
      b, loc, row, 0.0,
      [&](LaneBuilder &lanes, ValueRange position, Value mask,
          MutableArrayRef<Value> sums) {
        Value weight =
            emitWeightOf(lanes, here, begin, position, mask, weighting);
        if (mask)
          weight = lanes.select(mask, weight, lanes.constant(0.0));
        sums[0] = lanes.add(sums[0], weight);
      },
      [](LaneBuilder &lanes, Value a, Value b) { return lanes.add(a, b); })[0];
  SmallVector<Value> where(here);
  where.append({segment, createIndex(b, loc, 0)});
  memref::StoreOp::create(b, loc, top, parts, where);
  where.back() = createIndex(b, loc, 1);
  memref::StoreOp::create(b, loc, sum, parts, where);
}

/// The score that has the weight 1 in a segment with this maximum.
static Value emitReference(LaneBuilder &lanes, Value scale, Value maximum) {
  // Nothing where there is no score: its sum is 0, and 0 may be far above the
  // other segments.
  Value infinity = lanes.constant(-kInfinity);
  Value isEmpty = lanes.cmp(arith::CmpFPredicate::OEQ, maximum, infinity);
  return lanes.select(
      isEmpty, lanes.mul(maximum, emitSoftmaxSign(lanes, scale)),
      lanes.neg(emitSoftmaxWeighting(lanes, scale, maximum).shift));
}

std::pair<SoftmaxWeighting, Value>
SegmentsEmitter::emitTotal(OpBuilder &b, ValueRange here,
                           const Policies &policies) {
  auto overSegments =
      [&](Value initial,
          llvm::function_ref<Value(LaneBuilder &, Value, Value, Value)> next) {
        auto body = [&](OpBuilder &nested, Location, Value i, ValueRange old) {
          LaneBuilder scalars(nested, loc, type);
          SmallVector<Value> where(here);
          where.append({i, createIndex(nested, loc, 0)});
          Value top = memref::LoadOp::create(nested, loc, parts, where);
          where.back() = createIndex(nested, loc, 1);
          Value sum = memref::LoadOp::create(nested, loc, parts, where);
          scf::YieldOp::create(nested, loc, next(scalars, top, sum, old[0]));
        };
        return scf::ForOp::create(b, loc, createIndex(b, loc, 0), numSegments,
                                  createIndex(b, loc, 1), initial, body)
            .getResult(0);
      };
  LaneBuilder scalars(b, loc, type);
  Value top = overSegments(scalars.constant(-kInfinity),
                           [](LaneBuilder &lanes, Value part, Value,
                              Value old) { return lanes.max(part, old); });
  SoftmaxWeighting row = emitSoftmaxWeighting(scalars, policies.scale, top);
  Value sum = overSegments(
      emitSoftmaxExtra(scalars, policies.logExtra, row),
      [&](LaneBuilder &lanes, Value part, Value sum, Value old) {
        Value weight =
            emitWeight(lanes, emitReference(lanes, policies.scale, part), row);
        return lanes.fma(weight, sum, old);
      });
  return {row, sum};
}

void SegmentsEmitter::emitOutput(OpBuilder &b, ValueRange here, Value begin) {
  LaneBuilder scalars(b, loc, type);
  Policies policies = emitPolicies(scalars, here);
  std::pair<SoftmaxWeighting, Value> total = emitTotal(b, here, policies);
  SoftmaxWeighting weighting = total.first;
  Value factor = emitFactor(scalars, total.second);
  auto emitLoop = [&](OpBuilder &nested, bool pastCaches) {
    emitRowReduction(
        nested, loc, row, {},
        [&](LaneBuilder &lanes, ValueRange position, Value mask,
            MutableArrayRef<Value>) {
          Value weight =
              emitWeightOf(lanes, here, begin, position, mask, weighting);
          storeLanes(lanes, lanes.mul(weight, lanes.toFloatLanes(factor)),
                     op.getOutput(),
                     getIndices(lanes.getBuilder(), here, begin, position),
                     pastCaches, mask);
        },
        [](LaneBuilder &, Value a, Value) { return a; });
  };
  // Segments start at whole vectors of their row.
  emitWrites(b, loc,
             emitIsStream(b, loc, streams, op.getOutput(), here, row.lanes),
             emitLoop);
  emitEndOfWrites(b, loc, streams);
}

void attn::emitSoftmaxSegments(OpBuilder &builder, SoftmaxOp op,
                               const TargetDescription &target) {
  SegmentsEmitter(builder, op, target).emit();
}
