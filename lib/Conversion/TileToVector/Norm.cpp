//===- Norm.cpp - attn.norm as vector loops -------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is read from memory once, while its sum (or its squares) are taken,
// and again from the cache: for the variance where it is centred, and for the
// output. The last pass asks for the next row meanwhile, so that the memory is
// never idle. Rows do not depend on each other; blocks of them are the work
// items.
//
//===----------------------------------------------------------------------===//

#include "Norm.h"
#include "../NormFactor.h"
#include "RowLoop.h"
#include "RowMemory.h"
#include "TileShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

constexpr int64_t kCacheLine = 64;

class NormEmitter {
public:
  NormEmitter(OpBuilder &builder, NormOp op);
  void emit();

private:
  void emitBlock(OpBuilder &b, const RowBlock &block);
  void emitRow(OpBuilder &b);
  /// The factor 1 / r, and the mean, of the row.
  void emitStatistics(OpBuilder &b);
  Value emitRowSize(OpBuilder &b);
  void loadStatistics(OpBuilder &b);
  void updateRunning(OpBuilder &b, Value variance, Value count);
  void emitOutput(OpBuilder &b, bool pastCaches);
  /// x of the row at hand: the first time from memory.
  Value emitFirstRead(LaneBuilder &lanes, ValueRange position);
  Value emitRead(LaneBuilder &lanes, ValueRange position);
  /// gamma or beta, or null.
  Value emitAffine(LaneBuilder &lanes, Value memref, ValueRange position);
  void emitPrefetch(OpBuilder &b, ValueRange position);
  SmallVector<Value> getIndices(ValueRange position) {
    SmallVector<Value> indices(rowIndices);
    llvm::append_range(indices, position);
    return indices;
  }
  unsigned getNumKept() { return op.getRank() - op.getAxes().size(); }

  OpBuilder &builder;
  Location loc;
  NormOp op;
  NormScheduleAttr schedule;
  RowShape row;
  /// Whether the output is too large for the caches.
  Value streams;
  /// Holds x of a row where it is a sum; else null.
  Value scratch;
  /// Of the row at hand and the one after it.
  SmallVector<Value> rowIndices, nextIndices;
  Value mean, factor;
};

} // namespace

NormEmitter::NormEmitter(OpBuilder &builder, NormOp op)
    : builder(builder), loc(op.getLoc()), op(op), schedule(*op.getSchedule()) {
  row.type = op.getComputeType();
  row.lanes = schedule.getLanes();
  row.unroll = schedule.getUnroll();
  row.inVectors = true;
  for (OpOperand &operand : op->getOpOperands())
    if (llvm::is_contained(op.getOperandDims(operand), op.getAxes().back()))
      row.inVectors &= hasUnitInnerStride(operand.get());
  for (int64_t axis : op.getAxes())
    row.sizes.push_back(builder.createOrFold<memref::DimOp>(
        loc, op.getInput(), createIndex(builder, loc, axis)));
}

void NormEmitter::emit() {
  SmallVector<Value> outputs = {op.getOutput()}, sizes;
  if (op.getSum())
    outputs.push_back(op.getSum());
  if (op.getUnbiased())
    emitUnbiasedCheck(builder, op, emitRowSize(builder));
  if (row.inVectors)
    streams = emitIsLarge(builder, loc, outputs, schedule.getStream());
  for (unsigned dim = 0; dim < getNumKept(); ++dim)
    sizes.push_back(memref::DimOp::create(builder, loc, op.getInput(), dim));
  emitRowBlocks(
      builder, loc, sizes, schedule.getRows(),
      [&](OpBuilder &b, const RowBlock &block) { emitBlock(b, block); });
}

