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
#include "NormRow.h"
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
  void emitBlocks();
  void emitRow(OpBuilder &b);
  /// The factor 1 / r, and the mean, of the row.
  void emitStatistics(OpBuilder &b);
  void emitOutput(OpBuilder &b, bool pastCaches);
  /// x of the row at hand: the first time from memory.
  Value emitFirstRead(LaneBuilder &lanes, ValueRange position);
  Value emitRead(LaneBuilder &lanes, ValueRange position);
  Value emitLoad(LaneBuilder &lanes, Value memref, ValueRange position);
  void emitStore(LaneBuilder &lanes, Value value, Value memref,
                 ValueRange position, bool pastCaches);
  /// gamma or beta, or null.
  Value emitAffine(LaneBuilder &lanes, Value memref, ValueRange position);
  void emitPrefetch(OpBuilder &b, ValueRange position);
  /// Whether the row of `memref` starts where a whole vector may be written
  /// past the caches.
  Value emitIsAligned(OpBuilder &b, Value memref);
  Value emitStreams();
  SmallVector<Value> getIndices(ValueRange position) {
    SmallVector<Value> indices(rowIndices);
    llvm::append_range(indices, position);
    return indices;
  }
  int64_t getVectorBytes(Value memref) {
    return row.lanes * getElementTypeOrSelf(memref).getIntOrFloatBitWidth() / 8;
  }
  unsigned getNumKept() { return op.getRank() - op.getAxes().size(); }

  OpBuilder &builder;
  Location loc;
  NormOp op;
  NormScheduleAttr schedule;
  NormRow row;
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

/// Whether the outputs have at least the schedule's bytes; null if they
/// certainly have not.
Value NormEmitter::emitStreams() {
  auto type = cast<MemRefType>(op.getOutput().getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8 * (op.getSum() ? 2 : 1);
  if (type.hasStaticShape()) {
    if (type.getNumElements() * bytes < schedule.getStream())
      return {};
    return arith::ConstantIntOp::create(builder, loc, 1, 1);
  }
  Value size = createIndex(builder, loc, bytes);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    size = arith::MulIOp::create(
        builder, loc, size,
        memref::DimOp::create(builder, loc, op.getOutput(), dim));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, size,
                               createIndex(builder, loc, schedule.getStream()));
}

void NormEmitter::emit() {
  if (row.inVectors)
    streams = emitStreams();
  emitBlocks();
}

/// One work item for each block of rows along the last dimension that is kept,
/// and each index of the ones before it.
void NormEmitter::emitBlocks() {
  unsigned kept = getNumKept();
  SmallVector<OpFoldResult> counts;
  Value rows = createIndex(builder, loc, 1);
  Value step = createIndex(builder, loc, schedule.getRows());
  for (unsigned dim = 0; dim < kept; ++dim) {
    Value size = memref::DimOp::create(builder, loc, op.getInput(), dim);
    if (dim + 1 == kept) {
      rows = size;
      size = arith::CeilDivUIOp::create(builder, loc, size, step);
    }
    counts.push_back(size);
  }
  if (kept == 0)
    counts.push_back(rows);
  auto forall =
      scf::ForallOp::create(builder, loc, counts, ValueRange(), std::nullopt);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forall.getBody());
  if (op.getResidual()) {
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    auto type = cast<MemRefType>(op.getInput().getType());
    for (auto [axis, size] : llvm::zip_equal(op.getAxes(), row.sizes)) {
      shape.push_back(type.getDimSize(axis));
      if (type.isDynamicDim(axis))
        dynamic.push_back(size);
    }
    scratch =
        memref::AllocOp::create(builder, loc, MemRefType::get(shape, row.type),
                                dynamic, builder.getI64IntegerAttr(kCacheLine));
  }
  SmallVector<Value> outer(forall.getInductionVars());
  Value block = outer.pop_back_val();
  Value begin = arith::MulIOp::create(builder, loc, block, step);
  Value end = arith::MinUIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, begin, step), rows);
  Value last =
      arith::SubIOp::create(builder, loc, rows, createIndex(builder, loc, 1));
  emitLoop(builder, loc, begin, end, 1, [&](OpBuilder &b, Value i) {
    rowIndices = nextIndices = outer;
    if (kept != 0) {
      rowIndices.push_back(i);
      nextIndices.push_back(
          arith::MinUIOp::create(b, loc, addIndex(b, loc, i, 1), last));
    }
    emitRow(b);
  });
  if (scratch)
    memref::DeallocOp::create(builder, loc, scratch);
  // What was written past the caches must be seen before the item is done.
  if (streams)
    LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::seq_cst);
}

void NormEmitter::emitRow(OpBuilder &b) {
  emitStatistics(b);
  if (!streams)
    return emitOutput(b, /*pastCaches=*/false);
  Value pastCaches =
      arith::AndIOp::create(b, loc, streams, emitIsAligned(b, op.getOutput()));
  if (op.getSum())
    pastCaches = arith::AndIOp::create(b, loc, pastCaches,
                                       emitIsAligned(b, op.getSum()));
  auto emitBranch = [&](bool isPast) {
    return [this, isPast](OpBuilder &nested, Location) {
      emitOutput(nested, isPast);
      scf::YieldOp::create(nested, loc);
    };
  };
  scf::IfOp::create(b, loc, pastCaches, emitBranch(true), emitBranch(false));
}

