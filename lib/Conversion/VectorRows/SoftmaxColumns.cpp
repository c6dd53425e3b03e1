//===- SoftmaxColumns.cpp - attn.softmax along an outer dimension ---------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that lie across the memory stand side by side in the lanes. A panel is
// as many of them as some vectors have lanes; it is copied to scratch memory
// while the maxima are taken, because the memory of its rows would push itself
// out of the caches where their distance is a power of two. Sums and quotients
// are computed there. Blocks of panels are the work items.
//
//===----------------------------------------------------------------------===//

#include "../Lanes/LaneMemory.h"
#include "../Lanes/RowMemory.h"
#include "../Lanes/Weights.h"
#include "../Rows/SoftmaxSteps.h"
#include "RowPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kCacheLine = 64;
/// The hardware does not foresee the next line of a panel: so many are asked
/// for ahead.
constexpr int64_t kAhead = 16;

class ColumnsEmitter : SoftmaxSteps {
public:
  ColumnsEmitter(OpBuilder &builder, SoftmaxOp op,
                 const TargetDescription &target)
      : SoftmaxSteps(op), builder(builder),
        schedule(cast<SoftmaxScheduleAttr>(op.getScheduleAttr())),
        target(target) {}
  void emit();

private:
  /// Some vectors of rows, side by side.
  struct Panel {
    /// The input's indices of its first row; that of the key is null.
    SmallVector<Value> first;
    int64_t vectors;
    /// Which lanes there are; null where all are.
    Value mask;
    bool pastCaches;
  };
  using Visit = llvm::function_ref<void(LaneBuilder &, Value key, int64_t v,
                                        Value &carried)>;

  void emitBlock(OpBuilder &b, const RowBlock &block);
  /// The panel at `column`, which may reach past the last one.
  void emitPanel(OpBuilder &b, ValueRange outer, Value column);
  void emitColumns(OpBuilder &b, const Panel &panel);
  /// Goes over the keys, with a value carried by each vector.
  SmallVector<Value> emitKeys(OpBuilder &b, const Panel &panel,
                              ValueRange carried, Visit visit);
  SmallVector<Value> getIndices(OpBuilder &b, const Panel &panel, Value key,
                                int64_t vector);
  SmallVector<Value> getScratch(OpBuilder &b, Value key, int64_t vector) {
    return {key, createIndex(b, loc, vector * lanes)};
  }

  OpBuilder &builder;
  SoftmaxScheduleAttr schedule;
  const TargetDescription &target;
  /// 1 where elements do not lie side by side: then vectors are numbers.
  int64_t lanes, vectors;
  bool inVectors;
  Value keys, columns;
  /// Whether to write past the caches; may be null.
  Value streams;
  Value scratch;
};

} // namespace

void ColumnsEmitter::emit() {
  inVectors =
      hasUnitInnerStride(op.getInput()) && hasUnitInnerStride(op.getOutput());
  lanes = inVectors ? schedule.getLanes() : 1;
  vectors = schedule.getUnroll();
  keys = getSize(builder, op.getKeyDim());
  columns = getSize(builder, getRank() - 1);
  if (inVectors)
    streams = emitIsLarge(builder, loc, op.getOutput(), schedule.getStream());
  streams = emitIsStream(builder, loc, streams, op.getOutput(), {}, lanes);
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim + 1 < getRank(); ++dim)
    if (dim != op.getKeyDim())
      sizes.push_back(getSize(builder, dim));
  sizes.push_back(builder.createOrFold<arith::CeilDivUIOp>(
      loc, columns, createIndex(builder, loc, vectors * lanes)));
  emitRowBlocks(
      builder, loc, sizes, schedule.getRows(),
      [&](OpBuilder &b, const RowBlock &block) { emitBlock(b, block); });
}

void ColumnsEmitter::emitBlock(OpBuilder &b, const RowBlock &block) {
  std::optional<int64_t> known = getConstantIntValue(keys);
  auto shape = MemRefType::get(
      {known.value_or(ShapedType::kDynamic), vectors * lanes}, type);
  scratch = memref::AllocOp::create(b, loc, shape,
                                    known ? ValueRange() : ValueRange(keys),
                                    b.getI64IntegerAttr(kCacheLine));
  block.emitRows(b, loc, [&](OpBuilder &nested, ValueRange at, ValueRange) {
    Value width = createIndex(nested, loc, vectors * lanes);
    emitPanel(nested, at.drop_back(),
              arith::MulIOp::create(nested, loc, at.back(), width));
  });
  memref::DeallocOp::create(b, loc, scratch);
  emitEndOfWrites(b, loc, streams);
}

