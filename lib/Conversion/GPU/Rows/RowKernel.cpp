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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Rows that an item has at most: what is made for all of them costs little
/// beside them, and there are enough items.
constexpr int64_t kItemRows = 4;

static Value createIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

static Value multiply(OpBuilder &b, Location loc, ValueRange factors) {
  Value product = createIndex(b, loc, 1);
  for (Value factor : factors)
    product = b.createOrFold<arith::MulIOp>(loc, product, factor);
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
  Value all = arith::ConstantIntOp::create(b, loc, true, 1);
  auto demand = [&](Value condition) {
    all = b.createOrFold<arith::AndIOp>(loc, all, condition);
  };
  for (Value memref : space->along) {
    auto shaped = cast<MemRefType>(memref.getType());
    Value last = b.createOrFold<memref::DimOp>(
        loc, memref, createIndex(b, loc, shaped.getRank() - 1));
    std::optional<int64_t> known = getConstantIntValue(last);
    if (known && *known % most != 0)
      return {};
    if (!known)
      demand(arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::eq,
          arith::RemUIOp::create(b, loc, last, createIndex(b, loc, most)),
          createIndex(b, loc, 0)));
    Value aligned = emitIsAligned(
        b, loc, memref, most * getElementBytes(shaped.getElementType()));
    if (!aligned)
      return {};
    demand(aligned);
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
  if (!aligned) {
    emitForm(builder, 1);
  } else {
    auto emit = [&](int64_t elements) {
      return [this, elements](OpBuilder &b, Location) {
        emitForm(b, elements);
        scf::YieldOp::create(b, loc);
      };
    };
    scf::IfOp::create(builder, loc, aligned, emit(schedule.getWidth()),
                      emit(1));
  }
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
  Value rows = multiply(builder, loc, getExtents(builder));
  Value one = createIndex(builder, loc, 1);
  Value blocks = builder.createOrFold<arith::CeilDivUIOp>(
      loc, rows, createIndex(builder, loc, getBlockRows()));
  auto launch = gpu::LaunchOp::create(
      builder, loc, blocks, one, one,
      createIndex(builder, loc, getBlockThreads()), one, one);
  sharedBytes = 0;
  {
    OpBuilder::InsertionGuard inside(builder);
    builder.setInsertionPointToStart(&launch.getBody().front());
    emitBlock(builder, launch, rows);
    builder.setInsertionPointToEnd(&launch.getBody().front());
    gpu::TerminatorOp::create(builder, loc);
  }
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
  auto divide = [&](Value value, int64_t by) {
    return by == 1 ? value
                   : b.createOrFold<arith::DivUIOp>(loc, value,
                                                    createIndex(b, loc, by));
  };
  auto rest = [&](Value value, int64_t by) {
    return by == 1 ? createIndex(b, loc, 0)
                   : b.createOrFold<arith::RemUIOp>(loc, value,
                                                    createIndex(b, loc, by));
  };
  threadInBlock = tid;
  if (!schedule.getStrided()) {
    thread = rowThreads == getBlockThreads() ? tid : rest(tid, rowThreads);
    return divide(tid, rowThreads);
  }
  Value warp = divide(tid, kWarpLanes), lane = rest(tid, kWarpLanes);
  thread = rest(warp, schedule.getRowWarps());
  if (schedule.getRowWarps() == schedule.getBlockWarps())
    return lane;
  Value first =
      b.createOrFold<arith::MulIOp>(loc, divide(warp, schedule.getRowWarps()),
                                    createIndex(b, loc, kWarpLanes));
  return b.createOrFold<arith::AddIOp>(loc, first, lane);
}

void RowKernel::emitBlock(OpBuilder &b, gpu::LaunchOp launch, Value rows) {
  KernelBuilder kernel(b, loc);
  Value tid = launch.getThreadIds().x, block = launch.getBlockIds().x;
  if (schedule.getRowWarps() != 1)
    shared = kernel.getDynamicShared();
  auto emit = [&](OpBuilder &at, Value row) {
    space->itemDims.empty() ? emitRow(at, row) : emitItem(at, row);
  };
  exists = {};
  Value inBlock = emitPlace(b, tid);
  if (getBlockRows() == 1)
    return emit(b, block);
  Value first =
      arith::MulIOp::create(b, loc, block, createIndex(b, loc, getBlockRows()));
  Value row = arith::AddIOp::create(b, loc, first, inBlock);
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row, rows);
  if (needsAllThreads()) {
    // Threads without a row stay, and touch no memory.
    exists = inside;
    Value last = arith::SubIOp::create(b, loc, rows, createIndex(b, loc, 1));
    return emit(b, arith::MinUIOp::create(b, loc, row, last));
  }
  scf::IfOp::create(b, loc, inside, [&](OpBuilder &nested, Location) {
    emit(nested, row);
    scf::YieldOp::create(nested, loc);
  });
}

RowKernel::Values RowKernel::getExtents(OpBuilder &b) {
  if (space->itemDims.empty())
    return space->counts;
  Values others;
  for (unsigned dim : getOtherDims())
    others.push_back(space->counts[dim]);
  Values extents = {b.createOrFold<arith::CeilDivUIOp>(
      loc, multiply(b, loc, others), createIndex(b, loc, kItemRows))};
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

void RowKernel::emitItem(OpBuilder &b, Value linear) {
  Values at = emitDelinearized(b, loc, linear, getExtents(b));
  Value first = b.createOrFold<arith::MulIOp>(loc, at.front(),
                                              createIndex(b, loc, kItemRows));
  ArrayRef<Value> item = ArrayRef(at).drop_front();
  Value end =
      arith::AddIOp::create(b, loc, item.back(), createIndex(b, loc, 1));
  algorithm->beginItem(b, {Values(item.drop_back()), item.back(), end});
  Value ofItem = exists;
  Values counts;
  for (unsigned dim : getOtherDims())
    counts.push_back(space->counts[dim]);
  Value others = multiply(b, loc, counts);
  std::optional<int64_t> known = getConstantIntValue(others);
  for (int64_t i = 0; i < std::min(known.value_or(kItemRows), kItemRows); ++i) {
    Value other =
        b.createOrFold<arith::AddIOp>(loc, first, createIndex(b, loc, i));
    exists = ofItem;
    if (i != 0 && (!known || *known % kItemRows != 0)) {
      Value isRow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          other, others);
      exists = exists ? arith::AndIOp::create(b, loc, exists, isRow).getResult()
                      : isRow;
    }
    emitItemRow(b, other, item);
  }
  exists = ofItem;
  algorithm->endItem(b);
}

void RowKernel::emitItemRow(OpBuilder &b, Value other, ValueRange item) {
  SmallVector<unsigned> otherDims = getOtherDims();
  Values counts;
  for (unsigned dim : otherDims)
    counts.push_back(space->counts[dim]);
  number.assign(space->counts.size(), Value());
  for (auto [dim, index] :
       llvm::zip_equal(otherDims, emitDelinearized(b, loc, other, counts)))
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
