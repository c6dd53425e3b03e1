//===- MergeStates.cpp - attn.finalize of the states of ranges ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The maximum over all ranges is taken first; then one pass over the ranges, in
// their order, adds up what each of them weighs. The normaliser's extra term
// enters after that.
//
//===----------------------------------------------------------------------===//

#include "../Lanes/Weights.h"
#include "../Shared/ConvertFloat.h"
#include "DecodeShape.h"

#include "attn/Dialect/Attn/Score/SoftmaxState.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

class MergeEmitter {
public:
  MergeEmitter(OpBuilder &builder, FinalizeOp op, const DecodeShape &shape,
               const TargetDescription &target)
      : builder(builder), loc(op.getLoc()), op(op), self(op.getOperation()),
        shape(shape), target(target),
        vectors(loc, shape.getVectorType(),
                cast<MemRefType>(op.getAcc().getType()).getShape().back()) {}

  void emit();

private:
  /// The sum of weights and the row of values, as vectors, of all ranges.
  struct Merged {
    Value max, total;
    RowStatistics statistics;
    SmallVector<Value> chunks;
  };

  void emitRow(OpBuilder &b, const TileRow &row);
  /// The maximum of input `number` over the ranges.
  Value emitMax(OpBuilder &b, const TileRow &row, unsigned number);
  /// Adds the statistics that are sums; returns what follows them.
  void emitStatistics(OpBuilder &b, const TileRow &row, Value range,
                      const Rescale &rescale, ValueRange sums,
                      SmallVectorImpl<Value> &next);
  void emitProbes(OpBuilder &b, const TileRow &row, const Merged &merged,
                  Value factor);
  /// Stores the number of a row, which stands in every lane.
  void storeRow(OpBuilder &b, Value lanes, unsigned output, const TileRow &row);
  Merged emitSums(OpBuilder &b, const TileRow &row, Value max);
  /// The indices of a row of input `number` in the state of range `range`.
  SmallVector<Value> getPosition(OpBuilder &b, unsigned number, Value range,
                                 const TileRow &row);
  Value splatLoad(OpBuilder &b, unsigned number, Value range,
                  const TileRow &row);

  OpBuilder &builder;
  Location loc;
  FinalizeOp op;
  AttentionOpInterface self;
  const DecodeShape &shape;
  const TargetDescription &target;
  RowVectors vectors;
  Value zero, one, ranges;
};

} // namespace

SmallVector<Value> MergeEmitter::getPosition(OpBuilder &b, unsigned number,
                                             Value range, const TileRow &row) {
  AffineMap map = self.getInputMap(number);
  RowStart start = getRowStart(b, self, map, self.getValueDim(), row);
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(self.getKeyDim()))
      start.position[i] = range;
  return start.position;
}

Value MergeEmitter::splatLoad(OpBuilder &b, unsigned number, Value range,
                              const TileRow &row) {
  Value scalar = memref::LoadOp::create(b, loc, op->getOperand(number),
                                        getPosition(b, number, range, row));
  return vector::BroadcastOp::create(b, loc, shape.getVectorType(), scalar);
}

Value MergeEmitter::emitMax(OpBuilder &b, const TileRow &row, unsigned number) {
  LaneBuilder lanes(b, loc, shape.element, shape.lanes);
  Value lowest = lanes.constant(-std::numeric_limits<double>::infinity());
  auto loop = scf::ForOp::create(
      b, loc, zero, ranges, one, ValueRange(lowest),
      [&](OpBuilder &nested, Location, Value range, ValueRange max) {
        LaneBuilder inner(nested, loc, shape.element, shape.lanes);
        Value next = inner.max(splatLoad(nested, number, range, row), max[0]);
        scf::YieldOp::create(nested, loc, next);
      });
  return loop.getResult(0);
}

void MergeEmitter::emitStatistics(OpBuilder &b, const TileRow &row, Value range,
                                  const Rescale &rescale, ValueRange sums,
                                  SmallVectorImpl<Value> &next) {
  LaneBuilder in(b, loc, shape.element, shape.lanes);
  RowStatistics part, rest;
  unsigned at = next.size();
  for (auto [i, kind] : llvm::enumerate(self.getStatisticKinds()))
    if (kind != Statistic::Top) {
      part.get(kind) = splatLoad(b, 3 + i, range, row);
      rest.get(kind) = sums[at++];
    }
  RowStatistics moved =
      emitMovedStatistics(in, part, splatLoad(b, 2, range, row), rescale, rest);
  for (Statistic kind : self.getStatisticKinds())
    if (kind != Statistic::Top)
      next.push_back(moved.get(kind));
}

