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

#include "RowOps.h"
#include "SoftmaxSteps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <array>
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A row's number is that of its row and then its own.
class SegmentRows : public RowAlgorithm, public SoftmaxPasses {
public:
  SegmentRows(SoftmaxOp op, RowMachine &machine, int64_t length, Value count,
              Value parts)
      : SoftmaxPasses(op, machine), length(length), count(count), parts(parts) {
  }

  void locate(OpBuilder &b, ValueRange number, RowOrigin &origin,
              SmallVectorImpl<Value> &sizes) override {
    Value step = arith::ConstantIndexOp::create(b, loc, length);
    Value begin = arith::MulIOp::create(b, loc, number.back(), step);
    Value left =
        arith::SubIOp::create(b, loc, getSize(b, getRank() - 1), begin);
    llvm::append_range(origin.outer, number.drop_back());
    origin.first = {begin};
    sizes.assign({arith::MinUIOp::create(b, loc, left, step)});
  }

protected:
  int64_t length;
  /// Of segments in a row.
  Value count;
  /// Maxima and sums: the dimensions of the rows, the segments, and these two.
  Value parts;
};

class SegmentParts : public SegmentRows {
public:
  using SegmentRows::SegmentRows;
  SmallVector<Value> measure(OpBuilder &b, const RowPlace &row) override;
};

class SegmentOutput : public SegmentRows {
public:
  using SegmentRows::SegmentRows;
  /// The factor and the weighting of the row.
  SmallVector<Value> measure(OpBuilder &b, const RowPlace &row) override;
  void write(const RowPiece &piece, const RowPlace &row,
             ValueRange numbers) override;

private:
  /// The weighting of the row and its sum, of all segments.
  std::pair<SoftmaxWeighting, Value> emitTotal(OpBuilder &b, ValueRange here,
                                               const Policies &policies);
};

} // namespace

SmallVector<Value> SegmentParts::measure(OpBuilder &b, const RowPlace &row) {
  LaneBuilder scalars(b, loc, type);
  Value scale = emitPolicies(scalars, row.origin.outer).scale;
  Value top = emitMaximum(b, row, scale, /*asks=*/true);
  SoftmaxWeighting weighting = emitSoftmaxWeighting(scalars, scale, top);
  Value sum = emitSum(b, row, weighting, /*keeps=*/false);
  for (auto [which, value] : llvm::enumerate(std::array{top, sum})) {
    SmallVector<Value> where(row.number);
    where.push_back(scalars.index(which));
    machine.storeOnce(scalars, value, parts, where);
  }
  return {};
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
SegmentOutput::emitTotal(OpBuilder &b, ValueRange here,
                         const Policies &policies) {
  LaneBuilder scalars(b, loc, type);
  auto overSegments =
      [&](Value initial,
          llvm::function_ref<Value(LaneBuilder &, Value, Value, Value)> next) {
        auto body = [&](OpBuilder &nested, Location, Value i, ValueRange old) {
          LaneBuilder inner(nested, loc, type);
          SmallVector<Value> where(here);
          where.append({i, inner.index(0)});
          Value top = loadNumber(inner, parts, where);
          where.back() = inner.index(1);
          Value sum = loadNumber(inner, parts, where);
          scf::YieldOp::create(nested, loc, next(inner, top, sum, old[0]));
        };
        return scf::ForOp::create(b, loc, scalars.index(0), count,
                                  scalars.index(1), initial, body)
            .getResult(0);
      };
  Value top = overSegments(scalars.constant(-kInfinity),
                           [](LaneBuilder &lanes, Value part, Value,
                              Value old) { return lanes.max(part, old); });
  SoftmaxWeighting row = emitSoftmaxWeighting(scalars, policies.scale, top);
  Value sum =
      overSegments(emitSoftmaxExtra(scalars, policies.logExtra, row),
                   [&](LaneBuilder &lanes, Value part, Value sum, Value old) {
                     Value own = emitReference(lanes, policies.scale, part);
                     Value weight = machine.emitWeight(
                         lanes, emitSoftmaxDistance(lanes, own, row));
                     return lanes.fma(weight, sum, old);
                   });
  return {row, sum};
}

SmallVector<Value> SegmentOutput::measure(OpBuilder &b, const RowPlace &row) {
  LaneBuilder scalars(b, loc, type);
  Policies policies = emitPolicies(scalars, row.origin.outer);
  auto [weighting, sum] = emitTotal(b, row.origin.outer, policies);
  return {emitFactor(scalars, sum), weighting.shift, weighting.scale};
}

void SegmentOutput::write(const RowPiece &piece, const RowPlace &row,
                          ValueRange numbers) {
  machine.askAhead(piece, row);
  Value x = machine.load(piece, op.getInput(), getIndices(piece, row));
  emitQuotient(piece, row, emitWeight(piece, x, {numbers[1], numbers[2]}),
               numbers[0]);
}

void attn::emitSoftmaxSegments(OpBuilder &builder, SoftmaxOp op,
                               RowMachine &machine, int64_t length) {
  Location loc = op.getLoc();
  RowSpace space = SoftmaxPasses(op, machine).getSpace(builder);
  space.counts.push_back(arith::CeilDivUIOp::create(
      builder, loc, space.sizes[0],
      arith::ConstantIndexOp::create(builder, loc, length)));
  SmallVector<int64_t> shape(space.counts.size(), ShapedType::kDynamic);
  shape.push_back(2);
  Value parts = memref::AllocOp::create(
      builder, loc, MemRefType::get(shape, op.getComputeType()), space.counts,
      builder.getI64IntegerAttr(64));
  SegmentOutput output(op, machine, length, space.counts.back(), parts);
  RowSpace measured = space;
  measured.outputs.clear();
  SegmentParts measure(op, machine, length, space.counts.back(), parts);
  machine.emitRows(builder, measured, measure);
  machine.emitRows(builder, space, output);
  memref::DeallocOp::create(builder, loc, parts);
}
