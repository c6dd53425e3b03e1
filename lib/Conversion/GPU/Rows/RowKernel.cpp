//===- RowKernel.cpp - Who has which row ----------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowKernel.h"
#include "../../Shared/Alignment.h"
#include "../../Shared/MemRefMemory.h"
#include "../Fragment/KernelBuilder.h"
#include "../Structured/ElementKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Rows that an item has at most: what is made for all of them costs little
/// beside them, and there are enough items.
constexpr int64_t kItemRows = 4;

static Value multiply(KernelBuilder &kernel, ValueRange factors) {
  Value product = kernel.index(1);
  for (Value factor : factors)
    product = kernel.mul(product, factor);
  return product;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

Value RowKernel::emitAlignment(OpBuilder &b) {
  int64_t most = schedule.getWidth();
  if (most == 1 ||
      llvm::any_of(space->runs, [&](int64_t run) { return run % most != 0; }))
    return {};
  KernelBuilder kernel(b, loc);
  Value all = arith::ConstantIntOp::create(b, loc, true, 1);
  for (Value memref : space->along) {
    auto shaped = cast<MemRefType>(memref.getType());
    Value last = b.createOrFold<memref::DimOp>(
        loc, memref, kernel.index(shaped.getRank() - 1));
    std::optional<int64_t> known = getConstantIntValue(last);
    if (known && *known % most != 0)
      return {};
    if (!known)
      all = kernel.both(all, kernel.equal(kernel.rem(last, most), 0));
    Value aligned = emitIsAligned(
        b, loc, memref, most * getElementBytes(shaped.getElementType()));
    if (!aligned)
      return {};
    all = kernel.both(all, aligned);
  }
  return all;
}

void RowKernel::emitRows(OpBuilder &builder, const RowSpace &ofOp,
                         RowAlgorithm &ofRows) {
  space = &ofOp;
  algorithm = &ofRows;
  if (ofOp.keeps && schedule.getPieces() == 0)
    allocateKept(builder);
  Value aligned = emitAlignment(builder);
  KernelBuilder(builder, loc)
      .emitIf(
          aligned,
          [&] { emitForm(builder, aligned ? schedule.getWidth() : 1); },
          [&] { emitForm(builder, 1); });
  if (keptMemory)
    memref::DeallocOp::create(builder, loc, keptMemory);
  keptMemory = {};
}

int64_t RowKernel::getKnownLength() const {
  if (!space->runs.empty())
    return std::max(space->runs.front(), space->runs.back() / 2);
  int64_t length = space->sizes.empty() ? ShapedType::kDynamic : 1;
  for (Value size : space->sizes) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (!known)
      return ShapedType::kDynamic;
    length *= *known;
  }
  return length;
}

