//===- MatrixProduct.cpp - Blocked matrix products on memrefs ------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "ConvertBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value MatrixOperand::createView(OpBuilder &builder, Location loc,
                                ValueRange batch) const {
  auto type = cast<MemRefType>(memref.getType());
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  Value offset = getValueOrCreateConstantIndexOp(
      builder, loc, metadata.getConstifiedMixedOffset());
  for (auto [index, stride] : llvm::zip_equal(batch, batchStrides)) {
    if (isZeroInteger(stride))
      continue;
    Value step = arith::MulIOp::create(
        builder, loc, index,
        getValueOrCreateConstantIndexOp(builder, loc, stride));
    offset = arith::AddIOp::create(builder, loc, offset, step);
  }
  SmallVector<OpFoldResult> sizes = {rows, columns};
  SmallVector<OpFoldResult> strides = {rowStride, columnStride};
  SmallVector<int64_t> staticSizes, staticStrides;
  for (OpFoldResult size : sizes)
    staticSizes.push_back(
        getConstantIntValue(size).value_or(ShapedType::kDynamic));
  for (OpFoldResult stride : strides)
    staticStrides.push_back(
        getConstantIntValue(stride).value_or(ShapedType::kDynamic));
  auto layout = StridedLayoutAttr::get(builder.getContext(),
                                       ShapedType::kDynamic, staticStrides);
  auto viewType = MemRefType::get(staticSizes, type.getElementType(), layout,
                                  type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      builder, loc, viewType, metadata.getBaseBuffer(), OpFoldResult(offset),
      sizes, strides);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

namespace {

/// Emits the body for one block of rows and one panel of columns.
class BlockEmitter {
public:
  BlockEmitter(OpBuilder &builder, Operation *user,
               const MatrixProduct &product, ContractionScheduleAttr schedule,
               FloatType compute)
      : builder(builder), loc(user->getLoc()), product(product),
        schedule(schedule),
        tile{compute, schedule.getLanes(), schedule.getMr(), schedule.getNr()} {
  }

  void emit(Value batch, Value rowBlock, Value columnBlock);

private:
  using Values = SmallVector<Value>;

  void openViews(Value batch);
  void emitSteps();
  void emitStep(OpBuilder &b, Value begin, Value depth, Value isFirst,
                Value isLast);
  Value createLhs(OpBuilder &b, Value begin, Value depth);
  Values createInitial(OpBuilder &b, Value row, int64_t height);
  void finish(OpBuilder &b, const AccumulatorTile &sums);
  void emitSums(OpBuilder &b, const AccumulatorTile &sums);
  Values loadSums(OpBuilder &b, Value row, int64_t height);
  Value loadColumns(OpBuilder &b, Value memref, Values position, int64_t c);
  Value allocate(ArrayRef<int64_t> shape) {
    return memref::AllocOp::create(builder, loc,
                                   MemRefType::get(shape, tile.element),
                                   builder.getI64IntegerAttr(64));
  }
  Value index(OpBuilder &b, OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, loc, value);
  }
  Value columnOf(OpBuilder &b, int64_t c) {
    return addIndex(b, loc, column, c * tile.lanes);
  }

  OpBuilder &builder;
  Location loc;
  const MatrixProduct &product;
  ContractionScheduleAttr schedule;
  RegisterTile tile;

  Value lhs, rhs, output;
  /// The first row and column of the block, and how many there are.
  Value row, column, columnCount;
  OpFoldResult rowCount;
  /// Which lanes of the panel's vectors are columns; empty where all are.
  Values masks;
  Value panel, sums, converted;
};

} // namespace

void BlockEmitter::openViews(Value batch) {
  Values indices(product.batchSizes.size());
  Value rest = batch;
  for (unsigned d = indices.size(); d-- > 0;) {
    Value size = index(builder, product.batchSizes[d]);
    indices[d] = rest;
    if (d == 0)
      break;
    indices[d] = arith::RemUIOp::create(builder, loc, rest, size);
    rest = arith::DivUIOp::create(builder, loc, rest, size);
  }
  lhs = product.lhs.createView(builder, loc, indices);
  rhs = product.rhs.createView(builder, loc, indices);
  output = product.output.createView(builder, loc, indices);
}