void NormEmitter::emitBlock(OpBuilder &b, const RowBlock &block) {
  if (op.getResidual()) {
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    auto type = cast<MemRefType>(op.getInput().getType());
    for (auto [axis, size] : llvm::zip_equal(op.getAxes(), row.sizes)) {
      shape.push_back(type.getDimSize(axis));
      if (type.isDynamicDim(axis))
        dynamic.push_back(size);
    }
    scratch = memref::AllocOp::create(b, loc, MemRefType::get(shape, row.type),
                                      dynamic, b.getI64IntegerAttr(kCacheLine));
  }
  block.emitRows(b, loc,
                 [&](OpBuilder &nested, ValueRange here, ValueRange next) {
                   rowIndices.assign(here.begin(), here.end());
                   nextIndices.assign(next.begin(), next.end());
                   emitRow(nested);
                 });
  if (scratch)
    memref::DeallocOp::create(b, loc, scratch);
  // What was written past the caches must be seen before the item is done.
  if (streams)
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::seq_cst);
}

void NormEmitter::emitRow(OpBuilder &b) {
  emitStatistics(b);
  if (!streams)
    return emitOutput(b, /*pastCaches=*/false);
  Value pastCaches = streams;
  for (Value output : {op.getOutput(), op.getSum()})
    if (output)
      pastCaches = arith::AndIOp::create(
          b, loc, pastCaches,
          emitIsAligned(b, loc, output, rowIndices,
                        getVectorBytes(output, row.lanes)));
  auto emitBranch = [&](bool isPast) {
    return [this, isPast](OpBuilder &nested, Location) {
      emitOutput(nested, isPast);
      scf::YieldOp::create(nested, loc);
    };
  };
  scf::IfOp::create(b, loc, pastCaches, emitBranch(true), emitBranch(false));
}

Value NormEmitter::emitRowSize(OpBuilder &b) {
  Value product = createIndex(b, loc, 1);
  for (Value size : row.sizes)
    product = b.createOrFold<arith::MulIOp>(loc, product, size);
  return product;
}

/// The mean and the factor of the row, from statistics that are given.
void NormEmitter::loadStatistics(OpBuilder &b) {
  LaneBuilder scalars(b, loc, row.type);
  auto load = [&](Value memref) {
    return scalars.toFloatLanes(
        memref::LoadOp::create(b, loc, memref, rowIndices));
  };
  mean = op.getMean() ? load(op.getMean()) : Value();
  factor = emitNormFactor(scalars, op, load(op.getVariance()));
}

/// The running statistics take in those of the row.
void NormEmitter::updateRunning(OpBuilder &b, Value variance, Value count) {
  LaneBuilder scalars(b, loc, row.type);
  auto update = [&](Value memref, Value batch) {
    Value old = scalars.toFloatLanes(
        memref::LoadOp::create(b, loc, memref, rowIndices));
    Value now = emitRunning(scalars, op, old, batch);
    memref::StoreOp::create(
        b, loc, convertFloat(b, loc, now, getElementTypeOrSelf(memref)), memref,
        rowIndices);
  };
  if (op.getRunningMean())
    update(op.getRunningMean(), mean);
  if (op.getUnbiased())
    variance = scalars.mul(variance, emitUnbiased(scalars, count));
  update(op.getRunningVariance(), variance);
}

void NormEmitter::emitStatistics(OpBuilder &b) {
  if (op.hasGivenStatistics())
    return loadStatistics(b);
  LaneBuilder scalars(b, loc, row.type);
  Value count = scalars.toFloatLanes(emitRowSize(b));
  mean = Value();
  if (op.isCentered()) {
    Value sum = emitRowSum(
        b, loc, row,
        [&](LaneBuilder &lanes, ValueRange position, Value accumulator) {
          return lanes.add(accumulator, emitFirstRead(lanes, position));
        });
    mean = scalars.div(sum, count);
  }
  Value squares = emitRowSum(
      b, loc, row,
      [&](LaneBuilder &lanes, ValueRange position, Value accumulator) {
        Value x = mean ? lanes.sub(emitRead(lanes, position),
                                   lanes.toFloatLanes(mean))
                       : emitFirstRead(lanes, position);
        return lanes.fma(x, x, accumulator);
      });
  bool isSum = op.getKind() == NormKind::L2;
  Value variance = isSum ? squares : scalars.div(squares, count);
  if (op.getRunningVariance())
    updateRunning(b, variance, count);
  factor = emitNormFactor(scalars, op, variance);
}