MergeEmitter::Merged MergeEmitter::emitSums(OpBuilder &b, const TileRow &row,
                                            Value max) {
  LaneBuilder lanes(b, loc, shape.element, shape.lanes);
  Value reference = emitReference(lanes, max);
  SmallVector<Statistic> kinds = self.getStatisticKinds();
  unsigned numSums = 1 + llvm::count_if(kinds, [](Statistic kind) {
                       return kind != Statistic::Top;
                     });
  SmallVector<Value> init(numSums + vectors.getCount(), lanes.constant(0.0));
  unsigned inner = cast<MemRefType>(op.getAcc().getType()).getRank() - 1;
  auto loop = scf::ForOp::create(
      b, loc, zero, ranges, one, init,
      [&](OpBuilder &nested, Location, Value range, ValueRange sums) {
        LaneBuilder in(nested, loc, shape.element, shape.lanes);
        Rescale rescale =
            emitRescale(in, splatLoad(nested, 1, range, row), reference,
                        [&](LaneBuilder &, Value x) {
                          return emitWeight(nested, loc, x, target);
                        });
        SmallVector<Value> next = {emitMoved(
            in, splatLoad(nested, 2, range, row), rescale.factor, sums[0])};
        emitStatistics(nested, row, range, rescale, sums, next);
        SmallVector<Value> position = getPosition(nested, 0, range, row);
        for (int64_t c = 0; c < vectors.getCount(); ++c)
          next.push_back(emitMoved(
              in, vectors.load(nested, op.getAcc(), position, inner, c),
              rescale.factor, sums[numSums + c]));
        scf::YieldOp::create(nested, loc, next);
      });
  Merged merged = {max, loop.getResult(0), {}, {}};
  unsigned at = 1;
  for (auto [i, kind] : llvm::enumerate(kinds))
    merged.statistics.get(kind) =
        kind == Statistic::Top ? emitMax(b, row, 3 + i) : loop.getResult(at++);
  llvm::append_range(merged.chunks, loop.getResults().drop_front(numSums));
  return merged;
}

void MergeEmitter::storeRow(OpBuilder &b, Value lanes, unsigned output,
                            const TileRow &row) {
  Value memref = op.getOutputs()[output];
  Value scalar = vector::ExtractOp::create(b, loc, lanes, ArrayRef<int64_t>{0});
  scalar = convertFloat(b, loc, scalar,
                        cast<MemRefType>(memref.getType()).getElementType());
  RowStart at =
      getRowStart(b, self, self.getOutputMap(output), self.getValueDim(), row);
  memref::StoreOp::create(b, loc, scalar, memref, at.position);
}

void MergeEmitter::emitProbes(OpBuilder &b, const TileRow &row,
                              const Merged &merged, Value factor) {
  KeyLanes scores(b, self, shape.lanes);
  SmallVector<Value> probes = ::attn::emitProbes(
      scores.getLanes(), self, Units::Log2, merged.total, factor,
      merged.statistics, [&] {
        return emitLogitSlope(scores.getLanes(), self,
                              self.getSizes()[self.getHeadDimDim()],
                              scores.emitScale(row));
      });
  unsigned first = op.getOutputs().size() - probes.size();
  for (auto [i, probe] : llvm::enumerate(probes))
    storeRow(b, probe, first + i, row);
}

void MergeEmitter::emitRow(OpBuilder &b, const TileRow &row) {
  Merged merged = emitSums(b, row, emitMax(b, row, 1));
  KeyLanes scores(b, self, shape.lanes);
  bool wantsLse = op.getLse() != nullptr;
  RowEnd end =
      emitRowEnd(scores.getLanes(), Units::Log2, merged.max, merged.total,
                 scores.emitLogExtra(row), wantsLse, emitOutputWeight);
  Value output = op.getOutputs()[0];
  RowStart start =
      getRowStart(b, self, self.getOutputMap(0), self.getValueDim(), row);
  for (auto [c, chunk] : llvm::enumerate(merged.chunks))
    vectors.store(b, arith::MulFOp::create(b, loc, chunk, end.factor), output,
                  start.position, start.innerDim, c);
  if (wantsLse)
    storeRow(b, end.lse, 1, row);
  if (op.getProbes())
    emitProbes(b, row, merged, end.factor);
}

void MergeEmitter::emit() {
  zero = createIndex(builder, loc, 0);
  one = createIndex(builder, loc, 1);
  ranges = memref::DimOp::create(builder, loc, op.getMax(), zero);
  emitLoop(builder, loc, zero, createIndex(builder, loc, shape.getCount()), 1,
           [&](OpBuilder &b, Value number) {
             emitRow(b, shape.getRow(b, loc, number));
           });
}

namespace {

struct LowerMerge : OpRewritePattern<FinalizeOp> {
  LowerMerge(MLIRContext *context, const TargetDescription &target)
      : OpRewritePattern(context, /*benefit=*/2), target(target) {}

  LogicalResult matchAndRewrite(FinalizeOp op,
                                PatternRewriter &rewriter) const override {
    auto self = cast<AttentionOpInterface>(op.getOperation());
    FailureOr<DecodeShape> shape =
        getDecodeShape(self, op.getAcc(), self.getInputMap(0), rewriter);
    if (failed(shape) || failed(checkKeyScores(self, rewriter)))
      return failure();
    AffineExpr n = getAffineDimExpr(self.getKeyDim(), op.getContext());
    for (unsigned i = 0, e = self.getShapedInputs().size(); i < e; ++i)
      if (self.getInputMap(i).getResult(0) != n)
        return rewriter.notifyMatchFailure(
            op, "states are not indexed by ranges of keys first");
    AffineMap accMap = self.getInputMap(0);
    if (accMap.getResults().back() !=
            getAffineDimExpr(self.getValueDim(), op.getContext()) ||
        ShapedType::isDynamic(
            cast<MemRefType>(op.getAcc().getType()).getShape().back()))
      return rewriter.notifyMatchFailure(
          op, "the state's last dimension is not a static value dimension");
    MergeEmitter(rewriter, op, *shape, target).emit();
    rewriter.eraseOp(op);
    return success();
  }

private:
  const TargetDescription &target;
};

} // namespace

void attn::populateMergePattern(RewritePatternSet &patterns,
                                const TargetDescription &target) {
  patterns.add<LowerMerge>(patterns.getContext(), target);
}
