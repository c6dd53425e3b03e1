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
// items. A residual sum that is too large for the caches reads and writes two
// streams: there one pass writes a row and reads the next one.
//
//===----------------------------------------------------------------------===//

#include "Norm.h"
#include "../Lanes/LaneMemory.h"
#include "../Shared/NormFactor.h"
#include "RowLoop.h"
#include "RowMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

constexpr int64_t kCacheLine = 64;

/// Elements before the one at hand: so far ahead of it memory is asked.
constexpr int64_t kAhead = 256;

/// Where a row is, and what is known of it once it has been read.
struct Row {
  SmallVector<Value> indices;
  Value mean = {}, factor = {};

  SmallVector<Value> getIndices(ValueRange position) const {
    SmallVector<Value> all(indices);
    llvm::append_range(all, position);
    return all;
  }
};

class NormEmitter {
public:
  NormEmitter(OpBuilder &builder, NormOp op);
  void emit();

private:
  void emitBlock(OpBuilder &b, const RowBlock &block);
  Value emitScratch(OpBuilder &b);
  /// Reads the row, writes it, and asks for the next one.
  void emitRow(OpBuilder &b, Row &row, ValueRange next);
  /// Writes each row while the next one is read.
  void emitInTurn(OpBuilder &b, const RowBlock &block);
  /// Returns the factor of the row that was read.
  Value emitTurn(OpBuilder &b, const Row &written, const Row &read);
  /// The factor 1 / r, and the mean; `visit` goes along with the first read.
  void emitStatistics(OpBuilder &b, Row &row, RowVisit visit = {});
  Value emitRowSize(OpBuilder &b);
  void loadStatistics(OpBuilder &b, Row &row);
  /// Whether the row's outputs are written past the caches; may be null.
  Value emitPastCaches(OpBuilder &b, const Row &row);
  void emitOutput(LaneBuilder &lanes, ValueRange position, const Row &row,
                  bool pastCaches);
  /// x of the row: the first time from memory.
  Value emitFirstRead(LaneBuilder &lanes, ValueRange position, const Row &row);
  Value emitRead(LaneBuilder &lanes, ValueRange position, const Row &row);
  /// gamma or beta, or null.
  Value emitAffine(LaneBuilder &lanes, Value memref, ValueRange position,
                   const Row &row);
  unsigned getNumKept() { return op.getRank() - op.getAxes().size(); }
  /// A mean would need another pass between the two.
  bool isInTurn() {
    return streams && op.getResidual() && !op.isCentered() &&
           !op.hasGivenStatistics();
  }

  OpBuilder &builder;
  Location loc;
  NormOp op;
  NormScheduleAttr schedule;
  RowShape shape;
  /// Whether the output is too large for the caches.
  Value streams;
  /// Holds x of a row where it is a sum; else null.
  Value scratch;
};

} // namespace

NormEmitter::NormEmitter(OpBuilder &builder, NormOp op)
    : builder(builder), loc(op.getLoc()), op(op),
      schedule(cast<NormScheduleAttr>(op.getScheduleAttr())) {
  shape.type = op.getComputeType();
  shape.lanes = schedule.getLanes();
  shape.unroll = schedule.getUnroll();
  shape.inVectors = true;
  for (OpOperand &operand : op->getOpOperands())
    if (llvm::is_contained(op.getOperandDims(operand), op.getAxes().back()))
      shape.inVectors &= hasUnitInnerStride(operand.get());
  for (int64_t axis : op.getAxes())
    shape.sizes.push_back(builder.createOrFold<memref::DimOp>(
        loc, op.getInput(), createIndex(builder, loc, axis)));
}

void NormEmitter::emit() {
  SmallVector<Value> outputs = {op.getOutput()}, sizes;
  if (op.getSum())
    outputs.push_back(op.getSum());
  if (op.getUnbiased())
    emitUnbiasedCheck(builder, op, emitRowSize(builder));
  if (shape.inVectors)
    streams = emitIsLarge(builder, loc, outputs, schedule.getStream());
  for (unsigned dim = 0; dim < getNumKept(); ++dim)
    sizes.push_back(memref::DimOp::create(builder, loc, op.getInput(), dim));
  emitRowBlocks(
      builder, loc, sizes, schedule.getRows(),
      [&](OpBuilder &b, const RowBlock &block) { emitBlock(b, block); });
}

void NormEmitter::emitBlock(OpBuilder &b, const RowBlock &block) {
  scratch = op.getResidual() ? emitScratch(b) : Value();
  if (isInTurn())
    emitInTurn(b, block);
  else
    block.emitRows(b, loc,
                   [&](OpBuilder &nested, ValueRange here, ValueRange next) {
                     Row row{SmallVector<Value>(here)};
                     emitRow(nested, row, next);
                   });
  if (scratch)
    memref::DeallocOp::create(b, loc, scratch);
  emitEndOfWrites(b, loc, streams);
}