void BlockEmitter::emit(Value batch, Value rowBlock, Value columnBlock) {
  openViews(batch);
  auto place = [&](Value block, int64_t step, OpFoldResult size,
                   OpFoldResult &count) -> Value {
    Value first = arith::MulIOp::create(builder, loc, block,
                                        createIndex(builder, loc, step));
    count = builder.getIndexAttr(step);
    std::optional<int64_t> known = getConstantIntValue(size);
    if (!known || *known % step != 0) {
      Value rest =
          arith::SubIOp::create(builder, loc, index(builder, size), first);
      count = arith::MinUIOp::create(builder, loc, rest,
                                     createIndex(builder, loc, step))
                  .getResult();
    }
    return first;
  };
  OpFoldResult columns;
  row = place(rowBlock, schedule.getRows(), product.output.rows, rowCount);
  column =
      place(columnBlock, tile.getColumns(), product.output.columns, columns);
  columnCount = index(builder, columns);
  if (!isa<Attribute>(columns))
    for (int64_t c = 0; c < tile.nr; ++c)
      masks.push_back(vector::CreateMaskOp::create(
          builder, loc, VectorType::get({tile.lanes}, builder.getI1Type()),
          arith::SubIOp::create(builder, loc, columnCount,
                                createIndex(builder, loc, c * tile.lanes))
              .getResult()));
  panel = allocate({schedule.getDepth(), tile.getColumns()});
  Type stored = getElementTypeOrSelf(lhs.getType());
  if (stored != tile.element)
    converted = allocate({schedule.getRows(), schedule.getDepth()});
  emitSteps();
}

/// Goes over k. Sums that are not complete yet wait in scratch.
void BlockEmitter::emitSteps() {
  OpFoldResult size = product.lhs.columns;
  Value zero = createIndex(builder, loc, 0);
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known && *known <= schedule.getDepth()) {
    emitStep(builder, zero, index(builder, size), {}, {});
    return;
  }
  sums = allocate({schedule.getRows(), tile.getColumns()});
  Value depth = index(builder, size);
  Value step = createIndex(builder, loc, schedule.getDepth());
  // One step of no terms where there are none: the output is written in any
  // case.
  Value end =
      arith::MaxUIOp::create(builder, loc, depth, createIndex(builder, loc, 1));
  emitLoop(builder, loc, zero, end, schedule.getDepth(),
           [&](OpBuilder &b, Value begin) {
             Value rest = arith::SubIOp::create(b, loc, depth, begin);
             Value isFirst = arith::CmpIOp::create(
                 b, loc, arith::CmpIPredicate::eq, begin, zero);
             Value isLast = arith::CmpIOp::create(
                 b, loc, arith::CmpIPredicate::ule, rest, step);
             emitStep(b, begin, arith::MinUIOp::create(b, loc, rest, step),
                      isFirst, isLast);
           });
}

/// The block's rows of A for this step, in the type of the sums.
Value BlockEmitter::createLhs(OpBuilder &b, Value begin, Value depth) {
  SmallVector<OpFoldResult> offsets = {row, begin};
  SmallVector<OpFoldResult> sizes = {rowCount, depth};
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  Value part = memref::SubViewOp::create(b, loc, lhs, offsets, sizes, strides);
  return converted ? emitConvertedBlock(b, loc, part, converted, tile.lanes)
                   : part;
}

void BlockEmitter::emitStep(OpBuilder &b, Value begin, Value depth,
                            Value isFirst, Value isLast) {
  emitPanel(b, loc,
            {rhs, product.rhsTransposed, begin, depth, column, columnCount},
            panel, tile);
  ContractionOperands operands;
  operands.lhs = createLhs(b, begin, depth);
  operands.rhs = panel;
  operands.column = createIndex(b, loc, 0);
  operands.rows = rowCount;
  operands.depth = depth;
  ContractionHooks hooks;
  hooks.initial = [&](OpBuilder &at, Location, Value first, int64_t height) {
    if (!isFirst)
      return createInitial(at, first, height);
    SmallVector<Type> types(height * tile.nr, tile.getVectorType());
    auto ifOp = scf::IfOp::create(at, loc, types, isFirst, true, true);
    OpBuilder start = OpBuilder::atBlockEnd(&ifOp.getThenRegion().front());
    scf::YieldOp::create(start, loc, createInitial(start, first, height));
    OpBuilder more = OpBuilder::atBlockEnd(&ifOp.getElseRegion().front());
    scf::YieldOp::create(more, loc, loadSums(more, first, height));
    return llvm::to_vector_of<Value>(ifOp.getResults());
  };
  hooks.epilogue = [&](OpBuilder &at, Location, const AccumulatorTile &result,
                       ValueRange) {
    if (!isLast) {
      finish(at, result);
      return Values();
    }
    auto ifOp = scf::IfOp::create(at, loc, isLast, true);
    OpBuilder end = ifOp.getThenBodyBuilder();
    finish(end, result);
    OpBuilder more = ifOp.getElseBodyBuilder();
    emitSums(more, result);
    return Values();
  };
  ContractionEmitter(tile, operands, hooks).emit(b, loc, ValueRange());
}

//===----------------------------------------------------------------------===//
// What is around the sums
//===----------------------------------------------------------------------===//