void NormEmitter::emitStatistics(OpBuilder &b) {
  LaneBuilder scalars(b, loc, row.type);
  Value product = createIndex(b, loc, 1);
  for (Value size : row.sizes)
    product = b.createOrFold<arith::MulIOp>(loc, product, size);
  Value count = scalars.toFloatLanes(product);
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
  factor = emitNormFactor(scalars, op,
                          isSum ? squares : scalars.div(squares, count));
}

void NormEmitter::emitOutput(OpBuilder &b, bool pastCaches) {
  emitRowLoop(b, loc, row, [&](LaneBuilder &lanes, ValueRange position) {
    if (lanes.isVector())
      emitPrefetch(lanes.getBuilder(), position);
    Value x = emitRead(lanes, position);
    if (op.getSum())
      emitStore(lanes, x, op.getSum(), getIndices(position), pastCaches);
    Value result = emitNormalised(
        lanes, x, mean ? lanes.toFloatLanes(mean) : Value(),
        lanes.toFloatLanes(factor), emitAffine(lanes, op.getGamma(), position),
        emitAffine(lanes, op.getBeta(), position));
    emitStore(lanes, result, op.getOutput(), getIndices(position), pastCaches);
  });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value NormEmitter::emitLoad(LaneBuilder &lanes, Value memref,
                            ValueRange position) {
  OpBuilder &b = lanes.getBuilder();
  if (lanes.isVector())
    return loadFloats(b, loc, cast<VectorType>(lanes.getFloatType()), memref,
                      position);
  return convertFloat(b, loc, memref::LoadOp::create(b, loc, memref, position),
                      row.type);
}

void NormEmitter::emitStore(LaneBuilder &lanes, Value value, Value memref,
                            ValueRange position, bool pastCaches) {
  OpBuilder &b = lanes.getBuilder();
  Type element = getElementTypeOrSelf(memref);
  if (!lanes.isVector()) {
    memref::StoreOp::create(b, loc, convertFloat(b, loc, value, element),
                            memref, position);
    return;
  }
  Type stored = VectorType::get(row.lanes, element);
  llvm::MaybeAlign alignment;
  if (pastCaches)
    alignment = llvm::Align(getVectorBytes(memref));
  vector::StoreOp::create(b, loc, convertFloat(b, loc, value, stored), memref,
                          position, pastCaches, alignment);
}

Value NormEmitter::emitFirstRead(LaneBuilder &lanes, ValueRange position) {
  SmallVector<Value> indices = getIndices(position);
  Value x = emitLoad(lanes, op.getInput(), indices);
  if (!op.getResidual())
    return x;
  x = lanes.add(x, emitLoad(lanes, op.getResidual(), indices));
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
    return emitLoad(lanes, scratch, position);
  return emitLoad(lanes, op.getInput(), getIndices(position));
}

Value NormEmitter::emitAffine(LaneBuilder &lanes, Value memref,
                              ValueRange position) {
  if (!memref)
    return {};
  // Either one number for each element of a row, or one for each row.
  if (op.isNormalised(op.getAffineDims().back()))
    return emitLoad(lanes, memref, position);
  OpBuilder &b = lanes.getBuilder();
  SmallVector<Value> indices;
  for (int64_t dim : op.getAffineDims())
    indices.push_back(rowIndices[dim]);
  return lanes.toFloatLanes(memref::LoadOp::create(b, loc, memref, indices));
}

void NormEmitter::emitPrefetch(OpBuilder &b, ValueRange position) {
  SmallVector<Value> indices(nextIndices);
  llvm::append_range(indices, position);
  for (Value input : {op.getInput(), op.getResidual()})
    if (input)
      memref::PrefetchOp::create(b, loc, input, indices, /*isWrite=*/false,
                                 /*localityHint=*/3, /*isDataCache=*/true);
}

Value NormEmitter::emitIsAligned(OpBuilder &b, Value memref) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  Value elements = metadata.getOffset();
  for (auto [index, stride] : llvm::zip(rowIndices, metadata.getStrides()))
    elements = arith::AddIOp::create(
        b, loc, elements, arith::MulIOp::create(b, loc, index, stride));
  int64_t bytes = getElementTypeOrSelf(memref).getIntOrFloatBitWidth() / 8;
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  Value size = createIndex(b, loc, bytes);
  Value address = arith::AddIOp::create(
      b, loc, base, arith::MulIOp::create(b, loc, elements, size));
  // A row of several dimensions has lines, which start at these strides.
  for (unsigned dim = getNumKept(); dim + 1 < op.getRank(); ++dim)
    address = arith::OrIOp::create(
        b, loc, address,
        arith::MulIOp::create(b, loc, metadata.getStrides()[dim], size));
  Value rest = arith::AndIOp::create(
      b, loc, address, createIndex(b, loc, getVectorBytes(memref) - 1));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                               createIndex(b, loc, 0));
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
    if (op.hasGivenStatistics() || op.getRunningVariance())
      return rewriter.notifyMatchFailure(
          op, "statistics of a batch have no fast route");
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