Value NormEmitter::emitScratch(OpBuilder &b) {
  SmallVector<int64_t> sizes;
  SmallVector<Value> dynamic;
  auto type = cast<MemRefType>(op.getInput().getType());
  for (auto [axis, size] : llvm::zip_equal(op.getAxes(), shape.sizes)) {
    sizes.push_back(type.getDimSize(axis));
    if (type.isDynamicDim(axis))
      dynamic.push_back(size);
  }
  return memref::AllocOp::create(b, loc, MemRefType::get(sizes, shape.type),
                                 dynamic, b.getI64IntegerAttr(kCacheLine));
}

Value NormEmitter::emitPastCaches(OpBuilder &b, const Row &row) {
  Value pastCaches = streams;
  for (Value output : {op.getOutput(), op.getSum()})
    if (output)
      pastCaches =
          emitIsStream(b, loc, pastCaches, output, row.indices, shape.lanes);
  return pastCaches;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void NormEmitter::emitRow(OpBuilder &b, Row &row, ValueRange next) {
  emitStatistics(b, row);
  auto write = [&](OpBuilder &nested, bool pastCaches) {
    emitRowLoop(nested, loc, shape,
                [&](LaneBuilder &lanes, ValueRange position) {
                  SmallVector<Value> there(next);
                  llvm::append_range(there, position);
                  for (Value input : {op.getInput(), op.getResidual()})
                    if (input && lanes.isVector())
                      emitPrefetch(lanes.getBuilder(), loc, input, there);
                  emitOutput(lanes, position, row, pastCaches);
                });
  };
  emitWrites(b, loc, emitPastCaches(b, row), write);
}

void NormEmitter::emitInTurn(OpBuilder &b, const RowBlock &block) {
  Value one = createIndex(b, loc, 1);
  auto rowAt = [&](OpBuilder &at, Value i, Value factor) {
    SmallVector<Value> indices(block.outer);
    if (!block.isWhole)
      indices.push_back(i);
    return Row{indices, /*mean=*/{}, factor};
  };
  Row first = rowAt(b, block.begin, {});
  emitStatistics(b, first);
  auto body = [&](OpBuilder &nested, Location, Value i, ValueRange factor) {
    Value before = arith::SubIOp::create(nested, loc, i, one);
    Value next = emitTurn(nested, rowAt(nested, before, factor[0]),
                          rowAt(nested, i, {}));
    scf::YieldOp::create(nested, loc, next);
  };
  auto rows = scf::ForOp::create(
      b, loc, arith::AddIOp::create(b, loc, block.begin, one), block.end, one,
      first.factor, body);
  Row last = rowAt(b, arith::SubIOp::create(b, loc, block.end, one),
                   rows.getResult(0));
  emitRowLoop(b, loc, shape, [&](LaneBuilder &lanes, ValueRange position) {
    emitOutput(lanes, position, last, /*pastCaches=*/false);
  });
}

Value NormEmitter::emitTurn(OpBuilder &b, const Row &written, const Row &read) {
  auto turn = [&](OpBuilder &nested, bool pastCaches) {
    Row row = read;
    // An element of scratch is the written row's until it is the other one's.
    emitStatistics(nested, row, [&](LaneBuilder &lanes, ValueRange position) {
      OpBuilder &at = lanes.getBuilder();
      SmallVector<Value> ahead = read.getIndices(position);
      ahead.back() = addIndex(at, loc, ahead.back(), kAhead);
      for (Value input : {op.getInput(), op.getResidual()})
        if (lanes.isVector())
          emitPrefetch(at, loc, input, ahead, /*isNear=*/true);
      emitOutput(lanes, position, written, pastCaches);
    });
    return row.factor;
  };
  return emitWritesOfValue(b, loc, emitPastCaches(b, written), turn);
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

Value NormEmitter::emitRowSize(OpBuilder &b) {
  Value product = createIndex(b, loc, 1);
  for (Value size : shape.sizes)
    product = b.createOrFold<arith::MulIOp>(loc, product, size);
  return product;
}

/// The mean and the factor of the row, from statistics that are given.
void NormEmitter::loadStatistics(OpBuilder &b, Row &row) {
  LaneBuilder scalars(b, loc, shape.type);
  auto load = [&](Value memref) {
    return scalars.toFloatLanes(
        memref::LoadOp::create(b, loc, memref, row.indices));
  };
  row.mean = op.getMean() ? load(op.getMean()) : Value();
  row.factor = emitNormFactor(scalars, op, load(op.getVariance()));
}

void attn::updateRunning(LaneBuilder &lanes, NormOp op, Value mean,
                         Value variance, Value count, ValueRange indices,
                         Value mask) {
  auto update = [&](Value memref, Value batch) {
    Value old = loadLanes(lanes, memref, indices, mask);
    storeLanes(lanes, emitRunning(lanes, op, old, batch), memref, indices,
               /*pastCaches=*/false, mask);
  };
  if (op.getRunningMean())
    update(op.getRunningMean(), mean);
  if (!op.getRunningVariance())
    return;
  if (op.getUnbiased()) {
    LaneBuilder scalars(lanes.getBuilder(), lanes.getLoc(),
                        lanes.getElementType());
    Value factor = emitUnbiased(scalars, count);
    variance = lanes.mul(variance, lanes.toFloatLanes(factor));
  }
  update(op.getRunningVariance(), variance);
}

void NormEmitter::emitStatistics(OpBuilder &b, Row &row, RowVisit visit) {
  if (op.hasGivenStatistics())
    return loadStatistics(b, row);
  LaneBuilder scalars(b, loc, shape.type);
  Value count = scalars.toFloatLanes(emitRowSize(b));
  auto readFirst = [&](LaneBuilder &lanes, ValueRange position) {
    if (visit)
      visit(lanes, position);
    return emitFirstRead(lanes, position, row);
  };
  if (op.isCentered()) {
    Value sum = emitRowSum(
        b, loc, shape,
        [&](LaneBuilder &lanes, ValueRange position, Value accumulator) {
          return lanes.add(accumulator, readFirst(lanes, position));
        });
    row.mean = scalars.div(sum, count);
  }
  Value squares = emitRowSum(
      b, loc, shape,
      [&](LaneBuilder &lanes, ValueRange position, Value accumulator) {
        Value x = row.mean ? lanes.sub(emitRead(lanes, position, row),
                                       lanes.toFloatLanes(row.mean))
                           : readFirst(lanes, position);
        return lanes.fma(x, x, accumulator);
      });
  Value variance = op.usesMean() ? scalars.div(squares, count) : squares;
  updateRunning(scalars, op, row.mean, variance, count, row.indices);
  row.factor = emitNormFactor(scalars, op, variance);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void NormEmitter::emitOutput(LaneBuilder &lanes, ValueRange position,
                             const Row &row, bool pastCaches) {
  // Nobody has read it where its statistics are given.
  Value x = op.hasGivenStatistics() ? emitFirstRead(lanes, position, row)
                                    : emitRead(lanes, position, row);
  SmallVector<Value> indices = row.getIndices(position);
  if (op.getSum())
    storeLanes(lanes, x, op.getSum(), indices, pastCaches);
  Value result = emitNormalised(
      lanes, x, row.mean ? lanes.toFloatLanes(row.mean) : Value(),
      lanes.toFloatLanes(row.factor),
      emitAffine(lanes, op.getGamma(), position, row),
      emitAffine(lanes, op.getBeta(), position, row));
  storeLanes(lanes, result, op.getOutput(), indices, pastCaches);
}

Value NormEmitter::emitFirstRead(LaneBuilder &lanes, ValueRange position,
                                 const Row &row) {
  SmallVector<Value> indices = row.getIndices(position);
  Value x = loadLanes(lanes, op.getInput(), indices);
  if (!op.getResidual())
    return x;
  x = emitResidualSum(lanes, op, x,
                      loadLanes(lanes, op.getResidual(), indices));
  storeLanes(lanes, x, scratch, position, /*pastCaches=*/false);
  return x;
}

Value NormEmitter::emitRead(LaneBuilder &lanes, ValueRange position,
                            const Row &row) {
  if (scratch)
    return loadLanes(lanes, scratch, position);
  return loadLanes(lanes, op.getInput(), row.getIndices(position));
}

Value NormEmitter::emitAffine(LaneBuilder &lanes, Value memref,
                              ValueRange position, const Row &row) {
  if (!memref)
    return {};
  SmallVector<int64_t> dims = op.getAffineDims();
  SmallVector<Value> all = row.getIndices(position);
  SmallVector<Value> indices =
      llvm::map_to_vector(dims, [&](int64_t dim) { return all[dim]; });
  if (llvm::is_contained(dims, op.getRank() - 1))
    return loadLanes(lanes, memref, indices);
  OpBuilder &b = lanes.getBuilder();
  return lanes.toFloatLanes(memref::LoadOp::create(b, loc, memref, indices));
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
    if (cast<NormScheduleAttr>(op.getScheduleAttr()).getPanel() != 0)
      return lowerNormTiles(rewriter, op);
    NormEmitter(rewriter, op).emit();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void attn::populateNormPattern(RewritePatternSet &patterns) {
  patterns.add<LowerNorm>(patterns.getContext());
}