void NormEmitter::emitOutput(OpBuilder &b, bool pastCaches) {
  emitRowLoop(b, loc, row, [&](LaneBuilder &lanes, ValueRange position) {
    if (lanes.isVector())
      emitPrefetch(lanes.getBuilder(), position);
    // Nobody has read it where its statistics are given.
    Value x = op.hasGivenStatistics() ? emitFirstRead(lanes, position)
                                      : emitRead(lanes, position);
    if (op.getSum())
      storeLanes(lanes, x, op.getSum(), getIndices(position), pastCaches);
    Value result = emitNormalised(
        lanes, x, mean ? lanes.toFloatLanes(mean) : Value(),
        lanes.toFloatLanes(factor), emitAffine(lanes, op.getGamma(), position),
        emitAffine(lanes, op.getBeta(), position));
    storeLanes(lanes, result, op.getOutput(), getIndices(position), pastCaches);
  });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value NormEmitter::emitFirstRead(LaneBuilder &lanes, ValueRange position) {
  SmallVector<Value> indices = getIndices(position);
  Value x = loadLanes(lanes, op.getInput(), indices);
  if (!op.getResidual())
    return x;
  x = emitScaledSum(lanes, x, loadLanes(lanes, op.getResidual(), indices),
                    op.getFactor());
  // As the addition alone would have rounded.
  OpBuilder &b = lanes.getBuilder();
  Type element = getElementTypeOrSelf(op.getInput());
  Type wide = x.getType();
  Type stored =
      lanes.isVector() ? VectorType::get(row.lanes, element) : element;
  x = convertFloat(b, loc, convertFloat(b, loc, x, stored), wide);
  if (lanes.isVector())
    vector::StoreOp::create(b, loc, x, scratch, position);
  else
    memref::StoreOp::create(b, loc, x, scratch, position);
  return x;
}

Value NormEmitter::emitRead(LaneBuilder &lanes, ValueRange position) {
  if (scratch)
    return loadLanes(lanes, scratch, position);
  return loadLanes(lanes, op.getInput(), getIndices(position));
}

Value NormEmitter::emitAffine(LaneBuilder &lanes, Value memref,
                              ValueRange position) {
  if (!memref)
    return {};
  SmallVector<int64_t> dims = op.getAffineDims();
  SmallVector<Value> all = getIndices(position);
  SmallVector<Value> indices =
      llvm::map_to_vector(dims, [&](int64_t dim) { return all[dim]; });
  if (llvm::is_contained(dims, op.getRank() - 1))
    return loadLanes(lanes, memref, indices);
  OpBuilder &b = lanes.getBuilder();
  return lanes.toFloatLanes(memref::LoadOp::create(b, loc, memref, indices));
}

void NormEmitter::emitPrefetch(OpBuilder &b, ValueRange position) {
  SmallVector<Value> indices(nextIndices);
  llvm::append_range(indices, position);
  for (Value input : {op.getInput(), op.getResidual()})
    if (input)
      attn::emitPrefetch(b, loc, input, indices);
}

//===----------------------------------------------------------------------===//
// Pattern
//===----------------------------------------------------------------------===//

namespace {

struct LowerNorm : OpRewritePattern<NormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NormOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<MemRefType>(op.getInput().getType()))
      return rewriter.notifyMatchFailure(op, "operands are not memrefs");
    if (!op.getSchedule())
      return rewriter.notifyMatchFailure(op, "the op has no schedule");
    if (op.getSchedule()->getPanel() != 0)
      return lowerNormTiles(rewriter, op);
    if (op.getAxes().front() != op.getRank() - int64_t(op.getAxes().size()))
      return rewriter.notifyMatchFailure(
          op, "the normalised dimensions are not the last ones");
    NormEmitter(rewriter, op).emit();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void attn::populateNormPattern(RewritePatternSet &patterns) {
  patterns.add<LowerNorm>(patterns.getContext());
}