/// Vector c of a row of the panel's columns, from memory of any float type.
Value BlockEmitter::loadColumns(OpBuilder &b, Value memref, Values position,
                                int64_t c) {
  if (masks.empty())
    return loadFloats(b, loc, tile.getVectorType(), memref, position);
  auto type =
      VectorType::get({tile.lanes}, getElementTypeOrSelf(memref.getType()));
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  Value loaded = vector::MaskedLoadOp::create(b, loc, type, memref, position,
                                              masks[c], zeros);
  return convertFloat(b, loc, loaded, tile.getVectorType());
}

SmallVector<Value> BlockEmitter::createInitial(OpBuilder &b, Value first,
                                               int64_t height) {
  Values initial;
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(tile.getVectorType()));
  // Without a factor the bias is what the sums start from.
  bool startsFromBias = product.bias && !product.factor;
  Values start(tile.nr, zero);
  for (int64_t c = 0; startsFromBias && c < tile.nr; ++c)
    start[c] = loadColumns(b, product.bias, {columnOf(b, c)}, c);
  for (int64_t r = 0; r < height; ++r) {
    if (!product.accumulates) {
      llvm::append_range(initial, start);
      continue;
    }
    Value at = arith::AddIOp::create(b, loc, row, addIndex(b, loc, first, r));
    for (int64_t c = 0; c < tile.nr; ++c)
      initial.push_back(loadColumns(b, output, {at, columnOf(b, c)}, c));
  }
  return initial;
}

void BlockEmitter::finish(OpBuilder &b, const AccumulatorTile &result) {
  Values bias;
  Value factor;
  if (product.factor) {
    factor = vector::BroadcastOp::create(b, loc, tile.getVectorType(),
                                         product.factor);
    for (int64_t c = 0; product.bias && c < tile.nr; ++c)
      bias.push_back(loadColumns(b, product.bias, {columnOf(b, c)}, c));
  }
  Type stored = getElementTypeOrSelf(output.getType());
  auto storedType = VectorType::get({tile.lanes}, stored);
  for (auto [i, sum] : llvm::enumerate(result.vectors)) {
    int64_t c = i % tile.nr;
    Value value = sum;
    if (factor && !bias.empty())
      value = vector::FMAOp::create(b, loc, value, factor, bias[c]);
    else if (factor)
      value = arith::MulFOp::create(b, loc, value, factor);
    value = convertFloat(b, loc, value, storedType);
    Values position = {
        arith::AddIOp::create(b, loc, row,
                              addIndex(b, loc, result.row, i / tile.nr)),
        columnOf(b, c)};
    if (masks.empty())
      vector::StoreOp::create(b, loc, value, output, position);
    else
      vector::MaskedStoreOp::create(b, loc, output, position, masks[c], value);
  }
}

void BlockEmitter::emitSums(OpBuilder &b, const AccumulatorTile &result) {
  for (auto [i, sum] : llvm::enumerate(result.vectors))
    vector::StoreOp::create(
        b, loc, sum, sums,
        ValueRange{addIndex(b, loc, result.row, i / tile.nr),
                   createIndex(b, loc, i % tile.nr * tile.lanes)});
}

SmallVector<Value> BlockEmitter::loadSums(OpBuilder &b, Value first,
                                          int64_t height) {
  Values loaded;
  for (int64_t i = 0; i < height * tile.nr; ++i)
    loaded.push_back(vector::LoadOp::create(
        b, loc, tile.getVectorType(), sums,
        ValueRange{addIndex(b, loc, first, i / tile.nr),
                   createIndex(b, loc, i % tile.nr * tile.lanes)}));
  return loaded;
}

//===----------------------------------------------------------------------===//
// All blocks
//===----------------------------------------------------------------------===//

void attn::emitMatrixProduct(OpBuilder &builder, Operation *user,
                             const MatrixProduct &product,
                             ContractionScheduleAttr schedule,
                             FloatType compute) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(user);
  Location loc = user->getLoc();
  auto countBlocks = [&](OpFoldResult size, int64_t step) -> OpFoldResult {
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return builder.getIndexAttr(llvm::divideCeil(*known, step));
    Value count = getValueOrCreateConstantIndexOp(builder, loc, size);
    return arith::CeilDivUIOp::create(builder, loc, count,
                                      createIndex(builder, loc, step))
        .getResult();
  };
  int64_t columns = schedule.getLanes() * schedule.getNr();
  SmallVector<OpFoldResult> bounds = {
      product.batchCount, countBlocks(product.output.rows, schedule.getRows()),
      countBlocks(product.output.columns, columns)};
  auto forall =
      scf::ForallOp::create(builder, loc, bounds, ValueRange(), std::nullopt);
  builder.setInsertionPointToStart(forall.getBody());
  BlockEmitter(builder, user, product, schedule, compute)
      .emit(forall.getInductionVar(0), forall.getInductionVar(1),
            forall.getInductionVar(2));
}