void RowKernel::emitForm(OpBuilder &builder, int64_t elements) {
  width = elements;
  rowThreads = schedule.getRowWarps();
  int64_t length = getKnownLength();
  if (!schedule.getStrided()) {
    rowThreads *= kWarpLanes;
    // Several short rows share a warp.
    if (schedule.getRowWarps() == 1 && !ShapedType::isDynamic(length))
      rowThreads = std::clamp<int64_t>(
          llvm::PowerOf2Ceil(llvm::divideCeil(length, width)), 1, kWarpLanes);
  }
  KernelBuilder kernel(builder, loc);
  Value rows = multiply(kernel, getExtents(builder));
  sharedBytes = 0;
  auto launch = emitLaunch(
      builder, loc, kernel.ceilDiv(rows, getBlockRows()), getBlockThreads(),
      /*sharedBytes=*/0,
      [&](Value block, Value tid) { emitBlock(builder, block, tid, rows); });
  if (sharedBytes == 0)
    return;
  OpBuilder before(launch);
  launch.getDynamicSharedMemorySizeMutable().assign(
      arith::ConstantIntOp::create(before, loc, sharedBytes, 32));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Value RowKernel::emitPlace(OpBuilder &b, Value tid) {
  KernelBuilder kernel(b, loc);
  threadInBlock = tid;
  if (!schedule.getStrided()) {
    thread =
        rowThreads == getBlockThreads() ? tid : kernel.rem(tid, rowThreads);
    return kernel.div(tid, rowThreads);
  }
  Value warp = kernel.div(tid, kWarpLanes), lane = kernel.rem(tid, kWarpLanes);
  thread = kernel.rem(warp, schedule.getRowWarps());
  if (schedule.getRowWarps() == schedule.getBlockWarps())
    return lane;
  Value first =
      kernel.mul(kernel.div(warp, schedule.getRowWarps()), kWarpLanes);
  return kernel.add(first, lane);
}

void RowKernel::emitBlock(OpBuilder &b, Value block, Value tid, Value rows) {
  KernelBuilder kernel(b, loc);
  if (schedule.getRowWarps() != 1)
    shared = kernel.getDynamicShared();
  auto emit = [&](Value row) {
    space->itemDims.empty() ? emitRow(b, row) : emitItem(b, row);
  };
  exists = {};
  Value inBlock = emitPlace(b, tid);
  if (getBlockRows() == 1)
    return emit(block);
  Value row = kernel.add(kernel.mul(block, getBlockRows()), inBlock);
  Value inside = kernel.below(row, rows);
  if (needsAllThreads()) {
    // Threads without a row stay, and touch no memory.
    exists = inside;
    Value last = kernel.sub(rows, 1);
    return emit(arith::MinUIOp::create(b, loc, row, last));
  }
  kernel.emitIf(inside, [&] { emit(row); });
}

RowKernel::Values RowKernel::getExtents(OpBuilder &b) {
  if (space->itemDims.empty())
    return space->counts;
  KernelBuilder kernel(b, loc);
  Values extents = {
      kernel.ceilDiv(multiply(kernel, getOtherCounts()), kItemRows)};
  for (unsigned dim : space->itemDims)
    extents.push_back(space->counts[dim]);
  return extents;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void RowKernel::emitRow(OpBuilder &b, Value linear) {
  number = emitDelinearized(b, loc, linear, space->counts);
  keptPieces.assign(schedule.getPieces(), Value());
  loaded.clear();
  RowPlace row{number, {}, space->sizes};
  algorithm->locate(b, number, row.origin, row.sizes);
  Values numbers = algorithm->measure(b, row);
  if (space->outputs.empty())
    return;
  emitPieces(b, row.sizes, {},
             [&](const RowPiece &piece, MutableArrayRef<Value>) {
               algorithm->write(piece, row, numbers);
             });
}

SmallVector<unsigned> RowKernel::getOtherDims() const {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < space->counts.size(); ++dim)
    if (!llvm::is_contained(space->itemDims, dim))
      dims.push_back(dim);
  return dims;
}

RowKernel::Values RowKernel::getOtherCounts() const {
  return llvm::map_to_vector(getOtherDims(),
                             [&](unsigned dim) { return space->counts[dim]; });
}

void RowKernel::emitItem(OpBuilder &b, Value linear) {
  KernelBuilder kernel(b, loc);
  Values at = emitDelinearized(b, loc, linear, getExtents(b));
  Value first = kernel.mul(at.front(), kItemRows);
  ArrayRef<Value> item = ArrayRef(at).drop_front();
  Value end = kernel.add(item.back(), 1);
  algorithm->beginItem(b, {Values(item.drop_back()), item.back(), end});
  Value ofItem = exists, others = multiply(kernel, getOtherCounts());
  std::optional<int64_t> known = getConstantIntValue(others);
  for (int64_t i = 0; i < std::min(known.value_or(kItemRows), kItemRows); ++i) {
    Value other = kernel.add(first, i);
    exists = ofItem;
    if (i != 0 && (!known || *known % kItemRows != 0)) {
      Value isRow = kernel.below(other, others);
      exists = exists ? kernel.both(exists, isRow) : isRow;
    }
    emitItemRow(b, other, item);
  }
  exists = ofItem;
  algorithm->endItem(b);
}

void RowKernel::emitItemRow(OpBuilder &b, Value other, ValueRange item) {
  number.assign(space->counts.size(), Value());
  for (auto [dim, index] : llvm::zip_equal(
           getOtherDims(), emitDelinearized(b, loc, other, getOtherCounts())))
    number[dim] = index;
  for (auto [dim, index] : llvm::zip_equal(space->itemDims, item))
    number[dim] = index;
  loaded.clear();
  RowPlace row{number, {}, space->sizes};
  algorithm->locate(b, number, row.origin, row.sizes);
  algorithm->writeRow(b, row);
}

void RowKernel::emitEach(
    OpBuilder &builder, ValueRange counts,
    llvm::function_ref<void(OpBuilder &, ValueRange)> body) {
  SmallVector<OpFoldResult> box(counts.begin(), counts.end());
  emitElementKernel(builder, loc, box, body);
}