void ColumnsEmitter::emitPanel(OpBuilder &b, ValueRange outer, Value column) {
  Panel panel;
  llvm::append_range(panel.first, outer);
  panel.first.insert(panel.first.begin() + op.getKeyDim(), Value());
  panel.first.push_back(column);
  panel.vectors = vectors;
  auto emitWhole = [&](OpBuilder &nested, Location) {
    emitWrites(nested, loc, streams, [&](OpBuilder &in, bool pastCaches) {
      panel.pastCaches = pastCaches;
      emitColumns(in, panel);
    });
    scf::YieldOp::create(nested, loc);
  };
  // One vector at a time, the last one with a mask.
  auto emitRest = [&](OpBuilder &nested, Location) {
    emitLoop(nested, loc, column, columns, lanes, [&](OpBuilder &in, Value at) {
      Panel single = panel;
      single.first.back() = at;
      single.vectors = 1;
      single.pastCaches = false;
      if (inVectors)
        single.mask = vector::CreateMaskOp::create(
            in, loc, VectorType::get(lanes, in.getI1Type()),
            ValueRange(arith::SubIOp::create(in, loc, columns, at)));
      emitColumns(in, single);
    });
    scf::YieldOp::create(nested, loc);
  };
  Value end = addIndex(b, loc, column, vectors * lanes);
  Value fits =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, end, columns);
  scf::IfOp::create(b, loc, fits, emitWhole, emitRest);
}

SmallVector<Value> ColumnsEmitter::getIndices(OpBuilder &b, const Panel &panel,
                                              Value key, int64_t vector) {
  SmallVector<Value> indices(panel.first);
  indices[op.getKeyDim()] = key;
  indices.back() = addIndex(b, loc, indices.back(), vector * lanes);
  return indices;
}

SmallVector<Value> ColumnsEmitter::emitKeys(OpBuilder &b, const Panel &panel,
                                            ValueRange carried, Visit visit) {
  auto body = [&](OpBuilder &nested, Location, Value key, ValueRange inner) {
    LaneBuilder builders(nested, loc, type, inVectors ? lanes : 0);
    SmallVector<Value> values(inner);
    values.resize(panel.vectors);
    for (int64_t v = 0; v < panel.vectors; ++v)
      visit(builders, key, v, values[v]);
    values.resize(inner.size());
    scf::YieldOp::create(nested, loc, values);
  };
  auto loop = scf::ForOp::create(b, loc, createIndex(b, loc, 0), keys,
                                 createIndex(b, loc, 1), carried, body);
  return SmallVector<Value>(loop.getResults());
}

void ColumnsEmitter::emitColumns(OpBuilder &b, const Panel &panel) {
  LaneBuilder wide(b, loc, type, inVectors ? lanes : 0);
  SmallVector<Policies> policies;
  SmallVector<Value> tops, signs;
  for (int64_t v = 0; v < panel.vectors; ++v) {
    policies.push_back(emitPolicies(wide, getIndices(b, panel, {}, v)));
    signs.push_back(emitSoftmaxSign(wide, policies.back().scale));
    tops.push_back(wide.constant(-kInfinity));
  }
  tops = emitKeys(
      b, panel, tops,
      [&](LaneBuilder &builders, Value key, int64_t v, Value &top) {
        OpBuilder &in = builders.getBuilder();
        emitPrefetch(in, loc, op.getInput(),
                     getIndices(in, panel, addIndex(in, loc, key, kAhead), v));
        Value x = loadLanes(builders, op.getInput(),
                            getIndices(in, panel, key, v), panel.mask);
        storeLanes(builders, x, scratch, getScratch(in, key, v),
                   /*pastCaches=*/false);
        top = builders.max(builders.mul(x, signs[v]), top);
      });
  SmallVector<SoftmaxWeighting> weightings;
  SmallVector<Value> sums;
  for (auto [row, top] : llvm::zip_equal(policies, tops)) {
    weightings.push_back(emitSoftmaxWeighting(wide, row.scale, top));
    sums.push_back(emitSoftmaxExtra(wide, row.logExtra, weightings.back()));
  }
  sums = emitKeys(
      b, panel, sums,
      [&](LaneBuilder &builders, Value key, int64_t v, Value &sum) {
        SmallVector<Value> at = getScratch(builders.getBuilder(), key, v);
        Value distance = emitSoftmaxDistance(
            builders, loadLanes(builders, scratch, at), weightings[v]);
        Value weight = emitNaturalWeight(builders, distance, target);
        storeLanes(builders, weight, scratch, at, /*pastCaches=*/false);
        sum = builders.add(sum, weight);
      });
  SmallVector<Value> factors;
  for (Value sum : sums)
    factors.push_back(emitFactor(wide, sum));
  emitKeys(
      b, panel, {}, [&](LaneBuilder &builders, Value key, int64_t v, Value &) {
        OpBuilder &in = builders.getBuilder();
        Value weight = loadLanes(builders, scratch, getScratch(in, key, v));
        storeLanes(builders, builders.mul(weight, factors[v]), op.getOutput(),
                   getIndices(in, panel, key, v), panel.pastCaches, panel.mask);
      });
}

void attn::emitSoftmaxColumns(OpBuilder &builder, SoftmaxOp op,
                              const TargetDescription &target) {
  ColumnsEmitter(builder, op, target).emit();
}
